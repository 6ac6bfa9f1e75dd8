import LullClients
import LullCore
import LullHost
import LullSystem

extension CallExchange {
  /// How wide a chart is where there is no terminal.
  private static let usualWidth = 80

  /// JSON as it is asked for: drawn, or in a format.
  func bytes(ofJSON json: JSONText) throws(ContentFilter.Problem) -> [UInt8] {
    guard let field = options.chart else {
      warnOfColumns(in: json)
      return text.bytes(of: json)
    }
    let chart: Chart
    do throws(Chart.Problem) {
      chart = try Chart(json, field: field)
    } catch {
      throw ContentFilter.Problem(report: "lull: \(error.message)\n")
    }
    if json.count == 0 { Exit.complain("lull: the list is empty: there is nothing to draw\n") }
    // The prompt has a line as well.
    let limit = TerminalWidth.rows(of: 1).map { max($0 - 1, 1) }
    let width = style.isTerminal && style.width < .max ? style.width : CallExchange.usualWidth
    return Array(
      chart.text(
        width: width, limit: style.isTerminal ? limit : nil, isTerminal: style.isTerminal
      ) { style.painted($0, "36") }.utf8)
  }

  /// Says which of the columns that were typed no row has: a slip of the pen looks like empty cells.
  func warnOfColumns(in json: JSONText) {
    guard options.namesColumns, options.format == .table || options.format == .csv else { return }
    let rows = json.lines.filter { $0.kind == .object }
    for column in options.columns {
      guard let part = JSONText.missingPart(of: column, in: rows) else { continue }
      let near = part.suggestion
      Exit.complain(
        "lull: warning: no row has '\(LogText.part(column, limit: 60))'"
          + (near.map { " (did you mean '\($0)'?)" } ?? "") + "\n")
    }
  }

  /// Content that is drawn.
  func chart(
    of content: Content, _ filter: ContentFilter?
  ) throws(ContentFilter.Problem) -> [UInt8] {
    if let filter {
      let made = try filter.json(of: content, service: api.service, spelledBy: spelling.bytes)
      return try bytes(ofJSON: JSONText(valid: made))
    }
    guard case .json(let element) = try CallContent(content, of: api.service, in: host) else {
      throw ContentFilter.Problem(
        report: "lull: --chart draws a list of JSON, and the answer is none: -o raw shows it\n")
    }
    let json = JSONText(element, spelledBy: spelling.bytes)
    return try bytes(ofJSON: try options.rows?.of(json) ?? json)
  }
}
