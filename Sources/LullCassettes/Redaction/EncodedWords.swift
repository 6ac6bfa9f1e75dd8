import LullCore

/// Finds words in a text that are base64 or hexadecimal encodings. If the decoded text of a word is
/// replaced, the new text is encoded and put in place of the word.
///
/// Base64 may use either alphabet, with or without padding, on one or several lines, and may
/// contain URL or JSON escapes. A slash, a hyphen or an underscore may be a base64 digit or a
/// separator of two words, so both are tried.
struct EncodedWords {
  /// The text with all replacements made.
  private(set) var text: [UInt8] = []
  private let bytes: [UInt8]
  private let isInURL: Bool
  private let replacement: ([UInt8]) -> [UInt8]?
  /// The index up to which the original bytes have been copied to `text`.
  private var place = 0

  /// The smallest number of digits in a word. Shorter words are ignored.
  private static let shortest = 12

  /// Finds the encoded words in `bytes` and replaces them.
  ///
  /// - Parameters:
  ///   - isInURL: Whether base64 digits that have a meaning in URLs must be escaped.
  ///   - replacement: Gets the decoded text of a word. Returns the new text, or nil to keep the
  ///     word.
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
      // Each line may also be a separate word. If every line consists of whole base64 groups, the
      // lines have already been checked as one word.
      let isDone = isMade || wrapped.map { $0.word.isWholeInLines } ?? false
      for word in words[next..<end]
      where !isDone && word.digits.count >= EncodedWords.shortest { read(word) }
      next = end
    }
    text += bytes[place...]
  }

  /// Returns the decoded texts of all words that may be encodings, each followed by a zero byte. If
  /// a word can be decoded in several ways, all results are included.
  static func decoded(in bytes: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    _ = EncodedWords(bytes) { inner in
      // A zero byte separates two texts, so that a search finds no match across them.
      all += inner + [0]
      return nil
    }
    return all
  }

  /// Whether the bytes contain a word that is long enough to be examined. Most texts contain none.
  private static func mayBe(in bytes: [UInt8]) -> Bool {
    guard bytes.count >= shortest else { return false }
    var length = 0
    for byte in bytes {
      // A character may be part of an escape that represents a digit.
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

  /// Decodes a word. If there is a replacement for the decoded text, replaces the word and
  /// continues after it. Returns whether the word was replaced.
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

  /// Whether a dot connects the word to another word, as between the sections of a JWT. Words
  /// connected by a dot use the URL alphabet.
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

  /// Returns the length of the padding character `=` at an index, where it may be escaped; nil if
  /// there is none.
  private func paddingLength(at index: Int) -> Int? {
    guard index < bytes.count else { return nil }
    if bytes[index] == UInt8(ascii: "=") { return 1 }
    let isEscape = bytes[index...].starts(with: "%3".utf8) && index + 2 < bytes.count
    return isEscape && (bytes[index + 2] | 0x20) == UInt8(ascii: "d") ? 3 : nil
  }
}

/// A sequence of base64 digits in a text. Some digits may be escaped, and the sequence may be on
/// several lines.
struct EncodedWord {
  /// The digits of the word, without escapes and line ends.
  private(set) var digits: [UInt8] = []
  /// The index of each digit in the text. The last element is the index after the last digit.
  private var starts: [Int]
  /// Whether some of the digits have URL escapes.
  private(set) var isEscaped = false
  /// The length of the lines and the separator between them; nil if the word is on one line.
  private var wrapping: (width: Int, separator: [UInt8])?

  private init(at start: Int) { starts = [start] }

  var range: Range<Int> { (starts.first ?? 0)..<(starts.last ?? 0) }

  /// Returns all words in the text, each within one line, in order. Short words are included.
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
        // The letter of a JSON escape for a line end is not a digit.
        let isEndOfLine =
          bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count
          && "nrt".utf8.contains(bytes[index + 1])
        index += isEndOfLine ? 2 : 1
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  /// Returns the part of the word that consists of the digits in the range `places`.
  func part(_ places: Range<Int>) -> EncodedWord {
    var part = EncodedWord(at: starts[places.lowerBound])
    part.digits = Array(digits[places])
    part.starts = Array(starts[places.lowerBound...places.upperBound])
    part.isEscaped = isEscaped
    return part
  }

  // MARK: Lines

  /// The smallest line length of wrapped base64. Shorter lines are separate words.
  private static let narrowest = 16
  /// The possible line ends between the lines of a word, plain or as escapes in a JSON string.
  private static let separators = ["\r\n", "\n", "\\r\\n", "\\n"].map { Array($0.utf8) }

  /// Joins the words on consecutive lines, starting with the word at index `first`, if they are one
  /// wrapped word. Returns the joined word, and the index of the next word after it; nil if the
  /// word is not wrapped. All lines except the last must have the same length.
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

  /// Whether each line consists of complete base64 groups, and the digits of all lines together can
  /// be decoded.
  var isWholeInLines: Bool {
    guard let wrapping else { return false }
    return wrapping.width % 4 == 0 && (try? Base64.decode(digits)) != nil
  }

  /// Returns `digits` wrapped into lines in the same way as this word.
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
