import LullCore

/// A form request to an endpoint of an authorization server, with the client secret in a header or
/// in the form.
struct OAuth2Request {
  typealias Pair = (name: String, value: SecretText)

  let http: HTTPRequest

  /// Creates a token request that needs no user.
  ///
  /// - Parameters:
  ///   - refreshToken: The last refresh token from the endpoint. It replaces the initial refresh
  ///     token; nil for none.
  ///   - first: The initial refresh token, if its text is known.
  ///   - waiting: A request that needs the tokens. The token request uses the same proxy, trusted
  ///     certificates and timeout.
  init(
    _ settings: OAuth2.Settings, refreshToken: String?, first: SecretText? = nil,
    for waiting: HTTPRequest
  ) {
    let given = refreshToken.map { OAuth2Request.secret($0, "refresh token") }
    var pairs: [Pair] = []
    switch settings.grant {
    case .clientCredentials: pairs.append(("grant_type", SecretText("client_credentials")))
    case .refresh(let setting):
      pairs.append(("grant_type", SecretText("refresh_token")))
      pairs.append(("refresh_token", given ?? first ?? setting))
    case .login:
      pairs.append(("grant_type", SecretText("refresh_token")))
      if let given { pairs.append(("refresh_token", given)) }
    }
    self.init(settings, pairs + settings.reach, to: settings.tokenURL, for: waiting)
  }

  /// Creates a request for an endpoint.
  ///
  /// - Parameter pairs: The fields of the form, without the client's credentials.
  init(_ settings: OAuth2.Settings, _ pairs: [Pair], to url: String, for waiting: HTTPRequest) {
    var pairs = pairs
    var headers = RequestHeaders([("accept", "application/json")])
    if let secret = settings.clientSecret, !settings.sendsSecretInBody {
      // The client ID and the secret are form-encoded first. (RFC 6749, section 2.3.1)
      headers.add(
        "authorization",
        Auth.basicValue(
          user: SecretText(OAuth2Request.escaped(settings.clientID)),
          password: SecretText(escaping: secret)))
    } else {
      pairs.append(("client_id", SecretText(settings.clientID)))
      if let secret = settings.clientSecret { pairs.append(("client_secret", secret)) }
    }
    let body = SecretBody(form: pairs)
    headers["content-type"] = body.contentType
    var http = HTTPRequest(method: "POST", url: url, headers: headers, body: body.template.masked)
    // The secrets may be sent to the endpoint, because the settings name it.
    http.secrets = SecretUses(origin: http.origin, body: body.template)
    http.options = OAuth2Request.options(of: waiting, to: http.origin)
    http.environment = waiting.environment
    http.limits.timeout = waiting.limits.timeout
    http.limits.connectTimeout = waiting.limits.connectTimeout
    self.http = http
  }

  /// Returns a secret with this text, whose mask shows the name.
  static func secret(_ text: String, _ name: String) -> SecretText {
    SecretText(Secret(.literal(text), name: name))
  }

  private static func options(of request: HTTPRequest, to origin: String?) -> TransferOptions {
    var options = TransferOptions()
    // Tokens must not come from another origin.
    options.redirects = .followWithinOrigin
    guard let given = request.options else { return options }
    options.connection = given.connection
    options.wire = given.wire
    options.firstByteTimeout = given.firstByteTimeout
    options.idleTimeout = given.idleTimeout
    if request.origin != origin {
      options.connection.clientCertificate = nil
      options.connection.clientKey = nil
    }
    return options
  }

  static func escaped(_ text: String) -> String {
    String(decoding: SecretEscaping.form.escaped(text.utf8), as: UTF8.self)
  }
}

extension OAuth2.Settings {
  /// The requested scope and audience.
  var reach: [OAuth2Request.Pair] {
    var pairs: [OAuth2Request.Pair] = []
    if let scope { pairs.append(("scope", SecretText(scope))) }
    if let audience { pairs.append(("audience", SecretText(audience))) }
    return pairs
  }
}

/// Marks of refresh tokens that are about to be used, or that may have been used with unknown
/// outcome. A mark consists of a digest of the token and a random part, which distinguishes several
/// marks of the same token.
struct OAuth2Marks: Equatable, Sendable {
  private(set) var marks: [String] = []

  init() {}

  /// Creates the marks from their stored form, in which spaces separate them.
  init(text: String) {
    marks = text.split(separator: " ").map(String.init)
  }

  var text: String { marks.joined(separator: " ") }
  var isEmpty: Bool { marks.isEmpty }

  /// Returns a new mark for a refresh token; nil without a library for digests.
  static func mark(of token: String) -> String? {
    digest(of: token).map { "\($0):\(Hexadecimal.random(byteCount: 8))" }
  }

  private static func digest(of token: String) -> String? {
    Digest.sha256.of("renewal:" + token).map { Hexadecimal.text($0) }
  }

  /// Whether there is a mark of that token, so that the token may have been used.
  func contains(_ token: String) -> Bool {
    guard let digest = OAuth2Marks.digest(of: token) else { return false }
    return marks.contains { $0.prefix { $0 != ":" } == digest }
  }

  /// Returns the marks with an additional mark. All other marks stay, because their tokens may
  /// still be in some store.
  func adding(_ mark: String) -> OAuth2Marks {
    var all = self
    all.marks.append(mark)
    return all
  }

  /// Returns the marks without the marks whose requests were not sent.
  func without(_ unsent: Set<String>) -> OAuth2Marks {
    var rest = self
    rest.marks.removeAll { unsent.contains($0) }
    return rest
  }
}
