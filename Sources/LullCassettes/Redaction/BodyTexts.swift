import LullCore

/// Finds documents and named values in bodies that are neither plain JSON nor a form.
enum BodyTexts {
  /// Returns the JSON documents inside other text. A document may be a whole line, the text after
  /// the `data:` of an event, or the argument of a function call (JSONP).
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

  /// Parses a text as JSON; nil if the text is not a JSON object or list.
  static func document(_ text: some StringProtocol) -> JSONDocument? {
    let text = text.drop { $0.isWhitespace }
    guard text.first == "{" || text.first == "[" else { return nil }
    return try? JSONDocument(parsing: Array(text.utf8))
  }

  /// Returns the names and values of all fields in a text. Fields are fields of multipart and HTML
  /// forms, XML elements, and JSON members. The JSON may be inside other text, such as a script,
  /// and may be truncated.
  static func fields(in text: String) -> [(name: String, value: String)] {
    var fields = text.utf8.contains(UInt8(ascii: "\r")) ? parts(in: text) : []
    if text.utf8.contains(UInt8(ascii: "<")) { fields += inputs(in: text) + elements(in: text) }
    if text.utf8.contains(UInt8(ascii: "\"")) { fields += members(in: text) }
    return fields
  }

  /// Finds the names and texts of XML elements such as `<token>…</token>`. The elements may have
  /// prefixes and attributes.
  private static func elements(in text: String) -> [(name: String, value: String)] {
    text.split(separator: "<").compactMap { tag in
      guard tag.first?.isLetter == true, let end = tag.firstIndex(of: ">") else { return nil }
      let value = tag[tag.index(after: end)...]
      guard !value.isEmpty, !value.allSatisfy(\.isWhitespace) else { return nil }
      let name = tag[..<end].prefix { !$0.isWhitespace }
      return (String(name.split(separator: ":").last ?? name), String(value))
    }
  }

  /// Finds JSON members such as `"token": "…"`.
  private static func members(in text: String) -> [(name: String, value: String)] {
    var members: [(String, String)] = []
    let bytes = Array(text.utf8)
    var index = 0
    while let colon = bytes[index...].firstIndex(of: UInt8(ascii: ":")) {
      index = colon + 1
      guard
        let nameEnd = bytes[..<colon].lastIndex(where: { !isSpace($0) }),
        bytes[nameEnd] == UInt8(ascii: "\""),
        let nameStart = bytes[..<nameEnd].lastIndex(of: UInt8(ascii: "\"")),
        let start = bytes[index...].firstIndex(where: { !isSpace($0) }),
        bytes[start] == UInt8(ascii: "\"")
      else { continue }
      var end = start + 1
      while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
        end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end = min(end, bytes.count)
      let name = String(decoding: bytes[(nameStart + 1)..<nameEnd], as: UTF8.self)
      let quoted = bytes[start..<end] + [UInt8(ascii: "\"")]
      let value = (try? JSONDocument(parsing: Array(quoted)))?.root.string
      members.append((name, value ?? String(decoding: bytes[(start + 1)..<end], as: UTF8.self)))
      index = end
    }
    return members
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }

  private static func parts(in text: String) -> [(name: String, value: String)] {
    // A line break of CR LF is one character in Swift, so it can be split at.
    text.split(separator: "\r\n--").compactMap { part in
      guard part.contains("form-data"), let end = part.firstRange(of: "\r\n\r\n"),
        let name = attribute("name", in: part[..<end.lowerBound])
      else { return nil }
      return (name, String(part[end.upperBound...]))
    }
  }

  private static func inputs(in text: String) -> [(name: String, value: String)] {
    text.split(separator: "<").compactMap { tag in
      guard ["input", "meta"].contains(tag.prefix { $0.isLetter }.lowercased()),
        let name = attribute("name", in: tag),
        let value = attribute("value", in: tag) ?? attribute("content", in: tag)
      else { return nil }
      return (name, value)
    }
  }

  private static func attribute(_ name: String, in text: Substring) -> String? {
    for quote in ["\"", "'"] as [Character] {
      guard let start = text.firstRange(of: " \(name)=\(quote)"),
        let end = text[start.upperBound...].firstIndex(of: quote)
      else { continue }
      return String(text[start.upperBound..<end])
    }
    return nil
  }
}
