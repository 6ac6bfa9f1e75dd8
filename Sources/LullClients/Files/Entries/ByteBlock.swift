/// Eight bytes of a text, looked at together: how many of them are of one kind before the first that is not.
///
/// Of each byte the highest bit says what is found of it.
struct ByteBlock {
  static let length = 8
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  private let bytes: UInt64

  /// - Parameter start: there are as many bytes from there on.
  init(at start: UnsafePointer<UInt8>) {
    bytes = UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }

  private static func count(before found: UInt64) -> Int { found.trailingZeroBitCount / 8 }

  var spaces: Int { (bytes ^ UInt64(UInt8(ascii: " ")) &* ByteBlock.ones).trailingZeroBitCount / 8 }

  /// Those before a quote, a backslash, or what is below a space.
  func plain(before quote: UInt8) -> Int {
    // A carry goes to higher bytes only, behind the first that is found.
    func zeros(_ bytes: UInt64) -> UInt64 {
      (bytes &- ByteBlock.ones) & ~bytes & ByteBlock.highs
    }
    let quotes = zeros(bytes ^ UInt64(quote) &* ByteBlock.ones)
    let backslashes = zeros(bytes ^ UInt64(UInt8(ascii: "\\")) &* ByteBlock.ones)
    let low = (bytes &- 0x20 &* ByteBlock.ones) & ~bytes & ByteBlock.highs
    return ByteBlock.count(before: quotes | backslashes | low)
  }

  /// Those that a name may have.
  var nameBytes: Int {
    let low = bytes & ~ByteBlock.highs
    func isWithin(_ bytes: UInt64, _ first: Unicode.Scalar, _ last: Unicode.Scalar) -> UInt64 {
      (bytes &+ UInt64(0x80 - UInt8(ascii: first)) &* ByteBlock.ones)
        & ~(bytes &+ UInt64(0x7F - UInt8(ascii: last)) &* ByteBlock.ones)
    }
    let found =
      isWithin(low | 0x20 &* ByteBlock.ones, "a", "z") | isWithin(low, "0", "9")
      | isWithin(low, "_", "_")
    return ByteBlock.count(before: ~(found & ~bytes) & ByteBlock.highs)
  }
}
