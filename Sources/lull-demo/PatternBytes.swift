import FlyingSocks

/// As many bytes as wanted, made while they are sent: byte i is i % 251.
///
/// A prime period makes pieces that are lost, doubled or swapped show, and nothing needs 200 MB of
/// memory to serve 200 MB.
struct PatternBytes: AsyncBufferedSequence {
  typealias Element = UInt8

  let count: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(count: count)
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    private static let period = 251
    private static let longest = 65_536
    private static let pattern = (0..<longest + period).map { UInt8($0 % period) }

    let count: Int
    private var position = 0

    init(count: Int) {
      self.count = count
    }

    mutating func next() async -> UInt8? {
      await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested: Int) async -> ArraySlice<UInt8>? {
      guard position < count else { return nil }
      let start = position % Self.period
      let length = Swift.min(suggested, count - position, Self.longest)
      position += length
      return Self.pattern[start..<start + length]
    }
  }
}
