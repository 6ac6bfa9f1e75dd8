import CLullBridge
import LullCore

extension LuaTransformer.Options {
  /// Sets one option of `transform`, or of a stage's `add`. `name` is the name of the option.
  mutating func set(
    _ name: String, _ value: lull_value, _ call: Call, _ index: Int32, _ service: Service
  ) throws(Misuse) {
    switch name {
    case "input": input = try typeTest(name, value, call, index, service)
    case "output": output = try typeTest(name, value, call, index, service)
    case "on_input_type_mismatch":
      let text = try value.text(name)
      guard let mismatch = InputTypeMismatchAction(rawValue: text) else {
        throw .message(
          "'on_input_type_mismatch' must be \"error\", \"skip\" or "
            + "\"skip_if_output_type_matches\", got '\(text)'")
      }
      rules.mismatch = mismatch
    case "transform_errors":
      guard let flag = value.bool else {
        throw .message("'transform_errors' must be true or false")
      }
      rules.transformsErrors = flag
    default:
      guard value.kind == Int32(LULL_TABLE) else {
        throw .message("'content_types' must be a list of content types")
      }
      var patterns: [ContentTypePattern] = []
      try LuaTable(index, in: call.state).forEachField { _, element throws(Misuse) in
        guard let text = element.string else {
          throw .message("'content_types' must be a list of content types")
        }
        try element.requireText("a string of 'content_types'")
        patterns.append(ContentTypePattern(text))
      }
      rules.contentTypes = patterns
    }
  }

  private func typeTest(
    _ name: String, _ value: lull_value, _ call: Call, _ index: Int32, _ service: Service
  ) throws(Misuse) -> LuaTransformer.TypeTest {
    if value.kind == Int32(LULL_FUNCTION) {
      return .predicate(try call.stored.storedValue(call.state, index, for: service))
    }
    switch value.string {
    case "any": return .any
    case let word? where ["json", "text", "data", "table"].contains(word): return .word(word)
    default:
      throw .message(
        "'\(name)' must be \"json\", \"text\", \"data\", \"table\", \"any\" or a function")
    }
  }
}
