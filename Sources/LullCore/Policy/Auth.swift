/// How the requests of a service prove who sends them: a header or parameters of the query with secrets
/// in them, or a stage of the provider chain that gets one.
///
/// A setting of the configuration. It is put on when everything else of a request is there, unless
/// the request has a header, a cookie or a parameter of that name. Lua: `lull.auth.bearer(secret)`.
public final class Auth: CustomStringConvertible {
  package enum Credential {
    /// By a name in lower case.
    case header(String, SecretText)
    case query(QueryCredential)
    /// Puts a header of that name on; what is shown of its value.
    case stage(any AuthStage, header: String, shown: SecretText)
  }

  package let credential: Credential
  /// Whose requests these are; what is sent, or a text that tells those of a stage apart.
  package let identity: SecretText
  /// How another client is told of it; nil if it is a header or a query as any other.
  package let login: Login?

  /// What other clients have options for.
  package enum Login: Sendable, Equatable {
    /// By a user as people see one.
    case basic(user: String, hasPassword: Bool)
    /// By a user as people see one.
    case digest(user: String)
    case netrc(path: String?, isOptional: Bool)
    /// Amazon's; an access key as people see one.
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

  /// A header that `stage` puts on.
  ///
  /// - Parameter shown: what people see of its value.
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

  /// What it is told from others by: its header, or `?` and its parameters, of which no header has the name.
  package var place: String {
    switch credential {
    case .header(let name, _), .stage(_, let name, _): name
    case .query(let query): "?" + query.names.joined(separator: "&")
    }
  }

  /// What is sent, masked: a literal too, since here it is a credential.
  public var description: String {
    switch credential {
    case .header(let name, let value):
      "\(name): \(value.secrets.isEmpty ? CredentialMask.mark : value.masked)"
    case .stage(_, let name, let shown): "\(name): \(shown.masked)"
    case .query(let query): query.masked
    }
  }

  /// What its header shows; otherwise nil.
  package var maskedHeader: String? {
    switch credential {
    case .header(_, let value), .stage(_, _, let value): value.masked
    case .query: nil
    }
  }

  /// Puts it on, unless the request has something there; nothing of a stage.
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

  /// `Authorization: Basic …`, the base64 of `user:password`. (RFC 7617, section 2)
  public static func basic(user: String, password: SecretText) -> Auth {
    basic(user: SecretText(user), password: password)
  }

  /// The same with a user that is a secret, such as the key of an API that wants no password: an empty one.
  public static func basic(user: SecretText, password: SecretText) -> Auth {
    let hasPassword = !(password.secrets.isEmpty && password.masked.isEmpty)
    return Auth(
      header: "authorization", value: basicValue(user: user, password: password),
      login: .basic(user: user.masked, hasPassword: hasPassword))
  }

  package static func basicValue(user: SecretText, password: SecretText) -> SecretText {
    // One text where it is one: what is the same is equal.
    let start = user.secrets.isEmpty ? SecretText(user.masked + ":") : user + SecretText(":")
    return SecretText("Basic ") + SecretText([.base64(start + password)])
  }

  /// A header of that name.
  public static func header(_ name: String, _ value: SecretText) -> Auth {
    Auth(header: name.lowercased(), value: value)
  }

  /// A parameter of the query, behind those that the request has.
  ///
  /// Where the request has one of that name, that stands. Not a part of the resource's URL, which neither
  /// shows it nor is told from others by it; a redirect goes where the server says, and gets none.
  /// Lua: `lull.auth.query(name, secret)`.
  public static func query(_ name: String, _ value: SecretText) -> Auth {
    query([(name, value)])
  }

  /// Several of them, such as an application's id and its key, in this order; of one that is there twice the first
  /// counts. Lua: `lull.auth.query{ app_id = secret, app_key = secret }`.
  public static func query(_ parameters: [(name: String, value: SecretText)]) -> Auth {
    Auth(QueryCredential(parameters))
  }
}

extension Auth {
  /// What tells it from another in this process, what no mask shows included.
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
  /// What of its settings is not in the identity; by default nothing is.
  package var fingerprint: Int { 0 }
}
