import LullCore

/// The response of an endpoint of an authorization server.
struct OAuth2Answer {
  private let result: NetworkResult
  private let url: String
  private let endpointOrigin: String?
  private let known: SecretSearch
  private let status: Int
  private let root: JSONElement?

  /// - Parameter known: A search for the secrets that were sent to the endpoint. The response may
  ///   repeat these secrets.
  init(_ result: NetworkResult, from url: String, hiding known: SecretSearch) {
    self.result = result
    self.url = LogText.url(url)
    endpointOrigin = ResourceURL(absolute: url)?.origin
    self.known = known
    status = result.response?.status ?? 0
    let body = result.body ?? []
    let type = result.response?.headers["content-type"]?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      root = (try? JSONDocument(parsing: OAuth2Answer.members(ofForm: body).encode()))?.root
    } else {
      root = (try? JSONDocument(parsing: body))?.root
    }
  }

  /// Parses a form, which GitHub and others send unless the request asks for JSON.
  private static func members(ofForm body: [UInt8]) -> JSONValue {
    let pairs = body.split(separator: UInt8(ascii: "&")).compactMap { pair -> JSONValue.Member? in
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let texts = parts.map { part in
        let spaced = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: (try? PercentEncoding.decode(spaced[...])) ?? spaced, as: UTF8.self)
      }
      return texts.first.map { .init($0, .string(texts.count > 1 ? texts[1] : "")) }
    }
    return .object(pairs)
  }

  /// Returns the tokens in the response, or the reason why it has none.
  ///
  /// - Parameter known: The previous tokens. Their refresh token is kept if the response has none.
  func tokens(now: Double, known: OAuth2Tokens?) -> Result<OAuth2Tokens, TransportError> {
    if let problem = problem("no token from") { return .failure(problem) }
    guard let root, let access = root["access_token"]?.string, OAuth2Tokens.isValid(access)
    else {
      return .failure(OAuth2.failure("no token from \(url): its response has no access_token"))
    }
    if let type = root["token_type"]?.string, type.lowercased() != "bearer" {
      let shown = shown(type, limit: 40)
      return .failure(
        OAuth2.failure("\(url) returned a token of type '\(shown)', not a bearer token"))
    }
    return .success(
      OAuth2Tokens(
        access: access, refresh: root["refresh_token"]?.string ?? known?.refresh,
        lifetime: number("expires_in"), login: known?.login, now: now))
  }

  /// Whether it is certain that the endpoint has issued no tokens: the request has not reached the
  /// endpoint, or the endpoint's response is an error. It is not certain, for example, in these
  /// cases:
  /// - A gateway has responded with an error. The gateway does not know whether the endpoint has
  ///   issued tokens.
  /// - The response is a success. Its tokens may be lost.
  var isCertain: Bool {
    if let error = result.error {
      return error.isUnsent
        || [.dns, .invalidURL, .secretOrigin, .secretUnavailable, .fileUnavailable]
          .contains(error.kind)
    }
    return originProblem == nil && !isSuccess && ![502, 504].contains(status)
  }

  /// Returns an error if the request has failed, or nil if it has not.
  ///
  /// - Parameter lead: The beginning of the message, before the endpoint.
  func problem(_ lead: String) -> TransportError? {
    if let error = result.error {
      let reason = error.message.replacing(Redirect.refusalHint, with: "")
      return OAuth2.failure("\(lead) \(url): \(reason)")
    }
    if let originProblem { return OAuth2.failure("\(lead) \(url): \(originProblem)") }
    return isSuccess ? nil : OAuth2.failure("\(lead) \(url): \(refusal)")
  }

  /// The endpoint's error code, such as `invalid_grant`; nil for none.
  var problemName: String? { isSuccess ? nil : errorName }

  /// Whether the endpoint no longer accepts the refresh token or code. This is known from the error
  /// code of the RFC, of GitHub or of Slack.
  var refusesGrant: Bool {
    ["invalid_grant", "bad_refresh_token", "invalid_refresh_token"].contains(problemName)
  }

  /// Whether the failure is temporary: there was no response, or only one from a server that could
  /// not handle the request.
  var mayPass: Bool {
    if let error = result.error {
      return !error.isFinal && [.network, .timeout, .connection, .dns].contains(error.kind)
    }
    if let problemName, OAuth2Answer.lastingErrors.contains(problemName) { return false }
    return status >= 500 || status == 429 && problemName == nil
  }

  /// Errors that the same request would get again, with any status. (RFC 6749, 5.2; RFC 8628, 3.5)
  private static let lastingErrors: Set<String> = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope", "access_denied", "expired_token",
  ]

  func text(_ name: String) -> String? { root?[name]?.string }

  /// Returns a number from the response. Some servers send numbers as strings.
  func number(_ name: String) -> Double? {
    let value = root?[name]
    return (value?.double ?? value?.string.flatMap { Double($0) }).flatMap {
      $0.isFinite ? $0 : nil
    }
  }

  private var isSuccess: Bool {
    result.error == nil && (200...299).contains(status) && !reportsError
  }

  /// Whether the body reports an error, which some servers send with status 200: GitHub as `error`,
  /// Slack as `"ok": false`. (OAU-60)
  private var reportsError: Bool {
    if root?["ok"]?.bool == false { return true }
    guard let error = root?["error"] else { return false }
    return switch error.kind {
    case .null: false
    case .bool: error.bool == true
    case .string: error.string?.isEmpty == false
    case .int, .double: error.double != 0
    case .array, .object: true
    }
  }

  /// The value of `error`, or the code inside it if `error` is an object, as from Google.
  private var errorName: String? {
    guard let error = root?["error"] else { return nil }
    if let name = error.string { return name.isEmpty ? nil : name }
    if let number = error.int { return "\(number)" }
    return ["code", "type", "status"].lazy.compactMap { error[$0]?.string }.first
  }

  private var errorDescription: String? {
    root?["error_description"]?.string ?? root?["error"]?["message"]?.string
  }

  /// The reason why the response is rejected if it came from another origin. A script that replaces
  /// the network may have followed a redirect to that origin.
  private var originProblem: String? {
    guard let answered = result.response?.url,
      let origin = ResourceURL(absolute: answered)?.origin,
      origin != endpointOrigin
    else { return nil }
    return "the response came from another origin, \(origin)"
  }

  /// A description of the endpoint's error for messages. (RFC 6749, section 5.2)
  private var refusal: String {
    var text = "it responded with \(status)"
    if let errorName { text += ", \(shown(errorName, limit: 80))" }
    if let errorDescription { text += ": \(shown(errorDescription, limit: 200))" }
    return text
  }

  /// Returns a text from the response for messages. It is masked before it is truncated, because a
  /// truncated secret would not be found.
  private func shown(_ text: String, limit: Int) -> String {
    LogText.part(known.masked(text), limit: limit)
  }
}

