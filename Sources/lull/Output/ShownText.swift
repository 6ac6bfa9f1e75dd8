import LullCore

/// Bytes that nothing has made a text of, for a terminal.
enum ShownText {
  private static let kinds = ["*/xml", "*/*+xml", "*/json", "*/*+json", "*/*+yaml", "text/*"]
    .map { ContentTypePattern($0) }
  private static let texts = [
    "application/toml", "application/graphql", "application/sql", "application/x-sh",
    "application/xml-dtd", "application/typescript", "application/pgp-signature",
    "application/pem-certificate-chain", "application/json-seq", "application/n-triples",
    "application/n-quads", "application/trig", "application/sparql-query", "message/*",
  ].map { ContentTypePattern($0) }
  private static let unknown = ContentTypePattern("application/octet-stream")

  /// nil if it is none: it is not called text, and does not look like one either where nobody says what
  /// it is. What is none in its charset is made visible byte by byte by who writes it.
  static func bytes(_ bytes: [UInt8], in entity: Entity) -> [UInt8]? {
    let type = entity.contentType
    let isText =
      (kinds + texts + ContentTypePattern.lineTypes).contains { $0.matches(type) }
      || unknown.matches(type) && !bytes.contains(where: isControl)
        && String(validating: bytes, as: UTF8.self) != nil
    // A prompt begins on a line of its own.
    return isText ? bytes + (bytes.last == 10 ? [] : [10]) : nil
  }

  /// White space and what begins a colour are in texts too.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte == 0x7F || byte < 0x20 && !(9...13).contains(byte) && byte != 0x1B
  }
}
