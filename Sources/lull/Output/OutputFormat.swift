/// How content is written to standard output.
enum OutputFormat: String, CaseIterable {
  /// Over several lines and in colours on a terminal, else on one line.
  case json
  /// Each element of a list on a line of its own, as JSON.
  case ndjson
  /// Columns for people.
  case table
  /// Columns for programs. (RFC 4180, with plain line ends)
  case csv
  /// Each element of a list on a line of its own, as text.
  case lines
  /// The bytes of the body.
  case raw

  /// Whether each element of a list is written by itself.
  var isOfRows: Bool {
    switch self {
    case .json, .raw: false
    case .ndjson, .table, .csv, .lines: true
    }
  }

  static let names = allCases.map(\.rawValue)
}
