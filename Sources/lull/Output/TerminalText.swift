import LullCore

/// What a server has sent, for the eyes.
enum TerminalText {
  /// With a mark in the place of control characters; lines and tabs stay.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: ControlCharacters.contains) else { return text }
    var result = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      // At the end of a line a return does nothing.
      if isAfterReturn { result.append(scalar == "\n" ? "\r" : "\u{FFFD}") }
      isAfterReturn = scalar == "\r"
      if !isAfterReturn { result.append(ControlCharacters.contains(scalar) ? "\u{FFFD}" : scalar) }
    }
    if isAfterReturn { result.append("\u{FFFD}") }
    return String(result)
  }
}
