/// Decodes the escapes in strings of Lua source. (Lua 5.4 manual, section 3.1)
package enum StringEscapes {
  /// Returns the bytes of a string, from the text between its quotes. nil if the text contains a
  /// rare escape.
  package static func bytes(of written: some Collection<UInt8>) -> [UInt8]? {
    var rest = Array(written)[...]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(rest.count)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "r"): bytes.append(13)
      case let quoted? where "\\\"'".utf8.contains(quoted): bytes.append(quoted)
      case UInt8(ascii: "z"): rest = rest.drop { $0 == 32 || (9...13).contains($0) }
      case UInt8(ascii: "u"):
        guard rest.popFirst() == UInt8(ascii: "{"),
          let end = rest.firstIndex(of: UInt8(ascii: "}")),
          let digits = String(validating: rest[..<end], as: UTF8.self),
          let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else { return nil }
        bytes += Array(String(scalar).utf8)
        rest = rest[(end + 1)...]
      default: return nil
      }
    }
    return bytes
  }
}
