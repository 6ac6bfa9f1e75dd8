/// The stored beginning of a file. Decides which bytes to request next and how to handle the
/// response. All functions are pure. (DWN-04 to DWN-09; RFC 9110, sections 13.1.5 and 14)
package struct PartialFile: Equatable, Sendable {
  /// The number of bytes stored, counted from the beginning of the file.
  package var size = 0
  /// Identifies the version of the file to which the stored bytes belong; nil if they can't be
  /// resumed.
  package var validator: PartValidator?
  /// The size of the whole file in bytes; nil if no server has reported it.
  package var total: Int?

  package init(size: Int = 0, validator: PartValidator? = nil, total: Int? = nil) {
    self.size = size
    self.validator = validator
    self.total = total
  }

  /// The offset from which the rest of the file is requested; nil to request the whole file. If the
  /// file seems complete, its last byte is requested again, so that the server confirms that
  /// nothing is missing.
  package var offset: Int? {
    guard validator != nil, size > 0 else { return nil }
    guard let total else { return size }
    guard size <= total else { return nil }
    return min(size, total - 1)
  }

  package enum Reply: Equatable {
    /// The response contains the whole file. `total` is the size of the file, if known.
    case whole(total: Int?)
    /// The response contains the requested bytes.
    case part(Range<Int>, total: Int?)
    /// No bytes of the file are missing.
    case complete
    /// The response doesn't match the stored bytes. The whole file must be requested.
    case startOver(reason: String)
    /// The response contains a range of bytes that was not requested.
    case unwanted
    /// The response doesn't contain the file: for example, it is an error.
    case other
  }

  /// Classifies a response.
  ///
  /// - Parameter offset: The offset from which the rest was requested; nil if the whole file was
  ///   requested.
  package func reply(_ head: HTTPResponse, to offset: Int?) -> Reply {
    switch head.status {
    case 206: partialReply(head.headers, to: offset)
    case 416: unsatisfiedReply(head.headers, to: offset)
    // If a part was requested, a response without content is not the file. Neither is a redirect.
    case 204 where offset != nil, 205 where offset != nil, 300...: .other
    default: .whole(total: PartialFile.length(head))
    }
  }

  private func partialReply(_ headers: Headers, to offset: Int?) -> Reply {
    guard let offset else { return .unwanted }
    if let type = headers["content-type"], type.lowercased().hasPrefix("multipart/byteranges") {
      return .startOver(reason: "it comes in several parts")
    }
    guard PartialFile.isPlain(headers) else {
      return .startOver(reason: "it has a Content-Encoding")
    }
    guard case .part(let range, let total)? = ContentRange(headers) else {
      return .startOver(reason: "it has no valid Content-Range")
    }
    guard range.lowerBound == offset else {
      return .startOver(reason: "it begins at byte \(range.lowerBound), not \(offset)")
    }
    if let total, let known = self.total, total != known {
      return .startOver(reason: "the file has \(total) bytes now, not \(known)")
    }
    guard validator?.isContradicted(by: headers) != true else {
      return .startOver(reason: "it belongs to another file")
    }
    return .part(range, total: total ?? self.total)
  }

  private func unsatisfiedReply(_ headers: Headers, to offset: Int?) -> Reply {
    guard offset != nil else { return .other }
    guard case .none(let total)? = ContentRange(headers), total == size,
      total == self.total ?? total,
      validator?.isContradicted(by: headers) != true
    else { return .startOver(reason: "the requested range no longer exists (416)") }
    return .complete
  }

  /// Returns the state for a response that contains the whole file, before the first byte is
  /// stored.
  ///
  /// - Parameter now: The current time in Unix epoch seconds.
  package static func beginning(_ head: HTTPResponse, now: Double) -> PartialFile {
    let headers = head.headers
    let isDivisible =
      head.status == 200 && isPlain(headers)
      && headers["accept-ranges"]?.lowercased() != "none"
    return PartialFile(
      validator: isDivisible ? PartValidator(headers, now: now) : nil, total: length(head))
  }

  /// Why the download of a whole file couldn't be resumed after an interruption; nil if it could.
  package static func obstacle(_ head: HTTPResponse, now: Double) -> String? {
    guard beginning(head, now: now).validator == nil else { return nil }
    let headers = head.headers
    if head.status != 200 { return "the server responded with status \(head.status)" }
    if !isPlain(headers) { return "the server sends the file with a Content-Encoding" }
    if headers["accept-ranges"]?.lowercased() == "none" {
      return "the server does not support ranges for the file"
    }
    guard headers["etag"] != nil || headers["last-modified"] != nil else {
      return "the server sends neither ETag nor Last-Modified"
    }
    return "the ETag is weak, or there is no ETag and Last-Modified is too recent"
  }

  private static func length(_ head: HTTPResponse) -> Int? {
    guard isPlain(head.headers), head.headers["transfer-encoding"] == nil else { return nil }
    let values = Set(head.headers.values("content-length"))
    guard values.count == 1, let text = values.first,
      text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Whether the body is sent without an encoding.
  private static func isPlain(_ headers: Headers) -> Bool {
    headers.values("content-encoding").allSatisfy {
      ["", "identity"].contains($0.trimmingBlanks.lowercased())
    }
  }
}

/// A note stored next to a part file. With it, another process can resume the download.
///
/// The note consists of a few lines of text. A note that is malformed or has another version is
/// ignored.
package struct PartNote: Equatable {
  /// Identifies the request; see `mark(of:)`.
  package var mark: String
  /// The validator of the stored bytes; nil if they can't be resumed.
  package var validator: PartValidator?
  package var total: Int?

  package init(mark: String, validator: PartValidator?, total: Int?) {
    self.mark = mark
    self.validator = validator
    self.total = total
  }

  private static let title = "lull part 1"
  /// The size of the largest note, in bytes. A larger file is not a note of Lull.
  package static let largest = 16 << 10

  /// Parses a note. Returns nil if the note is malformed.
  ///
  /// - Parameter now: The current time in Unix epoch seconds. It is used to interpret dates.
  package init?(_ bytes: [UInt8], now: Double) {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    guard lines.count == 5, lines[4].isEmpty, Array(lines[0]) == Array(PartNote.title.utf8),
      let mark = PartNote.field("of", lines[1]), let total = PartNote.field("bytes", lines[2]),
      let tag = PartNote.field("if-range", lines[3])
    else { return nil }
    let count = String(decoding: total, as: UTF8.self)
    guard count == "?" || (Int(count) ?? -1) >= 0 else { return nil }
    self.init(
      mark: String(decoding: mark, as: UTF8.self), validator: PartValidator(noted: tag, now: now),
      total: Int(count))
  }

  package var bytes: [UInt8] {
    Array(
      "\(PartNote.title)\nof \(mark)\nbytes \(total.map { "\($0)" } ?? "?")\nif-range ".utf8)
      + (validator?.value.bytes ?? []) + [10]
  }

  private static func field(_ name: String, _ line: ArraySlice<UInt8>) -> [UInt8]? {
    let start = Array("\(name) ".utf8)
    guard line.starts(with: start) else { return nil }
    return Array(line.dropFirst(start.count))
  }

  /// A hash of the URL, the accepted types and the accepted languages of a request. It identifies
  /// the request without revealing the URL. (FNV-1a, 64 bits)
  package static func mark(of http: HTTPRequest) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    add(http.url.utf8)
    for name in ["accept", "accept-language"] {
      add([10])
      for value in http.headers.lines.byteValues(of: Array(name.utf8)) { add(value) }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The value of an `If-Range` header. With it, the server sends the rest of a file only if the
/// stored bytes belong to the same version. (DWN-05; RFC 9110, section 13.1.5)
package enum PartValidator: Equatable, Sendable {
  /// A strong ETag, with its quotation marks.
  case etag(ByteString)
  /// The value of `Last-Modified`, as received.
  case date(ByteString)

  /// The least number of seconds between `Last-Modified` and the response for which the date counts
  /// as a validator. RFC 9110, section 8.8.2.2, requires at least one second. A longer time allows
  /// for differing clocks.
  private static let leastAge = 60.0

  /// The validator in the headers of a response; nil if they contain no sufficient validator. A
  /// weak ETag is not sufficient, and neither is a date in a response with a weak ETag.
  ///
  /// - Parameter now: The current time in Unix epoch seconds. It is used to interpret two-digit
  ///   years.
  package init?(_ headers: Headers, now: Double) {
    let tags = headers.byteValues(of: Array("etag".utf8))
    guard tags.isEmpty else {
      guard tags.count == 1, PartValidator.isStrong(tags[0]) else { return nil }
      self = .etag(ByteString(tags[0]))
      return
    }
    guard let text = headers.values("last-modified").first,
      let modified = HTTPDate.parse(text, now: now),
      let date = headers.values("date").first.flatMap({ HTTPDate.parse($0, now: now) }),
      date - modified >= PartValidator.leastAge
    else { return nil }
    self = .date(ByteString(text))
  }

  /// Parses the validator in a note. Returns nil if it is malformed.
  package init?(noted bytes: [UInt8], now: Double) {
    if PartValidator.isStrong(bytes) {
      self = .etag(ByteString(bytes))
    } else if let text = String(validating: bytes, as: UTF8.self),
      HTTPDate.parse(text, now: now) != nil
    {
      self = .date(ByteString(text))
    } else {
      return nil
    }
  }

  package var value: ByteString {
    switch self {
    case .etag(let value), .date(let value): value
    }
  }

  /// Whether the validators in `headers` show that the response belongs to another version of the
  /// file. False for a response without validators.
  package func isContradicted(by headers: Headers) -> Bool {
    switch self {
    case .etag(let tag):
      headers.byteValues(of: Array("etag".utf8)).contains { $0 != tag.bytes }
    case .date(let date):
      headers.byteValues(of: Array("last-modified".utf8)).contains { $0 != date.bytes }
    }
  }

  /// Whether the tag is a strong ETag. (RFC 9110, section 8.8.3)
  private static func isStrong(_ tag: [UInt8]) -> Bool {
    guard tag.count >= 2, tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\"") else {
      return false
    }
    return tag[1..<(tag.count - 1)].allSatisfy {
      $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"")
    }
  }
}

/// The value of a `Content-Range` header in bytes. (RFC 9110, section 14.4)
package enum ContentRange: Equatable {
  /// The response contains this range of the file. `total` is the size of the whole file, or nil if
  /// the server doesn't report it.
  case part(Range<Int>, total: Int?)
  /// None of the requested bytes exist. `total` is the size of the file.
  case none(total: Int)

  /// Parses the `Content-Range` header. Returns nil if the header can't be parsed, is inconsistent
  /// or is repeated.
  package init?(_ headers: Headers) {
    let values = headers.values("content-range")
    guard values.count == 1, let value = values.first else { return nil }
    self.init(value)
  }

  package init?(_ value: String) {
    let words = value.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    let total = ContentRange.number(sides[1])
    guard total != nil || sides[1] == "*" else { return nil }
    if sides[0] == "*" {
      guard let total else { return nil }
      self = .none(total: total)
      return
    }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = ContentRange.number(ends[0]),
      let last = ContentRange.number(ends[1]), first <= last, last < total ?? .max
    else { return nil }
    self = .part(first..<(last + 1), total: total)
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
