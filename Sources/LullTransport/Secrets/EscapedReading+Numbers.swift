import LullCore

/// Bytes that are written as numbers: `73:65:63`, `7365 6372`, `0x73, 0x65`, `115,101`, `\163\145`.
extension EscapedReading {
  /// How the numbers of a run are written.
  private enum Notation: CaseIterable {
    case hexadecimal, decimal, octal

    /// The bytes of a number's digits; nil if it is no byte, nor several.
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

  /// A number of a run.
  private struct Number {
    /// Where it stands, with its `0x`.
    let range: Range<Int>
    /// Without it.
    let digits: Range<Int>
  }

  /// Shorter runs are no text that would have to be found.
  private static let shortestRun = SecretSearch.shortest
  /// The longest that may part two numbers, as `",\n\t\t` does.
  private static let longestGap = 12
  /// More digits are hexadecimal without anything that parts them, which is looked for as such.
  private static let mostDigits = 16

  /// The runs of numbers as the bytes that they are, in each notation in which there are any: nothing else of the
  /// text, and a zero between two runs.
  var numberReadings: [EscapedReading] {
    // Without the ends of lines nothing new is found.
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
      // Others may stand beside those that are meant.
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

  /// Numbers that follow each other, with signs or spaces between them.
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
    // `0x73`, or the end of `\x73` where others beside it are written without.
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
