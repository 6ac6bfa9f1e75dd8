/// What a server has sent, for the eyes: it must not move the cursor or change colours.
enum TerminalText {
  /// With a mark in the place of control characters; lines and tabs stay.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      // At the end of a line a return does nothing.
      if isAfterReturn { result.append(scalar == "\n" ? "\r" : "\u{FFFD}") }
      isAfterReturn = scalar == "\r"
      if !isAfterReturn { result.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
    }
    if isAfterReturn { result.append("\u{FFFD}") }
    return String(result)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\n" && scalar != "\t" && scalar.properties.generalCategory == .control
  }
}
