import LullCore
package import LullHost

/// JSON in a canonical form for comparison: equal values have equal bytes. The order of members is
/// ignored. If a key is repeated, its last value counts. Strings are compared unescaped. Numbers
/// are compared by their exact value: `1`, `1.0` and `10e-1` are equal. (DIFF-02)
package struct CanonicalJSON {
  /// Whether the digits are exactly as the server sent them. The numbers of a stored document, such
  /// as one from a cache, have only 64 bits.
  let isExact: Bool

  package init(isExact: Bool) { self.isExact = isExact }

  package func bytes(of json: JSONText) -> [UInt8] {
    var output: [UInt8] = []
    write(json, to: &output)
    return output
  }

  private func write(_ json: JSONText, to output: inout [UInt8]) {
    switch json.kind {
    case .object:
      let members = Dictionary(json.members.map { ($0.key, $0.value) }) { $1 }
      output.append(UInt8(ascii: "{"))
      for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
      {
        write(text: key, to: &output)
        output.append(UInt8(ascii: ":"))
        write(value, to: &output)
        output.append(UInt8(ascii: ","))
      }
      output.append(UInt8(ascii: "}"))
    case .array:
      output.append(UInt8(ascii: "["))
      for element in json.lines {
        write(element, to: &output)
        output.append(UInt8(ascii: ","))
      }
      output.append(UInt8(ascii: "]"))
    case .string:
      guard let text = json.string else { return output += json.bytes[json.range] }
      write(text: text, to: &output)
    case .number:
      let digits = json.bytes[json.range]
      output += isExact ? CanonicalJSON.number(digits) : CanonicalJSON.rounded(digits)
    case .atom: output += json.bytes[json.range]
    }
  }

  /// Writes a string with its length, so that it can't be confused with the text that follows.
  private func write(text: String, to output: inout [UInt8]) {
    output += "\"\(text.utf8.count):\(text)".utf8
  }

  /// Returns a number rounded to 64 bits, as a document stores it.
  private static func rounded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let digits = String(decoding: text, as: UTF8.self)
    guard Int64(digits) == nil, let double = Double(digits) else { return number(text) }
    return number(ArraySlice("\(double)".utf8))
  }

  /// Returns the canonical form of a number: its digits without leading and trailing zeros, and the
  /// power of ten.
  static func number(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let isNegative = text.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0)
      .split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
    let mantissa = (parts.first ?? []).split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    var power = 0
    if parts.count > 1 {
      // An exponent with that many digits is not meaningful.
      guard let written = Int(String(decoding: parts[1], as: UTF8.self)),
        written.magnitude < 1 << 60
      else { return Array(text) }
      power = written
    }
    let fraction = mantissa.count > 1 ? mantissa[1] : []
    var digits = Array((mantissa.first ?? []) + fraction)
    power -= fraction.count
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      power += 1
    }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    guard !significant.isEmpty else { return [UInt8(ascii: "0")] }
    return Array((isNegative ? "-" : "").utf8) + significant + Array("e\(power)".utf8)
  }
}
