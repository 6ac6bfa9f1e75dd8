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
      box.settings.pipeline.order = try call.stages.order(call.raw(1), call.index(1), call.state)
    },
    .method(.pipeline, "clear") { call throws(Misuse) in
      try pipeline(call).settings.pipeline.clear()
      call.returnSelf()
    },
    .method(.pipeline, "__index", "v") { call throws(Misuse) in
      let box = try pipeline(call)
      let name = call.raw(1).text ?? ""
      let key = try call.stages.key(name, in: box.settings.pipeline)
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
        try call.kept.kept(call.state, call.index(1), for: service), options, call.callbacks)
      box.configuration.settings.pipeline[box.key].add(
        ResponseContentTransformer(function, rules: options.rules))
      call.returnSelf()
    },
    .method(.stage, "add_transformer", "f") { call throws(Misuse) in
      let box = try stage(call)
      let function = try call.kept.kept(
        call.state, call.index(1), for: box.configuration.service)
      box.configuration.settings.pipeline[box.key].add(
        LuaResponseTransformer(function, call.callbacks))
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
      call.return(box.configuration.settings.pipeline[box.key].assignedCache)
    },
    .setter(.stage, "cache") { call throws(Misuse) in
      let box = try stage(call)
      let cache = try call.caches.cache(
        call.raw(1), call.index(1), call.state, service: box.configuration.service)
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
