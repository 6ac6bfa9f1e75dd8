/// One option, flag or positional argument of a command line: all there is to know of it. The parser, help,
/// manual pages and completion read nothing else.
package struct Argument: Sendable {
  package enum Kind: Sendable {
    /// There or not; `--no-x` takes it back.
    case flag
    /// True, or what stands behind it if that is true or false; `--no-x` makes it false. The last
    /// one counts.
    case boolean
    /// How often it is there.
    case count
    case string
    case number
    case integer
    /// A text that whoever asks makes something else of.
    case converted

    var takesValue: Bool { self != .flag && self != .count && self != .boolean }
  }

  /// What a text has to be, beside what its kind says.
  package struct Demand: Sendable {
    /// As in "a number above 0".
    let text: String
    let isMet: @Sendable (String) -> Bool

    package init(_ text: String, _ isMet: @escaping @Sendable (String) -> Bool) {
      self.text = text
      self.isMet = isMet
    }

    package static let fileName = some("the name of a file")

    /// A text that is not empty.
    package static func some(_ text: String) -> Demand { Demand(text) { !$0.isEmpty } }

    package static func wholeNumber(_ range: ClosedRange<Int>) -> Demand {
      Demand("a whole number from \(range.lowerBound) to \(range.upperBound)") {
        Int($0).map { range.contains($0) } ?? false
      }
    }

    package static let positiveWholeNumber = Demand("a whole number above 0") {
      Int64($0).map { $0 > 0 } ?? false
    }

    package static let positiveSeconds = Demand("a number of seconds above 0") {
      Double($0).map { $0 > 0 && $0.isFinite } ?? false
    }
  }

  /// What the values of an option are, for completion in shells.
  package enum Completion: Sendable {
    case files
    /// APIs by name, and files.
    case apis
  }

  /// `--limit` and `-n`, in the order given; of a positional argument its name alone.
  package var names: [String] = []
  package var kind = Kind.string
  /// What stands for the value in the help.
  package var placeholder: String?
  /// The line of the help: imperative, one line.
  package var help: String?
  /// The paragraph below that line in the manual; nil: none.
  package var details: String?
  /// The heading of the help below which the option stands; nil: "Options".
  package var category: String?
  /// How the option can be combined with others.
  package var rules: [Rule] = []
  package var completion: Completion?
  /// What the texts are allowed to be; empty: anything.
  package var choices: [String] = []
  /// What to do with a file name in the place of a choice.
  package var choiceHint: String?
  /// An argument with one is spoken of as it was typed: `--limit needs a number above 0`.
  package var demand: Demand?
  /// The default as the help shows it.
  package var standardText: String?
  /// Whether a flag is on unless it is taken back.
  package var isOn = false
  package var isRequired = false
  /// Takes as many as there are: its value is a list.
  package var isRepeated = false
  /// Whether one given again replaces the one before, which is a mistake otherwise.
  package var isReplaceable = false
  package var isPositional = false
  /// Whether the short page of a command with many options shows it.
  package var isCommon = false

  package init() {}

  /// - Parameter name: positional, unless it begins with `-`.
  package init(
    _ name: String, kind: Kind = .string, placeholder: String? = nil, demand: Demand? = nil,
    help: String, details: String? = nil, rules: [Rule] = [], completion: Completion? = nil,
    isRepeated: Bool = false, isReplaceable: Bool = false
  ) {
    self.init(
      names: [name], kind: kind, placeholder: placeholder, demand: demand, help: help,
      details: details, rules: rules, completion: completion, isRepeated: isRepeated)
    self.isReplaceable = isReplaceable
    isPositional = !name.hasPrefix("-")
  }

  /// An option with all its names.
  package init(
    names: [String], kind: Kind = .string, placeholder: String? = nil, choices: [String] = [],
    demand: Demand? = nil, category: String? = nil, help: String?, details: String? = nil,
    rules: [Rule] = [], completion: Completion? = nil, isRepeated: Bool = false,
    isRequired: Bool = false, isOn: Bool = false, isCommon: Bool = false, standard: String? = nil,
    choiceHint: String? = nil
  ) {
    self.names = names
    self.isRequired = isRequired
    standardText = standard
    self.kind = kind
    self.placeholder = placeholder
    self.choices = choices
    self.demand = demand
    self.category = category
    self.help = help
    self.details = details
    self.rules = rules
    self.completion = completion ?? (placeholder == "FILE" ? .files : nil)
    self.isRepeated = isRepeated
    self.isOn = isOn
    self.isCommon = isCommon
    self.choiceHint = choiceHint
  }

  /// A positional argument.
  package init(
    positional name: String, help: String, isRequired: Bool, isRepeated: Bool = false
  ) {
    names = [name]
    self.help = help
    self.isRequired = isRequired
    self.isRepeated = isRepeated
    isPositional = true
  }

  /// Where the result has its value: the first long name, with `_` for `-`.
  package var key: String {
    String(shown.drop { $0 == "-" }.map { $0 == "-" ? "_" : $0 })
  }

  /// As the help has it: this name in the place of the value.
  package var shownPlaceholder: String {
    if let placeholder { return placeholder }
    switch kind {
    case .integer: return "N"
    case .number: return "X"
    default: return key.uppercased()
    }
  }

  package var takesValue: Bool { kind.takesValue }
  package var isBoolean: Bool { kind == .boolean }

  /// As messages name it.
  package var shown: String { names.first { $0.hasPrefix("--") } ?? names.first ?? "" }
}

extension Argument.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .flag: "flag"
    case .boolean: "boolean"
    case .count: "count"
    case .string: "string"
    case .number: "number"
    case .integer: "whole number"
    case .converted: "value"
    }
  }
}
