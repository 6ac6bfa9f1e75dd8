import LullCore

/// A form for an endpoint of an authorization server, the client's secret in a header or beside the rest.
struct OAuth2Request {
  typealias Pair = (name: String, value: SecretText)

  let http: HTTPRequest

  /// For tokens that need nobody's word.
  ///
  /// - Parameters:
  ///   - refreshToken: what the endpoint has given last, in place of the one to begin with.
  ///   - first: the one to begin with, where it is known how that reads.
  ///   - waiting: a request that needs the tokens; they are asked for by way of the same proxy, trusting
  ///     the same certificates, and in the same time.
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

  /// - Parameter pairs: the form, without what says who asks.
  init(_ settings: OAuth2.Settings, _ pairs: [Pair], to url: String, for waiting: HTTPRequest) {
    var pairs = pairs
    var headers = Headers([("accept", "application/json")])
    if let secret = settings.clientSecret, !settings.sendsSecretInBody {
      // Both are escaped as in a form first. (RFC 6749, section 2.3.1)
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
    // Whoever names the endpoint means the secrets for it.
    http.secrets = SecretUses(origin: http.origin, body: body.template)
    http.options = OAuth2Request.options(of: waiting, to: http.origin)
    http.environment = waiting.environment
    http.limits.timeout = waiting.limits.timeout
    http.limits.connectTimeout = waiting.limits.connectTimeout
    self.http = http
  }

  /// What is not to be seen, by the name of its mask.
  static func secret(_ text: String, _ name: String) -> SecretText {
    SecretText(Secret(.literal(text), name: name))
  }

  private static func options(of request: HTTPRequest, to origin: String?) -> TransferOptions {
    var options = TransferOptions()
    // Whoever answers elsewhere is not whom the tokens are to come from.
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
  /// What tokens are to be good for.
  var reach: [OAuth2Request.Pair] {
    var pairs: [OAuth2Request.Pair] = []
    if let scope { pairs.append(("scope", SecretText(scope))) }
    if let audience { pairs.append(("audience", SecretText(audience))) }
    return pairs
  }
}
