/// Texts of a document as one short line, for lists and help.
enum ShortText {
  private static let longest = 90

  /// The first sentence, or as many words of it as there is room for; nil if nothing is left to be read.
  static func line(_ text: String?) -> String? {
    guard let text else { return nil }
    var words: [String] = []
    var count = 0
    // Nobody reads on, however much there is.
    for word in text.unicodeScalars.prefix(2000).split(whereSeparator: isSpace) {
      var word = String(String.UnicodeScalarView(word.filter { !LuaLiteral.isHidden($0) }))
      if words.isEmpty { word = String(word.drop { "#*_>-`".contains($0) && word.count > 1 }) }
      guard !word.isEmpty else { continue }
      guard count + word.count <= longest else {
        guard !words.isEmpty else { return String(word.prefix(longest)) + "…" }
        return words.joined(separator: " ") + " …"
      }
      count += word.count + 1
      words.append(word)
      if word.last == ".", count > 10, !["e.g.", "i.e.", "etc.", "vs."].contains(word.lowercased()) {
        break
      }
    }
    guard !words.isEmpty else { return nil }
    let line = words.joined(separator: " ")
    return line.hasSuffix(".") && !line.hasSuffix("..") ? String(line.dropLast()) : line
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.value < 0x20
  }

  /// For a comment: one line that shows all that is in it.
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
