/// What is noted beside a part of a file, so that another process can go on with it.
///
/// A few lines of text. What cannot be read, or is of another version, is none.
package struct PartNote: Equatable {
  /// Of what was asked for; see `mark(of:)`.
  package var mark: String
  /// nil if it cannot be gone on with.
  package var validator: PartValidator?
  package var total: Int?

  package init(mark: String, validator: PartValidator?, total: Int?) {
    self.mark = mark
    self.validator = validator
    self.total = total
  }

  private static let title = "lull part 1"
  /// More is none of ours; bytes.
  package static let largest = 16 << 10

  /// - Parameter now: Unix seconds, by which dates are read.
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

  /// What tells requests for different things apart, without what their URLs may have in them: what the
  /// URL is, and what of it is accepted. (FNV-1a, 64 bits)
  package static func mark(of http: HTTPRequest) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    add(http.url.utf8)
    for name in ["accept", "accept-language"] {
      add([10])
      for value in http.headers.byteValues(of: Array(name.utf8)) { add(value) }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
