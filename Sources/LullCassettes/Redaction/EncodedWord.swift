import LullCore

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
