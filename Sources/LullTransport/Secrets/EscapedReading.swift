import LullCore

/// A text with some of its escapes decoded, and the original position of each decoded byte.
struct EscapedReading {
  var bytes: [UInt8]
  /// The position of each byte in the original text, followed by the end of the last byte.
  var starts: [Int]
  /// The position in the original text where each byte ends; empty if each byte ends where the next
  /// one begins.
  var ends: [Int] = []

  /// Creates a reading of `text` in which nothing is decoded except `+`, which is read as a space.
  init(_ text: [UInt8]) {
    bytes = text.map(EscapedReading.folded)
    starts = Array(0...text.count)
  }

  /// Returns this reading, followed by the readings that result from decoding its escapes, its
  /// quoted-printable text and its numbers.
  func readings(atMost count: Int) -> [EscapedReading] {
    var readings = unescapings(atMost: count)
    // Quoted-printable is decoded in separate readings, because `a=73` may also be an unescaped
    // pair of a query.
    for plain in readings.compactMap({ $0.withoutQuotedPrintable() }) {
      readings += plain.rounds(atMost: count)
    }
    return readings + readings.flatMap(\.numberReadings)
  }

  private func rounds(atMost count: Int) -> [EscapedReading] {
    var readings = [self]
    while readings.count <= count, let next = readings.last?.unescaped() { readings.append(next) }
    return readings
  }

  /// Returns this reading, followed by the result of each round of decoding. If the last result
  /// contains line breaks inside words, it is followed by readings without these breaks.
  func unescapings(atMost count: Int) -> [EscapedReading] {
    var readings = rounds(atMost: count)
    guard let last = readings.last, let joined = last.joined(past: [10, 13]) else {
      return readings
    }
    readings.append(joined)
    // A line may be indented, and may begin with a `+`, which was decoded as a space.
    if let indented = last.joined(past: [9, 10, 13, 32]), indented.bytes != joined.bytes {
      readings.append(indented)
    }
    return readings
  }

