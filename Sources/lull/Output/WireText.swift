import LullCore
import LullSystem
import Synchronization

/// Transferred data for `-v`, line by line, with credentials masked.
struct WireText {
  private let style: OutputStyle
  /// The body type announced by the last head in each direction.
  private var sentType = ""
  private var receivedType = ""

  init(_ style: OutputStyle) { self.style = style }

  mutating func lines(of event: WireObserver.Event) -> String {
    switch event {
    case .head(let isSent, let bytes):
      let head = WireHead(bytes)
      if isSent { sentType = head.contentType } else { receivedType = head.contentType }
      return head.text(mark: WireText.mark(isSent), style)
    case .body(let isSent, let bytes, let count):
      return WireBody(bytes, count: count, type: isSent ? sentType : receivedType)
        .text(mark: WireText.mark(isSent))
    }
  }

  private static func mark(_ isSent: Bool) -> String { isSent ? ">" : "<" }
}

/// A request or response head as transferred.
struct WireHead {
  private let lines: [String]
  private let hasVersion2: Bool
  let contentType: String

  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 10).map { line in
      String(escaping: line.last == 13 ? line.dropLast() : line)
    }.filter { !$0.isEmpty }
    self.lines = lines
    let first = lines.first ?? ""
    // In a request line, the version is at the end.
    hasVersion2 = first.hasSuffix(" HTTP/2") || first.hasSuffix(" HTTP/3")
    contentType =
      lines.dropFirst().lazy.compactMap(WireHead.field)
      .first { $0.name.lowercased() == "content-type" }?.value ?? ""
  }

  func text(mark: String, _ style: OutputStyle) -> String {
    shown(style).map { "\(mark) \($0)\n" }.joined()
  }

  /// The head as text, without the marks `>` and `<` for the direction.
  func text(_ style: OutputStyle) -> String { shown(style).map { $0 + "\n" }.joined() }

  private func shown(_ style: OutputStyle) -> [String] {
    lines.enumerated().map { $0.offset == 0 ? first($0.element, style) : line($0.element, style) }
  }

  /// Formats the first line: a request line, a status line, or a trailer field.
  private func first(_ line: String, _ style: OutputStyle) -> String {
    if line.hasPrefix("HTTP/") { return style.painted(CredentialMask.text(line), "1") }
    // The URL may contain masked secrets, which include spaces.
    guard let method = line.firstIndex(of: " "),
      let version = line.ranges(of: " HTTP/").last?.lowerBound, method < version
    else { return self.line(line, style) }
    let url = String(line[line.index(after: method)..<version])
    return style.painted("\(line[..<method]) \(CredentialMask.url(url))\(line[version...])", "1")
  }

  private func line(_ line: String, _ style: OutputStyle) -> String {
    guard let field = WireHead.field(line) else { return CredentialMask.text(line) }
    var name = field.name
    // libcurl reports the fields in HTTP/1 form, but sends them like this. (RFC 9113, 8.2 and
    // 8.3.1)
    if hasVersion2 { name = name.lowercased() == "host" ? ":authority" : name.lowercased() }
    return "\(style.painted(name, "34")): \(CredentialMask.header(name, field.value))"
  }

  private static func field(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    return (String(line[..<colon]), String(value))
  }
}

/// A body as transferred: its text, or its size if it is binary.
struct WireBody {
  private let bytes: [UInt8]
  private let count: Int
  private let type: String

  /// - Parameters:
  ///   - bytes: The whole body, or its beginning.
  ///   - type: The Content-Type. Empty if unknown.
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

  /// The text in the named charset or else in UTF-8. `nil` if the bytes are not valid in the
  /// charset.
  private var decoded: String? {
    guard !bytes.contains(0) else { return nil }
    let charset = ContentType(type).charset ?? "utf-8"
    // If the bytes are only the beginning of the body, they may end inside a character.
    for cut in 0..<(count > bytes.count ? 4 : 1) {
      let text = bytes.dropLast(cut).withUnsafeBufferPointer {
        try? TextCoding.decode($0, charset: charset)
      }
      if let text { return text }
    }
    return nil
  }

  /// The boundary of a multipart body.
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

/// The head of the last response as received, with the server's header names and reason phrase.
final class ReceivedHead: Sendable {
  private let latest = Mutex<[UInt8]>([])

  /// Stores heads and forwards every event to another observer.
  func observer(besides other: WireObserver?) -> WireObserver {
    WireObserver(wantsBodies: other?.wantsBodies ?? false) { [self] event in
      if case .head(isSent: false, let bytes) = event, bytes.starts(with: "HTTP/".utf8) {
        latest.withLock { $0 = Array(bytes) }
      }
      other?.tell(event)
    }
  }

  /// The lines of the head, with credentials masked. `nil` if the last received head does not have
  /// this status, for example because the response comes from a cache.
  func text(status: Int, _ style: OutputStyle) -> String? {
    let bytes = latest.withLock { $0 }
    let line = String(decoding: bytes.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count > 1, words[1] == "\(status)" else { return nil }
    return WireHead(bytes).text(style) + "\n"
  }
}
