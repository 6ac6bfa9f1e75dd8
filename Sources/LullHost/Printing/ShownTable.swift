import LullSystem

/// A list of objects with the same keys, shown in rows and columns.
package struct ShownTable {
  private static let rowLimit = 20
  package static let cellLimit = 40
  private static let gap = 2

  private struct Cell {
    let text: String
    let style: ShownValue.Style
  }

  private let heads: [String]
  private let rows: [[Cell]]
  private let widths: [Int]
  /// For each column, whether the column is right-aligned. A column is right-aligned if each of its
  /// values is a number or missing.
  private let isNumeric: [Bool]
  /// The number of rows that are not shown.
  private let rest: ShownValue.Rest
  private let hiddenColumns: Int

  /// Creates a table of values. Returns nil unless the values are at least two objects with the
  /// same keys.
  package init?(_ elements: [ShownValue], more: ShownValue.Rest, width: Int) {
    guard elements.count > 1, case .map(let first, .none) = elements[0] else { return nil }
    let keys = first.map(\.key)
    guard !keys.contains("") else { return nil }
    var rows: [[Cell]] = []
    for element in elements {
      guard case .map(let fields, .none) = element, fields.count == keys.count else { return nil }
      var row: [Cell] = []
      for key in keys {
        guard let field = fields.first(where: { $0.key == key }) else { return nil }
        row.append(ShownTable.cell(field.value))
      }
      rows.append(row)
    }
    let hidden = max(0, rows.count - ShownTable.rowLimit)
    let left: ShownValue.Rest =
      switch more {
      case .none: hidden > 0 ? .count(hidden) : .none
      case .count(let count): .count(count + hidden)
      case .unknown: .unknown
      }
    rows = Array(rows.prefix(ShownTable.rowLimit))
    self.init(heads: keys, rows: rows, rest: left, width: width)
  }

  /// Creates a table of texts.
  package init(heads: [String], rows: [[String]], width: Int) {
    self.init(
      heads: heads,
      rows: rows.map { $0.map { Cell(text: $0, style: Double($0) == nil ? .string : .number) } },
      rest: .none, width: width)
  }

  private init(heads: [String], rows: [[Cell]], rest: ShownValue.Rest, width: Int) {
    var widths: [Int] = []
    var total = 0
    for (column, head) in heads.enumerated() {
      let cells = rows.map { TextWidth.of($0[column].text) }
      let needed = max(TextWidth.of(head), cells.max() ?? 0)
      total += needed + (column > 0 ? ShownTable.gap : 0)
      // The first column is shown regardless of its width.
      if column > 0, total > width { break }
      widths.append(needed)
    }
    self.heads = Array(heads.prefix(widths.count))
    self.rows = rows.map { Array($0.prefix(widths.count)) }
    self.widths = widths
    isNumeric = widths.indices.map { column in
      let cells = rows.map { $0[column] }.filter { $0.style != .word || $0.text != "null" }
      return !cells.isEmpty && cells.allSatisfy { $0.style == .number }
    }
    self.rest = rest
    hiddenColumns = heads.count - widths.count
  }

  /// Returns the cell for a value. A string is shown without quotes, and a nested value on one
  /// line.
  private static func cell(_ value: ShownValue) -> Cell {
    switch value {
    case .atom(let text, .string):
      let bare =
        text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text[...]
      return Cell(text: TextWidth.cut(String(bare), to: Self.cellLimit), style: .string)
    case .atom(let text, let style):
      return Cell(text: TextWidth.cut(text, to: Self.cellLimit), style: style)
    case .list, .map, .titled:
      return Cell(
        text: TextWidth.cut(ShownValueText.plain(value), to: Self.cellLimit), style: .faint)
    }
  }

  package func text(_ layout: ShownValueText) -> String {
    var lines = [line(heads.map { Cell(text: $0, style: .faint) }, layout, isHead: true)]
    lines += rows.map { line($0, layout, isHead: false) }
    if let text = rest.text { lines.append(layout.painted(text, .faint)) }
    if hiddenColumns > 0 {
      let columns = hiddenColumns == 1 ? "column" : "columns"
      lines.append(layout.painted("(\(hiddenColumns) more \(columns))", .faint))
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ cells: [Cell], _ layout: ShownValueText, isHead: Bool) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      if column > 0 { line += String(repeating: " ", count: ShownTable.gap) }
      let padding = String(
        repeating: " ", count: max(0, widths[column] - TextWidth.of(cell.text)))
      let isNumeric = isNumeric[column]
      let text = layout.painted(cell.text, cell.style)
      if isNumeric {
        line += padding + text
      } else {
        line += text + (column < cells.count - 1 ? padding : "")
      }
    }
    return line
  }
}
