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
  ///   - pattern: wildcards, a resource, or a regular expression; see `ConfigurationPatternConvertible`.
  ///   - transformErrors: whether bodies of failures are decoded too; one that does not fit stays.
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
  public func configureTransformer<Model: Decodable & Sendable>(
    _ pattern: some ConfigurationPatternConvertible, as type: Model.Type,
    requestMethods: [RequestMethod] = Service.transformedMethods,
    atStage stage: PipelineStageKey = .model,
    action: PipelineStage.MutationAction = .replaceExisting, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    description: String? = nil, file: String = #fileID, line: Int = #line
  ) {
    let pattern: ConfigurationPattern? = pattern.configurationPattern(for: self)
    configureTransformer(
      pattern, as: type, requestMethods: requestMethods, atStage: stage, action: action,
      contentTypes: contentTypes, onInputTypeMismatch: mismatch, transformErrors: transformErrors,
      description: description, file: file, line: line)
  }

  /// The same for resources that match any other pattern, or for all.
  public func configureTransformer<Model: Decodable & Sendable>(
    _ pattern: ConfigurationPattern? = nil, as type: Model.Type,
    requestMethods: [RequestMethod] = Service.transformedMethods,
    atStage stage: PipelineStageKey = .model,
    action: PipelineStage.MutationAction = .replaceExisting, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    description: String? = nil, file: String = #fileID, line: Int = #line
  ) {
    configure(
      ResponseContentTransformer(
        as: type, description: description, contentTypes: contentTypes,
        onInputTypeMismatch: mismatch, transformErrors: transformErrors),
      for: pattern, requestMethods: Set(requestMethods), atStage: stage, action: action,
      source: SourcePlace(file: file, line: line))
  }
}
