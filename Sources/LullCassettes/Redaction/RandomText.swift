import LullCore

/// Words that look as if nobody had thought of them: what may be a token that no rule has found.
///
/// Digests and numbers in hexadecimal digits are none, UUIDs and base64 of a readable text neither: recordings are
/// full of them, and who is warned of all is warned of nothing.
package enum RandomText {
  /// Shorter ones can be tried.
  private static let shortest = 20
  private static let letters = Set("-_.~+/=")

  /// The words in a text that look so, each once, in order.
  package static func words(in text: String) -> [String] {
    var words: [String] = []
    // A slash is a letter of base64, and in URLs it parts words.
    for word in text.split(whereSeparator: { !isPart($0) || $0 == "/" }) where isRandom(word) {
      if !words.contains(where: { $0 == word }) { words.append(String(word)) }
    }
    return words
  }

  static func isRandom(_ word: some StringProtocol) -> Bool {
    guard word.utf8.count >= shortest, word.allSatisfy(isPart), !isMadeOfWords(word),
      !CredentialMask.isMasked(word)
    else { return false }
    return kinds(of: word) >= 3 && !isReadable(word)
  }

  private static func isPart(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber) || letters.contains(character)
  }

  /// Lower case, upper case, digits.
  private static func kinds(of word: some StringProtocol) -> Int {
    [
      word.contains { $0.isLowercase }, word.contains { $0.isUppercase },
      word.contains { $0.isNumber },
    ].filter { $0 }.count
  }

  /// Paths, names and dates: between marks nothing is long.
  private static func isMadeOfWords(_ word: some StringProtocol) -> Bool {
    word.split(whereSeparator: letters.contains).allSatisfy { $0.count < 12 || isName(String($0)) }
  }

  /// `ImmutableReferencesList2`: letters of one kind in runs.
  private static func isName(_ word: String) -> Bool {
    var changes = 0
    var last: Character?
    for character in word {
      if let last, kind(last) != kind(character) { changes += 1 }
      last = character
    }
    return changes * 4 <= word.count
  }

  private static func kind(_ character: Character) -> Int {
    character.isNumber ? 0 : character.isLowercase ? 1 : 2
  }

  private static func isReadable(_ word: some StringProtocol) -> Bool {
    guard let bytes = try? Base64.decode(Array(word.utf8)) else { return false }
    return bytes.allSatisfy { (0x20..<0x7F).contains($0) }
  }
}
