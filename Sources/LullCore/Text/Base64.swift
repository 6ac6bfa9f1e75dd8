/// Bytes as text of 64 letters. (RFC 4648, sections 4 and 5)
package enum Base64 {
  package enum Alphabet: Sendable {
    /// With `+` and `/`.
    case standard
    /// With `-` and `_`, for URLs and file names.
    case url

    fileprivate func digit(_ value: UInt32) -> UInt8 {
      switch value & 63 {
      case 0..<26: UInt8(ascii: "A") + UInt8(value & 63)
      case 26..<52: UInt8(ascii: "a") + UInt8(value & 63) - 26
      case 52..<62: UInt8(ascii: "0") + UInt8(value & 63) - 52
      case 62: self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
      default: self == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_")
      }
    }
  }

  /// Why a text is no base64.
  package struct Problem: Error, Equatable {
    package let message: String
    /// In bytes from the start of the text.
    package let offset: Int
  }

  package static func encode(
    _ bytes: some Collection<UInt8>, alphabet: Alphabet = .standard, isPadded: Bool = true
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 1
      guard count == 3 else { continue }
      for shift: UInt32 in [18, 12, 6, 0] { result.append(alphabet.digit(bits >> shift)) }
      (bits, count) = (0, 0)
    }
    guard count > 0 else { return result }
    bits <<= UInt32(8 * (3 - count))
    result.append(alphabet.digit(bits >> 18))
    result.append(alphabet.digit(bits >> 12))
    if count == 2 { result.append(alphabet.digit(bits >> 6)) }
    if isPadded { result += repeatElement(UInt8(ascii: "="), count: 3 - count) }
    return result
  }

  /// Reads text of either alphabet, with its padding or without any; white space does not count, since
  /// mail and PEM break lines.
  ///
  /// What would lose data is refused: a letter of neither alphabet, both in one text, an end inside a
  /// byte, bits behind the last byte that are not zero, padding that is not at the end or not whole.
  package static func decode(_ text: some Collection<UInt8>) throws(Problem) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    var alphabet: Alphabet?
    var last = 0
    for (offset, byte) in text.enumerated() {
      let value: UInt8
      switch byte {
      case 9, 10, 12, 13, 32: continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        let isStandard = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        let own: Alphabet = isStandard ? .standard : .url
        guard alphabet ?? own == own else {
          throw Problem(message: "the text has letters of both alphabets", offset: offset)
        }
        alphabet = own
        value = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") ? 62 : 63
      case UInt8(ascii: "="):
        guard count + padding < 4, count >= 2 else {
          throw Problem(message: "padding where there is none", offset: offset)
        }
        padding += 1
        last = offset
        continue
      default:
        throw Problem(message: "\(name(of: byte)) is no letter of base64", offset: offset)
      }
      guard padding == 0 else {
        throw Problem(message: "there is more behind the padding", offset: offset)
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
        throw Problem(message: "the padding is cut off", offset: last)
      }
      let rest = UInt32(count == 2 ? 4 : 2)
      guard bits & (1 << rest - 1) == 0 else {
        throw Problem(message: "the last letter has bits of one more byte", offset: last)
      }
      bits >>= rest
      if count == 3 { result.append(UInt8(truncatingIfNeeded: bits >> 8)) }
      result.append(UInt8(truncatingIfNeeded: bits))
    }
    return result
  }

  private static func name(of byte: UInt8) -> String {
    byte > 32 && byte < 127
      ? "'\(Unicode.Scalar(byte))'" : "the byte 0x" + Hexadecimal.text(CollectionOfOne(byte))
  }
}
