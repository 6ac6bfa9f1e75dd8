import LullLibC

/// Texts as libedit has them: one C character for each scalar.
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

  /// Rows a line without its end takes on a screen, escape sequences not counted.
  ///
  /// - Parameter columns: how many a character takes.
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
