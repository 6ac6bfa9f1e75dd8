import CLullBridge
import LullArguments
import LullCore
import LullSystem

extension Method {
  static let argumentMethods: [Method] = [
    .function("args", "tT") { call throws(Misuse) in try ArgumentsCall(call).answer() }
  ]
}

/// One call of `lull.args(spec[, words])`.
private struct ArgumentsCall {
  private let call: Call

  init(_ call: Call) { self.call = call }

  func answer() throws(Misuse) {
    var arguments = try ScriptArgumentReader(call.kept, call.state).arguments(call.index(0))
    let (script, own) = try commandLine(isWanted: call.isNil(1))
    let words = call.isNil(1) ? own : try self.words(call.index(1))
    if arguments.spec.name.isEmpty { arguments.spec.name = script.isEmpty ? "script" : script }
    switch try values(words, arguments) {
    case .success(let fields): call.return(.map(fields))
    case .failure(let end): try leave(arguments.spec, end)
    }
  }

  /// Prints what there is to say, and ends the script.
  private func leave(_ spec: ArgumentSpec, _ end: ArgumentParser.End) throws(Misuse) {
    let code: Int32
    switch end {
    case .help:
      write(ArgumentHelp.text(of: spec))
      code = 0
    case .version:
      write((spec.version ?? "") + "\n")
      code = 0
    case .problem(let text):
      StandardError.write(
        ArgumentText.encode("\(spec.name): \(text)\nTry '\(spec.name) --help'.\n"))
      code = 2
    }
    try Method.end(call, code: code)
  }

  /// To standard output, as `print` does.
  private func write(_ text: String) {
    StandardOutput.write(ArgumentText.encode(text))
  }

  /// The name of the script, and if they are wanted the words after it, from the global `arg`.
  private func commandLine(isWanted: Bool) throws(Misuse) -> (
    script: String, words: [String]
  ) {
    let state = call.state
    let index = lull_push_global(state, "arg")
    guard index != 0 else { throw .message("not enough memory") }
    defer { lull_pop_from(state, index) }
    var value = lull_value()
    lull_read(state, index, &value)
    guard value.kind == Int32(LULL_TABLE) else { return ("", []) }
    var script = ""
    try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
      if key.kind == Int32(LULL_INTEGER), key.integer == 0, let bytes = field.bytes {
        let path = ArgumentText.decode(bytes)
        script = path.split(separator: "/").last.map(String.init) ?? path
      }
    }
    return (script, isWanted ? try words(index) : [])
  }

  /// The strings of a list.
  private func words(_ table: Int32) throws(Misuse) -> [String] {
    var words: [(position: Int64, text: String)] = []
    try LuaTable(table, in: call.state).forEachField { key, field throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), key.integer > 0 else { return }
      if let bytes = field.bytes {
        words.append((key.integer, ArgumentText.decode(bytes)))
      } else if let text = field.text {
        words.append((key.integer, text))
      } else {
        throw .message("words must be strings, got \(field.described)")
      }
    }
    return words.sorted { $0.position < $1.position }.map(\.text)
  }

  // MARK: Values

  /// Throws what a function of the script raises.
  private func values(_ words: [String], _ arguments: ScriptArguments) throws(Misuse) -> Result<
    [(String, LuaValue)], ArgumentParser.End
  > {
    let result: ParsedArguments
    do throws(ArgumentParser.End) {
      result = try ArgumentParser.parse(words, by: arguments.spec)
    } catch {
      return .failure(error)
    }
    var fields: [(String, LuaValue)] = []
    for (index, argument) in arguments.spec.arguments.enumerated() {
      let meaning = arguments.meanings[index]
      var value = meaning.standard
      switch argument.kind {
      case .flag: value = result.counts[index].map { .bool($0 > 0) } ?? value ?? .bool(false)
      case .count: value = result.counts[index].map { .int(Int64($0)) } ?? value ?? .int(0)
      default:
        if let texts = result.texts[index] {
          var values: [LuaValue] = []
          for text in texts {
            switch try self.value(text, argument, meaning) {
            case .success(let value): values.append(value)
            case .failure(let end): return .failure(end)
            }
          }
          value = argument.isRepeated ? .list(values) : values.last
        } else if argument.isRepeated {
          value = value ?? .list([])
        }
      }
      if let value { fields.append((argument.key, value)) }
    }
    return .success(fields)
  }

  /// An integer of any size. (JSN-111)
  private static func whole(_ text: String) -> LuaValue? {
    if let whole = ArgumentText.integer(text) { return .int(whole) }
    return ArgumentText.largeInteger(text).map { .digits($0) }
  }

  private func value(_ text: String, _ argument: Argument, _ meaning: ScriptArguments.Meaning)
    throws(Misuse) -> Result<LuaValue, ArgumentParser.End>
  {
    if let function = meaning.function { return try converted(text, function, argument) }
    switch argument.kind {
    case .integer: return .success(ArgumentsCall.whole(text) ?? .nil)
    case .number:
      return .success(
        ArgumentsCall.whole(text)
          ?? ArgumentText.number(text).map { .number($0) } ?? .nil)
    default: return .success(.bytes(ArgumentText.encode(text)))
    }
  }

  /// What the script's function makes of the text; nil and a message from it is wrong usage.
  private func converted(_ text: String, _ id: Int64, _ argument: Argument)
    throws(Misuse) -> Result<LuaValue, ArgumentParser.End>
  {
    let answer = call.coroutines.ask(
      Callable(id: id), [.bytes(ArgumentText.encode(text))], kind: "type function of lull.args"
    ) { results -> Result<LuaValue, ArgumentParser.End> in
      guard results[0].kind != Int32(LULL_NIL) else {
        let problem = results[1].text ?? "not valid"
        return .failure(.problem("'\(argument.shown)': \(problem), got '\(text)'"))
      }
      let id = call.kept.makeID()
      guard lull_value_keep(call.bridge.pointer, results.state, results.index(0), id) == 0 else {
        return .failure(.problem("not enough memory"))
      }
      call.kept.holdForNow([id])
      return .success(.ref(id))
    }
    switch answer {
    case .success(let value): return value
    case .failure(.failed(let failure)): throw .value(call.values.raised(failure))
    case .failure(.gone): return .success(.nil)
    }
  }
}
