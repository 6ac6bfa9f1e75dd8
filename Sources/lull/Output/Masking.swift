import LullCore

/// What is shown in the place of credentials.
enum Masking {
  static let mark = CredentialMask.mark

  /// User and masked password of a URL that has them.
  static func user(of url: String) -> String? {
    LogText.userInfo(of: url).map { "\($0.prefix { $0 != ":" }):\(mark)" }
  }

  static func header(_ name: String, _ value: String) -> String {
    CredentialMask.header(name, value)
  }

  static func url(_ text: String) -> String { CredentialMask.url(text) }
}
