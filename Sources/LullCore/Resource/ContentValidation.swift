/// What is done about answers that are not as their schema says, where one is known. Lua: `validate`.
public enum ContentValidation: String, Sendable, CaseIterable {
  /// They are taken, and a line on standard error says what is wrong.
  case warn
  /// The request fails, with the cause `RequestError.Cause.validation`.
  case fail
}
