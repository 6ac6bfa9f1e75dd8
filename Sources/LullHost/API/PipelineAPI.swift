import CLullBridge
import LullCore

extension APIOwner {
  static let pipeline = APIOwner.object(
    .pipeline, receiver: "config.pipeline",
    "The stages that a response passes through, in order.",
    """
    Stages have no meaning except their order. The pipeline runs once per response, and not for a \
    304.
    """,
    swift: "Pipeline",
    entries: [
      .property(
        "order", "string[]", "The names of the stages that run, in order.",
        """
        Assign a list of names. A new name makes a new stage; a stage that is not in the list does \
        not run, and its cache is not used. A repeated name raises an error.
        """,
        example: """
          api:configure("/users/*", function(config)
            config.pipeline.order = { "parsing", "check", "model" }
            config.pipeline.check:add(function(content) return assert(content.name) end)
          end)
          print(assert(user:load():await()).content) --> Ann
          """,
        swift: "Pipeline.order", rules: "PIPE-01 PIPE-02 PIPE-03 PIPE-04 PIPE-08 PIPE-09"
      ) { call throws(Misuse) in
        call.return(
          .list(try pipeline(call).settings.pipeline.order.map { .string($0.description) }))
      } set: { call throws(Misuse) in
        let box = try pipeline(call)
        box.settings.pipeline.order = try call.callbacks.stages.order(
          call.raw(1), call.index(1), call.state)
      },
      .operation(
        "__index", "(stage: string): PipelineStage", shown: "config.pipeline.<stage>",
        """
        The stage with the given name, such as `config.pipeline.model`; a name that is not in \
        `order` raises an error.
        """,
        swift: "Pipeline.subscript(_:)"
      ) { call throws(Misuse) in
        let box = try pipeline(call)
        let name = call.raw(1).text ?? ""
        let key = try call.callbacks.stages.key(name, in: box.settings.pipeline)
        call.return(call.values.of(StageBox(box, key), .stage, service: box.service))
      },
      .method(
        "clear", "(): Pipeline", "Removes all transformers and caches; content stays raw bytes.",
        example: """
          api:configure("/users/*", function(config) config.pipeline:clear() end)
          print(type(assert(user:load():await()).content))   --> string
          """,
        swift: "Pipeline.clear()", rules: "PIPE-07 PIPE-12 CFG-21"
      ) { call throws(Misuse) in
        try pipeline(call).settings.pipeline.clear()
        call.returnSelf()
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let order = try pipeline(call).settings.pipeline.order.map(\.description)
        call.return(.string("Pipeline(\(order.joined(separator: ", ")))"))
      }
    ])

