import LullCore
import LullHost

extension ContentFilter {
  /// The chunk name of an expression of `-f` in messages. `preludeName` is the chunk name of the
  /// code that Lull adds around the expression.
  static let expressionName = "-f"
  static let preludeName = "-f prelude"

  /// Returns a failure for the user: with a place in the expression, and without the code that Lull
  /// adds around the expression.
  static func shown(_ failure: ScriptFailure, of expression: FilterText) -> ScriptFailure {
    var shown = placed(failure, of: expression)
    // The user may have meant an undefined variable as a field.
    if let start = shown.message.firstRange(of: " a nil value (global '")?.upperBound,
      shown.message.hasSuffix("')")
    {
      shown.message += "; to read a field of x, write x.\(shown.message[start...].dropLast(2))"
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
      // The expression has already returned, so the failure is about its result.
      let reason = rest.replacing("cannot encode as JSON: ", with: "")
      // If the value is nested, the message ends with "at the top level", which would be
      // misleading.
      let level = " at the top level"
      shown.message =
        at(expression.text.contains("\n") ? 0 : 1, name)
        + "the result cannot be written as JSON: "
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

  /// Removes the prelude's place from a message of the form `prelude:12: rest`.
  private static func withoutPreludePlace(_ message: String) -> String {
    guard message.hasPrefix(preludeName + ":") else { return message }
    let tail = message.dropFirst(preludeName.count + 1).drop { $0.isNumber }
    return tail.hasPrefix(": ") ? String(tail.dropFirst(2)) : message
  }

  /// Removes the name of a prelude variable from a message: `(local 'value')`.
  private static func withoutVariable(_ message: String) -> String {
    guard message.hasSuffix("')"), let start = message.lastIndex(of: "(") else { return message }
    return String(message[..<start].dropLast())
  }
}
