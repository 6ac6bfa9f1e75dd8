import CLullBridge
import LullLuaSource

extension NilContents {
  private static let load = "load_if_needed"
  private static let loadIndex = LuaLibrary.index(.resource, load)

  /// If the origin of the nil that caused a failure is known, adds that origin to the failure.
  func explain(_ failure: inout ScriptFailure, in run: inout lull_run) {
    failure.nilContent = explanation(of: failure, in: &run)
    if isOfNeedlessLoad(failure) {
      failure.hint =
        "load_if_needed() returns nil if no load is needed: resource:fetch() returns the entity, "
        + "and loads it if needed"
    } else {
      failure.hint = missingName(in: failure, of: &run)
    }
  }

  /// Returns whether the nil in an error comes from a `load_if_needed()` that had nothing to load.
  /// The source must show this: the line contains `….load_if_needed():await()`, or it uses a local
  /// variable to which that call was assigned. (NIL-120)
  private func isOfNeedlessLoad(_ failure: ScriptFailure) -> Bool {
    guard failure.isText, let frame = failure.trace.stacks.first?.first, frame.kind == .lua,
      let start = failure.message.firstRange(of: "attempt to index a nil value")
    else { return false }
    let rest = failure.message[start.upperBound...]
    guard rest.isEmpty || rest.hasPrefix(" (local '"),
      let text = sources.text(of: frame.source), let line = CodeLine(frame.line, of: text)
    else { return false }
    guard !rest.isEmpty else {
      // The last Lull function that returned nil was `load_if_needed`, so the nil does not come
      // from another Lull function on that line.
      return lull_last_nil_method(bridge.pointer) == NilContents.loadIndex
        && NilContents.awaitsLoad(on: line)
    }
    return NilContents.isLoad(String(rest.dropFirst(" (local '".count).dropLast(2)), on: line)
  }

  /// Returns a sentence about a name that the module `lull` does not have. The failure must be a
  /// call or an index of the nil value that this name has, as in `lull.fetch(url)`. The variable
  /// before the name must contain the module. (LUA-181)
  private func missingName(in failure: ScriptFailure, of run: inout lull_run) -> String? {
    guard failure.isText, let frame = failure.trace.stacks.first?.first, frame.kind == .lua,
      failure.message.contains(" a nil value ("), let text = sources.text(of: frame.source),
      let line = CodeLine(frame.line, of: text)
    else { return nil }
    let position = "\(frame.shortSource):\(frame.line): "
    let tokens = line.tokens
    guard failure.message.hasPrefix(position),
      let range = CodeMark.namedValue(
        in: String(failure.message.dropFirst(position.count)), among: tokens),
      var place = tokens.firstIndex(where: { $0.range == range })
    else { return nil }
    let name = tokens[place].text
    // The path is read backwards from the name to the variable.
    var path: [String] = []
    while place > 0, [".", ":"].contains(tokens[place - 1].text) {
      guard place > 1, tokens[place - 2].kind == .name else { return nil }
      place -= 2
      path.insert(tokens[place].text, at: 0)
    }
    guard let variable = path.first else { return nil }
    var value = lull_value()
    _ = lull_failed_variable(bridge.pointer, &run, 0, variable, "", 0, &value)
    let isModule = value.kind == Int32(LULL_OBJECT) && value.aux == HandleKind.module.rawValue
    // A file that is only loaded, such as an API file, has no stack, so the source is searched for
    // the variable.
    guard isModule || NilContents.isRequired(variable, on: line) else { return nil }
    let table = (["lull"] + path.dropFirst()).joined(separator: ".")
    return FieldSuggestion(library: bridge.library).note(on: name, missingIn: table)
  }

  /// Returns whether `local name = require "lull"` is on the line or above it.
  private static func isRequired(_ name: String, on line: CodeLine) -> Bool {
    let tokens = LuaToken.all(in: line.source[..<line.range.upperBound])
    guard let first = tokens.firstIndex(where: { $0.range.lowerBound >= line.range.lowerBound }),
      let value = LocalScope(tokens: tokens, name: name).onlyValue(usedFrom: first)
    else { return false }
    return tokens[value...].prefix(3).filter { !$0.isSymbol("(") }.prefix(2).map(\.text)
      == ["require", "lull"]
  }

  /// Returns whether any part of the expression `load_if_needed():await` is on the line.
  private static func awaitsLoad(on line: CodeLine) -> Bool {
    let tokens = LuaToken.all(in: line.source)
    let wanted = [load, "(", ")", ":", "await"]
    return tokens.indices.contains { first in
      guard tokens[first].text == load, first + wanted.count <= tokens.count else { return false }
      let part = tokens[first..<first + wanted.count]
      return part.map(\.text) == wanted
        && part.contains { $0.range.overlaps(line.range) }
    }
  }

  /// Returns whether `name:await` is on the line, and the only value of the local variable `name`
  /// is a call of `load_if_needed()`.
  private static func isLoad(_ name: String, on line: CodeLine) -> Bool {
    let uses = line.tokens.indices.filter { place in
      line.tokens[place].text == name && place + 2 < line.tokens.count
        && line.tokens[place + 1].isSymbol(":") && line.tokens[place + 2].text == "await"
    }
    let tokens = LuaToken.all(in: line.source[..<line.range.upperBound])
    let first = tokens.firstIndex { $0.range.lowerBound >= line.range.lowerBound }
    guard !uses.isEmpty, let first,
      let value = LocalScope(tokens: tokens, name: name).onlyValue(usedFrom: first)
    else { return false }
    let last = value + ContentRead.length(of: tokens[value...])
    return last - value > 3 && last <= tokens.count
      && tokens[last - 3..<last].map(\.text) == [load, "(", ")"]
  }
}
