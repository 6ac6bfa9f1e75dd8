import LullCore
import LullSystem
import Synchronization

/// What went over the wire, as `-v` shows it: a line for each line, without credentials.
struct WireText {
  private let style: OutputStyle
  /// What the last head of each direction said of the body that follows it.
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

/// A head as it went over the wire.
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
    // Of a request it stands at the end.
    hasVersion2 = first.hasSuffix(" HTTP/2") || first.hasSuffix(" HTTP/3")
    contentType =
      lines.dropFirst().lazy.compactMap(WireHead.field)
      .first { $0.name.lowercased() == "content-type" }?.value ?? ""
  }

  func text(mark: String, _ style: OutputStyle) -> String {
    shown(style).map { "\(mark) \($0)\n" }.joined()
  }

  /// Without marks.
  func text(_ style: OutputStyle) -> String { shown(style).map { $0 + "\n" }.joined() }

  private func shown(_ style: OutputStyle) -> [String] {
    lines.enumerated().map { $0.offset == 0 ? first($0.element, style) : line($0.element, style) }
  }

  /// A request's, a status', or of what follows a body a header.
  private func first(_ line: String, _ style: OutputStyle) -> String {
    if line.hasPrefix("HTTP/") { return style.painted(CredentialMask.text(line), "1") }
    // There are blanks in the masks of secrets, which its URL may have.
    guard let method = line.firstIndex(of: " "),
      let version = line.ranges(of: " HTTP/").last?.lowerBound, method < version
    else { return self.line(line, style) }
    let url = String(line[line.index(after: method)..<version])
    return style.painted("\(line[..<method]) \(CredentialMask.url(url))\(line[version...])", "1")
  }

  private func line(_ line: String, _ style: OutputStyle) -> String {
    guard let field = WireHead.field(line) else { return CredentialMask.text(line) }
    var name = field.name
    // libcurl tells of those as it would write them in lines, and sends them like this.
    // (RFC 9113, 8.2 and 8.3.1)
    if hasVersion2 { name = name.lowercased() == "host" ? ":authority" : name.lowercased() }
    return "\(style.painted(name, "34")): \(CredentialMask.header(name, field.value))"
  }

  private static func field(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    return (String(line[..<colon]), String(value))
  }
}

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

/// The head of the latest answer, as it was received: names and reason phrase are the server's.
final class ReceivedHead: Sendable {
  private let latest = Mutex<[UInt8]>([])

  /// Notes heads, and passes everything on to another observer.
  func observer(besides other: WireObserver?) -> WireObserver {
    WireObserver(wantsBodies: other?.wantsBodies ?? false) { [self] event in
      if case .head(isSent: false, let bytes) = event, bytes.starts(with: "HTTP/".utf8) {
        latest.withLock { $0 = Array(bytes) }
      }
      other?.tell(event)
    }
  }

  /// Its lines, with credentials masked; nil if it is not the head of an answer with that status, such as
  /// one from a cache.
  func text(status: Int, _ style: OutputStyle) -> String? {
    let bytes = latest.withLock { $0 }
    let line = String(decoding: bytes.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count > 1, words[1] == "\(status)" else { return nil }
    return WireHead(bytes).text(style) + "\n"
  }
}
