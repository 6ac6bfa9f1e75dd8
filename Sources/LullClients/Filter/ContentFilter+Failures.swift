import LullCore
import LullHost

extension ContentFilter {
  /// What messages call an expression, and what surrounds it.
  static let expressionName = "-f"
  static let preludeName = "-f prelude"

  /// A failure as whoever wrote the expression sees it: where in the expression, and nothing of what
  /// surrounds that.
  static func shown(_ failure: ScriptFailure, of expression: String) -> ScriptFailure {
    var shown = failure
    shown.trace = Traceback()
    guard failure.requestError == nil, failure.isText,
      !failure.message.hasPrefix(expressionName + ":")
    else { return shown }
    let frames = failure.trace.stacks.flatMap(\.self)
    let rest = withoutPreludePlace(failure.message)
    guard let place = frames.firstIndex(where: { $0.shortSource == expressionName }) else {
      // It has ended: what it gave is at fault.
      let reason = rest.replacing("cannot encode as JSON: ", with: "")
      // Of what is inside, another part's top level.
      let level = " at the top level"
      shown.message =
        at(expression.contains("\n") ? 0 : 1) + "what it gives cannot be written as JSON: "
        + (reason.hasSuffix(level) ? String(reason.dropLast(level.count)) : reason)
      return shown
    }
    let line = at(frames[place].line)
    guard rest != failure.message, place > 0 else {
      shown.message = line + rest
      return shown
    }
    let name = frames[place - 1].name
    shown.message = line + (name.isEmpty ? "" : name + ": ") + withoutVariable(rest)
    return shown
  }

  private static func at(_ line: Int) -> String {
    line > 0 ? "\(expressionName):\(line): " : "\(expressionName): "
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
