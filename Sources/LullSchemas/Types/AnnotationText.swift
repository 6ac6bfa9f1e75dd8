/// Texts of others as annotations can hold them: names, words and comments that stay on their line.
enum AnnotationText {
  /// Words that mean something else where the name of a field stands.
  private static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "private",
    "protected", "public", "package",
  ]

  static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), !reserved.contains(text) else {
      return false
    }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// A text between quotes; nil of one that an annotation cannot hold.
  static func quoted(_ text: String) -> String? {
    guard !text.unicodeScalars.contains(where: { isOdd($0) || $0 == "\\" }) else { return nil }
    if !text.contains("\"") { return "\"\(text)\"" }
    return text.contains("'") ? nil : "'\(text)'"
  }

  /// On one line, and not taken for an annotation itself; empty if there is nothing to say.
  static func comment(_ text: String?, limit: Int = 240) -> String {
    guard let text else { return "" }
    let line = text.unicodeScalars.split { isOdd($0) || $0 == " " }.map { String($0) }
      .joined(separator: " ")
    let start = line.drop { "@|-# ".contains($0) }
    guard start.count > limit else { return String(start) }
    let cut = start.prefix(limit)
    let end = cut.lastIndex(of: " ") ?? cut.endIndex
    return cut[..<end] + " …"
  }

  /// What ends a line or hides what follows.
  private static func isOdd(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
    default: false
    }
  }

  /// `FullRepository` of `full-repository`: each word with a capital, without what is between.
  static func typeName(_ text: String) -> String {
    var name = ""
    var startsWord = true
    for byte in text.utf8 {
      guard isLetter(byte) && byte != UInt8(ascii: "_") || (0x30...0x39).contains(byte) else {
        startsWord = true
        continue
      }
      let character = Character(Unicode.Scalar(byte))
      name += startsWord ? character.uppercased() : String(character)
      startsWord = false
    }
    guard let first = name.utf8.first else { return "Type" }
    return (0x30...0x39).contains(first) ? "_" + name : name
  }
}
