/// Writes rows of fields, in quotes where they need them. (RFC 4180, section 2)
package struct CSVWriter {
  private let delimiter: UInt8
  private let lineEnd: [UInt8]
  private let guardsFormulas: Bool
  package private(set) var output: [UInt8] = []

  /// - Parameters:
  ///   - lineEnd: behind each row, the last one too; CR LF is what RFC 4180 says.
  ///   - guardsFormulas: whether fields that a spreadsheet would take for a formula get a `'` before them.
  package init(
    delimiter: UInt8 = UInt8(ascii: ","), lineEnd: String = "\r\n", guardsFormulas: Bool = false
  ) {
    self.guardsFormulas = guardsFormulas
    self.delimiter = delimiter
    self.lineEnd = Array(lineEnd.utf8)
  }

  /// A row of one field that is empty has quotes, for it would be an empty line.
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
