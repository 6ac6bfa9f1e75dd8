import LullCore

/// What a body is made of besides JSON and forms: several documents, and parts with names.
enum BodyTexts {
  /// Documents of JSON within other texts: one in each line, with or without the `data:` of an event, or one
  /// that a function is called with.
  static func documents(in text: String) -> [JSONDocument] {
    var documents = text.split(whereSeparator: \.isNewline).compactMap { line in
      let data = line.hasPrefix("data:") ? line.dropFirst(5) : line
      return document(data)
    }
    if documents.isEmpty, let open = text.firstIndex(of: "("),
      let close = text.lastIndex(of: ")"), open < close
    {
      documents += document(text[text.index(after: open)..<close]).map { [$0] } ?? []
    }
    return documents
  }

  /// One that is an object or a list.
  static func document(_ text: some StringProtocol) -> JSONDocument? {
    let text = text.drop { $0.isWhitespace }
    guard text.first == "{" || text.first == "[" else { return nil }
    return try? JSONDocument(parsing: Array(text.utf8))
  }

  /// Fields of a form in several parts, and of a form in HTML, each with its value.
  static func fields(in text: String) -> [(name: String, value: String)] {
    parts(in: text) + inputs(in: text)
  }

  private static func parts(in text: String) -> [(name: String, value: String)] {
    // CR and LF are one character to Swift.
    text.split(separator: "\r\n--").compactMap { part in
      guard part.contains("form-data"), let end = part.firstRange(of: "\r\n\r\n"),
        let name = attribute("name", in: part[..<end.lowerBound])
      else { return nil }
      return (name, String(part[end.upperBound...]))
    }
  }

  private static func inputs(in text: String) -> [(name: String, value: String)] {
    text.split(separator: "<").compactMap { tag in
      guard tag.hasPrefix("input") || tag.hasPrefix("meta"),
        let name = attribute("name", in: tag),
        let value = attribute("value", in: tag) ?? attribute("content", in: tag)
      else { return nil }
      return (name, value)
    }
  }

  private static func attribute(_ name: String, in text: Substring) -> String? {
    guard let start = text.firstRange(of: " \(name)=\""),
      let end = text[start.upperBound...].firstIndex(of: "\"")
    else { return nil }
    return String(text[start.upperBound..<end])
  }
}
