/// One option, flag or positional argument of a command line.
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

    package static let fileName = Demand("the name of a file") { !$0.isEmpty }
  }

  /// `--limit` and `-n`, in the order given; of a positional argument its name alone.
  package var names: [String] = []
  package var kind = Kind.string
  /// What stands for the value in the help.
  package var placeholder: String?
  package var help: String?
  /// What the texts are allowed to be; empty: anything.
  package var choices: [String] = []
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

  package init() {}

  /// - Parameter name: positional, unless it begins with `-`.
  package init(
    _ name: String, kind: Kind = .string, placeholder: String? = nil, demand: Demand? = nil,
    help: String, isRepeated: Bool = false, isReplaceable: Bool = false
  ) {
    names = [name]
    self.kind = kind
    self.placeholder = placeholder
    self.demand = demand
    self.help = help
    self.isRepeated = isRepeated
    self.isReplaceable = isReplaceable
    isPositional = !name.hasPrefix("-")
  }

  /// An option with all its names.
  package init(
    names: [String], kind: Kind = .string, placeholder: String? = nil, choices: [String] = [],
    help: String?, isRepeated: Bool = false, isRequired: Bool = false, standard: String? = nil
  ) {
    self.names = names
    self.isRequired = isRequired
    standardText = standard
    self.kind = kind
    self.placeholder = placeholder
    self.choices = choices
    self.help = help
    self.isRepeated = isRepeated
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
