import CLullBridge
import LullCore

/// From the tables of a script to an `ArgumentSpec`.
extension LuaHost {
  static let argumentsKeys = ["name", "description", "notes", "version"]
  static let argumentKeys = [
    "type", "default", "choices", "help", "value", "required", "repeated",
  ]
  static let argumentTypes = ["flag", "count", "string", "number", "integer"]

  /// The specification at a position of the stack; kept functions are the caller's stack's to hold.
  func argumentSpec(_ table: Int32, _ state: OpaquePointer?) throws(Misuse) -> ArgumentSpec {
    var spec = ArgumentSpec()
    var arguments: [(position: Int64, argument: ArgumentSpec.Argument)] = []
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      if key.kind == Int32(LULL_INTEGER) {
        do throws(Misuse) {
          arguments.append(
            (key.integer, try argument(value, state, LuaTable.visitedIndex(in: state))))
        } catch {
          throw .message("argument #\(key.integer) of the specification: \(error.text)")
        }
        return
      }
      let name = key.string ?? ""
      guard LuaHost.argumentsKeys.contains(name) else {
        throw unknownSetting(name, among: LuaHost.argumentsKeys)
      }
      let text = try contentType(ofOption: value, name)
      switch name {
      case "name": spec.name = text
      case "description": spec.description = text
      case "notes": spec.notes = text
      default: spec.version = text
      }
    }
    spec.arguments = arguments.sorted { $0.position < $1.position }.map(\.argument)
    try check(spec)
    return spec
  }

  private func check(_ spec: ArgumentSpec) throws(Misuse) {
    var names: Set<String> = []
    var keys: Set<String> = []
    for argument in spec.arguments {
      for name in argument.names where !names.insert(name).inserted {
        throw .message("'\(name)' is in the specification twice")
      }
      guard keys.insert(argument.key).inserted else {
        throw .message("two arguments of the specification would both be '\(argument.key)'")
      }
    }
    guard spec.positionals.count(where: \.isRepeated) < 2 else {
      throw .message("only one positional argument can be repeated")
    }
  }

  private func argument(_ value: lull_value, _ state: OpaquePointer?, _ index: Int32)
    throws(Misuse) -> ArgumentSpec.Argument
  {
    var draft = ArgumentDraft()
    if let text = value.string {
      draft.names = [(1, text)]
    } else if value.kind == Int32(LULL_TABLE) {
      try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
        let place = LuaTable.visitedIndex(in: state)
        if key.kind == Int32(LULL_INTEGER) {
          guard let name = field.string else {
            throw .message("names must be strings, got \(field.described)")
          }
          return draft.names.append((key.integer, name))
        }
        let name = key.string ?? ""
        guard LuaHost.argumentKeys.contains(name) else {
          throw unknownSetting(name, among: LuaHost.argumentKeys)
        }
        try read(name, field, state, place, into: &draft)
      }
    } else {
      throw .message("a table or a name expected, got \(value.described)")
    }
    return try draft.argument()
  }

  private func read(
    _ name: String, _ value: lull_value, _ state: OpaquePointer?, _ index: Int32,
    into draft: inout ArgumentDraft
  ) throws(Misuse) {
    switch name {
    case "type":
      if value.kind == Int32(LULL_FUNCTION) {
        draft.kind = .function(try keep(state, index))
        return
      }
      let word = value.string ?? ""
      guard let place = LuaHost.argumentTypes.firstIndex(of: word) else {
        let near = NearestName.suggestion(for: word, among: LuaHost.argumentTypes)
        throw .message(
          "'type' must be \(ArgumentParser.list(LuaHost.argumentTypes)), or a function, got "
            + value.described + (near.map { " (did you mean '\($0)'?)" } ?? ""))
      }
      draft.kind = [.flag, .count, .string, .number, .integer][place]
    case "help": draft.help = try contentType(ofOption: value, name)
    case "value": draft.placeholder = try contentType(ofOption: value, name)
    case "choices":
      guard value.kind == Int32(LULL_TABLE) else {
        throw .message("'choices' must be a list of strings, got \(value.described)")
      }
      var choices: [(Int64, String)] = []
      try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
        guard key.kind == Int32(LULL_INTEGER), let text = field.text else {
          throw .message("'choices' must be a list of strings")
        }
        choices.append((key.integer, text))
      }
      draft.choices = choices.sorted { $0.0 < $1.0 }.map(\.1)
      guard !draft.choices.isEmpty else { throw .message("'choices' must not be empty") }
    case "default": draft.standard = try standard(value, state, index)
    default:
      guard let flag = value.bool else {
        throw .message("'\(name)' must be true or false, got \(value.described)")
      }
      if name == "required" { draft.isRequired = flag } else { draft.isRepeated = flag }
    }
  }

  private func standard(_ value: lull_value, _ state: OpaquePointer?, _ index: Int32)
    throws(Misuse) -> ArgumentDraft.Standard
  {
    switch Int(value.kind) {
    case Int(LULL_BOOLEAN):
      let flag = value.integer != 0
      return .init(kind: .flag, value: .bool(flag), text: flag ? "on" : nil)
    case Int(LULL_INTEGER):
      return .init(kind: .integer, value: .int(value.integer), text: String(value.integer))
    case Int(LULL_NUMBER):
      return .init(kind: .number, value: .number(value.number), text: LuaHost.shown(value.number))
    case Int(LULL_STRING):
      return .init(
        kind: .string, value: .bytes(value.bytes ?? []), text: value.string)
    case Int(LULL_TABLE):
      var texts: [(Int64, String)] = []
      try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
        guard key.kind == Int32(LULL_INTEGER), let text = field.text else {
          throw .message("'default' of a repeated argument must be a list of strings or numbers")
        }
        texts.append((key.integer, text))
      }
      let text = texts.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: " ")
      return .init(
        kind: nil, value: .ref(try keep(state, index)), text: text.isEmpty ? nil : text)
    default:
      throw .message(
        "'default' must be a string, a number, a boolean or a list, got "
          + value.described)
    }
  }
}

