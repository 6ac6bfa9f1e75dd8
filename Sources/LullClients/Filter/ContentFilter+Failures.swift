import LullCore
import LullHost

extension ContentFilter {
  /// What messages call an expression, and what surrounds it.
  static let expressionName = "-f"
  static let preludeName = "-f prelude"

  /// A failure as whoever wrote the expression sees it: where in the expression, and nothing of what
  /// surrounds that.
  static func shown(_ failure: ScriptFailure, of expression: FilterText) -> ScriptFailure {
    var shown = placed(failure, of: expression)
    // What is no variable may be a field.
    if let start = shown.message.firstRange(of: " a nil value (global '")?.upperBound,
      shown.message.hasSuffix("')")
    {
      shown.message += "; fields are those of x: x.\(shown.message[start...].dropLast(2))"
    }
    return shown
  }

  private static func placed(_ failure: ScriptFailure, of expression: FilterText) -> ScriptFailure {
    let name = expression.name
    var shown = failure
    shown.trace = Traceback()
    guard failure.requestError == nil, failure.isText,
      !failure.message.hasPrefix(name + ":")
    else { return shown }
    let frames = failure.trace.stacks.flatMap(\.self)
    let rest = withoutPreludePlace(failure.message)
    guard let place = frames.firstIndex(where: { $0.shortSource == name }) else {
      // It has ended: what it gave is at fault.
      let reason = rest.replacing("cannot encode as JSON: ", with: "")
      // Of what is inside, another part's top level.
      let level = " at the top level"
      shown.message =
        at(expression.text.contains("\n") ? 0 : 1, name)
        + "what it gives cannot be written as JSON: "
        + (reason.hasSuffix(level) ? String(reason.dropLast(level.count)) : reason)
      return shown
    }
    let line = at(frames[place].line, name)
    guard rest != failure.message, place > 0 else {
      shown.message = line + rest
      return shown
    }
    let called = frames[place - 1].name
    shown.message = line + (called.isEmpty ? "" : called + ": ") + withoutVariable(rest)
    return shown
  }

  private static func at(_ line: Int, _ name: String) -> String {
    line > 0 ? "\(name):\(line): " : "\(name): "
  }

  /// `prelude:12: rest`
  private static func withoutPreludePlace(_ message: String) -> String {
    guard message.hasPrefix(preludeName + ":") else { return message }
    let tail = message.dropFirst(preludeName.count + 1).drop { $0.isNumber }
    return tail.hasPrefix(": ") ? String(tail.dropFirst(2)) : message
  }

  /// Variables of the prelude's say nothing: `(local 'value')`.
  private static func withoutVariable(_ message: String) -> String {
    guard message.hasSuffix("')"), let start = message.lastIndex(of: "(") else { return message }
    return String(message[..<start].dropLast())
  }
}
