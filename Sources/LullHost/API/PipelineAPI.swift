extension APIOwner {
  static let pipeline = APIOwner.object(
    .pipeline, receiver: "config.pipeline",
    "The stages a response goes through, in order.",
    """
    Stages mean nothing besides their order. The pipeline runs once per response, and not for a \
    304.
    """,
    swift: "Pipeline",
    entries: [
      .property(
        "order", "string[]", "The names of the stages that run, in order.",
        """
        Assign a list. A name that is new makes a stage of your own; a stage left out does not \
        run, nor does its cache. A name twice raises.
        """,
        writable: true,
        example: """
          api:configure("/users/*", function(config)
            config.pipeline.order = { "parsing", "check", "model" }
            config.pipeline.check:add(function(content) return assert(content.name) end)
          end)
          print(assert(user:load():await()).content) --> Ann
          """,
        swift: "Pipeline.order", rules: "PIPE-01 PIPE-02 PIPE-03 PIPE-04 PIPE-08 PIPE-09"),
      .operation(
        "__index", "(stage: string): PipelineStage", shown: "config.pipeline.<stage>",
        "A stage by its name: `config.pipeline.model`; a name that is not in `order` raises.",
        swift: "Pipeline.subscript(_:)"),
      .method(
        "clear", "(): Pipeline", "Takes all transformers and caches away; content stays raw bytes.",
        example: """
          api:configure("/users/*", function(config) config.pipeline:clear() end)
          print(type(assert(user:load():await()).content))   --> string
          """,
        swift: "Pipeline.clear()", rules: "PIPE-07 PIPE-12 CFG-21"),
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
        swift: "PipelineStage.add(_:)", rules: "PIPE-05 TRF-15"),
      .method(
        "add_transformer", "(fn: fun(response: Response): Response): PipelineStage",
        "Adds a transformer of whole responses, successes and failures alike.",
        """
        It may turn one into the other and change headers. It may wait. Returning no response \
        fails the request; raising is as in `service:transform`.
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
        rules: "TRF-01 TRF-02 TRF-03 PIPE-17 ERR-12 ERR-13"),
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
        rules: "PIPE-19 TRF-32 TRF-34"),
      .method(
        "remove_transformers", "(): PipelineStage",
        "Takes the stage's transformers away; its cache stays.",
        swift: "PipelineStage.removeTransformers()", rules: "PIPE-06 PIPE-12"),
      .property(
        "cache", "Cache|CacheTable|nil", "The stage's cache; nil takes it away.",
        """
        Assign `lull.cache.memory()` or a table of your own. GET loads write what the stage put \
        out; an untouched resource is filled from the latest stage that has an entry.
        """,
        writable: true,
        example: """
          api:configure(function(config) config.pipeline.parsing.cache = lull.cache.memory() end)
          assert(user:load():await())
          """,
        swift: "PipelineStage.cacheUsing(_:)", rules: "PIPE-13 CACHE-10 CACHE-14 CACHE-37"),
    ])

  static let stageNames = APIOwner.words(
    "StageName", "The stages there are by default, in order; `order` may name others.",
    swift: "PipelineStageKey",
    entries: [
      .word("raw_data", "Bytes as received.", swift: "PipelineStageKey.rawData"),
      .word("decoding", "Bytes, decrypted or unpacked.", swift: "PipelineStageKey.decoding"),
      .word(
        "parsing", "JSON and text; the standard parsers are here.",
        swift: "PipelineStageKey.parsing"),
      .word("model", "Values of your own.", swift: "PipelineStageKey.model"),
      .word("cleanup", "What comes last.", swift: "PipelineStageKey.cleanup"),
    ])
}
