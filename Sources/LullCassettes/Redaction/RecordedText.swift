import LullCore

/// Bytes of a recording as text, in the charset that they are in: UTF-8, the wider ones, or what is left, Latin-1.
struct RecordedText {
  /// As UTF-8.
  let bytes: [UInt8]
  private let mark: [UInt8]
  private let charset: String

  /// nil for what is no text.
  init?(_ bytes: [UInt8]) {
    let isValid = bytes.withUnsafeBufferPointer { UTF8Validation.isValid($0) }
    // Zeros in UTF-8 are those of a wider charset.
    let found = isValid && !bytes.contains(0) ? nil : RecordedText.charset(of: bytes)
    guard let (charset, mark) = found else {
      guard isValid else { return nil }
      (self.bytes, mark, charset) = (bytes, [], "utf-8")
      return
    }
    let rest = Array(bytes[mark.count...])
    let text = rest.withUnsafeBufferPointer { try? TextCoding.decode($0, charset: charset) }
    guard let text, (try? TextCoding.encode(text, charset: charset)) == rest else { return nil }
    (self.bytes, self.mark, self.charset) = (Array(text.utf8), mark, charset)
  }

  /// Whether bytes of it are other ones in UTF-8.
  var isWide: Bool { !["utf-8", "iso-8859-1"].contains(charset) }

  /// A text in place of this one, in its charset; nil if that lacks a character of it.
  func bytes(of text: [UInt8]) -> [UInt8]? {
    (try? TextCoding.encode(String(decoding: text, as: UTF8.self), charset: charset)).map {
      mark + $0
    }
  }

  private static let marks: [(charset: String, mark: [UInt8])] = [
    ("utf-32le", [0xFF, 0xFE, 0, 0]), ("utf-32be", [0, 0, 0xFE, 0xFF]), ("utf-16le", [0xFF, 0xFE]),
    ("utf-16be", [0xFE, 0xFF]),
  ]

  /// By the mark at its beginning, or where the zeros of its first characters stand, as JSON has it.
  private static func charset(of bytes: [UInt8]) -> (charset: String, mark: [UInt8])? {
    if let marked = marks.first(where: { bytes.starts(with: $0.mark) }) { return marked }
    let zeros = bytes.prefix(4).map { $0 == 0 }
    switch zeros {
    case [false, true, true, true]: return ("utf-32le", [])
    case [true, true, true, false]: return ("utf-32be", [])
    case [false, true, false, true]: return ("utf-16le", [])
    case [true, false, true, false]: return ("utf-16be", [])
    default: return bytes.prefix(1000).contains(0) ? nil : ("iso-8859-1", [])
    }
  }
}
