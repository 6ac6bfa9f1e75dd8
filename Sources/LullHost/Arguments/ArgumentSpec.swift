/// What a command line may look like: a script's, as `lull.args` is told, or the command's own.
package struct ArgumentSpec {
  /// What the command is called in messages.
  package internal(set) var name = ""
  var description: String?
  /// What stands at the end of the help.
  var notes: String?
  /// What `--version` prints, if there is one.
  var version: String?
  package internal(set) var arguments: [Argument] = []

  init() {}

  package init(
    name: String, description: String, arguments: [Argument], notes: String? = nil
  ) {
    self.name = name
    self.description = description
    self.arguments = arguments
    self.notes = notes
  }

  /// One option, flag or positional argument.
  package struct Argument {
    package enum Kind: Equatable {
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
      /// A kept function of the text.
      case function(Int64)

      var takesValue: Bool { self != .flag && self != .count && self != .boolean }
    }

    /// `--limit` and `-n`, in the order given; of a positional argument its name alone.
    package var names: [String] = []
    var kind = Kind.string
    /// What stands for the value in the help.
    var placeholder: String?
    package var help: String?
    /// What the texts are allowed to be; empty: anything.
    package internal(set) var choices: [String] = []
    var standard: LuaValue?
    /// The default as the help shows it.
    var standardText: String?
    var isRequired = false
    /// Takes as many as there are: its value is a list.
    var isRepeated = false
    var isPositional = false

    init() {}

    /// - Parameter name: positional, unless it begins with `-`.
    package init(
      _ name: String, kind: Kind = .string, placeholder: String? = nil, help: String,
      isRepeated: Bool = false
    ) {
      names = [name]
      self.kind = kind
      self.placeholder = placeholder
      self.help = help
      self.isRepeated = isRepeated
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
    var key: String {
      let name = names.first { $0.hasPrefix("--") } ?? names.first ?? ""
      return String(name.drop { $0 == "-" }).replacing("-", with: "_")
    }

    package var takesValue: Bool { kind.takesValue }
    package var isBoolean: Bool { kind == .boolean }

    /// As messages name it.
    var shown: String { names.first { $0.hasPrefix("--") } ?? names.first ?? "" }
  }

  var positionals: [Argument] { arguments.filter(\.isPositional) }
  var options: [Argument] { arguments.filter { !$0.isPositional } }

  /// The option that is called so.
  package func option(_ name: String) -> Argument? { options.first { $0.names.contains(name) } }

  package var hasPositionals: Bool { !positionals.isEmpty }

  /// Whether `name` is one of the script's own, so that it stands for nothing else.
  func has(_ name: String) -> Bool { options.contains { $0.names.contains(name) } }
}
