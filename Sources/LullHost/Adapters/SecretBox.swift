package import CLullBridge
package import LullCore

/// A text with secrets in it, as Lua holds it: `lull.secret{…}`, or what `..` made of one.
final class SecretBox {
  let text: SecretText

  init(_ text: SecretText) {
    self.text = text
  }
}

/// What `lull.auth.…` gives, for the setting `auth`.
final class AuthBox {
  let auth: Auth
  /// The kept function that it calls, if it does.
  let function: Int64?

  init(_ auth: Auth, function: Int64? = nil) {
    self.auth = auth
    self.function = function
  }
}

extension ObjectHandles {
  /// The secret a value is; nil for anything else.
  package func secret(_ value: lull_value) -> SecretText? {
    object(value, .secret, as: SecretBox.self)?.text
  }

  /// The file that `lull.file` has made; nil for anything else.
  package func uploadFile(_ value: lull_value) -> UploadFile? {
    object(value, .file, as: FileBox.self)?.file
  }
}
