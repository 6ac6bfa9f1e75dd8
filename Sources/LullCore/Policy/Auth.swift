/// How the requests of a service prove who sends them: a header with secrets in it, or a stage of the
/// provider chain that gets one.
///
/// A setting of the configuration. It is put on when everything else of a request is there, unless
/// the request has a header of that name. Lua: `lull.auth.bearer(secret)`.
public final class Auth: CustomStringConvertible {
  package let header: String
  /// What it says; of what `stage` makes only what is shown of it.
  package let value: SecretText
  package let stage: (any AuthStage)?
  /// Whose requests these are; what the header says, or a text that tells those of `stage` apart.
  package let identity: SecretText
  /// How another client is told of it; nil if it is a header as any other.
  package let login: Login?

  /// What other clients have options for.
  package enum Login: Sendable, Equatable {
    case basic(user: String)
    /// By a user as people see one.
    case digest(user: String)
    case netrc(path: String?, isOptional: Bool)
    /// Amazon's; an access key as people see one.
    case signature(service: String?, region: String?, accessKey: String)
  }

  private init(header: String, value: SecretText, login: Login? = nil) {
    self.header = header
    self.value = value
    self.login = login
    identity = value
    stage = nil
  }

  /// A header that `stage` puts on.
  ///
  /// - Parameter shown: what people see of its value.
  package init(
    header: String = "authorization", stage: any AuthStage, identity: SecretText,
    shown: String, login: Login? = nil
  ) {
    self.header = header
    self.identity = identity
    self.login = login
    value = SecretText(shown)
    self.stage = stage
  }

  /// The header, masked: a literal too, since here it is a credential.
  public var description: String {
    let isLiteral = stage == nil && value.secrets.isEmpty
    return "\(header): \(isLiteral ? CredentialMask.mark : value.masked)"
  }

  /// `Authorization: Bearer …` (RFC 6750, section 2.1)
  public static func bearer(_ token: SecretText) -> Auth {
    Auth(header: "authorization", value: SecretText("Bearer ") + token)
  }

  /// `Authorization: Basic …`, the base64 of `user:password`. (RFC 7617, section 2)
  public static func basic(user: String, password: SecretText) -> Auth {
    let pair = SecretText(user + ":") + password
    return Auth(
      header: "authorization",
      value: SecretText("Basic ") + SecretText([.base64(pair)]), login: .basic(user: user))
  }

  /// A header of that name.
  public static func header(_ name: String, _ value: SecretText) -> Auth {
    Auth(header: name.lowercased(), value: value)
  }
}
