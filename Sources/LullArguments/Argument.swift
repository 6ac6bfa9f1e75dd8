/// The complete description of one option, flag or positional argument. The parser, help, manual
/// pages and completion read nothing else.
package struct Argument: Sendable {
  package enum Kind: String, Sendable {
    /// Present or absent; `--no-x` resets it.
    case flag
    /// True without a value, or the following `true` or `false`; `--no-x` sets it to false. The
    /// last one is used.
    case boolean
    /// Counts how often it occurs.
    case count
    case string
    case number
    case integer
    /// A text that the caller converts.
    case converted

    var takesValue: Bool { self != .flag && self != .count && self != .boolean }
  }

  /// A requirement for a value, in addition to its kind.
  package struct Demand: Sendable {
    /// As in "a number above 0".
    package let text: String
    let isMet: @Sendable (String) -> Bool

    package init(_ text: String, _ isMet: @escaping @Sendable (String) -> Bool) {
      self.text = text
      self.isMet = isMet
    }

    package static let fileName = some("the name of a file")

    /// A non-empty text.
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

  /// The kind of an option's values, for shell completion.
  package enum Completion: Sendable {
    case files
    /// Names of APIs, and files.
    case apis
  }

  /// `--limit` and `-n`, in the order given; for a positional argument, its name only.
  package var names: [String] = []
  package var kind = Kind.string
  /// The placeholder for the value in the help.
  package var placeholder: String?
  /// The line in the help, in the imperative.
  package var help: String?
  /// The paragraph below that line in the manual; nil: none.
  package var details: String?
  /// The heading in the help under which the option is listed; nil: "Options".
  package var category: String?
  /// How the option can be combined with others.
  package var rules: [Rule] = []
  package var completion: Completion?
  /// The allowed texts; empty: any.
  package var choices: [String] = []
  /// A hint if the value is a file name instead of a choice.
  package var choiceHint: String?
  /// The requirement for a value. Its messages name the option as typed:
  /// `--limit needs a number above 0`.
  package var demand: Demand?
  /// The default, as shown in the help.
  package var standardText: String?
  /// Whether a flag is on by default.
  package var isOn = false
  package var isRequired = false
  /// Whether it may be repeated; its value is then a list.
  package var isRepeated = false
  /// Whether a repeated option replaces the earlier value, which is an error otherwise.
  package var isReplaceable = false
  package var isPositional = false
  /// Whether the short help of a command with many options shows it.
  package var isCommon = false

  package init() {}

  /// Makes an argument.
  ///
  /// - Parameter name: Positional, unless it begins with `-`.
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

  /// The key of the value in the result: the first long name, with `_` for `-`.
  package var key: String {
    String(shown.drop { $0 == "-" }.map { $0 == "-" ? "_" : $0 })
  }

  /// The placeholder for the value, as shown in the help.
  package var shownPlaceholder: String {
    if let placeholder { return placeholder }
    switch kind {
    case .integer: return "N"
    case .number: return "X"
    default: return key.uppercased()
    }
  }

  package var takesValue: Bool { kind.takesValue }

  /// `--no-follow`: takes back a flag, and makes a boolean false; nil: there is no such name.
  package var negation: String? {
    guard kind == .flag || kind == .boolean, shown.hasPrefix("--"), !shown.hasPrefix("--no-")
    else { return nil }
    return "--no-" + shown.dropFirst(2)
  }

  package var isBoolean: Bool { kind == .boolean }

  /// The name in messages.
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
