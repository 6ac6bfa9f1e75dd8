import CLullBridge
import LullCore

/// Reads and returns the setting `pipeline`.
enum PipelineSetting {
  /// Returns the change to a configuration that a settings table specifies with `pipeline = { order
  /// = {…}, model = { cache = … } }`.
  static func change(_ call: Call, _ value: lull_value, _ index: Int32, service: Service)
    throws(Misuse) -> (inout Configuration) -> Void
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'pipeline' must be a table, got \(value.typeName)")
    }
    var order: [PipelineStageKey]?
    // The order is read first, because it creates the script's own stages.
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard key.string == "order" else { return }
      order = try call.callbacks.stages.order(
        element, LuaTable.visitedIndex(in: call.state), call.state)
    }
    var caches: [(key: PipelineStageKey, cache: AssignedCache?)] = []
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      let name = key.text ?? ""
      guard name != "order" else { return }
      let stage = try call.callbacks.stages.key(name)
      guard element.kind == Int32(LULL_TABLE) else {
        throw .message(
          "the stage '\(name)' must be a table such as { cache = … }, got "
            + element.typeName)
      }
      try call.reading.options.forEach(
        of: LuaTable.visitedIndex(in: call.state), in: call.state, known: ["cache"]
      ) {
        _, given throws(Misuse) in
        // The value false removes a cache that an earlier configuration block has set.
        let cache =
          given.bool == false
          ? nil
          : try call.callbacks.cache(
            given, LuaTable.visitedIndex(in: call.state), call.state, service: service)
        caches.append((stage, cache))
      }
    }
    return { settings in
      if let order { settings.pipeline.order = order }
      for (key, cache) in caches { settings.pipeline[key].setCache(cache) }
    }
  }

  /// Returns a pipeline as a read-only table, for the result of `configuration_for`.
  static func value(of pipeline: Pipeline) -> LuaValue {
    var fields: [(String, LuaValue)] = [
      ("order", .list(pipeline.order.map { .string($0.description) }))
    ]
    for key in pipeline.order where !pipeline[key].isEmpty {
      let stage = pipeline[key]
      fields.append(
        (
          key.description,
          .readOnly([
            ("transformers", .list(stage.transformerDescriptions.map { .string($0) })),
            ("cache", stage.assignedCache),
          ])
        ))
    }
    return .readOnly(fields)
  }
}
