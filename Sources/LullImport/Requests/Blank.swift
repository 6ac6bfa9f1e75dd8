/// A placeholder in a text, for a value that is entered later. It represents `$TOKEN` in a shell
/// command, or `{{token}}` in a collection. A placeholder is enclosed in two characters that do not
/// occur in such texts.
enum Blank {
  static let open: Character = "\u{F0001}"
  static let close: Character = "\u{F0002}"

  static func text(_ name: some StringProtocol) -> String { "\(open)\(name)\(close)" }

  /// Removes the enclosing characters of placeholders from a text of the source, where they have no
  /// meaning.
  static func without(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\u{F0001}" || $0 == "\u{F0002}" }) else {
      return String(text)
    }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0 != "\u{F0001}" && $0 != "\u{F0002}" }))
  }

  static func isIn(_ text: some StringProtocol) -> Bool { text.contains(open) }

  /// Returns the name of the placeholder, if the whole text is a single placeholder. Otherwise
  /// `nil`.
  static func name(_ text: some StringProtocol) -> String? {
    guard text.first == open, text.last == close, text.count(where: { $0 == open }) == 1 else {
      return nil
    }
    return String(text.dropFirst().dropLast())
  }

  /// If a text ends with its only placeholder, returns the text before the placeholder and the
  /// placeholder's name. Otherwise `nil`.
  static func atEnd(of text: some StringProtocol) -> (before: String, name: String)? {
    guard let start = text.firstIndex(of: open), let name = name(text[start...]) else { return nil }
    return (String(text[..<start]), name)
  }

  /// Replaces each placeholder in a text.
  static func replacing(
    in text: some StringProtocol, _ make: (String) -> String
  ) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: open) {
      guard let end = rest[start...].firstIndex(of: close) else { break }
      result += rest[..<start]
      result += make(String(rest[rest.index(after: start)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// Returns a text for messages, with each placeholder written as `{{name}}`.
  static func shown(_ text: some StringProtocol) -> String { replacing(in: text) { "{{\($0)}}" } }
}
