internal import LullLibC

/// Text as somebody wrote it: UTF-8 as a rule, and kept byte by byte where it is not.
///
/// Behaviours: BYT-01 to BYT-12.
public struct ByteString: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// As they came.
  public let bytes: [UInt8]

  /// Any bytes, text or not.
  public init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// A text, in UTF-8.
  public init(_ text: String) {
    bytes = Array(text.utf8)
  }

  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// nil if it is not UTF-8.
  public var text: String? {
    bytes.withUnsafeBufferPointer {
      UTF8Validation.isValid($0) ? String(decoding: $0, as: UTF8.self) : nil
    }
  }

  /// The text for people, with `\xE9` in the place of a byte that belongs to no character.
  public var description: String { String(escaping: bytes) }
}

extension String {
  /// Bytes as people read them: those that belong to no character of UTF-8 as `\xE9`, so that nothing
  /// is lost and different bytes look different.
  package init(escaping bytes: some Collection<UInt8>) {
    // Where they lie side by side nothing generic is needed, which costs ten times as much.
    self =
      bytes.withContiguousStorageIfAvailable { String.readable($0) }
      ?? Array(bytes).withUnsafeBufferPointer { String.readable($0) }
  }

  private static func readable(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    UTF8Validation.isValid(bytes) ? String(decoding: bytes, as: UTF8.self) : escaped(bytes)
  }

  /// The same of a C string.
  package init(escapingCString text: UnsafePointer<CChar>) {
    self = String(validatingCString: text) ?? String(escaping: ByteString(cString: text).bytes)
  }

  /// The same of bytes that may have been cut off inside a character, which then is left out.
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
  /// A copy of a C string.
  package init(cString: UnsafePointer<CChar>) {
    var end = cString
    while end.pointee != 0 { end += 1 }
    self.init(
      UnsafeBufferPointer(start: cString, count: end - cString).lazy.map {
        UInt8(bitPattern: $0)
      })
  }
}

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

extension StringProtocol {
  /// Without the spaces and tabs around it, which mean nothing in values of headers. (RFC 9110, 5.6.3)
  package var trimmingBlanks: SubSequence {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}
