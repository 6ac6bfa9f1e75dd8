import LullCore

/// What those who share a namespace tell each other: that an entity has been written. By a digest of its place,
/// which says nothing to others, and without content; a hint, which need not be true.
///
///     1 5f3a9c21d0e4b7a6 w 1763948712345678 0f1e2d…
struct NewsMessage: Equatable, Sendable {
  /// Who has written it: each process and home is another one.
  let sender: UInt64
  /// Whether only its age and headers are new, by a 304.
  let isRefresh: Bool
  /// The entity's, in microseconds since 1970.
  let time: Int64
  /// Of its place; hexadecimal.
  let digest: String

  /// More is none.
  static let mostBytes = 200
  private static let version = "1"

  /// nil of a time that is none.
  init?(sender: UInt64, isRefresh: Bool, timestamp: Double, digest: String) {
    guard StoredEntity.isTime(timestamp) else { return nil }
    self.sender = sender
    self.isRefresh = isRefresh
    // Not to seem older than it is.
    time = Int64((timestamp * 1e6).rounded(.up))
    self.digest = digest
  }

  /// nil of what is none.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= NewsMessage.mostBytes,
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 5, words[0] == NewsMessage.version,
      let sender = UInt64(words[1], radix: 16), words[2] == "w" || words[2] == "r",
      let time = Int64(words[3]), StoredEntity.isTime(Double(time) / 1e6),
      (16...64).contains(words[4].utf8.count),
      words[4].utf8.allSatisfy({ Hexadecimal.value($0) != nil })
    else { return nil }
    self.sender = sender
    isRefresh = words[2] == "r"
    self.time = time
    digest = String(words[4])
  }

  /// Seconds since 1970.
  var timestamp: Double { Double(time) / 1e6 }

  var text: String {
    let words = [
      NewsMessage.version, String(sender, radix: 16), isRefresh ? "r" : "w", "\(time)", digest,
    ]
    return words.joined(separator: " ")
  }
}
