/// Which charset bytes are in that are text by their type: XML, JavaScript, YAML. (TXT-11)
package enum CharsetDetection {
  /// What a declaration of XML stands in at most.
  private static let declarationLimit = 1024

  /// The charset that is named beside them, else that of a byte-order mark, else what XML declares, else
  /// UTF-8.
  package static func charset(
    of bytes: UnsafeBufferPointer<UInt8>, named name: String?, isXML: Bool
  ) -> String {
    if let name { return name }
    if let marked = marked(bytes) { return marked }
    return isXML ? declared(bytes) ?? "utf-8" : "utf-8"
  }

  private static func marked(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return "utf-32"
    }
    return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) ? "utf-16" : nil
  }

  /// By `<?xml … encoding="…"?>`, and by the form in which its beginning is there. (XML 1.0, appendix F)
  private static func declared(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.starts(with: [0, 0x3C, 0, 0x3F]) { return "utf-16be" }
    if bytes.starts(with: [0x3C, 0, 0x3F, 0]) { return "utf-16le" }
    guard bytes.starts(with: "<?xml".utf8) else { return nil }
    let text = bytes.prefix(declarationLimit)
    guard let end = text.firstIndex(of: UInt8(ascii: ">")),
      let name = value(of: "encoding", in: Array(text[5..<end]))
    else { return nil }
    // Where its bytes can be read one by one, it is in neither.
    return name.hasPrefix("utf-16") || name.hasPrefix("utf-32") ? "utf-8" : name
  }

  /// What stands in quotes behind a name and `=`, in lower case.
  private static func value(of name: String, in text: [UInt8]) -> String? {
    let words = text.split(
      separator: UInt8(ascii: "="), maxSplits: .max, omittingEmptySubsequences: false)
    for (before, behind) in zip(words, words.dropFirst()) {
      let left = before.reversed().drop { isSpace($0) }
      guard left.starts(with: name.utf8.reversed()),
        left.dropFirst(name.utf8.count).first.map(isSpace) == true
      else { continue }
      let right = behind.drop { isSpace($0) }
      guard let quote = right.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = right.dropFirst().firstIndex(of: quote)
      else { return nil }
      let value = right[(right.startIndex + 1)..<end]
      return value.isEmpty ? nil : String(escaping: value).lowercased()
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 9 || byte == 10 || byte == 13
  }
}
