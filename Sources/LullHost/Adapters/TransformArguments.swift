import CLullBridge
import LullCore

/// The arguments of `transform([pattern,] fn [, options])`.
struct TransformArguments {
  var pattern: ConfigurationPattern?
  var function: StoredValue
  var stage = PipelineStageKey.model
  var action = PipelineStage.MutationAction.replaceExisting
  var methods = Set(Service.transformedMethods)
  var options = LuaTransformer.Options()

  static let known = ["stage", "action", "methods"] + LuaTransformer.Options.keys

  init(_ call: Call) throws(Misuse) {
    let service = try call.service
    // If the first argument is a function, it is the transformer. But if the second argument is a
    // function too, the first one is a predicate, which takes the place of a pattern.
    let isPatternless =
      call.raw(1).kind == Int32(LULL_FUNCTION) && call.raw(2).kind != Int32(LULL_FUNCTION)
    let position = isPatternless ? 1 : 2
    if !isPatternless { pattern = try call.callbacks.pattern(call, 1, service: service) }
    guard call.raw(position).kind == Int32(LULL_FUNCTION) else {
      throw .argument(
        position, "function expected, got \(call.raw(position).typeName)")
    }
    function = try call.stored.storedValue(call.state, call.index(position), for: service)
    guard call.count > position + 1, !call.isNil(position + 1) else { return }
    guard call.raw(position + 1).kind == Int32(LULL_TABLE) else {
      throw .argument(
        position + 1, "table expected, got \(call.raw(position + 1).typeName)")
    }
    var copy = self
    try call.reading.options.forEach(
      of: call.index(position + 1), in: call.state, known: TransformArguments.known
    ) { name, value throws(Misuse) in
      try copy.set(name, value, call, LuaTable.visitedIndex(in: call.state), service)
    }
    self = copy
  }

  private mutating func set(
    _ name: String, _ value: lull_value, _ call: Call, _ index: Int32, _ service: Service
  ) throws(Misuse) {
    switch name {
    case "stage":
      let text = try value.text(name)
      stage = try call.callbacks.stages.key(text)
    case "action":
      let text = try value.text(name)
      guard let action = PipelineStage.MutationAction(rawValue: text) else {
        throw .message("'action' must be \"replace\" or \"append\", got '\(text)'")
      }
      self.action = action
    case "methods": methods = try MethodReader.methods(value, index, in: call.state)
    default: try options.set(name, value, call, index, service)
    }
  }

  func register(_ call: Call) throws(Misuse) {
    let function = LuaTransformer(self.function, options, call.callbacks)
    try call.service.configure(
      ResponseContentTransformer(function, rules: options.rules), for: pattern,
      requestMethods: methods,
      atStage: stage, action: action, source: call.place)
  }
}
