/// How the requests of a service prove who sends them: a header with secrets in it.
///
/// A setting of the configuration. It is put on when everything else of a request is there, unless
/// the request has a header of that name. Lua: `lull.auth.bearer(secret)`.
public final class Auth: Sendable, Equatable {
  package let header: String
  package let value: SecretText

  private init(header: String, value: SecretText) {
    self.header = header
    self.value = value
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

  /// The header, masked.
  public var description: String { "\(header): \(value.masked)" }

  public static func == (left: Auth, right: Auth) -> Bool {
    left === right || left.header == right.header && left.value == right.value
  }
}
