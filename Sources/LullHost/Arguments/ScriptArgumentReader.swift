import CLullBridge
import LullArguments

/// Reads the tables passed to `lull.args` into a `ScriptArguments`.
struct ScriptArgumentReader {
  static let specKeys = ["name", "description", "notes", "version"]
  static let argumentKeys = [
    "type", "default", "choices", "help", "value", "required", "repeated",
  ]
  static let types = ["flag", "count", "string", "number", "integer"]

  private let stored: StoredValues
  private let state: OpaquePointer?

  init(_ stored: StoredValues, _ state: OpaquePointer?) {
    self.stored = stored
    self.state = state
  }

  /// Reads the specification in the table at a stack index. The functions in the table stay alive
  /// as long as the caller keeps the table on its Lua stack.
  func arguments(_ table: Int32) throws(Misuse) -> ScriptArguments {
    var spec = ArgumentSpec()
    spec.takesLargeIntegers = true
    var found: [(position: Int64, argument: Argument, meaning: ScriptArguments.Meaning)] = []
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      if key.kind == Int32(LULL_INTEGER) {
        do throws(Misuse) {
          let (argument, meaning) = try argument(value, LuaTable.visitedIndex(in: state))
          found.append((key.integer, argument, meaning))
        } catch {
          throw .message("argument #\(key.integer) of the specification: \(error.text)")
        }
        return
      }
      let name = key.string ?? ""
      guard Self.specKeys.contains(name) else {
        throw .unknownSetting(name, among: Self.specKeys)
      }
      let text = try value.text(name)
      switch name {
      case "name": spec.name = text
      case "description": spec.description = text
      case "notes": spec.notes = text
      default: spec.version = text
      }
    }
    found.sort { $0.position < $1.position }
    spec.arguments = found.map(\.argument)
    if let problem = spec.problem { throw .message(problem) }
    return ScriptArguments(spec: spec, meanings: found.map(\.meaning))
  }

  private func argument(_ value: lull_value, _ index: Int32) throws(Misuse) -> (
    Argument, ScriptArguments.Meaning
  ) {
    var draft = ArgumentDraft()
    var meaning = ScriptArguments.Meaning()
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
        guard Self.argumentKeys.contains(name) else {
          throw .unknownSetting(name, among: Self.argumentKeys)
        }
        try read(name, field, place, into: &draft, &meaning)
      }
    } else {
      throw .message("a table or a name expected, got \(value.described)")
    }
    do throws(ArgumentDraft.Fault) {
      return (try draft.argument(), meaning)
    } catch {
      throw .message(error.message)
    }
  }

  private func read(
    _ name: String, _ value: lull_value, _ index: Int32, into draft: inout ArgumentDraft,
    _ meaning: inout ScriptArguments.Meaning
  ) throws(Misuse) {
    switch name {
    case "type":
      if value.kind == Int32(LULL_FUNCTION) {
        meaning.function = try stored.keep(state, index)
        draft.kind = .converted
        return
      }
      let word = value.string ?? ""
      guard let place = Self.types.firstIndex(of: word) else {
        let near = NearestName.suggestion(for: word, among: Self.types)
        throw .message(
          "'type' must be \(WordList.text(Self.types)), or a function, got "
            + value.described + (near.map { " (did you mean '\($0)'?)" } ?? ""))
      }
      draft.kind = [.flag, .count, .string, .number, .integer][place]
    case "help": draft.help = try value.text(name)
    case "value": draft.placeholder = try value.text(name)
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
    case "default": (draft.standard, meaning.standard) = try standard(value, index)
    default:
      guard let flag = value.bool else {
        throw .message("'\(name)' must be true or false, got \(value.described)")
      }
      if name == "required" { draft.isRequired = flag } else { draft.isRepeated = flag }
    }
  }

  private func standard(_ value: lull_value, _ index: Int32) throws(Misuse) -> (
    ArgumentDraft.Standard, LuaValue
  ) {
    switch Int(value.kind) {
    case Int(LULL_BOOLEAN):
      let flag = value.integer != 0
      return (.init(kind: .flag, text: flag ? "on" : nil, isOn: flag), .bool(flag))
    case Int(LULL_INTEGER):
      return (.init(kind: .integer, text: String(value.integer)), .int(value.integer))
    case Int(LULL_NUMBER):
      return (.init(kind: .number, text: value.number.luaText), .number(value.number))
    case Int(LULL_STRING):
      return (
        .init(kind: .string, text: value.string), .bytes(value.bytes ?? [])
      )
    case Int(LULL_TABLE):
      var texts: [(Int64, String)] = []
      try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
        guard key.kind == Int32(LULL_INTEGER), let text = field.text else {
          throw .message("'default' of a repeated argument must be a list of strings or numbers")
        }
        texts.append((key.integer, text))
      }
      let text = texts.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: " ")
      return (
        .init(kind: nil, text: text.isEmpty ? nil : text), .ref(try stored.keep(state, index))
      )
    default:
      throw .message(
        "'default' must be a string, a number, a boolean or a list, got "
          + value.described)
    }
  }
}

/// The arguments that a script declares with `lull.args`: the grammar of its command line, and how
/// each value is converted for Lua.
struct ScriptArguments {
  /// The parts of an argument's specification that only Lua uses.
  struct Meaning {
    /// The default value.
    var standard: LuaValue?
    /// The ID of the stored function that converts the argument's text.
    var function: Int64?
  }

  var spec: ArgumentSpec
  /// For each argument, in the order of the specification, the parts that only Lua uses.
  let meanings: [Meaning]
}
