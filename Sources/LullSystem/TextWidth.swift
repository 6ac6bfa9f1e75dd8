import LullLibC

/// Measures texts in columns of a terminal.
package enum TextWidth {
  package static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  package static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

  /// Returns the text. If it is wider than `columns`, it is truncated and ends with `…`.
  package static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var result = ""
    var width = 1
    for character in text {
      width += of(character)
      guard width <= columns else { break }
      result.append(character)
    }
    return result + "…"
  }

  /// The ranges of characters that take two columns: wide characters by East Asian Width, and
  /// emoji. (Unicode Standard Annex #11)
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
    0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
  ]
}

/// Reads the width and height of a terminal.
package enum TerminalWidth {
  /// The number of columns of the terminal; nil if the descriptor isn't a terminal, or if its size
  /// is unknown. Callable on any thread.
  package static func columns(of descriptor: Int32) -> Int? {
    guard let size = size(of: descriptor), size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The number of rows of the terminal; nil if the descriptor isn't a terminal, or if its size is
  /// unknown. Callable on any thread.
  package static func rows(of descriptor: Int32) -> Int? {
    guard let size = size(of: descriptor), size.ws_row > 0 else { return nil }
    return Int(size.ws_row)
  }

  private static func size(of descriptor: Int32) -> winsize? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }
}
