import CLullBridge
import LullCore

/// `config.pipeline`, or one stage of it: a window on the configuration being computed.
final class StageBox {
  let configuration: ConfigurationBox
  let key: PipelineStageKey

  init(_ configuration: ConfigurationBox, _ key: PipelineStageKey) {
    self.configuration = configuration
    self.key = key
  }
}

extension Method {
  private static func pipeline(_ call: Call) throws(Misuse) -> ConfigurationBox {
    try call.selfObject(.pipeline, as: ConfigurationBox.self).open()
  }

  private static func stage(_ call: Call) throws(Misuse) -> StageBox {
    let box = try call.selfObject(.stage, as: StageBox.self)
    _ = try box.configuration.open()
    return box
  }

  static let pipelineMethods: [Method] = [
    .getter(.pipeline, "order") { call throws(Misuse) in
      call.return(
        .list(try pipeline(call).settings.pipeline.order.map { .string($0.description) }))
    },
    .setter(.pipeline, "order") { call throws(Misuse) in
      let box = try pipeline(call)
      box.settings.pipeline.order = try call.host.stageOrder(call, call.raw(1), call.index(1))
    },
    .method(.pipeline, "clear") { call throws(Misuse) in
      try pipeline(call).settings.pipeline.clear()
      call.returnSelf()
    },
    .method(.pipeline, "__index", "v") { call throws(Misuse) in
      let box = try pipeline(call)
      let name = call.raw(1).text ?? ""
      let key = try call.host.stageKey(name, in: box.settings.pipeline)
      call.return(call.values.of(StageBox(box, key), .stage, service: box.service))
    },
    .method(.pipeline, "__tostring") { call throws(Misuse) in
      let order = try pipeline(call).settings.pipeline.order.map(\.description)
      call.return(.string("Pipeline(\(order.joined(separator: ", ")))"))
    },

    .method(.stage, "add", "fT") { call throws(Misuse) in
      let box = try stage(call)
      let service = box.configuration.service
      var options = LuaTransformer.Options()
      if !call.isNil(2) {
        try call.reading.options.forEach(
          of: call.index(2), in: call.state, known: LuaTransformer.Options.keys
        ) { name, value throws(Misuse) in
          try options.set(name, value, call, LuaTable.visitedIndex(in: call.state), service)
        }
      }
      let function = LuaTransformer(
        host: call.host, function: try call.kept.kept(call.state, call.index(1), for: service),
        options: options)
      box.configuration.settings.pipeline[box.key].add(
        ContentTransformer(function, rules: options.rules))
      call.returnSelf()
    },
    .method(.stage, "add_transformer", "f") { call throws(Misuse) in
      let box = try stage(call)
      let function = try call.kept.kept(
        call.state, call.index(1), for: box.configuration.service)
      box.configuration.settings.pipeline[box.key].add(
        LuaResponseTransformer(host: call.host, function: function))
      call.returnSelf()
    },
    .method(.stage, "add_standard", "s") { call throws(Misuse) in
      let box = try stage(call)
      guard let standard = StandardTransformer(rawValue: call.string(1)) else {
        throw .argument(1, "\"json\" or \"text\" expected, got '\(call.string(1))'")
      }
      box.configuration.settings.pipeline[box.key].add(standard.make())
      call.returnSelf()
    },
    .method(.stage, "remove_transformers") { call throws(Misuse) in
      let box = try stage(call)
      box.configuration.settings.pipeline[box.key].removeTransformers()
      call.returnSelf()
    },
    .getter(.stage, "cache") { call throws(Misuse) in
      let box = try stage(call)
      let cache = box.configuration.settings.pipeline[box.key].cache
      call.return((cache as? any ScriptCache).map { .ref($0.assigned.id) } ?? .nil)
    },
    .setter(.stage, "cache") { call throws(Misuse) in
      let box = try stage(call)
      let cache = try call.host.cache(
        call, call.raw(1), call.index(1), service: box.configuration.service)
      box.configuration.settings.pipeline[box.key].setCache(cache)
    },
    .method(.stage, "__tostring") { call throws(Misuse) in
      let box = try stage(call)
      let count = box.configuration.settings.pipeline[box.key].transformerDescriptions.count
      call.return(.string("PipelineStage(\(box.key.description), \(count) transformers)"))
    },
  ]
}

