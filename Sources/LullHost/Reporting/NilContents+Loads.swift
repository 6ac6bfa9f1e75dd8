import CLullBridge
import LullLuaSource

extension NilContents {
  private static let load = "load_if_needed"
  private static let loadIndex = LuaLibrary.index(.resource, load)

  /// Notes in a failure what is known of the nil that it comes of.
  func explain(_ failure: inout ScriptFailure, in run: inout lull_run) {
    failure.nilContent = explanation(of: failure, in: &run)
    failure.isOfNeedlessLoad = isOfNeedlessLoad(failure)
  }

  /// Whether the nil that an error names is that of a `load_if_needed()` which had nothing to load,
  /// as far as the source says so: `….load_if_needed():await()`, or a local variable that was
  /// declared so. (NIL-120)
  private func isOfNeedlessLoad(_ failure: ScriptFailure) -> Bool {
    guard failure.isText, let frame = failure.trace.stacks.first?.first, frame.kind == .lua,
      let start = failure.message.firstRange(of: "attempt to index a nil value")
    else { return false }
    let rest = failure.message[start.upperBound...]
    guard rest.isEmpty || rest.hasPrefix(" (local '"),
      let text = sources.text(of: frame.source), let line = CodeLine(frame.line, of: text)
    else { return false }
    guard !rest.isEmpty else {
      // Whatever else is nil on that line, nothing of Lull's has been called since.
      return lull_last_nil_method(bridge.pointer) == NilContents.loadIndex
        && NilContents.awaitsLoad(on: line)
    }
    return NilContents.isLoad(String(rest.dropFirst(" (local '".count).dropLast(2)), on: line)
  }

  /// `load_if_needed():await`, of which something is on the line.
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

  /// `name:await` on the line, behind `local name = …:load_if_needed()`.
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
