import LullArguments

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

  /// The option that asks for one, where there is no body whose bytes could be meant.
  static func argument(_ help: String) -> Argument {
    Argument(
      names: ["-o", "--output"], placeholder: "FORMAT", choices: names.filter { $0 != "raw" },
      help: help)
  }

  /// The same, and the option that guards formulas.
  static func arguments(_ help: String) -> [Argument] { [argument(help), guardArgument] }

  /// The option for `-o csv` that guards formulas.
  static let guardArgument = Argument(
    "--csv-guard", kind: .flag,
    help: "With -o csv, put a ' before fields that a spreadsheet takes for a formula.")

  /// Whether formulas are to be guarded.
  static func guardsFormulas(
    _ words: ParsedArguments, for command: Command
  ) throws(CommandEnd) -> Bool {
    let isWanted = words.has("--csv-guard")
    guard !isWanted || words.text("-o") == OutputFormat.csv.rawValue else {
      throw .wrongUsage("--csv-guard is about CSV: it needs -o csv", command)
    }
    return isWanted
  }

  /// The one that is asked for; nil: none.
  init?(_ words: ParsedArguments) {
    guard let text = words.text("-o") else { return nil }
    self.init(rawValue: text)
  }
}
