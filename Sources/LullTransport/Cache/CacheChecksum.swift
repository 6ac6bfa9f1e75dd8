/// A sum over what belongs together in a cache file: what a disk or another program has changed there is
/// found out. No protection against intent. (After FNV-1a, eight bytes at a time.)
struct CacheChecksum {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// As SQLite keeps it.
  var signed: Int64 { Int64(bitPattern: value) }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add($0) }
  }

  mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { add($0) }
  }

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The count first, so that what is at the end of one part cannot be at the beginning of the next.
    mix(UInt64(bytes.count))
    let raw = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index + 8 <= raw.count {
      mix(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    var last: UInt64 = 0
    for byte in raw[index...] { last = last << 8 | UInt64(byte) }
    mix(last)
  }

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    value ^= value >> 29
  }
}
