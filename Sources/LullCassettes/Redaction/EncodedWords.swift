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

/// A run of digits of base64 in a text, some of which may be escaped, or of several lines of them.
struct EncodedWord {
  /// Without escapes and ends of lines.
  private(set) var digits: [UInt8] = []
  /// Where each digit stands in the text, and where the last one ends.
  private var starts: [Int]
  /// Whether some of them have the escapes of URLs.
  private(set) var isEscaped = false
  /// How long its lines are, and what ends them; nil of one line.
  private var wrapping: (width: Int, separator: [UInt8])?

  private init(at start: Int) { starts = [start] }

  var range: Range<Int> { (starts.first ?? 0)..<(starts.last ?? 0) }

  /// Those of one line each, in order, short ones too.
  static func all(in bytes: [UInt8]) -> [EncodedWord] {
    var words: [EncodedWord] = []
    var word: EncodedWord?
    var index = 0
    while index < bytes.count {
      if let (digit, length) = digit(at: index, in: bytes) {
        if word == nil { word = EncodedWord(at: index) }
        word?.digits.append(digit)
        word?.starts.append(index + length)
        if length == 3 { word?.isEscaped = true }
        index += length
      } else {
        if let word { words.append(word) }
        word = nil
        // Its letter is no digit.
        let isEndOfLine =
          bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count
          && "nrt".utf8.contains(bytes[index + 1])
        index += isEndOfLine ? 2 : 1
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  /// Some of its digits, by their places.
  func part(_ places: Range<Int>) -> EncodedWord {
    var part = EncodedWord(at: starts[places.lowerBound])
    part.digits = Array(digits[places])
    part.starts = Array(starts[places.lowerBound...places.upperBound])
    part.isEscaped = isEscaped
    return part
  }

  // MARK: Lines

  /// Shorter lines are no wrapped base64.
  private static let narrowest = 16
  /// As they are, and as a string of JSON has them.
  private static let separators = ["\r\n", "\n", "\\r\\n", "\\n"].map { Array($0.utf8) }

  /// The one of several lines that begins there, each as long as the first but the last, and the place of the word
  /// behind it; nil if there is none.
  static func wrapped(
    _ words: [EncodedWord], from first: Int, in bytes: [UInt8]
  ) -> (word: EncodedWord, end: Int)? {
    let width = words[first].digits.count
    guard width >= narrowest, first + 1 < words.count,
      let separator = separators.first(where: { separator in
        bytes[words[first].range.upperBound..<words[first + 1].range.lowerBound]
          .elementsEqual(separator)
      })
    else { return nil }
    var whole = words[first]
    var next = first + 1
    while next < words.count {
      let word = words[next]
      guard word.digits.count <= width,
        bytes[words[next - 1].range.upperBound..<word.range.lowerBound].elementsEqual(separator)
      else { break }
      whole.digits += word.digits
      whole.starts += word.starts.dropFirst()
      next += 1
      if word.digits.count < width { break }
    }
    whole.wrapping = (width, separator)
    return next > first + 1 ? (whole, next) : nil
  }

  /// Whether no line ends within a group of base64, and all of it can be decoded.
  var isWholeInLines: Bool {
    guard let wrapping else { return false }
    return wrapping.width % 4 == 0 && (try? Base64.decode(digits)) != nil
  }

  /// Other digits in lines as this word has them.
  func lines(of digits: [UInt8]) -> [UInt8] {
    guard let (width, separator) = wrapping else { return digits }
    var lines: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: width) {
      if start > 0 { lines += separator }
      lines += digits[start..<min(start + width, digits.count)]
    }
    return lines
  }

  // MARK: Digits

  private static func digit(at index: Int, in bytes: [UInt8]) -> (UInt8, length: Int)? {
    let byte = bytes[index]
    if isDigit(byte) { return (byte, 1) }
    if byte == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "/") {
      return (bytes[index + 1], 2)
    }
    guard byte == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "2")
    else { return nil }
    switch bytes[index + 2] | 0x20 {
    case UInt8(ascii: "b"): return (UInt8(ascii: "+"), 3)
    case UInt8(ascii: "f"): return (UInt8(ascii: "/"), 3)
    default: return nil
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // "+", "-", "/" and "_"
    default: byte == 0x2B || byte == 0x2D || byte == 0x2F || byte == 0x5F
    }
  }
}
