import LullCore

/// Words of a text that are base64 or hexadecimal digits of another one, and are made anew where that is to
/// become a third.
///
/// Base64 may be of either alphabet, on one or several lines, with its padding or without, and escaped as in URLs
/// or JSON. A slash, a hyphen or a low line is a digit of it, and parts words as well: both are tried.
struct EncodedWords {
  /// With other words where there are any.
  private(set) var text: [UInt8] = []
  private let bytes: [UInt8]
  private let isInURL: Bool
  private let replacement: ([UInt8]) -> [UInt8]?
  /// How far it has been read.
  private var place = 0

  /// Under so many digits there is nothing that would have to be found.
  private static let shortest = 12

  /// - Parameters:
  ///   - isInURL: whether digits that mean something there are to be escaped.
  ///   - replacement: what the decoded text of a word is to become; nil: the word stays.
  init(
    _ bytes: [UInt8], isInURL: Bool = false, _ replacement: @escaping ([UInt8]) -> [UInt8]?
  ) {
    self.bytes = bytes
    self.isInURL = isInURL
    self.replacement = replacement
    guard EncodedWords.mayBe(in: bytes) else {
      text = bytes
      return
    }
    let words = EncodedWord.all(in: bytes)
    var next = 0
    while next < words.count {
      let wrapped = EncodedWord.wrapped(words, from: next, in: bytes)
      let end = wrapped?.end ?? next + 1
      let isMade = wrapped.map { takes($0.word) } ?? false
      // Each line may be a word of its own; of lines of whole groups all of them have been looked into.
      let isDone = isMade || wrapped.map { $0.word.isWholeInLines } ?? false
      for word in words[next..<end]
      where !isDone && word.digits.count >= EncodedWords.shortest { read(word) }
      next = end
    }
    text += bytes[place...]
  }

  /// What all words say that may be encoded, in each way in which they may be, one behind the other.
  static func decoded(in bytes: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    _ = EncodedWords(bytes) { inner in
      // Two of them make no third.
      all += inner + [0]
      return nil
    }
    return all
  }

  /// Whether there is any that is long enough, as most texts have none.
  private static func mayBe(in bytes: [UInt8]) -> Bool {
    guard bytes.count >= shortest else { return false }
    var length = 0
    for byte in bytes {
      // An escape is a digit, too.
      let isPart =
        EncodedWord.isDigit(byte) || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\")
      length = isPart ? length + 1 : 0
      if length == shortest { return true }
    }
    return false
  }

  private mutating func read(_ word: EncodedWord) {
    if takes(word) { return }
    for separators in ["/", "/-_"] {
      let parts = word.digits.indices.split { separators.utf8.contains(word.digits[$0]) }
      guard parts.count > 1 else { continue }
      var hasMade = false
      for part in parts where part.count >= EncodedWords.shortest {
        if takes(word.part(part)) { hasMade = true }
      }
      if hasMade { return }
    }
  }

  /// Whether the word is made anew; what has been read goes up to its end then.
  private mutating func takes(_ word: EncodedWord) -> Bool {
    let digits = word.digits
    if digits.count % 2 == 0, let inner = EncodedWords.hexadecimal(digits),
      let made = replacement(inner)
    {
      let isUpper = digits.contains { (0x41...0x46).contains($0) }
      let text = Hexadecimal.text(made)
      put(word.lines(of: Array((isUpper ? text.uppercased() : text).utf8)), word.range)
      return true
    }
    guard let inner = try? Base64.decode(digits), let made = replacement(inner) else {
      return false
    }
    var (end, padding) = (word.range.upperBound, 0)
    var isEscaped = word.isEscaped
    while padding < 2, let length = paddingLength(at: end) {
      isEscaped = isEscaped || length > 1
      end += length
      padding += 1
    }
    let isURL = digits.contains { "-_".utf8.contains($0) } || isPartOfToken(word)
    let isPadded = padding > 0 || !isURL && digits.count % 4 == 0
    let text = word.lines(
      of: Base64.encode(made, alphabet: isURL ? .url : .standard, isPadded: isPadded))
    put(
      isEscaped || isInURL ? SecretEscaping.form.escaped(text) : text,
      word.range.lowerBound..<end)
    return true
  }

  private mutating func put(_ made: [UInt8], _ range: Range<Int>) {
    text += bytes[place..<range.lowerBound] + made
    place = range.upperBound
  }

  /// Whether a point joins it to another word, as the parts of a JWT, which are of the alphabet for URLs.
  private func isPartOfToken(_ word: EncodedWord) -> Bool {
    let isJoined = isJoint(word.range.lowerBound - 1) || isJoint(word.range.upperBound)
    return isJoined && !word.digits.contains { "+/".utf8.contains($0) }
  }

  private func isJoint(_ index: Int) -> Bool {
    index > 0 && index + 1 < bytes.count && bytes[index] == UInt8(ascii: ".")
      && EncodedWord.isDigit(bytes[index - 1])
      && (EncodedWord.isDigit(bytes[index + 1]) || bytes[index + 1] == UInt8(ascii: "."))
  }

  private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard let value = Hexadecimal.value(digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  /// Of `=`, as it is or escaped.
  private func paddingLength(at index: Int) -> Int? {
    guard index < bytes.count else { return nil }
    if bytes[index] == UInt8(ascii: "=") { return 1 }
    let isEscape = bytes[index...].starts(with: "%3".utf8) && index + 2 < bytes.count
    return isEscape && (bytes[index + 2] | 0x20) == UInt8(ascii: "d") ? 3 : nil
  }
}
