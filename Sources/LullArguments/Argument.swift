/// The complete description of an option, a flag or a positional argument. The parser, help, manual
/// pages and completion use only this description.
package struct Argument: Sendable {
  package enum Kind: String, Sendable {
    /// An option without a value. `--no-x` resets it.
    case flag
    /// An option that is true if it is given alone, or has the value `true` or `false` that follows
    /// it. `--no-x` sets it to false. If the option is repeated, the last occurrence applies.
    case boolean
    /// An option without a value whose occurrences are counted.
    case count
    case string
    case number
    case integer
    /// A text that the caller converts to another type.
    case converted

    var takesValue: Bool { self != .flag && self != .count && self != .boolean }
  }

  /// A requirement for a value, in addition to the type of the argument.
  package struct Demand: Sendable {
    /// A description of the valid values for messages, such as "a number above 0".
    package let text: String
    let isMet: @Sendable (String) -> Bool

    package init(_ text: String, _ isMet: @escaping @Sendable (String) -> Bool) {
      self.text = text
      self.isMet = isMet
    }

    package static let fileName = some("the name of a file")

    /// Requires a text that is not empty.
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

  /// The type of an option's values, for shell completion.
  package enum Completion: Sendable {
    case files
    /// Names of APIs, and names of files.
    case apis
  }

  /// The names of an option, such as `--limit` and `-n`, in the order given. For a positional
  /// argument, its only name.
  package var names: [String] = []
  package var kind = Kind.string
  /// The placeholder for the value in the help.
  package var placeholder: String?
  /// The one-line description in the help, in the imperative.
  package var help: String?
  /// The paragraph in the manual below the one-line description. nil for none.
  package var details: String?
  /// The heading in the help that lists the option. nil: "Options".
  package var category: String?
  /// Rules about combinations with other options.
  package var rules: [Rule] = []
  package var completion: Completion?
  /// The allowed texts. Empty: any text.
  package var choices: [String] = []
  /// A hint for the error message if the value is not one of the choices but a file name.
  package var choiceHint: String?
  /// A requirement for the value. In messages, it follows the name of the option as typed:
  /// `--limit needs a number above 0`.
  package var demand: Demand?
  /// The default, as shown in the help.
  package var standardText: String?
  /// Whether the flag is on by default.
  package var isOn = false
  package var isRequired = false
  /// Whether the argument may be repeated. Its value is then a list.
  package var isRepeated = false
  /// Whether a repeated option replaces the earlier value. Otherwise, repeating it is an error.
  package var isReplaceable = false
  package var isPositional = false
  /// Whether the short help of a command with many options shows this one.
  package var isCommon = false

  package init() {}

  /// Creates an argument with one name.
  ///
  /// - Parameter name: The name. If it does not begin with `-`, the argument is positional.
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

  /// Creates an option with all its names.
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

  /// Creates a positional argument.
  package init(
    positional name: String, help: String, isRequired: Bool, isRepeated: Bool = false
  ) {
    names = [name]
    self.help = help
    self.isRequired = isRequired
    self.isRepeated = isRepeated
    isPositional = true
  }

  /// The key of the value in a script's result. It is the first long name, with `_` in place of
  /// `-`.
  package var key: String {
    String(shown.drop { $0 == "-" }.map { $0 == "-" ? "_" : $0 })
  }

  /// The placeholder for the value that the help shows.
  package var shownPlaceholder: String {
    if let placeholder { return placeholder }
    switch kind {
    case .integer: return "N"
    case .number: return "X"
    default: return key.uppercased()
    }
  }

  package var takesValue: Bool { kind.takesValue }

  /// The name that resets a flag or sets a boolean to false, such as `--no-follow`. nil if there is
  /// no such name.
  package var negation: String? {
    guard kind == .flag || kind == .boolean, shown.hasPrefix("--"), !shown.hasPrefix("--no-")
    else { return nil }
    return "--no-" + shown.dropFirst(2)
  }

  package var isBoolean: Bool { kind == .boolean }

  /// The name of the argument in messages.
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
