extension Service {
  /// Makes content of matching resources something of the program's own by a function that may wait, such
  /// as for other resources; otherwise as for one that answers at once.
  ///
  /// Order of events: the function begins on a later turn, on the home, in a task of its own; the pipeline
  /// goes on when it has returned, and only then hooks, observers and who waits for the request hear of
  /// it. Cancelling the request cancels that task, and so does the end of the home. Responses of several
  /// requests are transformed side by side. Waiting for the request whose content it is given, directly or
  /// through others, is an error at once; what is to wait for that starts with `home.spawn`, which counts as
  /// no part of it, as a plain `Task` does. The service keeps the function: take that as `unowned`, which it
  /// has for as long as it runs. Lua: `service:transform(pattern, fn, options)` with a function that waits.
  /// (TRF-04 to TRF-24, AWT-01 to AWT-14)
  ///
  ///     api.configureTransformer("/posts/*") {
  ///       [unowned api] (post: [String: JSONValue], _) async throws -> Post in
  ///       let author = try await api.resource(post["author"]?.string ?? "").fresh(Author.self)
  ///       return Post(post, by: author)
  ///     }
  ///
  /// - Parameters:
  ///   - pattern: wildcards, a resource, or a regular expression; see `ConfigurationPatternConvertible`.
  ///   - requestMethods: unlike those of `configure` without HEAD and OPTIONS. (TRF-20, TRF-21)
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
    contentTransform:
      nonisolated(nonsending) @escaping (
        _ content: Input, _ entity: Entity
      ) async throws -> Output?
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
    contentTransform:
      nonisolated(nonsending) @escaping (
        _ content: Input, _ entity: Entity
      ) async throws -> Output?
  ) {
    configure(
      ResponseContentTransformer(
        description: description, contentTypes: contentTypes, onInputTypeMismatch: mismatch,
        transformErrors: transformErrors, processor: contentTransform),
      for: pattern, requestMethods: Set(requestMethods), atStage: stage, action: action,
      source: SourcePlace(file: file, line: line))
  }
}
