/// An argument whose parts are being read from the specification in a script.
package struct ArgumentDraft {
  /// Those properties of a default that are known when the specification is read.
  package struct Standard {
    /// The type of the default. nil if the default is a list.
    let kind: Argument.Kind?
    /// The default as the help shows it.
    let text: String?
    /// Whether the default is true.
    let isOn: Bool

    package init(kind: Argument.Kind?, text: String?, isOn: Bool = false) {
      self.kind = kind
      self.text = text
      self.isOn = isOn
    }
  }

  /// An invalid argument specification.
  package struct Fault: Error, Equatable {
    package let message: String
  }

  package var names: [(position: Int64, text: String)] = []
  package var kind: Argument.Kind?
  package var placeholder: String?
  package var help: String?
  package var choices: [String] = []
  package var standard: Standard?
  package var isRequired: Bool?
  package var isRepeated = false

  package init() {}

  package func argument() throws(Fault) -> Argument {
    var argument = Argument()
    argument.placeholder = placeholder
    argument.isRepeated = isRepeated
    for name in names.sorted(by: { $0.position < $1.position }).map(\.text) {
      try add(name, to: &argument)
    }
    guard !argument.names.isEmpty else {
      throw Fault(message: "an argument needs a name, such as \"--limit\" or \"file\"")
    }
    let shown = argument.shown
    argument.help = help
    argument.choices = choices
    argument.kind = kind ?? impliedKind(argument)
    if argument.isPositional, !argument.kind.takesValue {
      throw Fault(message: "'\(shown)' is a positional argument and cannot be a \(argument.kind)")
    }
    if !argument.kind.takesValue,
      argument.isRepeated || !choices.isEmpty
        || argument.placeholder != nil
    {
      throw Fault(message: "'\(shown)' is a \(argument.kind) and takes no value")
    }
    argument.standardText = standard?.text
    argument.isOn = standard?.isOn ?? false
    try check(argument)
    if isRequired == true, standard != nil {
      throw Fault(message: "'\(shown)' cannot be required and have a default")
    }
    argument.isRequired = isRequired ?? (argument.isPositional && standard == nil)
    return argument
  }

  /// Parses a name in a specification, such as `--limit N`, `-n`, `file` or `files...`.
  private func add(_ text: String, to argument: inout Argument) throws(Fault) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard var name = parts.first.map(String.init) else {
      throw Fault(message: "a name must not be empty")
    }
    if parts.count > 1 { argument.placeholder = argument.placeholder ?? String(parts[1]) }
    let isPositional = !name.hasPrefix("-")
    if isPositional, name.hasSuffix("...") {
      name.removeLast(3)
      argument.isRepeated = true
    }
    let bare = name.drop { $0 == "-" }
    let dashes = name.count - bare.count
    let isValid =
      bare.first.map { $0 != "-" } ?? false
      && bare.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == "?" }
      && (dashes == 0 || dashes == 1 && bare.count == 1 || dashes == 2)
    guard isValid, !isPositional || parts.count == 1 else {
      throw Fault(
        message:
          "'\(text)' is not a name: write \"--long\", \"-s\", \"--long VALUE\", \"name\" or \"names...\""
      )
    }
    guard argument.names.isEmpty || !argument.isPositional && !isPositional else {
      throw Fault(
        message:
          "a positional argument has only one name, and the names of an option begin with '-'")
    }
    argument.isPositional = isPositional
    argument.names.append(name)
  }

  private func impliedKind(_ argument: Argument) -> Argument.Kind {
    if let standard { return standard.kind ?? .string }
    if argument.isPositional || argument.isRepeated || !choices.isEmpty
      || argument.placeholder != nil
    {
      return .string
    }
    return .flag
  }

  private func check(_ argument: Argument) throws(Fault) {
    guard let standard else { return }
    let isFitting =
      switch argument.kind {
      case .converted: true
      case .number: standard.kind == .number || standard.kind == .integer
      case .count: standard.kind == .integer
      default: standard.kind == argument.kind
      }
    guard argument.isRepeated ? standard.kind == nil : isFitting else {
      throw Fault(
        message: "the default of '\(argument.shown)' must be "
          + (argument.isRepeated ? "a list" : "a \(argument.kind)"))
    }
    if case .string = argument.kind, !argument.isRepeated, !choices.isEmpty,
      !choices.contains(standard.text ?? "")
    {
      throw Fault(message: "the default of '\(argument.shown)' is not one of its choices")
    }
  }
}
