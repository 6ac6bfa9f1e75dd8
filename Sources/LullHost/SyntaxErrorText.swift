/// A compiler message with the line it speaks of and a caret under the token it names.
enum SyntaxErrorText {
  /// `x.lua:3: … near 'end'`, then the source line, then the caret; the message alone if it names no
  /// line of the source.
  static func describe(_ message: String, source: [UInt8]) -> String {
    guard let number = lineNumber(in: message), let line = line(number, of: source) else {
      return message
    }
    let text = String(decoding: line, as: UTF8.self)
    let column = column(of: token(in: message), in: text)
    let margin = "\(number) | "
    // Tabs stay tabs, so that the caret stands where the terminal puts the token.
    let indent = text.prefix(column).map { $0 == "\t" ? "\t" : " " as Character }
    return message + "\n  " + margin + text + "\n  "
      + String(repeating: " ", count: margin.count) + String(indent) + "^"
  }

  private static func lineNumber(in message: String) -> Int? {
    for part in message.split(separator: ":").dropFirst() {
      if let number = Int(part) { return number }
    }
    return nil
  }

  private static func line(_ number: Int, of source: [UInt8]) -> ArraySlice<UInt8>? {
    let lines = source.split(separator: 10, omittingEmptySubsequences: false)
    guard number >= 1, number <= lines.count else { return nil }
    return lines[number - 1]
  }

  /// What stands in quotes after `near`.
  private static func token(in message: String) -> String? {
    let words = message.split(separator: " ")
    guard let position = words.lastIndex(of: "near"), position + 1 < words.count else { return nil }
    let rest = words[(position + 1)...].joined(separator: " ")
    guard rest.hasPrefix("'"), rest.hasSuffix("'"), rest.count > 2 else { return nil }
    return String(rest.dropFirst().dropLast())
  }

  private static func column(of token: String?, in line: String) -> Int {
    let start = line.prefix { $0 == " " || $0 == "\t" }.count
    guard let token else { return max(start, line.count) }
    let characters = Array(line)
    let wanted = Array(token)
    guard characters.count >= wanted.count else { return start }
    // The last one: the compiler stops at the token it has just read.
    for position in stride(from: characters.count - wanted.count, through: 0, by: -1)
    where Array(characters[position..<(position + wanted.count)]) == wanted {
      return position
    }
    return start
  }
}