  /// Removes each line end between two base64 characters, with the other `spaces` that follow the
  /// line end. Returns nil if there are no such line ends.
  private func joined(past spaces: [UInt8]) -> EscapedReading? {
    guard bytes.contains(10) else { return nil }
    var result = self
    result.bytes = []
    result.starts = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 10 || bytes[index] == 13, let last = result.bytes.last,
        EscapedReading.isWord(last)
      {
        let next = bytes[index...].firstIndex { !spaces.contains($0) } ?? bytes.count
        if next < bytes.count, EscapedReading.isWord(bytes[next]) {
          index = next
          continue
        }
      }
      result.bytes.append(bytes[index])
      result.starts.append(starts[index])
      result.ends.append(starts[index + 1])
      index += 1
    }
    result.starts.append(starts[bytes.count])
    return result.bytes.count < bytes.count ? result : nil
  }

  /// Whether the byte is a character of either base64 alphabet. `+` was decoded as a space.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: " /-_".utf8.contains(byte)
    }
  }

  /// Returns the text with one level of escapes decoded, or nil if it has no escapes.
  private func unescaped() -> EscapedReading? {
    var result = self
    result.bytes = []
    result.starts = []
    var index = 0
    while index < bytes.count {
      result.starts.append(starts[index])
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Hexadecimal.value(bytes[index + 1]),
        let low = Hexadecimal.value(bytes[index + 2])
      {
        result.bytes.append(EscapedReading.folded(high << 4 | low))
        index += 3
      } else if let escape = WrittenEscape(bytes, at: index) {
        // All bytes of an escaped character have the start of the escape as their position.
        let rest = escape.bytes.count - 1
        result.starts.append(contentsOf: repeatElement(starts[index], count: rest))
        result.bytes += escape.bytes.map(EscapedReading.folded)
        index += escape.length
      } else {
        result.bytes.append(bytes[index])
        index += 1
      }
    }
    result.starts.append(starts[bytes.count])
    return result.bytes.count < bytes.count ? result : nil
  }

  /// Returns the text with quoted-printable decoded, or nil if it has none.
  private func withoutQuotedPrintable() -> EscapedReading? {
    // A reading with separate end positions, from which bytes were removed, is not decoded further.
    guard ends.isEmpty, bytes.indices.contains(where: { quotedPrintable(at: $0) != nil }) else {
      return nil
    }
    var result = self
    result.bytes = []
    result.starts = []
    var index = 0
    while index < bytes.count {
      let escape = quotedPrintable(at: index)
      if let byte = escape.map({ $0.byte }) ?? bytes[index] {
        result.bytes.append(EscapedReading.folded(byte))
        result.starts.append(starts[index])
      }
      index += escape?.length ?? 1
    }
    result.starts.append(starts[bytes.count])
    return result
  }

  /// Decodes `=73`, or a soft line break, for which the byte is nil. (RFC 2045, section 6.7)
  private func quotedPrintable(at index: Int) -> (byte: UInt8?, length: Int)? {
    guard bytes[index] == UInt8(ascii: "="), index + 1 < bytes.count else { return nil }
    if index + 2 < bytes.count, let high = Hexadecimal.value(bytes[index + 1]),
      let low = Hexadecimal.value(bytes[index + 2])
    {
      return (high << 4 | low, 3)
    }
    var end = index + 1
    while end < bytes.count, [9, 13, 32].contains(bytes[end]) { end += 1 }
    return end < bytes.count && bytes[end] == 10 ? (nil, end + 1 - index) : nil
  }

  /// Returns the range in the original text where `wanted` occurs, or nil if this reading does not
  /// contain it at `start`.
  ///
  /// - Parameter asPart: Whether `wanted` must be a complete part of a URL, such as a path segment.
  func place(of wanted: [UInt8], at start: Int, asPart: Bool) -> Range<Int>? {
    let end = start + wanted.count
    guard end <= bytes.count, bytes[start..<end].elementsEqual(wanted),
      !asPart || isEdge(start - 1) && isEdge(end)
    else { return nil }
    return starts[start]..<(ends.isEmpty ? starts[end] : ends[end - 1])
  }

  private func isEdge(_ index: Int) -> Bool {
    !bytes.indices.contains(index) || "/?&=#;:@".utf8.contains(bytes[index])
  }

  /// Returns a space for `+`, because forms encode a space as `+`. Returns any other byte
  /// unchanged. Some programs decode a literal `+` as a space too.
  static func folded(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
  }
}

/// Decodes bytes that are written as numbers: `73:65:63`, `7365 6372`, `0x73, 0x65`, `115,101`,
/// `\163\145`.
extension EscapedReading {
  /// A notation in which bytes are written as numbers.
  private enum Notation: CaseIterable {
    case hexadecimal, decimal, octal

    /// Returns the bytes that the digits represent in this notation, or nil if they are not one or
    /// more complete bytes.
    func bytes(of digits: ArraySlice<UInt8>) -> [UInt8]? {
      switch self {
      case .hexadecimal:
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
          guard let value = Hexadecimal.value(digit) else { return nil }
          if let first = high { bytes.append(first << 4 | value) }
          high = high == nil ? value : nil
        }
        return bytes
      case .decimal: return digits.count <= 3 ? byte(of: digits, base: 10) : nil
      case .octal: return digits.count == 3 ? byte(of: digits, base: 8) : nil
      }
    }

