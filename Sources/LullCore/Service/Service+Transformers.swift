extension Service {
  /// Makes content of matching resources something of the program's own, such as a model. (TRF-04 to
  /// TRF-24) Lua: `service:transform(pattern, fn, options)`.
  ///
  /// The function runs on the home thread, once per response, never for a 304 (TRF-03), and must
  /// answer at once. What it takes and makes, and what happens if it cannot: `ContentTransformer`.
  ///
  ///     api.configureTransformer("/users/*") { (user: [String: JSONValue], _) in User(user) }
  ///
  /// - Parameters:
  ///   - pattern: wildcards, resolved against the base URL unless it begins with a scheme.
  ///   - stage: where in the pipeline it runs. (TRF-19)
  ///   - action: whether it replaces the stage's transformers or follows them. (TRF-17, TRF-18)
  ///   - methods: upper case; unlike those of `configure` without HEAD and OPTIONS. (TRF-20, TRF-21)
  public func configureTransformer<Input, Output: Sendable>(
    _ pattern: String, stage: PipelineStageKey = .model, action: TransformerAction = .replace,
    methods: Set<String> = Service.transformedMethods, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    description: String? = nil,
    _ transform: @escaping (_ content: Input, _ entity: Entity) throws -> Output?
  ) {
    configureTransformer(
      .wildcard(pattern, base: baseURL), stage: stage, action: action, methods: methods,
      contentTypes: contentTypes, onInputTypeMismatch: mismatch, transformErrors: transformErrors,
      description: description, transform)
  }

  /// The same for resources that match any other pattern, or for all.
  public func configureTransformer<Input, Output: Sendable>(
    _ pattern: ConfigurationPattern? = nil, stage: PipelineStageKey = .model,
    action: TransformerAction = .replace, methods: Set<String> = Service.transformedMethods,
    contentTypes: [String]? = nil, onInputTypeMismatch mismatch: InputTypeMismatchAction = .error,
    transformErrors: Bool = false, description: String? = nil,
    _ transform: @escaping (_ content: Input, _ entity: Entity) throws -> Output?
  ) {
    configure(
      ContentTransformer(
        description: description, contentTypes: contentTypes, onInputTypeMismatch: mismatch,
        transformErrors: transformErrors, transform),
      for: pattern, stage: stage, action: action, methods: methods)
  }

  /// GET, PUT, POST, PATCH and DELETE: what transformers are for unless told otherwise. (TRF-21)
  public static let transformedMethods: Set<String> = ["GET", "PUT", "POST", "PATCH", "DELETE"]

  /// Registers a transformer that is made already; logs name it by its description.
  package func configure(
    _ transformer: ContentTransformer, for pattern: ConfigurationPattern?, stage: PipelineStageKey,
    action: TransformerAction, methods: Set<String>, source: SourcePlace? = nil
  ) {
    configure(
      pattern, methods: methods, description: transformer.description, source: source,
      isConstant: true
    ) { settings in
      if action == .replace { settings.pipeline[stage].removeTransformers() }
      settings.pipeline[stage].add(transformer)
    }
  }
}
