/// What tells that the rest of a file belongs to what is here of it: the value of an `If-Range` header.
/// (DWN-05; RFC 9110, section 13.1.5)
package enum PartValidator: Equatable, Sendable {
  /// A strong one, in its quotation marks.
  case etag(ByteString)
  /// A `Last-Modified`, as it was sent.
  case date(ByteString)

  /// How much older than its answer a file has to be for its date to tell it from the next one; seconds.
  /// (RFC 9110, section 8.8.2.2: a second at least, and enough for clocks that differ)
  private static let leastAge = 60.0

  /// Of an answer; nil if nothing of it will do: a weak ETag does not, and neither does a date beside it.
  ///
  /// - Parameter now: Unix seconds, by which years of two digits are read.
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

  /// One that was noted; nil if it is none.
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

  /// Whether an answer says of itself that it is of another file. One that says nothing does not.
  package func isContradicted(by headers: Headers) -> Bool {
    switch self {
    case .etag(let tag):
      headers.byteValues(of: Array("etag".utf8)).contains { $0 != tag.bytes }
    case .date(let date):
      headers.byteValues(of: Array("last-modified".utf8)).contains { $0 != date.bytes }
    }
  }

  /// (RFC 9110, section 8.8.3)
  private static func isStrong(_ tag: [UInt8]) -> Bool {
    guard tag.count >= 2, tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\"") else {
      return false
    }
    return tag[1..<(tag.count - 1)].allSatisfy {
      $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"")
    }
  }
}
