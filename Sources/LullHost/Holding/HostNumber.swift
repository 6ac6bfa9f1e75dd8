import Synchronization

/// Which host of the process one is, so that what two of them keep never has the same number.
struct HostNumber {
  private static let count = Atomic<Int64>(0)
  /// Those of documents and views begin at 1 << 61.
  private static let bits: Int64 = 36
  private static let most: Int64 = 1 << (60 - bits)

  private let number: Int64

  /// Of one more host; the first one's is 0, whose ids are small.
  static func next() -> HostNumber {
    HostNumber(number: count.wrappingAdd(1, ordering: .relaxed).oldValue % most)
  }

  /// Numbers for its values.
  var ids: Range<Int64> { number << HostNumber.bits + 1..<(number + 1) << HostNumber.bits }
}
