import LullCore
import LullHost

/// JSON as rows and columns: a list of objects, one row each.
///
/// One object is shown as rows of key and value; what is no object is a row of one column.
struct ContentTable {
  private var columns: [String]
  private var rows: [[String]]

  /// - Parameter columns: the fields to show; empty: all there are, in the order they come up.
  init(_ json: JSONText, columns: [String]) {
    let elements = json.lines
    let isTable = elements.contains { $0.kind == .object }
    guard isTable else {
      self.columns = ["value"]
      rows = elements.map { [ContentText.plain($0)] }
      return
    }
    var names = columns
    if names.isEmpty {
      var seen: Set<String> = []
      for element in elements {
        for pair in element.members where seen.insert(pair.key).inserted { names.append(pair.key) }
      }
    }
    self.columns = names
    rows = elements.map { element in
      // Of repeated keys the last counts. (JSN-13)
      let fields = Dictionary(element.members.map { ($0.key, $0.value) }) { $1 }
      return names.map { name in
        (fields[name] ?? ContentTable.deep(name, in: element)).map(ContentText.plain) ?? ""
      }
    }
  }

  /// What a path with dots leads to.
  private static func deep(_ name: String, in element: JSONText) -> JSONText? {
    guard name.contains(".") else { return nil }
    var current: JSONText? = element
    for part in name.split(separator: ".") { current = current?[String(part)] }
    return current
  }

  var csv: String {
    var text = ""
    for row in [columns] + rows {
      text += row.map(ContentTable.quoted).joined(separator: ",") + "\n"
    }
    return text
  }

  /// RFC 4180, section 2.
  private static func quoted(_ cell: String) -> String {
    guard cell.contains(where: { "\",\n\r\r\n".contains($0) }) else { return cell }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }

  /// Columns side by side, each as wide as its widest cell.
  func text(_ style: OutputStyle) -> String {
    let limit = style.isTerminal ? 60 : Int.max
    let cells = rows.map { $0.map { ContentTable.cell($0, limit: limit) } }
    let widths = columns.indices.map { column in
      ([columns[column]] + cells.map { $0[column] }).map { TextWidth.of($0) }.max() ?? 0
    }
    var text = ""
    let heading = ContentTable.line(columns, widths)
    text += style.painted(heading, "1") + "\n"
    for row in cells { text += ContentTable.line(row, widths) + "\n" }
    return text
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      line += cell
      if column < cells.count - 1 {
        line += String(repeating: " ", count: widths[column] - TextWidth.of(cell) + 2)
      }
    }
    return line
  }

  /// On one line, without what would move the cursor.
  private static func cell(_ text: String, limit: Int) -> String {
    var result = ""
    var width = 0
    for character in text {
      let isControl = character.unicodeScalars.contains {
        $0.properties.generalCategory == .control
      }
      let shown: Character = isControl ? " " : character
      width += TextWidth.of(String(shown))
      guard width <= limit else { return result + "…" }
      result.append(shown)
    }
    return result
  }
}
