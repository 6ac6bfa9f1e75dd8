/// The stages that process a response before hooks and the resource's state get it. A pipeline is a
/// value in a configuration.
public struct Pipeline {
  /// The stages that run, in order. A stage that is not listed does not run (PIPE-03). A stage may
  /// be listed only once (PIPE-08).
  public var order = PipelineStageKey.standardOrder {
    didSet {
      precondition(
        Set(order).count == order.count, "a pipeline's order names a stage more than once")
    }
  }
  private var stages: [PipelineStageKey: PipelineStage] = [:]

  /// Creates a pipeline with the standard order and empty stages.
  public init() {}

  /// The stage with this key. It is empty until a transformer or a cache is added.
  public subscript(_ key: PipelineStageKey) -> PipelineStage {
    get { stages[key] ?? PipelineStage() }
    set { stages[key] = newValue }
  }

  /// Removes every transformer and every cache. Content then stays raw bytes. (PIPE-07, PIPE-12)
  public mutating func clear() {
    stages = [:]
  }

  /// Removes the transformers of every stage. Caches stay. (PIPE-12)
  public mutating func removeAllTransformers() {
    for key in stages.keys { stages[key]?.removeTransformers() }
  }

  /// Removes the caches of every stage. Transformers stay. (PIPE-12)
  public mutating func removeAllCaches() {
    for key in stages.keys { stages[key]?.doNotCache() }
  }

  /// The stages that have transformers or a cache but are not listed in `order`. (PIPE-09)
  package var omittedStages: [PipelineStageKey] {
    stages.filter { !$0.value.isEmpty && !order.contains($0.key) }.map(\.key)
      .sorted { $0.description < $1.description }
  }

  /// The transformers with their stages, in the order in which the transformers run, without the
  /// steps of settings.
  package var steps: [PipelineStep] { steps(validation: nil) }

  /// The caches of the stages that run, in the order of the stages, for a pipeline without the steps
  /// of settings.
  package var caches: [StageCache] { caches(validation: nil) }

  /// Returns the transformers with their stages, in the order in which the transformers run. The
  /// steps of the settings `graphQL` and `validation` follow the transformers of the parsing stage.
  package func steps(validation: ContentValidation?, graphQL: Bool = false) -> [PipelineStep] {
    order.flatMap { key in
      var transformers = stages[key]?.transformers ?? []
      if key == .parsing {
        if graphQL { transformers.append(GraphQLStep()) }
        if let validation {
          transformers.append(ValidationStep(isStrict: validation == .fail))
        }
      }
      return transformers.map { PipelineStep(stage: key, transformer: $0) }
    }
  }

  /// Returns the caches of the stages that run, in the order of the stages. `StageCache.stepCount`
  /// includes the steps of the settings.
  package func caches(validation: ContentValidation?, graphQL: Bool = false) -> [StageCache] {
    var caches: [StageCache] = []
    var stepCount = 0
    for key in order {
      if key == .parsing { stepCount += (graphQL ? 1 : 0) + (validation == nil ? 0 : 1) }
      guard let stage = stages[key] else { continue }
      stepCount += stage.transformers.count
      if let cache = stage.cache {
        caches.append(
          StageCache(
            stage: key, cache: cache.coordinated, mark: stage.cacheMark, stepCount: stepCount))
      }
    }
    return caches
  }

  /// Returns true if the content of `entity` is certainly not text after `stage`, because no
  /// transformer up to and including that stage converts its bytes to text.
  package func keepsBytes(of entity: Entity, through stage: PipelineStageKey) -> Bool {
    guard let end = order.firstIndex(of: stage) else { return false }
    return order[...end].allSatisfy { key in
      stages[key]?.transformers.allSatisfy { !$0.mayMakeText(of: entity) } ?? true
    }
  }

  /// The cache of a stage, with the number of pipeline steps that an entity has passed before the
  /// entity is written to the cache.
  package struct StageCache {
    package let stage: PipelineStageKey
    package let cache: any CoordinatedEntityCache
    /// The `PipelineStage.cacheMark`, retained while the cache is in use.
    let mark: AnyObject?
    package let stepCount: Int
  }
}

extension Pipeline {
  /// A transformer or cache of a stage, in a form for comparing pipelines. Functions are compared
  /// themselves, because their description contains only the position of their definition. Every
  /// other transformer or cache is identified by its description.
  package enum ComparedPart {
    case functions(any FunctionHolder)
    case described(String)
  }

  /// The transformers and the cache of each stage that runs, in the order of the stages.
  package var comparedStages: [(name: String, parts: [ComparedPart])] {
    order.map { key in
      let stage = self[key]
      var parts = stage.transformers.map { ComparedPart($0, $0.description) }
      if let cache = stage.cache { parts.append(ComparedPart(cache, "cache \(type(of: cache))")) }
      return (key.description, parts)
    }
  }
}

extension Pipeline.ComparedPart {
  fileprivate init(_ part: Any, _ description: String) {
    if let holder = part as? any FunctionHolder, !holder.heldFunctions.isEmpty {
      self = .functions(holder)
    } else {
      self = .described(description)
    }
  }
}

extension Pipeline {
  /// Adds a standard parser for its usual content types to the stage of the parser. Use it if the
  /// service was created without this parser. (SVC-35, TRF-32) Lua: `stage:add_standard(name)`.
  public mutating func add(_ transformer: StandardTransformer) {
    self[transformer.stage].add(transformer.make())
  }
}

extension PipelineStage {
  /// Adds a transformer that is applied only to responses of these content types, such as `*/xml`
  /// and `text/*`. Other responses are left unchanged. (TRF-25)
  public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
    add(SelectiveTransformer(transformer, contentTypes))
  }
}
