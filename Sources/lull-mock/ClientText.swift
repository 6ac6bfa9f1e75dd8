import LullCore
import LullSystem

/// Texts of clients as messages have them.
enum ClientText {
  static func shown(_ text: String) -> String {
    ControlCharacters.shown(in: LogText.part(text, limit: 200))
  }
}
