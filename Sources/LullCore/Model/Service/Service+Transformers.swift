// Content transformers for the resources that match a pattern: synchronous functions, asynchronous
// functions, and types to decode.
extension Service {
  /// Transforms the content of matching resources, for example to a model. (TRF-04 to TRF-24) Lua:
  /// `service:transform(pattern, fn, options)`.
  ///
  /// The function runs on the home thread, once for each response, never for a 304 (TRF-03). The
  /// function must not wait. For its argument and result types, and for errors, see
  /// `ResponseContentTransformer`.
  ///
  ///     api.configureTransformer("/users/*") { (user: [String: JSONValue], _) in User(user) }
  ///
  /// - Parameters:
  ///   - pattern: Wildcards, a resource, or a regular expression; see
  ///     `ConfigurationPatternConvertible`. By default, every resource matches.
  ///   - requestMethods: The methods that the transformer applies to. By default, unlike for
  ///     `configure`, HEAD and OPTIONS are not included. (TRF-20, TRF-21)
  ///   - stage: The stage of the pipeline in which the function runs. (TRF-19)
  ///   - action: Whether the transformer replaces the existing transformers of the stage, or
  ///     follows them. (TRF-17, TRF-18)
  ///   - file: The source file of the registration. Explanations show the file together with
  ///     `line`. By default, both are the position of the caller.
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

  /// Transforms the content of matching resources with an asynchronous function. The function may
  /// wait, for example for other resources. In all other respects this method is like
  /// `configureTransformer` with a synchronous function.
  ///
  /// Order of events: the function starts on a later turn, on the home, in a separate task. When
  /// the function has returned, the pipeline continues, and then hooks, observers and waiting tasks
  /// are called. Cancelling the request or ending the home cancels the task. Responses of several
  /// requests are transformed concurrently.
  ///
  /// The function must not wait for the request whose content it transforms, directly or through
  /// other requests; a wait for this request throws at once. To wait for that request, start
  /// separate work with `home.spawn` or in a plain `Task`. The service retains the function, so
  /// capture the service as `unowned`; the service exists while the function runs. Lua:
  /// `service:transform(pattern, fn, options)` with a function that waits. (TRF-04 to TRF-24,
  /// AWT-01 to AWT-14)
  ///
  ///     api.configureTransformer("/posts/*") {
  ///       [unowned api] (post: [String: JSONValue], _) async throws -> Post in
  ///       let author = try await api.resource(post["author"]?.string ?? "").fresh(Author.self)
  ///       return Post(post, by: author)
  ///     }
  ///
  /// - Parameters:
  ///   - pattern: Wildcards, a resource, or a regular expression; see
  ///     `ConfigurationPatternConvertible`. By default, every resource matches.
  ///   - requestMethods: The methods that the transformer applies to. By default, unlike for
  ///     `configure`, HEAD and OPTIONS are not included. (TRF-20, TRF-21)
  ///   - stage: The stage of the pipeline in which the function runs. (TRF-19)
  ///   - action: Whether the transformer replaces the existing transformers of the stage, or
  ///     follows them. (TRF-17, TRF-18)
  ///   - file: The source file of the registration. Explanations show the file together with
  ///     `line`. By default, both are the position of the caller.
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

  /// Decodes the JSON of matching resources as a value of the given type. The value becomes the
  /// content of the resource.
  ///
  /// If the JSON can't be decoded, the request fails with the cause `wrongContent`, which contains
  /// the coding path. The resource keeps its older data. Documents above 64 KB are decoded in the
  /// thread pool. In all other respects this method is like `configureTransformer` with a function.
  /// (TRF-16 to TRF-22)
  ///
  ///     api.configureTransformer("/users/*", as: User.self)
  ///     let user: User? = api.resource("/users/7").typedContent()
  ///
  /// - Parameters:
  ///   - pattern: Wildcards, a resource, or a regular expression; see
  ///     `ConfigurationPatternConvertible`. By default, every resource matches.
  ///   - transformErrors: Whether bodies of failures are decoded too. A body that can't be decoded
  ///     is left unchanged.
  ///   - file: The source file of the registration. Explanations show the file together with
  ///     `line`. By default, both are the position of the caller.
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
