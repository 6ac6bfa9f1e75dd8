/// How the requests of a service prove who sends them: a header with secrets in it, or a stage of the
/// provider chain that gets one.
///
/// A setting of the configuration. It is put on when everything else of a request is there, unless
/// the request has a header of that name. Lua: `lull.auth.bearer(secret)`.
public final class Auth {
  package let header: String
  /// nil if `stage` makes it.
  package let value: SecretText?
  package let stage: (any AuthStage)?
  /// The header, masked.
  public let description: String

  private init(header: String, value: SecretText) {
    self.header = header
    self.value = value
    stage = nil
    description = "\(header): \(value.masked)"
  }

  /// A header that `stage` puts on.
  package init(header: String = "authorization", stage: any AuthStage, description: String) {
    self.header = header
    value = nil
    self.stage = stage
    self.description = description
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
      value: SecretText("Basic ") + SecretText([.base64(pair)]))
  }

  /// A header of that name.
  public static func header(_ name: String, _ value: SecretText) -> Auth {
    Auth(header: name.lowercased(), value: value)
  }
}
