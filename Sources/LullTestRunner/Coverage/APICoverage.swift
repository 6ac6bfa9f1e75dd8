/// The calls of an API file that tests have made, with the statuses of the responses, the
/// parameters and the values of choices.
struct APICoverage {
  struct Row {
    let name: String
    /// The number of exchanges of a call, including retries.
    let count: Int
    /// The statuses of the responses in order. A status that occurs more than once is followed by
    /// its count.
    let statuses: String
    let used: String
    /// The parameters that no test has used. For a choice parameter that tests have used, the
    /// values that no test has used.
    let missing: String
  }

  let api: DeclaredAPI
  private var uses: [String: CallUse] = [:]

  init(_ api: DeclaredAPI) { self.api = api }

  mutating func note(_ use: CallUse) {
    guard use.api == api.key, api.environment == nil || use.environment == api.environment else {
      return
    }
    if uses[use.call] == nil { uses[use.call] = use } else { uses[use.call]?.add(use) }
  }

  var usedCount: Int { api.calls.count { uses[$0.name] != nil } }

  /// One row for each call, in the order of the file.
  var rows: [Row] { api.calls.map(row) }

  private func row(of call: DeclaredAPI.Call) -> Row {
    let use = uses[call.name]
    var used: [String] = []
    var missing: [String] = []
    for parameter in call.parameters {
      let words = parameter.choices.filter { word in
        use?.values.contains(CallUse.Value(parameter: parameter.name, text: word)) ?? false
      }
      guard use?.parameters.contains(parameter.name) ?? false || !words.isEmpty else {
        missing.append(parameter.name)
        continue
      }
      used.append(parameter.name + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"))
      let others = parameter.choices.filter { !words.contains($0) }
      if !others.isEmpty { missing.append("\(parameter.name) (\(others.joined(separator: ", ")))") }
    }
    let statuses = (use?.statuses ?? []).sorted { ($0.status ?? 1000) < ($1.status ?? 1000) }
    return Row(
      name: call.name, count: statuses.reduce(0) { $0 + $1.count },
      statuses: statuses.map { count in
        (count.status.map(String.init) ?? "none") + (count.count > 1 ? " ×\(count.count)" : "")
      }.joined(separator: ", "),
      used: used.joined(separator: ", "), missing: missing.joined(separator: ", "))
  }

  // MARK: As a text

  func heading(isPartial: Bool) -> String {
    "coverage of \(api.shownName)\(isPartial ? ", by the tests that were run" : ""): "
      + "\(usedCount) of \(api.calls.count) \(api.calls.count == 1 ? "call" : "calls")"
  }

  /// The coverage as a table with a heading.
  func lines(isPartial: Bool) -> [String] {
    var table = [["call", "requests", "statuses", "parameters", "not used"]]
    table += rows.map { row in
      [row.name, row.count == 0 ? "none" : String(row.count), row.statuses, row.used, row.missing]
    }
    let widths = (0..<5).map { column in table.map { $0[column].count }.max() ?? 0 }
    return [heading(isPartial: isPartial)]
      + table.map { cells in
        var line = "  "
        for (cell, width) in zip(cells, widths) where width > 0 {
          line += cell + String(repeating: " ", count: width - cell.count + 2)
        }
        while line.last == " " { line.removeLast() }
        return line
      }
  }
}
