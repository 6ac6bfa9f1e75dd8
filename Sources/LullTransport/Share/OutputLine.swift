/// Bytes on their way out, in pieces that are let be until they are gone: TLS wants the one that could not go once
/// more, whole and from the same place.
struct OutputLine {
  private var pieces = CompactLine<[UInt8]>()
  /// Of the first piece.
  private var sentCount = 0
  /// All that waits.
  private(set) var count = 0

  /// What is small goes together, up to that.
  private static let mostTogether = 1 << 14

  /// What is to be sent next, but for what has gone of it; nil: nothing.
  var first: (bytes: [UInt8], sentCount: Int)? { pieces.first.map { ($0, sentCount) } }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    let isAdded = pieces.changeLast { last, isFirst in
      // The first one may have been tried.
      guard !isFirst, last.count + bytes.count <= OutputLine.mostTogether else { return false }
      last += bytes
      return true
    }
    if !isAdded { pieces.append(bytes) }
  }

  /// So many of the first ones are gone.
  mutating func removeFirst(_ count: Int) {
    self.count -= count
    sentCount += count
    guard let first = pieces.first, sentCount >= first.count else { return }
    _ = pieces.popFirst()
    sentCount = 0
  }
}
