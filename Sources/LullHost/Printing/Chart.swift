import LullArguments
import LullCore
import LullSystem

/// A chart of a numeric field of a list of rows. It has one bar for each row. If there are too many
/// rows, it is a line of marks instead. (CHART-01)
package struct Chart {
  /// The reason why no chart can be drawn.
  package struct Problem: Error {
    package let message: String
  }

  struct Row {
    let label: String
    /// The number in the field, or nil if the field is missing or null.
    let value: Double?
    /// The value as the server sent it.
    let text: String
  }

  let rows: [Row]
  private let field: String
  /// Whether the list contains plain numbers, which have no labels.
  private let isPlain: Bool
  /// The field name that is used for plain numbers. Tables use the same name.
  private static let plainField = "value"

  /// Reads the rows of a chart from a list.
  ///
  /// - Parameter field: the name of a field, or names separated by dots.
  package init(_ json: JSONText, field: String) throws(Problem) {
    guard json.kind == .array else {
      let kind =
        switch json.kind {
        case .object: "a record"
        case .string: "a text"
        default: "no list"
        }
      throw Problem(
        message: "--chart draws a list, but the content is \(kind): select a list with -f, such "
          + "as -f x.items")
    }
    let elements = json.lines
    let isPlain = field == Chart.plainField && !elements.contains { $0.kind == .object }
    let label = Chart.labelField(of: elements, besides: field)
    var rows: [Row] = []
    for (index, element) in elements.enumerated() {
      guard isPlain || element.kind == .object else {
        throw Problem(
          message: "row \(index + 1) is not a record: --chart \(Chart.plainField) draws a list of "
            + "numbers")
      }
      let found = isPlain ? element : Chart.value(field, of: element)
      let name = label.flatMap { element[$0] }?.plain ?? "\(index + 1)"
      guard let found, !found.isNull else {
        rows.append(Row(label: name, value: nil, text: "–"))
        continue
      }
      rows.append(
        Row(label: name, value: try Chart.number(found, field, index), text: found.plain))
    }
    if !rows.isEmpty, rows.allSatisfy({ $0.value == nil }) {
      let names = elements.flatMap { $0.members.map(\.key) }
      let near = NearestName.suggestion(for: field, among: names)
      throw Problem(
        message: "no row has a '\(field)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    self.rows = rows
    self.field = field
    self.isPlain = isPlain
  }

  private static func value(_ field: String, of element: JSONText) -> JSONText? {
    element[field] ?? element.field(field)
  }

  /// Returns the number in a field. The value of the field may also be a string that contains a
  /// number.
  private static func number(
    _ json: JSONText, _ field: String, _ index: Int
  ) throws(Problem) -> Double {
    let isNumber =
      json.kind == .number
      || json.string.map { $0.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } } ?? false
    let place = "in row \(index + 1)"
    guard isNumber, let value = Double(json.plain) else {
      var bytes: [UInt8] = []
      json.write(to: &bytes)
      let shown = String(decoding: bytes, as: UTF8.self)
      throw Problem(
        message: "'\(field)' is not a number \(place): "
          + TextWidth.cut(ContentTable.onOneLine(shown, isTerminal: true), to: 40))
    }
    guard value.isFinite else {
      throw Problem(message: "the number '\(field)' is too large \(place): \(json.plain)")
    }
    return value
  }

  /// Returns the name of the field that contains the labels: the first field whose value is a
  /// string, or else the field `id`. Returns nil if the rows have neither.
  private static func labelField(of elements: [JSONText], besides field: String) -> String? {
    guard let first = elements.first(where: { $0.kind == .object }) else { return nil }
    let text = first.members.first { $0.value.kind == .string && $0.key != field }
    return text?.key ?? (field != "id" && first["id"] != nil ? "id" : nil)
  }

  // MARK: Drawing

  /// Returns the chart as text. If possible, the lines with bars or marks are no longer than
  /// `width`.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of lines for bars, or nil for no limit. If there are more rows,
  ///     marks are drawn instead.
  ///   - isTerminal: whether control characters are escaped.
  ///   - painted: adds the colour to a text that consists of bars or marks.
  package func text(
    width: Int, limit: Int?, isTerminal: Bool, painted: (String) -> String
  ) -> String {
    guard !rows.isEmpty else { return "" }
    let fits = limit.map { rows.count <= $0 } ?? true
    return isPlain || !fits ? sparkline(width, painted) : bars(width, isTerminal, painted)
  }

  /// The absolute value of the number that has the largest absolute value. Bars are scaled relative
  /// to it.
  private var scale: Double { rows.compactMap { $0.value?.magnitude }.max() ?? 0 }

  // MARK: Bars

  private static let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  /// The minimum width of the area for bars.
  private static let narrowest = 6

  private func bars(_ width: Int, _ isTerminal: Bool, _ painted: (String) -> String) -> String {
    let texts = rows.map { TextWidth.cut($0.text, to: max(1, width / 2)) }
    let widest = texts.map { TextWidth.of($0) }.max() ?? 0
    let labels = rows.map { ContentTable.onOneLine($0.label, isTerminal: isTerminal) }
    let room = max(0, width - widest - 3 - Chart.narrowest)
    let column = min(labels.map { TextWidth.of($0) }.max() ?? 0, room, max(8, width * 2 / 5))
    let area = max(1, width - column - widest - 3)
    let scale = scale
    let values = rows.map { row in row.value.map { scale > 0 ? $0 / scale : 0 } }
    let high = max(0, values.compactMap { $0 }.max() ?? 0)
    let low = max(0, -(values.compactMap { $0 }.min() ?? 0))
    let unit = low + high > 0 ? Double(area) / (low + high) : 0
    var left = Int((low * unit).rounded())
    if low > 0, high > 0 { left = min(max(left, 1), max(area - 1, 1)) }
    var text = ""
    for (index, value) in values.enumerated() {
      let label = column > 0 ? TextWidth.cut(labels[index], to: column) : ""
      var line = label + String(repeating: " ", count: column - TextWidth.of(label))
      line += column > 0 ? "  " : ""
      let length = (value ?? 0).magnitude * unit
      if let value, value < 0 {
        let (bar, count) = Chart.barToTheLeft(length, atMost: left)
        line += String(repeating: " ", count: left - count) + painted(bar) + " "
      } else {
        let bar = Chart.bar(length, atMost: area - left)
        line += String(repeating: " ", count: left)
        line += bar.isEmpty ? "" : painted(bar) + " "
      }
      text += line + texts[index] + "\n"
    }
    return text
  }

  /// Returns a bar of that length. A positive length is shown as at least one eighth of a
  /// character.
  private static func bar(_ length: Double, atMost limit: Int) -> String {
    guard length > 0, limit > 0 else { return "" }
    let eighths = min(max(Int((length * 8).rounded()), 1), limit * 8)
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  private static func barToTheLeft(_ length: Double, atMost limit: Int) -> (String, Int) {
    let halves = min(max(Int((length * 2).rounded()), 1), limit * 2)
    let bar = (halves % 2 == 1 ? "▐" : "") + String(repeating: "█", count: halves / 2)
    return (bar, (halves + 1) / 2)
  }

  // MARK: Marks

  private static let marks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  private func sparkline(_ width: Int, _ painted: (String) -> String) -> String {
    let known = rows.filter { $0.value != nil }
    guard let lowest = known.min(by: { ($0.value ?? 0) < ($1.value ?? 0) }),
      let highest = known.max(by: { ($0.value ?? 0) < ($1.value ?? 0) }), let last = known.last
    else { return "" }
    let perMark = (rows.count + max(width, 1) - 1) / max(width, 1)
    let scale = scale
    let averages = stride(from: 0, to: rows.count, by: perMark).map { start -> Double? in
      let values = rows[start..<min(start + perMark, rows.count)].compactMap(\.value)
      guard !values.isEmpty, scale > 0 else { return values.isEmpty ? nil : 0 }
      return values.reduce(0) { $0 + $1 / scale } / Double(values.count)
    }
    let (low, high) = (
      averages.compactMap { $0 }.min() ?? 0, averages.compactMap { $0 }.max() ?? 0
    )
    let line = averages.map { value in
      guard let value else { return " " }
      guard high > low else { return Chart.marks[high == 0 ? 0 : 3] }
      return Chart.marks[min(Int((value - low) / (high - low) * 8), 7)]
    }
    let note = perMark > 1 ? "; a mark is the average of \(perMark) rows" : ""
    let name = isPlain ? "" : "\(field): "
    let count = "\(rows.count) \(rows.count == 1 ? "row" : "rows")"
    return painted(line.joined()) + "\n"
      + "\(name)\(count), lowest \(lowest.text), highest \(highest.text), last \(last.text)\(note)\n"
  }
}
