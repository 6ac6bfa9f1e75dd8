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
    var seen: Set<Substring> = []
    // A slash is a letter of base64, and in URLs it parts words.
    for word in text.split(whereSeparator: { !isPart($0) || $0 == "/" }) where isRandom(word) {
      if seen.insert(word).inserted { words.append(String(word)) }
    }
    return words
  }

  static func isRandom(_ word: some StringProtocol) -> Bool {
    guard word.utf8.count >= shortest, word.allSatisfy(isPart),
      !CredentialMask.isMasked(word)
    else { return false }
    return noise(in: word) >= enough && !isReadable(word)
  }

  /// What is called like a token and looks like one: digits of a number in hexadecimal are one by that name.
  static func mayBeIssued(_ word: some StringProtocol) -> Bool {
    isRandom(word)
      || word.utf8.count >= shortest && word.allSatisfy { $0.isHexDigit || $0 == "-" }
        && word.contains(where: \.isNumber)
  }

  /// So many characters nobody has thought of are no name any more.
  private static let enough = 16

  /// How many characters are in pieces that are no words, names, numbers or dates.
  private static func noise(in word: some StringProtocol) -> Int {
    word.split(whereSeparator: letters.contains).reduce(0) { count, piece in
      kinds(of: piece) >= 2 && !isName(String(piece)) && !isHexadecimal(piece)
        ? count + piece.count : count
    }
  }

  /// Digests, numbers and UUIDs.
  private static func isHexadecimal(_ word: some StringProtocol) -> Bool {
    word.allSatisfy(\.isHexDigit)
  }

  private static func isPart(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber) || letters.contains(character)
  }

  private static func kinds(of word: some StringProtocol) -> Int { Set(word.map(kind)).count }

  /// Whether a piece of something longer is no piece of a name, a text or a number.
  static func isNoise(_ piece: String) -> Bool {
    piece.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || letters.contains($0)) }
      && kinds(of: piece.filter { !letters.contains($0) }) >= 2 && !isName(piece)
  }

  /// `ImmutableReferencesList2`: letters of one kind in runs, each with a capital before it or not.
  private static func isName(_ word: String) -> Bool {
    var changes = 0
    var last: Kind?
    for kind in word.map(kind) {
      if let last, last != kind, last != .upper || kind != .lower { changes += 1 }
      last = kind
    }
    return changes * 4 <= word.count
  }

  private enum Kind {
    case digit, lower, upper
  }

  private static func kind(_ character: Character) -> Kind {
    character.isNumber ? .digit : character.isLowercase ? .lower : .upper
  }

  private static func isReadable(_ word: some StringProtocol) -> Bool {
    guard let bytes = try? Base64.decode(Array(word.utf8)),
      let text = String(validating: bytes, as: UTF8.self)
    else { return false }
    return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
  }
}
