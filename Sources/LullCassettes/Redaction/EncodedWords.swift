import LullCore

/// Words of a text that are base64 or hexadecimal digits of another one, and are made anew where that is to
/// become a third.
///
/// Base64 may be of either alphabet, with its padding or without, which may be escaped as in URLs. A slash, a
/// hyphen or a low line is a digit of it, and parts words as well: both are tried.
struct EncodedWords {
  /// With other words where there are any.
  private(set) var text: [UInt8] = []
  private let bytes: [UInt8]
  private let isInURL: Bool
  private let replacement: ([UInt8]) -> [UInt8]?

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
    for word in EncodedWords.ranges(in: bytes) {
      text += bytes[place..<word.lowerBound]
      place = word.lowerBound
      read(word)
    }
    text += bytes[place...]
  }

  /// How far it has been read.
  private var place = 0

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

  private static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    for (index, byte) in bytes.enumerated() {
      if isDigit(byte) {
        if start == nil { start = index }
      } else if let begin = start {
        if index - begin >= shortest { ranges.append(begin..<index) }
        start = nil
      }
    }
    if let start, bytes.count - start >= shortest { ranges.append(start..<bytes.count) }
    return ranges
  }

  private mutating func read(_ word: Range<Int>) {
    if takes(word) { return }
    for separators in ["/", "/-_"] {
      let parts = bytes[word].split { separators.utf8.contains($0) }
      guard parts.count > 1 else { continue }
      var hasMade = false
      for part in parts where part.count >= EncodedWords.shortest {
        if takes(part.indices) { hasMade = true }
      }
      if hasMade { break }
    }
    // What is left of the word is read on with what follows.
  }

  /// Whether the word is made anew; it is behind what has been read then.
  private mutating func takes(_ word: Range<Int>) -> Bool {
    let digits = bytes[word]
    if digits.count % 2 == 0, let inner = EncodedWords.hexadecimal(digits),
      let made = replacement(inner)
    {
      let isUpper = digits.contains { (0x41...0x46).contains($0) }
      let text = Hexadecimal.text(made)
      put(Array((isUpper ? text.uppercased() : text).utf8), in: word)
      return true
    }
    guard let inner = try? Base64.decode(Array(digits)), let made = replacement(inner) else {
      return false
    }
    var (end, padding) = (word.upperBound, 0)
    var isEscaped = false
    while padding < 2, let length = paddingLength(at: end) {
      isEscaped = length > 1
      end += length
      padding += 1
    }
    let isURL = digits.contains { "-_".utf8.contains($0) } || isPartOfToken(word)
    let isPadded = padding > 0 || !isURL && digits.count % 4 == 0
    let text = Base64.encode(made, alphabet: isURL ? .url : .standard, isPadded: isPadded)
    put(
      isEscaped || isInURL ? SecretEscaping.form.escaped(text) : text, in: word.lowerBound..<end)
    return true
  }

  /// Whether a point joins it to another word, as the parts of a JWT, which are of the alphabet for URLs.
  private func isPartOfToken(_ word: Range<Int>) -> Bool {
    let isJoined = isJoint(word.lowerBound - 1) || isJoint(word.upperBound)
    return isJoined && !bytes[word].contains { "+/".utf8.contains($0) }
  }

  private func isJoint(_ index: Int) -> Bool {
    index > 0 && index + 1 < bytes.count && bytes[index] == UInt8(ascii: ".")
      && EncodedWords.isDigit(bytes[index - 1])
      && (EncodedWords.isDigit(bytes[index + 1]) || bytes[index + 1] == UInt8(ascii: "."))
  }

  private mutating func put(_ made: [UInt8], in range: Range<Int>) {
    text += bytes[place..<range.lowerBound] + made
    place = range.upperBound
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
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

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "+/-_".utf8.contains(byte)
    }
  }
}