/// An argument while its table is being read.
private struct ArgumentDraft {
  struct Standard {
    /// nil: a list.
    let kind: ArgumentSpec.Argument.Kind?
    let value: LuaValue
    let text: String?
  }

  var names: [(position: Int64, text: String)] = []
  var kind: ArgumentSpec.Argument.Kind?
  var placeholder: String?
  var help: String?
  var choices: [String] = []
  var standard: Standard?
  var isRequired: Bool?
  var isRepeated = false

  func argument() throws(Misuse) -> ArgumentSpec.Argument {
    var argument = ArgumentSpec.Argument()
    argument.placeholder = placeholder
    argument.isRepeated = isRepeated
    for name in names.sorted(by: { $0.position < $1.position }).map(\.text) {
      try add(name, to: &argument)
    }
    guard !argument.names.isEmpty else {
      throw .message("it needs a name, such as \"--limit\" or \"file\"")
    }
    let shown = argument.shown
    argument.help = help
    argument.choices = choices
    argument.kind = kind ?? impliedKind(argument)
    if argument.isPositional, !argument.kind.takesValue {
      throw .message("'\(shown)' is a positional argument and cannot be a \(argument.kind)")
    }
    if !argument.kind.takesValue,
      argument.isRepeated || !choices.isEmpty
        || argument.placeholder != nil
    {
      throw .message("'\(shown)' is a \(argument.kind) and takes no value")
    }
    argument.standard = standard?.value
    argument.standardText = standard?.text
    try check(argument)
    if isRequired == true, standard != nil {
      throw .message("'\(shown)' cannot be required and have a default")
    }
    argument.isRequired = isRequired ?? (argument.isPositional && standard == nil)
    return argument
  }

  /// `--limit N`, `-n`, `file`, `files...`
  private func add(_ text: String, to argument: inout ArgumentSpec.Argument) throws(Misuse) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard var name = parts.first.map(String.init) else {
      throw .message("a name must not be empty")
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
      throw .message(
        "'\(text)' is no name: write \"--long\", \"-s\", \"--long VALUE\", \"name\" or \"names...\""
      )
    }
    guard argument.names.isEmpty || !argument.isPositional && !isPositional else {
      throw .message("a positional argument has one name, and options have names with dashes")
    }
    argument.isPositional = isPositional
    argument.names.append(name)
  }

  private func impliedKind(_ argument: ArgumentSpec.Argument) -> ArgumentSpec.Argument.Kind {
    if let standard { return standard.kind ?? .string }
    if argument.isPositional || argument.isRepeated || !choices.isEmpty
      || argument.placeholder != nil
    {
      return .string
    }
    return .flag
  }

  private func check(_ argument: ArgumentSpec.Argument) throws(Misuse) {
    guard let standard else { return }
    let isFitting =
      switch argument.kind {
      case .function: true
      case .number: standard.kind == .number || standard.kind == .integer
      case .count: standard.kind == .integer
      default: standard.kind == argument.kind
      }
    guard argument.isRepeated ? standard.kind == nil : isFitting else {
      throw .message(
        "the default of '\(argument.shown)' must be "
          + (argument.isRepeated ? "a list" : "a \(argument.kind)"))
    }
    if case .string = argument.kind, !argument.isRepeated, !choices.isEmpty,
      !choices.contains(standard.text ?? "")
    {
      throw .message("the default of '\(argument.shown)' is none of its choices")
    }
  }
}

extension ArgumentSpec.Argument.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .flag: "flag"
    case .boolean: "boolean"
    case .count: "count"
    case .string: "string"
    case .number: "number"
    case .integer: "whole number"
    case .function: "value"
    }
  }
}
