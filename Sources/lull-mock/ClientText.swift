import LullCore

/// Texts of clients as messages have them.
enum ClientText {
  static func shown(_ text: String) -> String { LogText.part(text, limit: 200) }
}
