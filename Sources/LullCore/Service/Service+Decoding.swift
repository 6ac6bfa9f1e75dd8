extension Service {
  /// Makes the JSON of matching resources a type of the program's: their content then is that model.
  ///
  /// JSON that does not fit fails the request with the cause `wrongContent`, which names the coding path,
  /// and leaves older data as it is. Documents above 64 KB are decoded in the pool. What it is for
  /// otherwise, and in which order: `configureTransformer` with a function. (TRF-16 to TRF-22)
  ///
  ///     api.configureTransformer("/users/*", as: User.self)
  ///     let user: User? = api.resource("/users/7").typedContent()
  ///
  /// - Parameters:
  ///   - pattern: wildcards, resolved against the base URL unless it begins with a scheme.
  ///   - transformErrors: whether bodies of failures are decoded too; one that does not fit stays.
  public func configureTransformer<Model: Decodable & Sendable>(
    _ pattern: String, as type: Model.Type, stage: PipelineStageKey = .model,
    action: TransformerAction = .replace, methods: Set<String> = Service.transformedMethods,
    contentTypes: [String]? = nil, onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
    transformErrors: Bool = false, description: String? = nil
  ) {
    configureTransformer(
      .wildcard(pattern, base: baseURL), as: type, stage: stage, action: action, methods: methods,
      contentTypes: contentTypes, onInputTypeMismatch: mismatch, transformErrors: transformErrors,
      description: description)
  }

  /// The same for resources that match any other pattern, or for all.
  public func configureTransformer<Model: Decodable & Sendable>(
    _ pattern: ConfigurationPattern? = nil, as type: Model.Type, stage: PipelineStageKey = .model,
    action: TransformerAction = .replace, methods: Set<String> = Service.transformedMethods,
    contentTypes: [String]? = nil, onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
    transformErrors: Bool = false, description: String? = nil
  ) {
    configure(
      ContentTransformer(
        as: type, description: description, contentTypes: contentTypes,
        onInputTypeMismatch: mismatch, transformErrors: transformErrors),
      for: pattern, stage: stage, action: action, methods: methods)
  }
}
