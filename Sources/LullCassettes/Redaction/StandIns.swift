import LullCore

/// Finds the stand-ins for tokens in recordings: `lull-token-1` and so on.
package enum StandIns {
  /// Returns the highest number of a stand-in in an exchange; 0 if there is none.
  static func highest(in entry: HAREntry) -> Int {
    var texts = self.texts(of: entry.request)
    if let response = entry.response {
      texts += response.headers.map(\.value)
      texts += [response.body?.bytes ?? [], Array((response.finalURL ?? "").utf8)]
    }
    return texts.reduce(0) { max($0, highest(in: $1)) }
  }

  /// Returns the numbers of all stand-ins in a request, plain or in base64. To send the request,
  /// the tokens of these stand-ins are needed.
  package static func numbers(in request: HARRequest) -> Set<Int> {
    texts(of: request).reduce(into: []) { $0.formUnion(numbers(in: $1)) }
  }

  package static func numbers(in bytes: [UInt8]) -> Set<Int> {
    var numbers: Set<Int> = []
    _ =
      StandInReading(bytes, .verbatim) {
        numbers.insert($0)
        return nil
      }.text
    return numbers
  }

  /// Replaces the stand-ins in a text with tokens. `token` returns the token for the number of a
  /// stand-in.
  package static func told(_ bytes: [UInt8], by token: @escaping (Int) -> [UInt8]?) -> [UInt8] {
    StandInReading(bytes, .verbatim, token).text
  }

  private static func texts(of request: HARRequest) -> [[UInt8]] {
    [Array(request.url.utf8), request.body?.bytes ?? []] + request.headers.map(\.value)
  }

  private static func highest(in bytes: [UInt8]) -> Int {
    var highest = 0
    var level = bytes
    for _ in 0...StandInReading.depth where !level.isEmpty {
      highest = max(highest, highestAsItIs(in: level))
      level = EncodedWords.decoded(in: level)
    }
    return highest
  }

  private static func highestAsItIs(in bytes: [UInt8]) -> Int {
    let mark = Array(CredentialMask.standIn.utf8)
    guard bytes.count > mark.count, let first = mark.first else { return 0 }
    var highest = 0
    var index = 0
    while let start = bytes[index...].firstIndex(of: first) {
      index = start + 1
      guard bytes[start...].starts(with: mark) else { continue }
      highest = max(highest, StandInReading.number(at: start + mark.count, in: bytes)?.value ?? 0)
    }
    return highest
  }
}

/// Replaces the stand-ins in a text. Finds plain stand-ins, stand-ins with URL or JSON escapes, and
/// stand-ins in base64 or hexadecimal words, which are encoded again. (CAS-66)
struct StandInReading {
  private(set) var text: [UInt8] = []
  private let bytes: [UInt8]
  private let escaping: SecretEscaping
  private let replacement: (Int) -> [UInt8]?

  private static let mark = Array(CredentialMask.standIn.utf8)
  /// The largest number of nested encodings that are decoded.
  static let depth = 4

  /// Replaces the stand-ins in `bytes`.
  ///
  /// - Parameters:
  ///   - escaping: The escaping to apply to the replacements.
  ///   - replacement: Returns the replacement for the number of a stand-in, or nil to keep the
  ///     stand-in.
  init(_ bytes: [UInt8], _ escaping: SecretEscaping, _ replacement: @escaping (Int) -> [UInt8]?) {
    self.init(bytes, escaping, depth: StandInReading.depth, replacement)
  }

  private init(
    _ bytes: [UInt8], _ escaping: SecretEscaping, depth: Int,
    _ replacement: @escaping (Int) -> [UInt8]?
  ) {
    let isInURL = escaping == .parameter || escaping == .form
    self.bytes =
      depth == 0
      ? bytes
      : EncodedWords(bytes, isInURL: isInURL) { inner in
        let made = StandInReading(inner, .verbatim, depth: depth - 1, replacement).text
        return made == inner ? nil : made
      }.text
    self.escaping = escaping
    self.replacement = replacement
    read()
  }

