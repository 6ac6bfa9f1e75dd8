/// Shortens texts of a document to one line, for lists and help.
enum ShortText {
  private static let longest = 80

  /// Returns the first sentence of a text, or as many words of it as fit. `nil` if no readable text
  /// is left.
  static func line(_ text: String?) -> String? {
    guard let text = text.map(plain) else { return nil }
    var words: [String] = []
    var count = 0
    // Read only as many words as fit.
    for word in text.split(whereSeparator: isSpace) {
      var word = String(String.UnicodeScalarView(word.filter { !LuaLiteral.isHidden($0) }))
      if words.isEmpty { word = String(word.drop { "#*_>-`".contains($0) && word.count > 1 }) }
      guard !word.isEmpty else { continue }
      guard count + word.count <= longest else {
        guard !words.isEmpty else { return String(word.prefix(longest)) + "…" }
        return words.joined(separator: " ") + " …"
      }
      count += word.count + 1
      words.append(word)
      if word.last == ".", count > 10, !["e.g.", "i.e.", "etc.", "vs."].contains(word.lowercased())
      {
        break
      }
    }
    guard !words.isEmpty else { return nil }
    let line = words.joined(separator: " ")
    return line.hasSuffix(".") && !line.hasSuffix("..") ? String(line.dropLast()) : line
  }

  /// Removes the links and tags in a text, and keeps their content.
  private static func plain(_ text: String) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    // Only the beginning of the text can fit.
    let source = Array(text.unicodeScalars.prefix(2000))
    var place = 0
    while place < source.count {
      switch source[place] {
      case "<":
        let end = source[place...].prefix(300).firstIndex(of: ">")
        guard let end, place + 1 < source.count,
          source[place + 1] == "/" || source[place + 1].properties.isAlphabetic
        else { break }
        result.append(" ")
        place = end + 1
        continue
      case "[":
        let inside = source[(place + 1)...].prefix(200).prefix { $0 != "]" && $0 != "[" }
        guard inside.endIndex + 1 < source.count, source[inside.endIndex] == "]",
          source[inside.endIndex + 1] == "(",
          let end = source[inside.endIndex...].prefix(500).firstIndex(of: ")")
        else { break }
        result += inside
        place = end + 1
        continue
      default: break
      }
      result.append(source[place])
      place += 1
    }
    return result
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.value < 0x20
  }

  /// Converts a text to comment lines, which are broken at spaces. Hidden characters are made
  /// visible.
  static func comments(_ text: String) -> String {
    var lines: [String] = []
    var line = "--"
    for word in comment(text).split(separator: " ", omittingEmptySubsequences: false) {
      if line.count + word.count + 1 > 110, line.count > 5 {
        lines.append(line)
        line = "--  "
      }
      line += " " + word
    }
    return (lines + [line]).map { $0 + "\n" }.joined()
  }

  /// Converts a text to a single comment line. Hidden characters are made visible.
  static func comment(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if LuaLiteral.isHidden(scalar) {
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
