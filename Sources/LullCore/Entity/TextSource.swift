/// The charset with which a text was decoded. With it, the text can be encoded to the same bytes
/// again. Not needed for `text/*` with a charset parameter. (TXT-14)
final class TextSource: Sendable {
  /// The name of the charset, including the byte order if the charset has one.
  private let charset: String
  /// The byte-order mark at the start of the bytes. The decoded text doesn't contain it.
  private let mark: [UInt8]

  private init(_ charset: String, mark: [UInt8] = []) {
    self.charset = charset
    self.mark = mark
  }

  private static let latin1 = TextSource(TextCoding.defaultCharset)
  private static let utf8 = TextSource("utf-8")

  private static let marks: [(bytes: [UInt8], family: String, charset: String)] = [
    ([0xEF, 0xBB, 0xBF], "utf-8", "utf-8"),
    ([0xFF, 0xFE, 0, 0], "utf-32", "utf-32le"), ([0, 0, 0xFE, 0xFF], "utf-32", "utf-32be"),
    ([0xFF, 0xFE], "utf-16", "utf-16le"), ([0xFE, 0xFF], "utf-16", "utf-16be"),
  ]

  /// Returns the text source for bytes that `TextCoding` decodes with `charset`.
  static func of(_ bytes: UnsafeBufferPointer<UInt8>, charset: String) -> TextSource {
    if charset == TextCoding.defaultCharset { return latin1 }
    let name = TextCoding.canonicalName(charset) ?? charset
    let mark = marks.first { $0.family == name && bytes.starts(with: $0.bytes) }
    if let mark { return TextSource(mark.charset, mark: mark.bytes) }
    switch name {
    case "utf-8": return utf8
    case "utf-16", "utf-32": return TextSource(name + "be")
    default: return TextSource(name)
    }
  }

  /// Encodes a text in the charset. Returns nil if the charset lacks a character of the text.
  func bytes(of text: String) -> [UInt8]? {
    (try? TextCoding.encode(text, charset: charset)).map { mark + $0 }
  }
}

extension Entity {
  /// The bytes from which the text was decoded; nil if the content is not text, if the text has
  /// been changed, or if the content type is `text/*` with a charset. (TXT-14)
  package var receivedBytes: [UInt8]? {
    guard let textSource, case .text(let text) = content else { return nil }
    return textSource.bytes(of: text)
  }
}