  static let stage = APIOwner.object(
    .stage, receiver: "stage",
    "One stage of a pipeline: its transformers in order, and at most one cache.",
    swift: "PipelineStage",
    entries: [
      .method(
        "add",
        "(fn: Transformer, options?: StageOptions): PipelineStage",
        "Adds a transformer of content, as `service:transform` does.",
        example: """
          api:configure("/users/*", function(config)
            config.pipeline.model:add(function(content) return content.name end)
          end)
          print(assert(user:load():await()).content) --> Ann
          """,
        swift: "PipelineStage.add(_:)", rules: "PIPE-05 TRF-15"
      ) { call throws(Misuse) in
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
          try call.stored.storedValue(call.state, call.index(1), for: service), options,
          call.callbacks)
        box.configuration.settings.pipeline[box.key].add(
          ResponseContentTransformer(function, rules: options.rules))
        call.returnSelf()
      },
      .method(
        "add_transformer", "(fn: fun(response: Response): Response): PipelineStage",
        "Adds a transformer of whole responses, successes and failures alike.",
        """
        The function may turn a success into a failure or a failure into a success, and may change \
        headers. It may wait. If it returns no response, the request fails; errors that it raises \
        are handled as by `service:transform`.
        """,
        example: """
          api:configure("/users/9", function(config)
            config.pipeline.cleanup:add_transformer(function(response)
              return response.http_status == 404 and lull.success{ content = lull.null } or response
            end)
          end)
          print(assert(api("/users/9"):load():await()).content == lull.null)   --> true
          """,
        swift: "PipelineStage.add(description:_:)",
        rules: "TRF-01 TRF-02 TRF-03 PIPE-17 ERR-12 ERR-13"
      ) { call throws(Misuse) in
        let box = try stage(call)
        let function = try call.stored.storedValue(
          call.state, call.index(1), for: box.configuration.service)
        box.configuration.settings.pipeline[box.key].add(
          LuaResponseTransformer(function, call.callbacks))
        call.returnSelf()
      },
      .method(
        "add_standard", "(name: \"json\"|\"text\"): PipelineStage",
        "Adds the standard parser `\"json\"` or `\"text\"`.",
        example: """
          api:configure("/users/*", function(config)
            config.pipeline:clear()
            config.pipeline.parsing:add_standard("json")
          end)
          print(assert(user:load():await()).content.name)    --> Ann
          """, swift: "Pipeline.add(_:)",
        rules: "PIPE-19 TRF-32 TRF-34"
      ) { call throws(Misuse) in
        let box = try stage(call)
        guard let standard = StandardTransformer(rawValue: call.string(1)) else {
          throw .argument(1, "\"json\" or \"text\" expected, got '\(call.string(1))'")
        }
        box.configuration.settings.pipeline[box.key].add(standard.make())
        call.returnSelf()
      },
      .method(
        "remove_transformers", "(): PipelineStage",
        "Removes the stage's transformers; its cache stays.",
        swift: "PipelineStage.removeTransformers()", rules: "PIPE-06 PIPE-12"
      ) { call throws(Misuse) in
        let box = try stage(call)
        box.configuration.settings.pipeline[box.key].removeTransformers()
        call.returnSelf()
      },
      .property(
        "cache", "Cache|CacheTable|nil", "The stage's cache; nil removes it.",
        """
        Assign `lull.cache.memory()` or your own table. GET loads write the output of the stage to \
        the cache. A resource without data in memory is filled from the last stage whose cache has \
        an entry.
        """,
        example: """
          api:configure(function(config) config.pipeline.parsing.cache = lull.cache.memory() end)
          assert(user:load():await())
          """,
        swift: "PipelineStage.cacheUsing(_:)", rules: "PIPE-13 CACHE-10 CACHE-14 CACHE-37"
      ) { call throws(Misuse) in
        let box = try stage(call)
        call.return(box.configuration.settings.pipeline[box.key].assignedCache)
      } set: { call throws(Misuse) in
        let box = try stage(call)
        let cache = try call.callbacks.cache(
          call.raw(1), call.index(1), call.state, service: box.configuration.service)
        box.configuration.settings.pipeline[box.key].setCache(cache)
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let box = try stage(call)
        let count = box.configuration.settings.pipeline[box.key].transformerDescriptions.count
        call.return(.string("PipelineStage(\(box.key.description), \(count) transformers)"))
      }
    ])

  static let stageNames = APIOwner.words(
    "StageName", "The stages that exist by default, in order; `order` may name others.",
    swift: "PipelineStageKey",
    entries: [
      .word("raw_data", "Bytes as received.", swift: "PipelineStageKey.rawData"),
      .word(
        "decoding", "Bytes after decryption or decompression.", swift: "PipelineStageKey.decoding"),
      .word(
        "parsing", "JSON and text; the standard parsers are here.",
        swift: "PipelineStageKey.parsing"),
      .word("model", "Values that your own transformers make.", swift: "PipelineStageKey.model"),
      .word("cleanup", "The last step.", swift: "PipelineStageKey.cleanup"),
    ])
}

extension APIOwner {
  private static func pipeline(_ call: Call) throws(Misuse) -> ConfigurationBox {
    try call.selfObject(.pipeline, as: ConfigurationBox.self).open()
  }

  private static func stage(_ call: Call) throws(Misuse) -> StageBox {
    let box = try call.selfObject(.stage, as: StageBox.self)
    _ = try box.configuration.open()
    return box
  }
}

/// `config.pipeline` or one of its stages: a reference into the configuration being computed.
final class StageBox {
  let configuration: ConfigurationBox
  let key: PipelineStageKey

  init(_ configuration: ConfigurationBox, _ key: PipelineStageKey) {
    self.configuration = configuration
    self.key = key
  }
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
