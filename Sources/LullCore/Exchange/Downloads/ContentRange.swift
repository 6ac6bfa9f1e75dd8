/// The value of a `Content-Range` header in bytes. (RFC 9110, section 14.4)
package enum ContentRange: Equatable {
  /// Which bytes these are, and of how many; nil if the server does not say.
  case part(Range<Int>, total: Int?)
  /// None of those asked for: there are so many.
  case none(total: Int)

  /// nil for what cannot be read, contradicts itself or comes more than once.
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
