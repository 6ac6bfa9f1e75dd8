/// The authentication of a service's requests: a header or query parameters with secrets, or a
/// stage of the provider chain that obtains credentials.
///
/// This is a setting of the configuration. The credential is added when the rest of the request is
/// complete, unless the request already has a header, cookie or parameter of the same name. Lua:
/// `lull.auth.bearer(secret)`.
public final class Auth: CustomStringConvertible {
  package enum Credential {
    /// Adds a header. The name is in lower case.
    case header(String, SecretText)
    case query(QueryCredential)
    /// Calls a stage, which adds a header with the name `header`. `shown` is the value of this
    /// header in messages.
    case stage(any AuthStage, header: String, shown: SecretText)
  }

  package let credential: Credential
  /// A text that identifies the user of the credentials. This is the credential that is sent or,
  /// for a stage, a text that distinguishes the stage from others.
  package let identity: SecretText
  /// The kind of authentication, if other clients have options for it; nil for an ordinary header
  /// or query parameter. Used to express a request as a command of another client.
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

  /// Makes an authentication whose header is added by `stage`.
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

  /// Identifies the header or the query parameters in which the credential is sent. This is the
  /// name of the header, or `?` followed by the names of the query parameters. No header name
  /// begins with `?`.
  package var place: String {
    switch credential {
    case .header(let name, _), .stage(_, let name, _): name
    case .query(let query): "?" + query.names.joined(separator: "&")
    }
  }

  /// The header or query parameters with the credential masked. Literal values are masked too,
  /// because they are credentials here.
  public var description: String {
    switch credential {
    case .header(let name, let value):
      "\(name): \(value.secrets.isEmpty ? CredentialMask.mark : value.masked)"
    case .stage(_, let name, let shown): "\(name): \(shown.masked)"
    case .query(let query): query.masked
    }
  }

  /// The value of the credential's header with the credential masked; nil for query parameters.
  package var maskedHeader: String? {
    switch credential {
    case .header(_, let value), .stage(_, _, let value): value.masked
    case .query: nil
    }
  }

  /// Adds the credential to a request, unless the request already has a header, cookie or parameter
  /// of the same name. For a stage, does nothing.
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

  /// Authenticates with the header `Authorization: Basic …`, where the user is a secret too, such
  /// as the key of an API that uses an empty password.
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

  /// Authenticates with a query parameter. It is added after the other parameters of the request.
  ///
  /// If the request already has a parameter of that name, the credential is not added. The added
  /// parameter isn't part of the resource's URL: it is not shown in messages, and does not
  /// distinguish resources. After a redirect, the URL from the server is used, without the
  /// parameter. Lua: `lull.auth.query(name, secret)`.
  public static func query(_ name: String, _ value: SecretText) -> Auth {
    query([(name, value)])
  }

  /// Authenticates with several query parameters, such as the ID and the key of an application, in
  /// the given order. If a name is repeated, its first value is used. Lua:
  /// `lull.auth.query{ app_id = secret, app_key = secret }`.
  public static func query(_ parameters: [(name: String, value: SecretText)]) -> Auth {
    Auth(QueryCredential(parameters))
  }
}

extension Auth {
  /// A hash that distinguishes this authentication from others in the same process. It depends on
  /// all properties, including those hidden by the mask.
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