  private mutating func read() {
    var index = 0
    while index < bytes.count {
      guard let found = standIn(at: index) else {
        text.append(bytes[index])
        index += 1
        continue
      }
      text += replacement(found.number).map(escaping.escaped) ?? Array(bytes[index..<found.end])
      index = found.end
    }
  }

  private func standIn(at start: Int) -> (number: Int, end: Int)? {
    var index = start
    for wanted in StandInReading.mark {
      guard index < bytes.count else { return nil }
      if bytes[index] == wanted {
        index += 1
      } else if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        escape(at: index + 1) == wanted
      {
        index += 3
      } else if bytes[index...].starts(with: Array("\\u00".utf8)), index + 5 < bytes.count,
        escape(at: index + 4) == wanted
      {
        index += 6
      } else {
        return nil
      }
    }
    return StandInReading.number(at: index, in: bytes).map { ($0.value, $0.end) }
  }

  private func escape(at index: Int) -> UInt8? {
    guard let high = Hexadecimal.value(bytes[index]), let low = Hexadecimal.value(bytes[index + 1])
    else { return nil }
    return high << 4 | low
  }

  /// Reads the number of a stand-in at index `start`, which has at most nine digits. Returns the
  /// number and the index after it.
  static func number(at start: Int, in bytes: [UInt8]) -> (value: Int, end: Int)? {
    var end = start
    var value = 0
    while end < bytes.count, end - start < 9, (0x30...0x39).contains(bytes[end]) {
      value = value * 10 + Int(bytes[end] - 0x30)
      end += 1
    }
    return end > start ? (value, end) : nil
  }
}

/// Finds words that look random. They may be tokens that no rule has found.
///
/// Hexadecimal digests and numbers, UUIDs, and base64 of readable text are not reported. They are
/// frequent in recordings, and users would ignore too many warnings.
package enum RandomText {
  /// The length of the shortest word that is examined. A shorter word is too weak to be a token.
  private static let shortest = 20
  private static let letters = Set("-_.~+/=")

  /// Returns the random words in a text, in order and without duplicates.
  package static func words(in text: String) -> [String] {
    var words: [String] = []
    var seen: Set<Substring> = []
    // A slash is a base64 digit, but here it separates words, as in URLs.
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

  /// Whether a value whose name denotes a token also looks like a token. Because of the name,
  /// hexadecimal digits are accepted too.
  static func mayBeIssued(_ word: some StringProtocol) -> Bool {
    isRandom(word)
      || word.utf8.count >= shortest && word.allSatisfy { $0.isHexDigit || $0 == "-" }
        && word.contains(where: \.isNumber)
  }

  /// The smallest number of random characters in a word that counts as random.
  private static let enough = 16

  /// Returns the number of random characters in a word. These are the characters that do not belong
  /// to ordinary words, names, numbers or dates.
  private static func noise(in word: some StringProtocol) -> Int {
    word.split(whereSeparator: letters.contains).reduce(0) { count, piece in
      kinds(of: piece) >= 2 && !isName(String(piece)) && !isHexadecimal(piece)
        ? count + piece.count : count
    }
  }

  /// Whether a word consists of hexadecimal digits, as digests, numbers and UUIDs do.
  private static func isHexadecimal(_ word: some StringProtocol) -> Bool {
    word.allSatisfy(\.isHexDigit)
  }

  private static func isPart(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber) || letters.contains(character)
  }

  private static func kinds(of word: some StringProtocol) -> Int { Set(word.map(kind)).count }

  /// Whether a section of a longer text looks random, so that it is not part of a name, a text or a
  /// number.
  static func isNoise(_ piece: String) -> Bool {
    piece.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || letters.contains($0)) }
      && kinds(of: piece.filter { !letters.contains($0) }) >= 2 && !isName(piece)
  }

  /// Whether a word is a name such as `ImmutableReferencesList2`. A name consists of runs of
  /// characters of one kind, possibly with an initial capital.
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