/// The tokens from a token endpoint, and their expiry.
struct OAuth2Tokens: Sendable, Equatable {
  let access: String
  let refresh: String?
  /// A random text that identifies the login in which the tokens were issued; nil for tokens
  /// without a login.
  var login: String?
  /// Whether a renewal has returned a different refresh token, so that the old refresh token may be
  /// invalid; nil before the first renewal.
  var rotates: Bool?
  /// How often the tokens were renewed with a refresh token.
  private(set) var renewals = 0
  /// The time when the access token expires, in Unix seconds; nil if it is valid until the service
  /// rejects it.
  private(set) var expires: Double?
  /// The lifetime in seconds that the access token had when it was issued.
  let lifetime: Double

  init(access: String, refresh: String?, lifetime: Double?, login: String? = nil, now: Double) {
    self.access = access
    self.refresh = refresh
    self.login = login
    self.lifetime = lifetime ?? 0
    expires = lifetime.map { now + $0 }
  }

  /// Whether a request that is sent now with this token would arrive in time. A token is not used
  /// in the last tenth of its lifetime, or in its last 30 s if that is shorter. A token whose
  /// remaining time exceeds its lifetime is not used either, because the clock was set back.
  /// (OAU-160)
  func isGood(now: Double) -> Bool {
    guard let expires else { return true }
    let left = expires - now
    // Tolerates small clock corrections.
    return left > min(30, lifetime / 10) && (lifetime <= 0 || left <= lifetime + 60)
  }

  /// Returns these tokens as the result of a renewal.
  ///
  /// - Parameters:
  ///   - known: The tokens before the renewal; nil for none.
  ///   - sent: The refresh token that was sent; nil for none.
  ///   - given: The refresh token in the response; nil for none.
  func renewed(from known: OAuth2Tokens?, with sent: String?, given: String?) -> OAuth2Tokens {
    var tokens = self
    tokens.rotates = known?.rotates == true || given != nil && given != sent
    tokens.renewals = (known?.renewals ?? 0) + 1
    return tokens
  }

  /// Whether an access token may be sent in a header. (RFC 6750, section 2.1)
  static func isValid(_ access: String) -> Bool {
    !access.isEmpty && access.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  mutating func expire() {
    expires = -.infinity
  }

  // MARK: Storage

  init?(_ element: JSONElement) {
    guard let access = element["access_token"]?.string, OAuth2Tokens.isValid(access) else {
      return nil
    }
    self.access = access
    refresh = element["refresh_token"]?.string
    login = element["login"]?.string
    rotates = element["rotates"]?.bool
    renewals = max(0, min(element["renewed"]?.int ?? 0, 1 << 40))
    expires = element["expires"]?.double.flatMap { $0.isFinite ? $0 : nil }
    lifetime = element["lifetime"]?.double.flatMap { $0.isFinite ? $0 : nil } ?? 0
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("access_token", .string(access)), .init("lifetime", .double(lifetime)),
    ]
    if let refresh { members.append(.init("refresh_token", .string(refresh))) }
    if let login { members.append(.init("login", .string(login))) }
    if let rotates { members.append(.init("rotates", .bool(rotates))) }
    if renewals > 0 { members.append(.init("renewed", .int(renewals))) }
    if let expires, expires.isFinite { members.append(.init("expires", .double(expires))) }
    return .object(members)
  }
}
