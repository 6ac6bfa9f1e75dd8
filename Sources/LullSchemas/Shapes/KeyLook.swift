/// What keys of objects look like: names that somebody gave to fields, or data that happens to stand there.
package enum KeyLook {
  private static let longest = 100
  /// What is longer than a word has its parts told apart.
  private static let longestWord = 40

  /// Whether it looks like a number, a date, an id, an address or a token: keys of this kind are content, and
  /// are written nowhere.
  package static func isData(_ key: String) -> Bool {
    let text = Array(key.utf8)
    guard let first = text.first, text.count <= longest else { return true }
    // Numbers, dates and sizes: `7`, `-1`, `2026-11-26`, `48x48`.
    if isDigit(first) || (first == UInt8(ascii: "-") || first == UInt8(ascii: "+")) { return true }
    // Addresses, paths, texts.
    if text.dropFirst().contains(UInt8(ascii: "@")) || text.contains(where: isSeparator) {
      return true
    }
    return isNumbered(text) || isHexadecimal(text) || isRandom(text)
      || !text.split(whereSeparator: isPart).allSatisfy { $0.count <= longestWord }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || "/\\,;=?&%|\"'`<>{}()".utf8.contains(byte)
  }

  /// What begins another word: `_` and the like, and a capital.
  private static func isPart(_ byte: UInt8) -> Bool {
    "_-.:".utf8.contains(byte) || (0x41...0x5A).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// `user_1842`, `no-2026`: a name and the number of a thing; `line1` and `sha256` are names.
  private static func isNumbered(_ text: [UInt8]) -> Bool {
    let digits = text.reversed().prefix(while: isDigit).count
    guard digits > 0, digits < text.count else { return false }
    let before = text[text.count - digits - 1]
    let isParted = "-_.:#".utf8.contains(before)
    return digits >= 4 || isParted && digits >= 3
  }

  /// Digests and UUIDs, of eight digits or more with a number among them.
  private static func isHexadecimal(_ text: [UInt8]) -> Bool {
    let digits = text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    return digits.count >= 8 && digits.contains(where: isDigit)
      && digits.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) }
  }

  /// Letters and numbers in turns, as nobody types them.
  private static func isRandom(_ text: [UInt8]) -> Bool {
    guard text.count >= 12 else { return false }
    var changes = 0
    for (one, other) in zip(text, text.dropFirst()) where isDigit(one) != isDigit(other) {
      changes += 1
    }
    return changes >= 4 || text.count(where: isDigit) >= 6 || isMixed(text)
  }

  /// Capitals in many places: `xKpQzWmTbRnL`, where `repositoryOwnerName` has a few.
  private static func isMixed(_ text: [UInt8]) -> Bool {
    let isUpper = { (byte: UInt8) in (0x41...0x5A).contains(byte) }
    let turns = zip(text, text.dropFirst()).count { !isUpper($0) && isUpper($1) }
    return text.count >= 16 && turns * 3 > text.count
  }
}
