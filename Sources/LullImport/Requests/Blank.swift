/// A place in a text that somebody fills in later: `$TOKEN` of a shell, `{{token}}` of a collection. It stands in
/// the text between two characters that no such text has.
enum Blank {
  static let open: Character = "\u{F0001}"
  static let close: Character = "\u{F0002}"

  static func text(_ name: some StringProtocol) -> String { "\(open)\(name)\(close)" }

  /// A text of somebody else's, in which there are none.
  static func without(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\u{F0001}" || $0 == "\u{F0002}" }) else {
      return String(text)
    }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0 != "\u{F0001}" && $0 != "\u{F0002}" }))
  }

  static func isIn(_ text: some StringProtocol) -> Bool { text.contains(open) }

  /// The name if the text is one and nothing else.
  static func name(_ text: some StringProtocol) -> String? {
    guard text.first == open, text.last == close, text.count(where: { $0 == open }) == 1 else {
      return nil
    }
    return String(text.dropFirst().dropLast())
  }

  /// What stands before the only one, at the end of the text.
  static func atEnd(of text: some StringProtocol) -> (before: String, name: String)? {
    guard let start = text.firstIndex(of: open), let name = name(text[start...]) else { return nil }
    return (String(text[..<start]), name)
  }

  /// With something else in the place of each.
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

  /// As people see it.
  static func shown(_ text: some StringProtocol) -> String { replacing(in: text) { "{{\($0)}}" } }
}
