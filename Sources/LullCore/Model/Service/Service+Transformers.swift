// Content transformers for the resources that match a pattern: synchronous functions, asynchronous
// functions, and types to decode.
extension Service {
  /// Transforms the content of matching resources, for example to a model. (TRF-04 to TRF-24) Lua:
  /// `service:transform(pattern, fn, options)`.
  ///
  /// The function runs on the home thread, once for each response, never for a 304 (TRF-03), and
  /// must not wait. For its argument and result types, and for errors, see
  /// `ResponseContentTransformer`.
  ///
  ///     api.configureTransformer("/users/*") { (user: [String: JSONValue], _) in User(user) }
  ///
  /// - Parameters:
  ///   - pattern: Wildcards, a resource, or a regular expression, see
  ///     `ConfigurationPatternConvertible`; by default every resource.
  ///   - requestMethods: By default without HEAD and OPTIONS, unlike those of `configure`. (TRF-20,
  ///     TRF-21)
  ///   - stage: The stage of the pipeline in which it runs. (TRF-19)
  ///   - action: Whether it replaces the stage's transformers or follows them. (TRF-17, TRF-18)
  ///   - file: The file of the registration, shown in explanations; by default that of the caller,
  ///     as is the line.
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

  /// Transforms the content of matching resources with a function that may wait, for example for
  /// other resources; otherwise as for a function that does not wait.
  ///
  /// Order of events: the function starts on a later turn, on the home, in a separate task. The
  /// pipeline continues when it has returned; only then are hooks, observers and waiting tasks
  /// called. Cancelling the request cancels that task, and so does the end of the home. Responses
  /// of several requests are transformed concurrently. Waiting for the request whose content is
  /// transformed, directly or through others, throws at once. Work that has to wait for that
  /// request must be started with `home.spawn` or in a plain `Task`, which are not part of it. The
  /// service keeps the function, so capture the service as `unowned`; it exists while the function
  /// runs. Lua: `service:transform(pattern, fn, options)` with a function that waits. (TRF-04 to
  /// TRF-24, AWT-01 to AWT-14)
  ///
  ///     api.configureTransformer("/posts/*") {
  ///       [unowned api] (post: [String: JSONValue], _) async throws -> Post in
  ///       let author = try await api.resource(post["author"]?.string ?? "").fresh(Author.self)
  ///       return Post(post, by: author)
  ///     }
  ///
  /// - Parameters:
  ///   - pattern: Wildcards, a resource, or a regular expression, see
  ///     `ConfigurationPatternConvertible`; by default every resource.
  ///   - requestMethods: By default without HEAD and OPTIONS, unlike those of `configure`. (TRF-20,
  ///     TRF-21)
  ///   - stage: The stage of the pipeline in which it runs. (TRF-19)
  ///   - action: Whether it replaces the stage's transformers or follows them. (TRF-17, TRF-18)
  ///   - file: The file of the registration, shown in explanations; by default that of the caller,
  ///     as is the line.
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

  /// Decodes the JSON of matching resources as a type of the program, which becomes their content.
  ///
  /// JSON that can't be decoded fails the request with the cause `wrongContent`, which has the
  /// coding path; older data stays. Documents above 64 KB are decoded in the thread pool. Otherwise
  /// as `configureTransformer` with a function. (TRF-16 to TRF-22)
  ///
  ///     api.configureTransformer("/users/*", as: User.self)
  ///     let user: User? = api.resource("/users/7").typedContent()
  ///
  /// - Parameters:
  ///   - pattern: Wildcards, a resource, or a regular expression, see
  ///     `ConfigurationPatternConvertible`; by default every resource.
  ///   - transformErrors: Whether bodies of failures are decoded too. One that can't be decoded
  ///     stays unchanged.
  ///   - file: The file of the registration, shown in explanations; by default that of the caller,
  ///     as is the line.
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

  /// GET, PUT, POST, PATCH and DELETE: the methods that transformers apply to by default. (TRF-21)
  public static let transformedMethods: [RequestMethod] = [.get, .put, .post, .patch, .delete]

  /// Registers an existing transformer. Logs show its description.
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
