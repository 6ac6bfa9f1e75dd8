/// The stages a response passes on its way to hooks and state. A value, part of a configuration.
public struct Pipeline {
  /// The stages that run, in order; those left out do not (PIPE-03). Each at most once (PIPE-08).
  public var order = PipelineStageKey.standardOrder {
    didSet {
      precondition(
        Set(order).count == order.count, "a pipeline's order names a stage more than once")
    }
  }
  private var stages: [PipelineStageKey: PipelineStage] = [:]

  /// The standard order, with nothing in any stage.
  public init() {}

  /// A stage, empty where nothing was added to it.
  public subscript(_ key: PipelineStageKey) -> PipelineStage {
    get { stages[key] ?? PipelineStage() }
    set { stages[key] = newValue }
  }

  /// Removes every transformer and every cache; content then stays raw bytes. (PIPE-07, PIPE-12)
  public mutating func clear() {
    stages = [:]
  }

  /// Removes the transformers of every stage; caches stay. (PIPE-12)
  public mutating func removeAllTransformers() {
    for key in stages.keys { stages[key]?.removeTransformers() }
  }

  /// Removes the caches of every stage; transformers stay. (PIPE-12)
  public mutating func removeAllCaches() {
    for key in stages.keys { stages[key]?.doNotCache() }
  }

  /// Stages with transformers or a cache that the order leaves out. (PIPE-09)
  package var omittedStages: [PipelineStageKey] {
    stages.filter { !$0.value.isEmpty && !order.contains($0.key) }.map(\.key)
      .sorted { $0.description < $1.description }
  }

  /// The transformers that it has itself.
  package var steps: [PipelineStep] { steps(validation: nil) }

  /// Their caches.
  package var caches: [StageCache] { caches(validation: nil) }

  /// Transformers with their stages, flattened in running order, and behind those of the stage that parses the
  /// one that validates.
  package func steps(validation: ContentValidation?) -> [PipelineStep] {
    order.flatMap { key in
      var transformers = stages[key]?.transformers ?? []
      if key == .parsing, let validation {
        transformers.append(ValidationStep(isStrict: validation == .fail))
      }
      return transformers.map { PipelineStep(stage: key, transformer: $0) }
    }
  }

  /// The caches of the stages that run, in order.
  package func caches(validation: ContentValidation?) -> [StageCache] {
    var caches: [StageCache] = []
    var stepCount = 0
    for key in order {
      if key == .parsing, validation != nil { stepCount += 1 }
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

  /// Whether a string that such an entity has behind that stage can only be bytes: no transformer
  /// before makes text of them.
  package func keepsBytes(of entity: Entity, through stage: PipelineStageKey) -> Bool {
    guard let end = order.firstIndex(of: stage) else { return false }
    return order[...end].allSatisfy { key in
      stages[key]?.transformers.allSatisfy { !$0.mayMakeText(of: entity) } ?? true
    }
  }

  /// A stage's cache, and how many steps an entity has passed when it is written there.
  package struct StageCache {
    package let stage: PipelineStageKey
    package let cache: any CoordinatedEntityCache
    /// That of `PipelineStage.cacheMark`, held while the cache is in use.
    let mark: AnyObject?
    package let stepCount: Int
  }
}

extension Pipeline {
  /// What is done at a stage: by a function whose description says where it is, not what it does, or by something that
  /// its description tells.
  package enum ComparedPart {
    case functions(any FunctionHolder)
    case described(String)
  }

  /// What is done at each stage that runs, in order.
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
