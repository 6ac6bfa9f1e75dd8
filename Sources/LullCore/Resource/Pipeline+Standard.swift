extension Pipeline {
  /// Adds one of the standard parsers at its stage, for the types it is for, where `init` of the service was
  /// not told to. (SVC-35, TRF-32) Lua: `stage:add_standard(name)`.
  public mutating func add(_ transformer: StandardTransformer) {
    self[transformer.stage].add(transformer.make())
  }
}

extension PipelineStage {
  /// Adds a transformer for responses of these content types only, such as `*/xml` and `text/*`; others pass
  /// it unchanged. (TRF-25)
  public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
    add(SelectiveTransformer(transformer, contentTypes))
  }
}
