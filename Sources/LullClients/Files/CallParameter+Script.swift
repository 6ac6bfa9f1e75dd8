import CLullBridge
import LullCore
import LullHost

extension CallParameter {
  /// A value of a script for it, checked.
  ///
  /// - Parameter json: the value as JSON, if it has such a form.
  func value(of value: lull_value, json: [UInt8]?, _ handles: ObjectHandles) throws(Misuse)
    -> CallValue
  {
    switch (kind, Int(value.kind)) {
    case (.string, Int(LULL_OBJECT)):
      if let text = handles.secret(value) { return .secret(text) }
    case (.string, _):
      try value.requireText("parameter '\(name)'")
      if let text = value.text { return .string(text) }
    case (.boolean, _):
      if let bool = value.bool { return .boolean(bool) }
    case (.choice(let words), _):
      if let text = value.text, words.contains(text) { return .string(text) }
    case (.integer, _), (.number, Int(LULL_INTEGER)):
      if let number = value.double, let whole = Int(exactly: number) {
        return .integer(whole)
      }
    case (.number, Int(LULL_NUMBER)):
      if value.number.isFinite { return .number(value.number) }
    case (.json, _):
      if let json { return .json(json) }
    default: break
    }
    throw .message(
      "parameter '\(name)' must be \(expectation), got "
        + value.described)
  }
}
