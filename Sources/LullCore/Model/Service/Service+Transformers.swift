// Transformers of content for the resources that match a pattern: a function that answers at once, one that waits,
// and a type that is decoded.
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
  ///   - pattern: wildcards, a resource, or a regular expression, see `ConfigurationPatternConvertible`; every
  ///     resource unless given.
  ///   - requestMethods: unlike those of `configure` without HEAD and OPTIONS. (TRF-20,
  ///     TRF-21)
  ///   - stage: where in the pipeline it runs. (TRF-19)
  ///   - action: whether it replaces the stage's transformers or follows them. (TRF-17, TRF-18)
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
  public func configureTransformer<
    Pattern: ConfigurationPatternConvertible, Input, Output: Sendable
  >(
    _ pattern: Pattern = ConfigurationPattern.all,
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
      for: pattern.configurationPattern(for: self), requestMethods: Set(requestMethods),
      atStage: stage, action: action, source: SourcePlace(file: file, line: line))
  }

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
  ///   - pattern: wildcards, a resource, or a regular expression, see `ConfigurationPatternConvertible`; every
  ///     resource unless given.
  ///   - requestMethods: unlike those of `configure` without HEAD and OPTIONS. (TRF-20, TRF-21)
  ///   - stage: where in the pipeline it runs. (TRF-19)
  ///   - action: whether it replaces the stage's transformers or follows them. (TRF-17, TRF-18)
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
  public func configureTransformer<
    Pattern: ConfigurationPatternConvertible, Input, Output: Sendable
  >(
    _ pattern: Pattern = ConfigurationPattern.all,
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
      for: pattern.configurationPattern(for: self), requestMethods: Set(requestMethods),
      atStage: stage, action: action, source: SourcePlace(file: file, line: line))
  }

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
  ///   - pattern: wildcards, a resource, or a regular expression, see `ConfigurationPatternConvertible`; every
  ///     resource unless given.
  ///   - transformErrors: whether bodies of failures are decoded too; one that does not fit stays.
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
  public func configureTransformer<
    Pattern: ConfigurationPatternConvertible, Model: Decodable & Sendable
  >(
    _ pattern: Pattern = ConfigurationPattern.all, as type: Model.Type,
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
      for: pattern.configurationPattern(for: self), requestMethods: Set(requestMethods),
      atStage: stage, action: action, source: SourcePlace(file: file, line: line))
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
