import LullCore
import LullLuaSource
import LullSystem

/// A source line in a report, with carets under the marked part of the line.
struct Excerpt: Equatable {
  /// The place of the line, such as `at x.lua:3`, if the message does not contain it.
  var label: String?
  let number: Int
  /// The line as it is displayed. `mark` is the range of columns with carets.
  let text: String
  let mark: Range<Int>?

  static let tabWidth = 4
  /// The number of columns in which a source line is shown. The line number is shown beside them.
  static var width: Int {
    guard let columns = TerminalWidth.columns(of: StandardTerminals.errorDescriptor) else {
      return widest
    }
    return min(widest, max(20, columns - 12))
  }

  private static let widest = 92

  /// Creates the excerpt for a line.
  ///
  /// - Parameter marked: the range of bytes in the source to mark. If the range extends beyond this
  ///   line, only the bytes on this line are marked.
  init(_ line: CodeLine, marked: Range<Int>?, label: String? = nil) {
    self.label = label
    number = line.number
    let start = line.range.lowerBound
    let marked = marked.map {
      ($0.clamped(to: line.range).lowerBound - start)..<($0.clamped(to: line.range).upperBound
        - start)
    }
    let cells = Excerpt.cells(line.bytes)
    var columns = marked.map { Excerpt.columns(of: $0, in: cells) }
    text = Excerpt.cut(cells, around: &columns)
    mark = columns
  }

  /// Returns the lines of the report for this excerpt.
  ///
  /// - Parameter gutter: the width of the largest line number in the report.
  func text(gutter: Int, style: ReportStyle) -> String {
    let number = String(number)
    let padding = String(repeating: " ", count: max(0, gutter - number.count))
    var result = label.map { "  \($0)\n" } ?? ""
    result += "  \(padding)\(style.dim("\(number) |"))\(text.isEmpty ? "" : " " + text)\n"
    if let mark {
      result +=
        "  " + String(repeating: " ", count: gutter) + style.dim(" |")
        + String(repeating: " ", count: mark.lowerBound + 1)
        + style.error(String(repeating: "^", count: max(1, mark.count))) + "\n"
    }
    return result
  }

  // MARK: Parts

  /// One displayed character: the range of the line's bytes that it represents, and its width in
  /// terminal columns.
  private struct Cell {
    let text: String
    let bytes: Range<Int>
    let width: Int
  }

  private static func cells(_ line: ArraySlice<UInt8>) -> [Cell] {
    var cells: [Cell] = []
    var byte = 0
    var column = 0
    // The decoder may combine several invalid bytes into one replacement character, so these bytes
    // are counted.
    for character in String(decoding: line, as: UTF8.self) {
      let isReplaced =
        character == "\u{FFFD}" && !line.dropFirst(byte).starts(with: "\u{FFFD}".utf8)
      let count = isReplaced ? replacedCount(line.dropFirst(byte)) : character.utf8.count
      var cell = (text: String(character), width: TextWidth.of(character))
      if character == "\t" {
        cell.width = tabWidth - column % tabWidth
        cell.text = String(repeating: " ", count: cell.width)
      } else if character.unicodeScalars.contains(where: ControlCharacters.contains) {
        // A control character is replaced, so that the terminal does not interpret it.
        cell = ("\u{FFFD}", 1)
      }
      cells.append(Cell(text: cell.text, bytes: byte..<byte + count, width: cell.width))
      byte += count
      column += cell.width
    }
    return cells
  }

  /// Returns the number of invalid bytes that the decoder combined into one replacement character.
  private static func replacedCount(_ bytes: ArraySlice<UInt8>) -> Int {
    for count in 1...max(1, min(3, bytes.count)) {
      let rest = String(decoding: bytes.prefix(count + 1), as: UTF8.self)
      if rest.unicodeScalars.count > 1 { return count }
    }
    return max(1, min(3, bytes.count))
  }

  private static func columns(of bytes: Range<Int>, in cells: [Cell]) -> Range<Int> {
    var column = 0
    var start: Int?
    var end = 0
    for cell in cells {
      if start == nil, cell.bytes.upperBound > bytes.lowerBound { start = column }
      column += cell.width
      if cell.bytes.lowerBound < bytes.upperBound { end = column }
    }
    // If the bytes come after the last character, the range begins there.
    let first = start ?? column
    return first..<max(first, end)
  }

  /// Returns a line as text. If the line is too long, only the part around the marked range is
  /// kept.
  private static func cut(_ cells: [Cell], around mark: inout Range<Int>?) -> String {
    let total = cells.reduce(0) { $0 + $1.width }
    guard total > width else { return cells.map(\.text).joined() }
    let focus = mark?.lowerBound ?? 0
    let from = focus < width * 2 / 3 ? 0 : min(focus - width / 3, total - width + 1)
    var text = from > 0 ? "…" : ""
    var column = 0
    var shown = from > 0 ? 1 : 0
    var first: Int?
    for cell in cells {
      defer { column += cell.width }
      guard column >= from else { continue }
      guard
        shown + cell.width <= width - 1
          || column + cell.width == total && shown + cell.width <= width
      else {
        text += "…"
        break
      }
      if first == nil { first = column }
      text += cell.text
      shown += cell.width
    }
    let shift = (from > 0 ? 1 : 0) - (first ?? 0)
    mark = mark.map { old in
      let start = old.lowerBound + shift
      return start..<max(start + 1, min(old.upperBound + shift, shown))
    }
    return text
  }
}
