import LullCore
import LullSystem

/// A body as it went over the wire: text, or how many bytes it has.
struct WireBody {
  private let bytes: [UInt8]
  private let count: Int
  private let type: String

  /// - Parameters:
  ///   - bytes: its beginning, or all of it.
  ///   - type: its Content-Type; empty if nobody said.
  init(_ bytes: [UInt8], count: Int, type: String) {
    self.bytes = bytes
    self.count = count
    self.type = type
  }

  func text(mark: String) -> String {
    var lines: [String]
    if let boundary {
      lines = MultipartText(bytes, boundary).lines
    } else if let text = decoded {
      lines = CredentialMask.body(text).split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0.last == "\r" ? $0.dropLast() : $0) }
      if lines.last == "" { lines.removeLast() }
    } else {
      return "\(mark)\n\(mark) (\(count) bytes)\n"
    }
    if count > bytes.count {
      lines.append("… (\(ByteCount.text(count - bytes.count)) more)")
    }
    return "\(mark)\n" + lines.map { "\(mark) \($0)\n" }.joined()
  }

  /// nil for what is none: in the charset that is named, else in UTF-8.
  private var decoded: String? {
    guard !bytes.contains(0) else { return nil }
    let charset = ContentType(type).charset ?? "utf-8"
    // What is cut off may be so inside a character.
    for cut in 0..<(count > bytes.count ? 4 : 1) {
      let text = bytes.dropLast(cut).withUnsafeBufferPointer {
        try? TextCoding.decode($0, charset: charset)
      }
      if let text { return text }
    }
    return nil
  }

  /// Of a multipart body, what its parts are told apart by.
  private var boundary: String? {
    guard ContentTypePattern("multipart/*").matches(type) else { return nil }
    let bytes = Array(type.utf8)
    let lower = bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    guard let start = lower.firstRange(of: Array("boundary=".utf8))?.upperBound else { return nil }
    let rest = bytes[start...]
    let value =
      rest.first == UInt8(ascii: "\"")
      ? rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
      : rest.prefix { !"; ".utf8.contains($0) }
    return value.isEmpty ? nil : String(escaping: value)
  }
}