    private func byte(of digits: ArraySlice<UInt8>, base: Int) -> [UInt8]? {
      var number = 0
      for digit in digits {
        guard digit >= 0x30, Int(digit) < 0x30 + base else { return nil }
        number = number * base + Int(digit - 0x30)
      }
      return UInt8(exactly: number).map { [$0] }
    }
  }

  /// One number of a run. A run is a sequence of numbers.
  private struct Number {
    /// The range of the number with its `0x`.
    let range: Range<Int>
    /// The range without the `0x`.
    let digits: Range<Int>
  }

  /// The least number of bytes in a run. Shorter runs are ignored.
  private static let shortestRun = SecretSearch.shortest
  /// The longest gap between two numbers, such as `",\n\t\t`.
  private static let longestGap = 12
  /// The maximum number of digits of a number. A longer word ends a run.
  private static let mostDigits = 16

  /// The readings in which the runs of numbers are decoded as bytes: one reading for each notation
  /// that occurs in the text. Text outside the runs is omitted. A zero byte follows each run.
  var numberReadings: [EscapedReading] {
    // A reading with line ends removed would find the same numbers again.
    guard ends.isEmpty else { return [] }
    let runs = runs
    return runs.isEmpty ? [] : Notation.allCases.compactMap { reading(runs, $0) }
  }

  private func reading(_ runs: [[Number]], _ notation: Notation) -> EscapedReading? {
    var result = self
    result.bytes = []
    result.starts = []
    func append(_ byte: UInt8, _ place: Range<Int>) {
      result.bytes.append(EscapedReading.folded(byte))
      result.starts.append(starts[place.lowerBound])
      result.ends.append(starts[place.upperBound])
    }
    for run in runs {
      let values = run.map { notation.bytes(of: bytes[$0.digits]) }
      // Numbers that are not bytes in this notation divide the run.
      for part in run.indices.split(whereSeparator: { values[$0] == nil })
      where part.reduce(0, { $0 + (values[$1]?.count ?? 0) }) >= EscapedReading.shortestRun {
        for number in part {
          let (range, digits, value) = (run[number].range, run[number].digits, values[number] ?? [])
          for (offset, byte) in value.enumerated() {
            let start = offset == 0 ? range.lowerBound : digits.lowerBound + 2 * offset
            let isLast = offset == value.count - 1
            append(byte, start..<(isLast ? range.upperBound : digits.lowerBound + 2 * offset + 2))
          }
        }
        append(0, run[part.startIndex].range.lowerBound..<run[part.startIndex].range.lowerBound)
      }
    }
    result.starts.append(starts[bytes.count])
    return result.bytes.isEmpty ? nil : result
  }

  /// The runs in the text. A run is a sequence of numbers with only punctuation or spaces between
  /// them.
  private var runs: [[Number]] {
    var runs: [[Number]] = []
    var run: [Number] = []
    var index = 0
    func end() {
      if run.count > 1 { runs.append(run) }
      run = []
    }
    while index < bytes.count {
      guard EscapedReading.isAlphanumeric(bytes[index]) else {
        index += 1
        continue
      }
      var wordEnd = index
      while wordEnd < bytes.count, EscapedReading.isAlphanumeric(bytes[wordEnd]) { wordEnd += 1 }
      if let number = number(in: index..<wordEnd) {
        if let last = run.last,
          number.range.lowerBound - last.range.upperBound > EscapedReading.longestGap
        {
          end()
        }
        run.append(number)
      } else {
        end()
      }
      index = wordEnd
    }
    end()
    return runs
  }

  private func number(in word: Range<Int>) -> Number? {
    var digits = word
    // The prefix of `0x73`, or of `\x73` if other numbers in the run have no prefix.
    if word.count > 2, let mark = bytes[word].prefix(2).firstIndex(where: { $0 | 0x20 == 0x78 }),
      mark == word.lowerBound || bytes[word.lowerBound] == UInt8(ascii: "0")
    {
      digits = mark + 1..<word.upperBound
    }
    guard digits.count <= EscapedReading.mostDigits,
      bytes[digits].allSatisfy({ Hexadecimal.value($0) != nil })
    else { return nil }
    let isEscape = word.lowerBound > 0 && bytes[word.lowerBound - 1] == UInt8(ascii: "\\")
    return Number(range: word.lowerBound - (isEscape ? 1 : 0)..<word.upperBound, digits: digits)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: false
    }
  }
}
