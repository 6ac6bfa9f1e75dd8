/// Converts the words of a command line to text, and the text back to the same bytes. File names
/// need not be UTF-8.
package enum ArgumentText {
  /// The first of the scalars that represent bytes that are not valid text. Users do not type these
  /// scalars.
  private static let base: UInt32 = 0x10_FF00

  package static func decode(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      if let scalar = Unicode.Scalar(byte < 0x80 ? UInt32(byte) : base + UInt32(byte)) {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  package static func encode(_ text: some StringProtocol) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar -> [UInt8] in
      if scalar.value >= base + 0x80, scalar.value <= base + 0xFF {
        return [UInt8(scalar.value - base)]
      }
      return Array(String(scalar).utf8)
    }
  }

  // MARK: Parsing values

  package static func boolean(_ text: String) -> Bool? {
    switch text {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  package static func integer(_ text: String) -> Int64? { Int64(text) }

  /// Returns the digits of an integer beyond 64 bits, in the syntax of JSON. nil for any other
  /// text.
  package static func largeInteger(_ text: String) -> String? {
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), Int64(text) == nil
    else { return nil }
    return (text.hasPrefix("-") ? "-" : "") + digits.drop { $0 == "0" }
  }

  package static func number(_ text: String) -> Double? {
    // `nan`, `inf` and hexadecimal fractions are most likely mistakes, so they are rejected.
    guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}

/// Writes lists of words as part of a sentence.
package enum WordList {
  /// Joins words for a sentence: `a`, `a or b`, or `a, b or c`.
  package static func text(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
