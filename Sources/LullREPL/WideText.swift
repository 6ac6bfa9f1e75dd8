import LullLibC

/// Converts texts for libedit, which uses one wide character for each Unicode scalar.
enum WideText {
  static func characters(_ text: String) -> [wchar_t] {
    text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
  }

  static func string(_ characters: UnsafePointer<wchar_t>, _ count: Int) -> String {
    var text = String.UnicodeScalarView()
    for index in 0..<count {
      if let scalar = Unicode.Scalar(UInt32(bitPattern: characters[index])) { text.append(scalar) }
    }
    return String(text)
  }

  /// Returns the number of screen rows of a line without its line break. Escape sequences do not
  /// count.
  ///
  /// - Parameter columns: Returns the number of columns of a character.
  static func rows(
    of line: [UInt8], width: Int, columns: (wchar_t) -> Int32
  ) -> Int {
    var column = 0
    var isEscape = false
    for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
      if isEscape {
        isEscape = !(("@"..."~").contains(scalar) && scalar != "[")
      } else if scalar == "\u{1B}" {
        isEscape = true
      } else if scalar == "\r" {
        column = 0
      } else if scalar == "\t" {
        column += 8 - column % 8
      } else if scalar.value >= 32 {
        column += max(0, Int(columns(wchar_t(bitPattern: scalar.value))))
      }
    }
    return max(1, (column + width - 1) / width)
  }
}

/// Arranges words in columns, like a shell's list of files. The words fill each column from top to
/// bottom before the next column to the right.
enum Columns {
  static func text(_ words: [String], width: Int, limit: Int = 200) -> String {
    let shown = words.prefix(limit)
    let longest = shown.map(\.count).max() ?? 0
    let columns = max(1, (width + 1) / (longest + 2))
    let rows = (shown.count + columns - 1) / columns
    var text = ""
    for row in 0..<rows {
      let line = stride(from: row, to: shown.count, by: rows).map { shown[$0] }
      for (index, word) in line.enumerated() {
        text += word
        if index < line.count - 1 {
          text += String(repeating: " ", count: longest + 2 - word.count)
        }
      }
      text += "\n"
    }
    if words.count > limit { text += "… \(words.count - limit) more\n" }
    return text
  }
}
