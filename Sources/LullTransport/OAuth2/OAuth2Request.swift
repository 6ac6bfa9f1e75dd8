import LullCore

/// The request for tokens: a form, the client's secret in a header or beside the rest.
struct OAuth2Request {
  let http: HTTPRequest

  /// - Parameters:
  ///   - refreshToken: what the endpoint has given last, in place of the one to begin with.
  ///   - waiting: a request that needs the tokens; they are asked for by way of the same proxy, trusting
  ///     the same certificates, and in the same time.
  init(_ settings: OAuth2.Settings, refreshToken: String?, for waiting: HTTPRequest) {
    var pairs: [(name: String, value: SecretText)] = []
    func add(_ name: String, _ text: String) { pairs.append((name, SecretText(text))) }
    switch settings.grant {
    case .clientCredentials: add("grant_type", "client_credentials")
    case .refresh(let first):
      add("grant_type", "refresh_token")
      let given = refreshToken.map { SecretText(Secret(.literal($0), name: "refresh token")) }
      pairs.append(("refresh_token", given ?? first))
    }
    if let scope = settings.scope { add("scope", scope) }
    if let audience = settings.audience { add("audience", audience) }
    var headers = Headers([("accept", "application/json")])
    if let secret = settings.clientSecret, !settings.sendsSecretInBody {
      // Both are escaped as in a form first. (RFC 6749, section 2.3.1)
      let auth = Auth.basic(
        user: OAuth2Request.escaped(settings.clientID), password: SecretText(escaping: secret))
      headers.add(auth.header, auth.value)
    } else {
      add("client_id", settings.clientID)
      if let secret = settings.clientSecret { pairs.append(("client_secret", secret)) }
    }
    let body = SecretBody(form: pairs)
    headers["content-type"] = body.contentType
    var http = HTTPRequest(
      method: "POST", url: settings.tokenURL, headers: headers, body: body.template.masked)
    // Whoever names the endpoint means the secrets for it.
    http.secrets = SecretUses(origin: http.origin, body: body.template)
    http.options = OAuth2Request.options(of: waiting, to: http.origin)
    http.limits.timeout = waiting.limits.timeout
    http.limits.connectTimeout = waiting.limits.connectTimeout
    self.http = http
  }

  private static func options(of request: HTTPRequest, to origin: String?) -> TransferOptions {
    var options = TransferOptions()
    // Whoever answers elsewhere is not whom the tokens are to come from.
    options.redirects = .followWithinOrigin
    guard let given = request.options else { return options }
    options.connection = given.connection
    options.firstByteTimeout = given.firstByteTimeout
    options.idleTimeout = given.idleTimeout
    if request.origin != origin {
      options.connection.clientCertificate = nil
      options.connection.clientKey = nil
    }
    return options
  }

  private static func escaped(_ text: String) -> String {
    String(decoding: SecretEscaping.form.escaped(text.utf8), as: UTF8.self)
  }
}

/// What came of it.
struct OAuth2Answer {
  private let result: NetworkResult
  private let url: String
  private let endpointOrigin: String?
  private let known: SecretSearch

  /// - Parameter known: what the endpoint was told, which it may repeat.
  init(_ result: NetworkResult, from url: String, hiding known: SecretSearch) {
    self.result = result
    self.url = LogText.url(url)
    endpointOrigin = ResourceURL(absolute: url)?.origin
    self.known = known
  }

  /// - Parameter refresh: the refresh token to keep if none comes.
  func tokens(now: Double, refresh: String?) -> Result<OAuth2Tokens, TransportError> {
    if let error = result.error {
      let reason = error.message.replacing(Redirect.refusalHint, with: "")
      return .failure(OAuth2.failure("no token from \(url): \(reason)"))
    }
    if let problem = originProblem { return .failure(OAuth2.failure(problem)) }
    let status = result.response?.status ?? 0
    let root = (try? JSONDocument(parsing: result.body ?? []))?.root
    guard (200...299).contains(status) else {
      return .failure(OAuth2.failure("no token from \(url): \(refusal(status, root))"))
    }
    guard let root, let access = root["access_token"]?.string, OAuth2Tokens.isValid(access)
    else {
      return .failure(OAuth2.failure("no token from \(url): its answer has no access_token"))
    }
    if let type = root["token_type"]?.string, type.lowercased() != "bearer" {
      let shown = shown(type, limit: 40)
      return .failure(OAuth2.failure("\(url) gives tokens of type '\(shown)', not bearer tokens"))
    }
    // Some say it in a string.
    let lifetime =
      root["expires_in"]?.double ?? root["expires_in"]?.string.flatMap { Double($0) }
    return .success(
      OAuth2Tokens(
        access: access, refresh: root["refresh_token"]?.string ?? refresh,
        lifetime: lifetime.flatMap { $0.isFinite ? $0 : nil }, now: now))
  }

  /// A script that stands in for the network may follow redirects as it likes.
  private var originProblem: String? {
    guard let answered = result.response?.url,
      let origin = ResourceURL(absolute: answered)?.origin,
      origin != endpointOrigin
    else { return nil }
    return "no token from \(url): another origin has answered, \(origin)"
  }

  /// The endpoint's own words, which are for people to read. (RFC 6749, section 5.2)
  private func refusal(_ status: Int, _ root: JSONElement?) -> String {
    var text = "it answered \(status)"
    if let error = root?["error"]?.string { text += ", \(shown(error, limit: 80))" }
    if let words = root?["error_description"]?.string {
      text += ": \(shown(words, limit: 200))"
    }
    return text
  }

  /// Masked before it is cut: what is left of a secret would not be found.
  private func shown(_ text: String, limit: Int) -> String {
    LogText.part(known.masked(text), limit: limit)
  }
}
