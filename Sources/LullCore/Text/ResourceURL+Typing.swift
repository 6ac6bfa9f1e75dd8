extension ResourceURL {
  /// What may stand behind the authority of a URL as it is, escapes with it.
  private static let typed = ASCIISet("-._~!$&'()*+,;=:@/?#[]%")

  /// A URL as somebody types or copies one: what cannot stand there, such as a space, a letter beyond
  /// ASCII or a brace, is percent-encoded; escapes stay, and so does the host. Blanks around it are none
  /// of it. (CMD-06)
  ///
  /// Control characters stay too, so that nobody takes it for a URL.
  package static func escaping(typed text: String) -> String {
    let text = String(text.trimmingBlanks)
    let start = ResourceURL(unchecked: text).withBytes { Components($0).path.lowerBound }
    return escaping(text, from: start)
  }

  /// The same of what stands behind the question mark.
  package static func escaping(typedQuery text: String) -> String { escaping(text, from: 0) }

  private static func escaping(_ text: String, from start: Int) -> String {
    let bytes = Array(text.utf8)
    let isFine = { (byte: UInt8) in typed.contains(byte) || byte < 0x20 || byte == 0x7F }
    guard !bytes[start...].allSatisfy(isFine) else { return text }
    var result = Array(bytes[..<start])
    for byte in bytes[start...] {
      if isFine(byte) {
        result.append(byte)
      } else {
        Escaping.append(CollectionOfOne(byte), to: &result, keeping: typed)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
