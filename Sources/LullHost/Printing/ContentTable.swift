import LullCore
import LullSystem

/// A table made from JSON: a list of objects, with one row for each object.
///
/// A single value is treated as a list of one element. Values that are not objects are put in a
/// separate column, `value`.
package struct ContentTable {
  private static let plainColumn = "value"
  private var columns: [String]
  private var rows: [[String]]

  /// Reads the rows of a table from JSON.
  ///
  /// - Parameters:
  ///   - columns: the names of the fields to show; empty for all fields.
  ///   - known: the names of all existing fields, in the order of their columns. If nil, the
  ///     columns are in the order in which the fields appear in the rows.
  package init(_ json: JSONText, columns: [String], known: [String]? = nil) {
    let elements = json.lines
    let objects = elements.filter { $0.kind == .object }
    var names = columns
    if names.isEmpty, let known {
      names = known
    } else if names.isEmpty {
      var seen: Set<String> = []
      for element in objects {
        for pair in element.members where seen.insert(pair.key).inserted { names.append(pair.key) }
      }
    }
    // The requested columns are fields of objects. If no value is an object, the values themselves
    // are shown.
    let hasPlain =
      objects.count < elements.count && (columns.isEmpty || objects.isEmpty)
    let fields = objects.isEmpty && hasPlain ? [] : names
    self.columns = fields + (hasPlain ? [ContentTable.plainColumn] : [])
    rows = elements.map { element in
      let isPlain = element.kind != .object
      let row = ContentTable.row(of: element, fields)
      return hasPlain ? row + [isPlain ? element.plain : ""] : row
    }
  }

  private static func row(of element: JSONText, _ names: [String]) -> [String] {
    // If an object has a key several times, the last value is used. (JSN-13)
    let fields = Dictionary(element.members.map { ($0.key, $0.value) }) { $1 }
    return names.map { name in (fields[name] ?? element.field(name))?.plain ?? "" }
  }

  /// Returns the table as CSV.
  ///
  /// - Parameter guardsFormulas: whether a `'` is put in front of fields that a spreadsheet would
  ///   treat as a formula.
  package func csv(guardsFormulas: Bool = false) -> [UInt8] {
    guard !columns.isEmpty else { return [] }
    var writer = CSVWriter(lineEnd: "\n", guardsFormulas: guardsFormulas)
    for row in [columns] + rows { writer.write(row.map(\.utf8)) }
    return writer.output
  }

  /// Returns the table as text with aligned columns. Each column is as wide as its widest cell. If
  /// possible, the columns are narrowed so that all of them fit into `width`.
  ///
  /// - Parameters:
  ///   - isTerminal: whether control characters are escaped.
  ///   - head: highlights the first line.
  package func text(
    width: Int = .max, isTerminal: Bool = false, head: (String) -> String = { $0 }
  ) -> String {
    guard !columns.isEmpty else { return "" }
    let cells = ([columns] + rows).map { row in
      row.map { ContentTable.onOneLine($0, isTerminal: isTerminal) }
    }
    let widest = columns.indices.map { column in
      cells.map { TextWidth.of($0[column]) }.max() ?? 0
    }
    let widths = ContentTable.fitted(widest, into: width)
    var text = ""
    for (number, row) in cells.enumerated() {
      let line = ContentTable.line(row, widths)
      text += (number == 0 ? head(line) : line) + "\n"
    }
    return text
  }

  private static let gap = 2
  /// The width below which a column is not shrunk.
  private static let narrowest = 6

  /// Returns the widths of columns, shrunk so that they fit into a total width. The widest columns
  /// are shrunk first.
  private static func fitted(_ widths: [Int], into total: Int) -> [Int] {
    let room = total - gap * (widths.count - 1)
    guard widths.reduce(0, +) > room else { return widths }
    var limit = min(widths.max() ?? 0, room)
    while limit > narrowest, widths.reduce(0, { $0 + min($1, limit) }) > room { limit -= 1 }
    return widths.map { min($0, limit) }
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    var isBehind = 0
    for (cell, width) in zip(cells, widths) {
      let shown = TextWidth.cut(cell, to: width)
      if !shown.isEmpty {
        line += String(repeating: " ", count: isBehind) + shown
        isBehind = 0
      }
      isBehind += width - TextWidth.of(shown) + gap
    }
    return line
  }

  /// Returns a text with its line breaks replaced by spaces, because a row is one line. If the text
  /// is for a terminal, control characters are also escaped, so that the width of the text is
  /// known.
  static func onOneLine(_ text: String, isTerminal: Bool) -> String {
    let line = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar {
          case "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}": " "
          default: scalar
          }
        }))
    return isTerminal ? TerminalText.visible(line) : line
  }
}
