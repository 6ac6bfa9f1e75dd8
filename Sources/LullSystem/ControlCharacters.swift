/// Makes control characters visible in texts from servers, files and scripts. Control characters in
/// these texts must not move the cursor, change colors or reverse text on the screen.
package enum ControlCharacters {
  /// Whether a character is a control character other than a line break or tab. (ECMA-48; UAX #9,
  /// section 2)
  package static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Returns the text with control characters replaced by Lua escapes. Line breaks and tabs are
  /// kept. Callable on any thread.
  package static func shown(in text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: contains) else { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if contains(scalar) {
        result.append(contentsOf: spelled(scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Returns the text with control characters and line breaks replaced by Lua escapes, so that a
  /// text with a line break stays on one line.
  package static func shownInLine(_ text: String) -> String {
    let breaks = ["\n", "\u{2028}", "\u{2029}"]
    return breaks.reduce(shown(in: text)) { text, end in
      text.unicodeScalars.contains(where: { end.unicodeScalars.contains($0) })
        ? text.split(separator: end, omittingEmptySubsequences: false)
          .joined(separator: end.unicodeScalars.map(spelled).joined()) : text
    }
  }

  /// Returns the Lua escape of a character, such as `\x1B` or `\u{9B}`.
  package static func spelled(_ scalar: Unicode.Scalar) -> String {
    scalar.value < 0x80
      ? spelled(UInt8(scalar.value))
      : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }

  /// Returns the Lua escape of a byte, such as `\x1B`. The byte needn't be valid text.
  package static func spelled(_ byte: UInt8) -> String {
    (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
  }
}
