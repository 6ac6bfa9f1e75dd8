/// A text of rows and fields, taken apart. (RFC 4180, section 2)
///
/// Rows end in CR LF, LF or CR, the last one with or without; empty lines and a byte-order mark do not
/// count. A field in quotes may hold anything, a quote twice for one; quotes inside a field that does not
/// begin with one are text. Fields are bytes and stay what they are.
package struct CSVParser {
  package struct Problem: Error, Equatable {
    package let message: String
    /// From 1.
    package let line: Int
  }

  /// All fields, one behind the other.
  private var bytes: [UInt8] = []
  /// Where each ends among these.
  private var fieldEnds: [Int] = []
  /// Where each row ends among the fields.
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

  /// The line a row begins on, from 1.
  package func line(ofRow row: Int) -> Int { rowLines[row] }

  /// The fields of a row.
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

    /// Adds what a field holds; whether it is in quotes.
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
          message: "there is text behind a closing quote (a quote inside of quotes is doubled)",
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
