/// Bytes in hexadecimal digits.
package enum Hexadecimal {
  /// Two digits for each byte, in lower case.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Of random bytes: nobody else is likely to come upon the same.
  package static func random(byteCount: Int = 16) -> String {
    text((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
  }

  /// What a digit of either case stands for; nil if it is none.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
