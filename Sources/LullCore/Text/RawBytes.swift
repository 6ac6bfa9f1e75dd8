internal import LullLibC

/// What the C library does with bytes faster than a loop of ours.
package enum RawBytes {
  /// Whether as many bytes from there on are the same.
  package static func areEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, count: Int)
    -> Bool
  {
    a == b || memcmp(a, b, count) == 0
  }

  /// How many bytes stand before the first such one; all of them if there is none.
  package static func count(before byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = bytes.baseAddress, let end = memchr(start, Int32(byte), bytes.count) else {
      return bytes.count
    }
    return UnsafeRawPointer(end) - UnsafeRawPointer(start)
  }
}
