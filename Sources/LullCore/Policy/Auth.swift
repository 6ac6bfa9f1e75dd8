/// How the requests of a service authenticate: a header or query parameters with secrets, or a
/// stage of the provider chain that obtains credentials.
///
/// This is a setting of the configuration. The credential is added when the rest of the request is
/// complete, unless the request already has a header, cookie or parameter of the same name. Lua:
/// `lull.auth.bearer(secret)`.
public final class Auth: CustomStringConvertible {
  package enum Credential {
    /// A header; its name is in lower case.
    case header(String, SecretText)
    case query(QueryCredential)
    /// A stage that adds a header with the name `header`. `shown` is the value of that header in
    /// messages.
    case stage(any AuthStage, header: String, shown: SecretText)
  }

  package let credential: Credential
  /// A text that identifies the user: the value that is sent or, for a stage, a text that
  /// distinguishes the stage from others.
  package let identity: SecretText
  /// The kind of authentication, for expressing it with options of another client; nil for an
  /// ordinary header or query parameter.
  package let login: Login?

  /// Kinds of authentication for which other clients have options.
  package enum Login: Sendable, Equatable {
    /// Basic authentication. The user is masked if it is a secret.
    case basic(user: String, hasPassword: Bool)
    /// Digest authentication. The user is masked if it is a secret.
    case digest(user: String)
    case netrc(path: String?, isOptional: Bool)
    /// AWS Signature. The access key is masked if it is a secret.
    case signature(service: String?, region: String?, accessKey: String)
  }

  private init(header: String, value: SecretText, login: Login? = nil) {
    credential = .header(header, value)
    self.login = login
    identity = value
  }

  private init(_ query: QueryCredential) {
    credential = .query(query)
    login = nil
    identity = query.identity
  }

  /// Makes an authentication with a header that `stage` adds.
  ///
  /// - Parameter shown: The value of the header in messages.
  package init(
    header: String = "authorization", stage: any AuthStage, identity: SecretText,
    shown: String, login: Login? = nil
  ) {
    credential = .stage(stage, header: header, shown: SecretText(shown))
    self.identity = identity
    self.login = login
  }

  package var stage: (any AuthStage)? {
    if case .stage(let stage, _, _) = credential { stage } else { nil }
  }

  package var query: QueryCredential? {
    if case .query(let query) = credential { query } else { nil }
  }

  /// Identifies where in the request the credential is sent. This is the name of its header, or `?`
  /// and the names of its query parameters. No header has a name that begins with `?`.
  package var place: String {
    switch credential {
    case .header(let name, _), .stage(_, let name, _): name
    case .query(let query): "?" + query.names.joined(separator: "&")
    }
  }

  /// The header or query as it is sent, with secrets masked. Literal values are masked too, because
  /// they are credentials here.
  public var description: String {
    switch credential {
    case .header(let name, let value):
      "\(name): \(value.secrets.isEmpty ? CredentialMask.mark : value.masked)"
    case .stage(_, let name, let shown): "\(name): \(shown.masked)"
    case .query(let query): query.masked
    }
  }

  /// The masked value of the header that contains the credential; nil for query parameters.
  package var maskedHeader: String? {
    switch credential {
    case .header(_, let value), .stage(_, _, let value): value.masked
    case .query: nil
    }
  }

  /// Adds the credential to a request, unless the request already has a header, cookie or parameter
  /// of the same name. Does nothing for a stage.
  package func put(on http: inout HTTPRequest) {
    switch credential {
    case .header("cookie", let value):
      if !http.headers.omitted.contains("cookie") { http.headers.add(cookieHeader: value) }
    case .header(let name, let value):
      if http.headers[name] == nil { http.headers.add(name, value) }
    case .query(let query): query.put(on: &http)
    case .stage: break
    }
  }

  /// Authenticates with the header `Authorization: Bearer …`. (RFC 6750, section 2.1)
  public static func bearer(_ token: SecretText) -> Auth {
    Auth(header: "authorization", value: SecretText("Bearer ") + token)
  }

  /// Authenticates with the header `Authorization: Basic …`, which contains the Base64 of
  /// `user:password`. (RFC 7617, section 2)
  public static func basic(user: String, password: SecretText) -> Auth {
    basic(user: SecretText(user), password: password)
  }

  /// Authenticates with the header `Authorization: Basic …` and a secret user, such as the key of
  /// an API that uses an empty password.
  public static func basic(user: SecretText, password: SecretText) -> Auth {
    let hasPassword = !(password.secrets.isEmpty && password.masked.isEmpty)
    return Auth(
      header: "authorization", value: basicValue(user: user, password: password),
      login: .basic(user: user.masked, hasPassword: hasPassword))
  }

  package static func basicValue(user: SecretText, password: SecretText) -> SecretText {
    // A literal user is joined into one text, so that equal credentials compare equal.
    let start = user.secrets.isEmpty ? SecretText(user.masked + ":") : user + SecretText(":")
    return SecretText("Basic ") + SecretText([.base64(start + password)])
  }

  /// Authenticates with a header of the given name.
  public static func header(_ name: String, _ value: SecretText) -> Auth {
    Auth(header: name.lowercased(), value: value)
  }

  /// Authenticates with a query parameter, which is added after those of the request.
  ///
  /// If the request already has a parameter of that name, it is kept, and the credential is not
  /// added. The added parameter isn't part of the resource's URL: messages don't show it, and it
  /// doesn't distinguish resources. A redirect uses the URL that the server sends, without the
  /// parameter. Lua: `lull.auth.query(name, secret)`.
  public static func query(_ name: String, _ value: SecretText) -> Auth {
    query([(name, value)])
  }

  /// Authenticates with several query parameters, such as an application's id and key, in this
  /// order. If a name is repeated, its first value is used. Lua:
  /// `lull.auth.query{ app_id = secret, app_key = secret }`.
  public static func query(_ parameters: [(name: String, value: SecretText)]) -> Auth {
    Auth(QueryCredential(parameters))
  }
}

extension Auth {
  /// A hash that distinguishes this authentication from others in the same process, including by
  /// properties that the mask hides.
  package var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(identity)
    hasher.combine(login.map { "\($0)" })
    hasher.combine(stage?.fingerprint)
    return hasher.finalize()
  }
}

extension AuthStage {
  /// A hash of the settings that aren't part of the identity; 0 by default.
  package var fingerprint: Int { 0 }
}