extension ConfigurationBox {
  func open() throws(Misuse) -> ConfigurationBox {
    guard isOpen else {
      throw .message(
        "this Configuration is closed: it is valid only inside its configure function")
    }
    return self
  }
}

extension PipelineStage {
  mutating func setCache(_ cache: (any EntityCache)?) {
    if let cache { cacheUsing(cache) } else { doNotCache() }
  }
}

extension LuaHost {
  /// The stages a list of names stands for; names of the script's own become stages here.
  func stageOrder(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> [PipelineStageKey]
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'order' must be a list of stage names, got \(value.typeName)")
    }
    var names: [(position: Int64, name: String)] = []
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), let name = element.string, !name.isEmpty
      else { throw .message("'order' must be a list of stage names") }
      guard !["order", "clear"].contains(name) else {
        throw .message("a stage cannot be named '\(name)'")
      }
      if names.contains(where: { $0.name == name }) {
        throw .message("'order' names the stage '\(name)' more than once")
      }
      names.append((key.integer, name))
    }
    return names.sorted { $0.position < $1.position }.map { entry in
      if let known = stageKeys[entry.name] { return known }
      let key = PipelineStageKey(description: entry.name)
      stageKeys[entry.name] = key
      return key
    }
  }

  /// A stage of the pipeline by name, or of the model's own whether they run or not.
  func stageKey(_ name: String, in pipeline: Pipeline) throws(Misuse) -> PipelineStageKey {
    let candidates = pipeline.order + PipelineStageKey.standardOrder
    if let key = candidates.first(where: { $0.description == name }) { return key }
    throw unknownStage(name, among: candidates.map(\.description))
  }

  /// A stage by name, for what is registered before any pipeline exists.
  func stageKey(_ name: String) throws(Misuse) -> PipelineStageKey {
    if let key = stageKeys[name] { return key }
    throw unknownStage(name, among: stageKeys.keys.sorted())
  }

  private func unknownStage(_ name: String, among known: [String]) -> Misuse {
    var seen: Set<String> = []
    let names = known.filter { seen.insert($0).inserted }.joined(separator: ", ")
    return .message(
      "there is no stage '\(name)'; the stages are \(names), and those named in pipeline.order")
  }

  /// `pipeline = { order = {…}, model = { cache = … } }` of a settings table.
  func pipelineChange(_ call: Call, _ value: lull_value, _ index: Int32, service: Service)
    throws(Misuse) -> (inout Configuration) -> Void
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'pipeline' must be a table, got \(value.typeName)")
    }
    var order: [PipelineStageKey]?
    // The order first: it makes stages of the script's own.
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard key.string == "order" else { return }
      order = try stageOrder(call, element, LuaTable.visitedIndex(in: call.state))
    }
    var caches: [(key: PipelineStageKey, cache: (any EntityCache)?)] = []
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      let name = key.text ?? ""
      guard name != "order" else { return }
      let stage = try stageKey(name)
      guard element.kind == Int32(LULL_TABLE) else {
        throw .message(
          "the stage '\(name)' must be a table such as { cache = … }, got "
            + element.typeName)
      }
      try reading.options.forEach(
        of: LuaTable.visitedIndex(in: call.state), in: call.state, known: ["cache"]
      ) {
        _, given throws(Misuse) in
        // false switches off what an earlier block has set.
        let cache =
          given.bool == false
          ? nil : try cache(call, given, LuaTable.visitedIndex(in: call.state), service: service)
        caches.append((stage, cache))
      }
    }
    return { settings in
      if let order { settings.pipeline.order = order }
      for (key, cache) in caches { settings.pipeline[key].setCache(cache) }
    }
  }

  /// A pipeline as `configuration_for` shows it.
  static func describe(_ pipeline: Pipeline) -> LuaValue {
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
            ("cache", (stage.cache as? any ScriptCache).map { .ref($0.assigned.id) } ?? .nil),
          ])
        ))
    }
    return .readOnly(fields)
  }
}
