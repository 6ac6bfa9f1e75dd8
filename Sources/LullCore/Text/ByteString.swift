internal import LullLibC

/// A received text, usually UTF-8. Bytes that are not UTF-8 are kept unchanged.
///
/// Behaviours: BYT-01 to BYT-12.
public struct ByteString: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes as received.
  public let bytes: [UInt8]

  /// Creates a byte string from any bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// Creates a byte string from a text, encoded in UTF-8.
  public init(_ text: String) {
    bytes = Array(text.utf8)
  }

  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// The bytes as a string; nil if they are not valid UTF-8.
  public var text: String? {
    bytes.withUnsafeBufferPointer {
      UTF8Validation.isValid($0) ? String(decoding: $0, as: UTF8.self) : nil
    }
  }

  /// The text for messages. Each byte that is not part of a UTF-8 character is written as an escape
  /// such as `\xE9`.
  public var description: String { String(escaping: bytes) }
}

extension String {
  /// Converts bytes to readable text. Each byte that is not part of a UTF-8 character is written as
  /// an escape such as `\xE9`, so that nothing is lost and different bytes look different.
  package init(escaping bytes: some Collection<UInt8>) {
    // Contiguous bytes are read directly; generic code would be ten times slower.
    self =
      bytes.withContiguousStorageIfAvailable { String.readable($0) }
      ?? Array(bytes).withUnsafeBufferPointer { String.readable($0) }
  }

  private static func readable(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    UTF8Validation.isValid(bytes) ? String(decoding: bytes, as: UTF8.self) : escaped(bytes)
  }

  /// Converts a C string to readable text. Each byte that is not part of a UTF-8 character is
  /// written as an escape such as `\xE9`.
  package init(escapingCString text: UnsafePointer<CChar>) {
    self = String(validatingCString: text) ?? String(escaping: ByteString(cString: text).bytes)
  }

  /// Converts truncated bytes to readable text, with escapes such as `\xE9`. If the bytes end
  /// inside a character, this incomplete character is left out.
  package init(escapingCut bytes: some BidirectionalCollection<UInt8>) {
    var end = bytes.endIndex
    var count = 0
    while end != bytes.startIndex, count < 3 {
      let last = bytes.index(before: end)
      end = last
      count += 1
      if bytes[last] & 0xC0 != 0x80 { break }
    }
    let isCut =
      end != bytes.endIndex && UTF8Validation.length(startingWith: bytes[end]) > count
    self.init(escaping: isCut ? bytes[..<end] : bytes[...])
  }

  private static func escaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var result = ""
    var index = 0
    while index < bytes.count {
      let length = UTF8Validation.length(at: index, in: bytes)
      if length > 0 {
        result += String(decoding: bytes[index..<(index + length)], as: UTF8.self)
        index += length
      } else {
        let digits = String(bytes[index], radix: 16, uppercase: true)
        result += digits.count < 2 ? "\\x0\(digits)" : "\\x\(digits)"
        index += 1
      }
    }
    return result
  }
}

extension ByteString {
  /// Creates a byte string from a copy of a C string.
  package init(cString: UnsafePointer<CChar>) {
    var end = cString
    while end.pointee != 0 { end += 1 }
    self.init(
      UnsafeBufferPointer(start: cString, count: end - cString).lazy.map {
        UInt8(bitPattern: $0)
      })
  }
}

/// Calls functions of the C library that are faster than a loop in Swift.
package enum RawBytes {
  /// Whether `count` bytes at `a` equal `count` bytes at `b`.
  package static func areEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, count: Int)
    -> Bool
  {
    a == b || memcmp(a, b, count) == 0
  }

  /// The number of bytes before the first occurrence of `byte`. If `byte` does not occur, the
  /// number of all bytes.
  package static func count(before byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = bytes.baseAddress, let end = memchr(start, Int32(byte), bytes.count) else {
      return bytes.count
    }
    return UnsafeRawPointer(end) - UnsafeRawPointer(start)
  }
}

extension StringProtocol {
  /// The bytes without leading and trailing spaces and tabs, which have no meaning in header
  /// values. (RFC 9110, 5.6.3)
  package var trimmingBlanks: SubSequence {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}
