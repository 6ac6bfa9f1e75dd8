extension Service {
  /// Makes content of matching resources something of the program's own, such as a model. (TRF-04 to
  /// TRF-24) Lua: `service:transform(pattern, fn, options)`.
  ///
  /// The function runs on the home thread, once per response, never for a 304 (TRF-03), and must
  /// answer at once. What it takes and makes, and what happens if it cannot: `ResponseContentTransformer`.
  ///
  ///     api.configureTransformer("/users/*") { (user: [String: JSONValue], _) in User(user) }
  ///
  /// - Parameters:
  ///   - pattern: wildcards, a resource, or a regular expression; see `ConfigurationPatternConvertible`.
  ///   - requestMethods: unlike those of `configure` without HEAD and OPTIONS. (TRF-20,
  ///     TRF-21)
  ///   - stage: where in the pipeline it runs. (TRF-19)
  ///   - action: whether it replaces the stage's transformers or follows them. (TRF-17, TRF-18)
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
  public func configureTransformer<Input, Output: Sendable>(
    _ pattern: some ConfigurationPatternConvertible,
    requestMethods: [RequestMethod] = Service.transformedMethods,
    atStage stage: PipelineStageKey = .model,
    action: PipelineStage.MutationAction = .replaceExisting, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    description: String? = nil, file: String = #fileID, line: Int = #line,
    contentTransform: @escaping (_ content: Input, _ entity: Entity) throws -> Output?
  ) {
    let pattern: ConfigurationPattern? = pattern.configurationPattern(for: self)
    configureTransformer(
      pattern, requestMethods: requestMethods, atStage: stage,
      action: action, contentTypes: contentTypes, onInputTypeMismatch: mismatch,
      transformErrors: transformErrors, description: description, file: file, line: line,
      contentTransform: contentTransform)
  }

  /// The same for resources that match any other pattern, or for all.
  public func configureTransformer<Input, Output: Sendable>(
    _ pattern: ConfigurationPattern? = nil,
    requestMethods: [RequestMethod] = Service.transformedMethods,
    atStage stage: PipelineStageKey = .model,
    action: PipelineStage.MutationAction = .replaceExisting, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    description: String? = nil, file: String = #fileID, line: Int = #line,
    contentTransform: @escaping (_ content: Input, _ entity: Entity) throws -> Output?
  ) {
    configure(
      ResponseContentTransformer(
        description: description, contentTypes: contentTypes, onInputTypeMismatch: mismatch,
        transformErrors: transformErrors, processor: contentTransform),
      for: pattern, requestMethods: Set(requestMethods), atStage: stage, action: action,
      source: SourcePlace(file: file, line: line))
  }

  /// GET, PUT, POST, PATCH and DELETE: what transformers are for unless told otherwise. (TRF-21)
  public static let transformedMethods: [RequestMethod] = [.get, .put, .post, .patch, .delete]

  /// Registers a transformer that is made already; logs name it by its description.
  package func configure(
    _ transformer: ResponseContentTransformer, for pattern: ConfigurationPattern?,
    requestMethods: Set<RequestMethod>, atStage stage: PipelineStageKey,
    action: PipelineStage.MutationAction, source: SourcePlace? = nil
  ) {
    configure(
      pattern, requestMethods: requestMethods, description: transformer.description,
      source: source, isConstant: true
    ) { settings in
      if action == .replaceExisting { settings.pipeline[stage].removeTransformers() }
      settings.pipeline[stage].add(transformer)
    }
  }
}
