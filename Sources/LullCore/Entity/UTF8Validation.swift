/// Telling text from other bytes.
package enum UTF8Validation {
  /// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing cut off.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    let count = bytes.count
    var index = 0
    while index < count {
      // Most text is ASCII, which needs no more than a look at the high bits, eight at a time.
      while index &+ 8 <= count,
        raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index &+= 8
      }
      guard index < count else { return true }
      let first = bytes[index]
      if first < 0x80 {
        index &+= 1
        continue
      }
      let length: Int
      // What the second byte may be tells overlong forms, surrogates and values too great.
      // (Unicode, table 3-7)
      let second: ClosedRange<UInt8>
      switch first {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return false
      }
      guard index &+ length <= count, second.contains(bytes[index &+ 1]) else { return false }
      for offset in 2..<max(2, length) where bytes[index &+ offset] & 0xC0 != 0x80 { return false }
      index &+= length
    }
    return true
  }
}
