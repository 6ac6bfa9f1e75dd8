/// How the requests of a service authenticate: a header or query parameters with secrets, or a
/// stage of the provider chain that obtains credentials.
///
/// A setting of the configuration. It is added when the rest of the request is complete, unless the
/// request already has a header, cookie or parameter of that name. Lua: `lull.auth.bearer(secret)`.
public final class Auth: CustomStringConvertible {
  package enum Credential {
    /// A header; its name is in lower case.
    case header(String, SecretText)
    case query(QueryCredential)
    /// Adds a header of that name. `shown` is its value in messages.
    case stage(any AuthStage, header: String, shown: SecretText)
  }

  package let credential: Credential
  /// Identifies the user: the value that is sent or, for a stage, a text that distinguishes it from
  /// others.
  package let identity: SecretText
  /// How to express it for another client; nil for an ordinary header or query parameter.
  package let login: Login?

  /// Kinds of authentication for which other clients have options.
  package enum Login: Sendable, Equatable {
    /// The user, masked if it is a secret.
    case basic(user: String, hasPassword: Bool)
    /// The user, masked if it is a secret.
    case digest(user: String)
    case netrc(path: String?, isOptional: Bool)
    /// AWS Signature; the access key is masked if it is a secret.
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

  /// A header that `stage` adds.
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

  /// Identifies where the credential is sent: the name of its header, or `?` and its parameters,
  /// which can't be the name of a header.
  package var place: String {
    switch credential {
    case .header(let name, _), .stage(_, let name, _): name
    case .query(let query): "?" + query.names.joined(separator: "&")
    }
  }

  /// The header or query as sent, masked. Literals are masked too, because they are credentials
  /// here.
  public var description: String {
    switch credential {
    case .header(let name, let value):
      "\(name): \(value.secrets.isEmpty ? CredentialMask.mark : value.masked)"
    case .stage(_, let name, let shown): "\(name): \(shown.masked)"
    case .query(let query): query.masked
    }
  }

  /// The masked value of its header; nil if it is not a header.
  package var maskedHeader: String? {
    switch credential {
    case .header(_, let value), .stage(_, _, let value): value.masked
    case .query: nil
    }
  }

  /// Adds the credential, unless the request already has one in that place. Does nothing for a
  /// stage.
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

  /// `Authorization: Bearer …` (RFC 6750, section 2.1)
  public static func bearer(_ token: SecretText) -> Auth {
    Auth(header: "authorization", value: SecretText("Bearer ") + token)
  }

  /// `Authorization: Basic …`, the Base64 of `user:password`. (RFC 7617, section 2)
  public static func basic(user: String, password: SecretText) -> Auth {
    basic(user: SecretText(user), password: password)
  }

  /// `Authorization: Basic …` with a secret user, such as the key of an API that uses an empty
  /// password.
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

  /// A header of that name.
  public static func header(_ name: String, _ value: SecretText) -> Auth {
    Auth(header: name.lowercased(), value: value)
  }

  /// A parameter of the query, after those of the request.
  ///
  /// If the request has a parameter of that name, it is kept. The parameter isn't part of the
  /// resource's URL, neither in messages nor for its identity. A redirect uses the server's URL
  /// without it. Lua: `lull.auth.query(name, secret)`.
  public static func query(_ name: String, _ value: SecretText) -> Auth {
    query([(name, value)])
  }

  /// Several query parameters, such as an application's id and key, in this order. If a name is
  /// repeated, the first is used. Lua: `lull.auth.query{ app_id = secret, app_key = secret }`.
  public static func query(_ parameters: [(name: String, value: SecretText)]) -> Auth {
    Auth(QueryCredential(parameters))
  }
}

extension Auth {
  /// A hash that distinguishes it from others in this process, including by properties that its
  /// mask hides.
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
