/// Base64 encoding. (RFC 4648, sections 4 and 5)
package enum Base64 {
  package enum Alphabet: Sendable {
    /// The alphabet with `+` and `/`.
    case standard
    /// The alphabet with `-` and `_`, for URLs and file names.
    case url

    fileprivate var digits: [UInt8] {
      let last = self == .standard ? "+/" : "-_"
      return Array(
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
    }
  }

  /// Why a text is not valid base64.
  package struct Problem: Error, Equatable {
    package let message: String
    /// The position of the problem, in bytes from the start of the text.
    package let offset: Int
  }

  package static func encode(
    _ bytes: [UInt8], alphabet: Alphabet = .standard, isPadded: Bool = true
  ) -> [UInt8] {
    let digits = alphabet.digits
    let rest = bytes.count % 3
    let size = bytes.count / 3 * 4 + (rest == 0 ? 0 : isPadded ? 4 : rest + 1)
    return [UInt8](unsafeUninitializedCapacity: size) { result, count in
      func put(_ digit: UInt32) {
        result[count] = digits[Int(digit & 63)]
        count += 1
      }
      for start in stride(from: 0, to: bytes.count - rest, by: 3) {
        let bits =
          UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
        for shift: UInt32 in [18, 12, 6, 0] { put(bits >> shift) }
      }
      guard rest > 0 else { return }
      let start = bytes.count - rest
      let bits = UInt32(bytes[start]) << 16 | (rest == 2 ? UInt32(bytes[start + 1]) << 8 : 0)
      put(bits >> 18)
      put(bits >> 12)
      if rest == 2 { put(bits >> 6) }
      // The size includes the padding.
      while count < size {
        result[count] = UInt8(ascii: "=")
        count += 1
      }
    }
  }

  /// Special entries of the decoding table, for bytes that are not Base64 characters.
  private enum Mark {
    static let none: UInt8 = 0xFF
    static let space: UInt8 = 0xFE
    static let padding: UInt8 = 0xFD
  }

  /// The decoding table. For each byte, contains its value as a Base64 character of either
  /// alphabet, or a `Mark`.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: Mark.none, count: 256)
    for alphabet in [Alphabet.standard, .url] {
      for (value, digit) in alphabet.digits.enumerated() { values[Int(digit)] = UInt8(value) }
    }
    for space: UInt8 in [9, 10, 12, 13, 32] { values[Int(space)] = Mark.space }
    values[Int(UInt8(ascii: "="))] = Mark.padding
    return values
  }()

  /// Decodes Base64 text of either alphabet, with or without padding. White space is ignored,
  /// because mail and PEM files break lines.
  ///
  /// Rejects text that could lose data:
  ///
  /// - characters that are in neither alphabet, or characters from both alphabets
  /// - a text that ends inside a byte
  /// - bits after the last byte that are not zero
  /// - padding that is incomplete or not at the end
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) throws(Problem) -> [UInt8] {
    let values = values
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    var alphabet: Alphabet?
    var last = 0
    for offset in text.indices {
      let byte = text[offset]
      let value = values[Int(byte)]
      if value >= 62 {
        switch value {
        case Mark.space: continue
        case Mark.padding:
          guard count + padding < 4, count >= 2 else {
            throw Problem(message: "misplaced padding", offset: offset)
          }
          padding += 1
          last = offset
          continue
        case Mark.none:
          throw Problem(message: "\(name(of: byte)) is not a base64 character", offset: offset)
        default:
          let isStandard = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
          let own: Alphabet = isStandard ? .standard : .url
          guard alphabet ?? own == own else {
            throw Problem(message: "the text has characters of both alphabets", offset: offset)
          }
          alphabet = own
        }
      }
      guard padding == 0 else {
        throw Problem(message: "there is text after the padding", offset: offset)
      }
      last = offset
      bits = bits << 6 | UInt32(value)
      count += 1
      guard count == 4 else { continue }
      result.append(UInt8(truncatingIfNeeded: bits >> 16))
      result.append(UInt8(truncatingIfNeeded: bits >> 8))
      result.append(UInt8(truncatingIfNeeded: bits))
      (bits, count) = (0, 0)
    }
    if count > 0 {
      guard count > 1 else { throw Problem(message: "the text ends inside a byte", offset: last) }
      guard padding == 0 || padding + count == 4 else {
        throw Problem(message: "the padding is incomplete", offset: last)
      }
      let rest = UInt32(count == 2 ? 4 : 2)
      guard bits & (1 << rest - 1) == 0 else {
        throw Problem(message: "the last character has extra bits", offset: last)
      }
      bits >>= rest
      if count == 3 { result.append(UInt8(truncatingIfNeeded: bits >> 8)) }
      result.append(UInt8(truncatingIfNeeded: bits))
    }
    return result
  }

  package static func decode(_ text: [UInt8]) throws(Problem) -> [UInt8] {
    try text.withUnsafeBufferPointer { text throws(Problem) in try decode(text) }
  }

  private static func name(of byte: UInt8) -> String {
    byte > 32 && byte < 127
      ? "'\(Unicode.Scalar(byte))'" : "the byte 0x" + Hexadecimal.text(CollectionOfOne(byte))
  }
}

/// Writes and reads hexadecimal digits.
package enum Hexadecimal {
  /// Returns two lower-case digits for each byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns random bytes as hexadecimal digits. With the default size, the text is unique in
  /// practice.
  package static func random(byteCount: Int = 16) -> String {
    text((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
  }

  /// The value of a hexadecimal digit in upper or lower case; nil for any other byte.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Makes universally unique identifiers, such as `6ba7b810-9dad-41d1-80b4-00c04fd430c8`. (RFC 9562)
package enum UUIDText {
  /// Makes an identifier of version 4, which has 122 random bits.
  package static func random(using generator: inout some RandomNumberGenerator) -> String {
    text(high: generator.next(), low: generator.next(), version: 4)
  }

  /// Makes an identifier of version 7: the time, with a precision of a quarter of a microsecond,
  /// followed by 62 random bits. Later identifiers sort after earlier ones.
  ///
  /// - Parameter seconds: The time in Unix epoch seconds, not negative, and before the year 10,889.
  package static func ordered(
    at seconds: Double, using generator: inout some RandomNumberGenerator
  ) -> String {
    // There are 48 bits for the time, and a clock that is set by hand may have any value.
    let milliseconds = min(max(0, seconds * 1000), 0xFFFF_FFFF_FFFF)
    let whole = milliseconds.rounded(.down)
    let fraction = UInt64((milliseconds - whole) * 4096)
    return text(high: UInt64(whole) << 16 | fraction, low: generator.next(), version: 7)
  }

  private static func text(high: UInt64, low: UInt64, version: UInt64) -> String {
    let high = high & ~0xF000 | version << 12
    let low = low & ~(3 << 62) | 2 << 62
    let bytes = [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.text(bytes[$0]) }
      .joined(separator: "-")
  }
}
