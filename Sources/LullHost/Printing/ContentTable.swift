import LullCore
import LullSystem

/// JSON as rows and columns: a list of objects, one row each.
///
/// A single value is a list of one. What is no object stands in a column of its own, `value`.
package struct ContentTable {
  private static let plainColumn = "value"
  private var columns: [String]
  private var rows: [[String]]

  /// - Parameters:
  ///   - columns: the fields to show; empty: all there are.
  ///   - known: these are all there are, in that order; nil: in the order they come up.
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
    // Fields that were asked for are those of objects: without any the values are what there is.
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
    // Of repeated keys the last counts. (JSN-13)
    let fields = Dictionary(element.members.map { ($0.key, $0.value) }) { $1 }
    return names.map { name in (fields[name] ?? element.field(name))?.plain ?? "" }
  }

  /// - Parameter guardsFormulas: whether fields that a spreadsheet would take for a formula get a `'` before them.
  package func csv(guardsFormulas: Bool = false) -> [UInt8] {
    guard !columns.isEmpty else { return [] }
    var writer = CSVWriter(lineEnd: "\n", guardsFormulas: guardsFormulas)
    for row in [columns] + rows { writer.write(row.map(\.utf8)) }
    return writer.output
  }

  /// Columns side by side, each as wide as its widest cell; all together no wider than `width`, as far as
  /// can be.
  ///
  /// - Parameters:
  ///   - isTerminal: whether control characters are shown.
  ///   - head: makes the first line stand out.
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
  /// What a column has at least of what it needs.
  private static let narrowest = 6

  /// The widest columns give way first.
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

  /// A table has a row on each line, and on a terminal what is wider when it is shown is so from the
  /// beginning.
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
