import CLullBridge
import LullCore

/// A query parameter as the script has it, whose strings need not be UTF-8.
struct RawParameter {
  let name: [UInt8]
  /// nil removes the parameter.
  let value: [UInt8]?

  /// - Parameter text: the name as people read it.
  init(_ name: lull_value, _ value: lull_value, called text: String) throws(Misuse) {
    self.name = name.bytes ?? []
    let parameter = try RawParameter.text(of: value, name: text)
    // A string that may not be copied is none: the run ends.
    let isString = value.kind == Int32(LULL_STRING)
    self.value = parameter.map { isString ? value.bytes ?? [] : Array($0.utf8) }
  }

  /// Strings, numbers and true are values; false and nil remove. (DYN-06)
  private static func text(of value: lull_value, name: String) throws(Misuse) -> String? {
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_BOOLEAN): return value.integer != 0 ? "true" : nil
    default:
      guard let text = value.text, value.double?.isFinite ?? true else {
        throw .message(
          "parameter '\(name)' must be a string, a finite number or a boolean, got "
            + value.described)
      }
      return text
    }
  }
}
