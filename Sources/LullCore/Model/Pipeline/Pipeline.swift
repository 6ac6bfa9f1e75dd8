/// The stages that a response passes on its way to hooks and state. A value that is part of a
/// configuration.
public struct Pipeline {
  /// The stages that run, in order. Stages that are not listed do not run (PIPE-03). Each may occur
  /// once (PIPE-08).
  public var order = PipelineStageKey.standardOrder {
    didSet {
      precondition(
        Set(order).count == order.count, "a pipeline's order names a stage more than once")
    }
  }
  private var stages: [PipelineStageKey: PipelineStage] = [:]

  /// The standard order, with empty stages.
  public init() {}

  /// A stage, which is empty until something is added to it.
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

  /// Stages with transformers or a cache that are missing in the order. (PIPE-09)
  package var omittedStages: [PipelineStageKey] {
    stages.filter { !$0.value.isEmpty && !order.contains($0.key) }.map(\.key)
      .sorted { $0.description < $1.description }
  }

  /// The transformers, without one for validation.
  package var steps: [PipelineStep] { steps(validation: nil) }

  /// The caches, without a step for validation.
  package var caches: [StageCache] { caches(validation: nil) }

  /// The transformers with their stages, in the order in which they run. With `validation`, those
  /// of the parsing stage are followed by one that validates.
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

  /// Whether a string in such an entity after that stage can only be bytes, because no transformer
  /// up to there makes text of it.
  package func keepsBytes(of entity: Entity, through stage: PipelineStageKey) -> Bool {
    guard let end = order.firstIndex(of: stage) else { return false }
    return order[...end].allSatisfy { key in
      stages[key]?.transformers.allSatisfy { !$0.mayMakeText(of: entity) } ?? true
    }
  }

  /// The cache of a stage, and the number of steps that an entity has passed when it is written
  /// there.
  package struct StageCache {
    package let stage: PipelineStageKey
    package let cache: any CoordinatedEntityCache
    /// The `PipelineStage.cacheMark`, held while the cache is in use.
    let mark: AnyObject?
    package let stepCount: Int
  }
}

extension Pipeline {
  /// A part of a stage, for comparing pipelines: functions, whose description says only where they
  /// are defined, or a part that its description identifies.
  package enum ComparedPart {
    case functions(any FunctionHolder)
    case described(String)
  }

  /// The parts of each stage that runs, in order.
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
  /// Adds one of the standard parsers to its stage, for its content types, if the service was
  /// created without it. (SVC-35, TRF-32) Lua: `stage:add_standard(name)`.
  public mutating func add(_ transformer: StandardTransformer) {
    self[transformer.stage].add(transformer.make())
  }
}

extension PipelineStage {
  /// Adds a transformer for responses of these content types only, such as `*/xml` and `text/*`.
  /// Other responses pass unchanged. (TRF-25)
  public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
    add(SelectiveTransformer(transformer, contentTypes))
  }
}
