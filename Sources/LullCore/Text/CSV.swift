/// Parses CSV text into rows and fields. (RFC 4180, section 2)
///
/// Rows end with CR LF, LF or CR. The line end of the last row is optional. Empty lines and a
/// byte-order mark are ignored. A quoted field may contain any characters, with quotes doubled.
/// Quotes inside a field that does not begin with a quote are ordinary characters. Fields are bytes
/// and are not decoded.
package struct CSVParser {
  package struct Problem: Error, Equatable {
    package let message: String
    /// The number of the line with the problem, starting at 1.
    package let line: Int
  }

  /// The contents of all fields, concatenated.
  private var bytes: [UInt8] = []
  /// The index in `bytes` at which each field ends.
  private var fieldEnds: [Int] = []
  /// The index in `fieldEnds` at which each row ends.
  private var rowEnds: [Int] = []
  private var rowLines: [Int] = []

  package init(
    _ text: UnsafeBufferPointer<UInt8>, delimiter: UInt8 = UInt8(ascii: ",")
  ) throws(Problem) {
    bytes.reserveCapacity(text.count)
    var scanner = Scanner(text: text, delimiter: delimiter)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.index = 3 }
    while scanner.index < text.count {
      let line = scanner.line
      let start = fieldEnds.count
      var isBlank = true
      repeat {
        if try scanner.field(into: &bytes) { isBlank = false }
        fieldEnds.append(bytes.count)
      } while scanner.takeDelimiter()
      scanner.takeLineEnd()
      let length = bytes.count - (start == 0 ? 0 : fieldEnds[start - 1])
      if isBlank, fieldEnds.count == start + 1, length == 0 {
        fieldEnds.removeLast()
      } else {
        rowEnds.append(fieldEnds.count)
        rowLines.append(line)
      }
    }
  }

  package var rowCount: Int { rowEnds.count }
  package var fieldCount: Int { fieldEnds.count }
  package var byteCount: Int { bytes.count }

  /// The number of the line on which a row begins, starting at 1.
  package func line(ofRow row: Int) -> Int { rowLines[row] }

  /// The fields of the row with the index `row`.
  package func fields(ofRow row: Int) -> some RandomAccessCollection<ArraySlice<UInt8>> {
    ((row == 0 ? 0 : rowEnds[row - 1])..<rowEnds[row]).lazy.map { field in
      bytes[(field == 0 ? 0 : fieldEnds[field - 1])..<fieldEnds[field]]
    }
  }

  private struct Scanner {
    let text: UnsafeBufferPointer<UInt8>
    let delimiter: UInt8
    var index = 0
    var line = 1

    /// Parses a field and appends its content to `bytes`. Returns whether the field is quoted.
    mutating func field(into bytes: inout [UInt8]) throws(Problem) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: "\"") else {
        let start = index
        while index < text.count, !isEnd(text[index]) { index += 1 }
        bytes += text[start..<index]
        return false
      }
      let first = line
      index += 1
      while true {
        let start = index
        while index < text.count, text[index] != UInt8(ascii: "\"") {
          if text[index] == 10
            || text[index] == 13 && (index + 1 == text.count || text[index + 1] != 10)
          {
            line += 1
          }
          index += 1
        }
        bytes += text[start..<index]
        guard index < text.count else {
          throw Problem(message: "a quote that opens on this line is not closed", line: first)
        }
        index += 1
        guard index < text.count, text[index] == UInt8(ascii: "\"") else { break }
        bytes.append(UInt8(ascii: "\""))
        index += 1
      }
      guard index == text.count || isEnd(text[index]) else {
        throw Problem(
          message: "there is text after a closing quote (a quote inside quotes must be doubled)",
          line: line)
      }
      return true
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == delimiter || byte == 10 || byte == 13 }

    mutating func takeDelimiter() -> Bool {
      guard index < text.count, text[index] == delimiter else { return false }
      index += 1
      return true
    }

    mutating func takeLineEnd() {
      guard index < text.count else { return }
      index += text[index] == 13 && index + 1 < text.count && text[index + 1] == 10 ? 2 : 1
      line += 1
    }
  }
}

/// Writes CSV text row by row. Fields are quoted if necessary. (RFC 4180, section 2)
package struct CSVWriter {
  private let delimiter: UInt8
  private let lineEnd: [UInt8]
  private let guardsFormulas: Bool
  package private(set) var output: [UInt8] = []

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - lineEnd: The line end written after each row, including the last. RFC 4180 requires CR LF.
  ///   - guardsFormulas: Whether a `'` is written before each field that a spreadsheet would treat
  ///     as a formula.
  package init(
    delimiter: UInt8 = UInt8(ascii: ","), lineEnd: String = "\r\n", guardsFormulas: Bool = false
  ) {
    self.guardsFormulas = guardsFormulas
    self.delimiter = delimiter
    self.lineEnd = Array(lineEnd.utf8)
  }

  /// Writes a row. A single empty field is quoted, because it would be an empty line otherwise.
  package mutating func write(_ row: some Collection<some Collection<UInt8>>) {
    var isFirst = true
    for field in row {
      if !isFirst { output.append(delimiter) }
      isFirst = false
      if guardsFormulas, CSVFormula.mayBegin(field) {
        write(field: [UInt8(ascii: "'")] + field, needsQuotes: false)
      } else {
        write(field: field, needsQuotes: row.count == 1 && field.isEmpty)
      }
    }
    output += lineEnd
  }

  private mutating func write(field: some Collection<UInt8>, needsQuotes: Bool) {
    let quote = UInt8(ascii: "\"")
    guard
      needsQuotes
        || field.contains(where: { $0 == quote || $0 == delimiter || $0 == 10 || $0 == 13 })
    else {
      output += field
      return
    }
    output.append(quote)
    for byte in field {
      if byte == quote { output.append(quote) }
      output.append(byte)
    }
    output.append(quote)
  }
}

/// Detects fields that a spreadsheet would treat as a formula, quoted or not. (OWASP, CSV
/// Injection)
private enum CSVFormula {
  /// Whether a spreadsheet might treat a field as a formula. This is the case if the field begins
  /// with `=`, `+`, `-` or `@` (in ASCII or full width), a tab or a line end, and is not a plain
  /// number.
  static func mayBegin(_ field: some Collection<UInt8>) -> Bool {
    guard let first = field.first else { return false }
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "@"), 9, 10, 13: return true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): return !isNumber(field.dropFirst())
    case 0xEF: return wide.contains { field.starts(with: $0) }
    default: return false
    }
  }

  /// The full-width forms of `=`, `+`, `-` and `@`. Some spreadsheets treat them like the ASCII
  /// characters.
  private static let wide = ["＝", "＋", "－", "＠"].map { Array($0.utf8) }

  /// Whether a text is a number without a sign: `5`, `0.5`, `.5`, `1e3`, `1E-3`.
  private static func isNumber(_ text: some Collection<UInt8>) -> Bool {
    var rest = text[...]
    func digitCount() -> Int {
      let end = rest.firstIndex { !(0x30...0x39).contains($0) } ?? rest.endIndex
      defer { rest = rest[end...] }
      return rest.distance(from: rest.startIndex, to: end)
    }
    var count = digitCount()
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      count += digitCount()
    }
    guard count > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
      guard digitCount() > 0 else { return false }
    }
    return rest.isEmpty
  }
}
