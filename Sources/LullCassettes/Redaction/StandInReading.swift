import LullCore

/// A text with other ones in the place of its stand-ins: of those that stand there as they are, with escapes of URLs
/// and JSON, or inside of base64, which is made anew. (CAS-66)
struct StandInReading {
  private(set) var text: [UInt8] = []
  private let bytes: [UInt8]
  private let escaping: SecretEscaping
  private let replacement: (Int) -> [UInt8]?

  private static let mark = Array(CredentialMask.standIn.utf8)
  /// What the shortest of them is in base64.
  private static let shortestInBase64 = 16

  /// - Parameters:
  ///   - escaping: how the other texts are written there.
  ///   - replacement: what stands for the one of that number; nil: it stays.
  init(_ bytes: [UInt8], _ escaping: SecretEscaping, _ replacement: @escaping (Int) -> [UInt8]?) {
    self.bytes = bytes
    self.escaping = escaping
    self.replacement = replacement
    read()
  }

  private mutating func read() {
    var index = 0
    while index < bytes.count {
      let isStart = index == 0 || !StandInReading.isDigit(bytes[index - 1])
      if isStart, StandInReading.isDigit(bytes[index]) {
        let end = bytes[index...].firstIndex { !StandInReading.isDigit($0) } ?? bytes.count
        index = append(word: index..<end)
      } else {
        index = append(at: index)
      }
    }
  }

  /// A stand-in, or one byte; where to read on.
  private mutating func append(at index: Int) -> Int {
    guard let found = standIn(at: index) else {
      text.append(bytes[index])
      return index + 1
    }
    text += replacement(found.number).map(escaping.escaped) ?? Array(bytes[index..<found.end])
    return found.end
  }

  // MARK: As it is

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

  /// At most nine digits.
  static func number(at start: Int, in bytes: [UInt8]) -> (value: Int, end: Int)? {
    var end = start
    var value = 0
    while end < bytes.count, end - start < 9, (0x30...0x39).contains(bytes[end]) {
      value = value * 10 + Int(bytes[end] - 0x30)
      end += 1
    }
    return end > start ? (value, end) : nil
  }

  // MARK: In base64

  /// A run of base64's digits; where to read on.
  private mutating func append(word range: Range<Int>) -> Int {
    if let end = append(encoded: range) { return end }
    // A slash may part words as well.
    var start = range.lowerBound
    while let slash = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "/")) {
      if append(encoded: start..<slash) == nil { _ = append(plain: start..<slash) }
      text.append(bytes[slash])
      start = slash + 1
    }
    let rest = start..<range.upperBound
    if start > range.lowerBound, let end = append(encoded: rest) { return end }
    return append(plain: rest)
  }

  /// One in which a stand-in is encoded, made anew; nil if it has none.
  private mutating func append(encoded range: Range<Int>) -> Int? {
    guard range.count >= StandInReading.shortestInBase64 else { return nil }
    let word = bytes[range]
    guard let inner = StandInReading.decoded(word), let made = replaced(inner) else { return nil }
    var (end, padding) = (range.upperBound, 0)
    var isEscaped = false
    while padding < 2, let length = paddingLength(at: end) {
      isEscaped = length > 1
      end += length
      padding += 1
    }
    let isURL = word.contains { "-_".utf8.contains($0) }
    let isPadded = padding > 0 || !isURL && range.count % 4 == 0
    let digits = Base64.encode(made, alphabet: isURL ? .url : .standard, isPadded: isPadded)
    let isInURL = isEscaped || escaping == .parameter || escaping == .form
    text += isInURL ? SecretEscaping.form.escaped(digits) : digits
    return end
  }

  /// One that may begin with a stand-in anywhere.
  private mutating func append(plain range: Range<Int>) -> Int {
    var index = range.lowerBound
    while index < range.upperBound { index = append(at: index) }
    return index
  }

  /// nil if no stand-in is in it that is replaced.
  private func replaced(_ inner: [UInt8]) -> [UInt8]? {
    let made = StandInReading(inner, .verbatim, replacement).text
    return made == inner ? nil : made
  }

  private static func decoded(_ word: ArraySlice<UInt8>) -> [UInt8]? {
    try? Base64.decode(Array(word))
  }

  /// Of `=`, as it is or escaped.
  private func paddingLength(at index: Int) -> Int? {
    guard index < bytes.count else { return nil }
    if bytes[index] == UInt8(ascii: "=") { return 1 }
    return index + 2 < bytes.count && bytes[index] == UInt8(ascii: "%")
      && escape(at: index + 1) == UInt8(ascii: "=") ? 3 : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "+/-_".utf8.contains(byte)
    }
  }
}
