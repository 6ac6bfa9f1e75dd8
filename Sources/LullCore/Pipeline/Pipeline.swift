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

  public init() {}

  public subscript(_ key: PipelineStageKey) -> PipelineStage {
    get { stages[key] ?? PipelineStage() }
    set { stages[key] = newValue }
  }

  /// Removes every transformer of every stage; content then stays raw bytes. (PIPE-07)
  public mutating func clear() {
    stages = [:]
  }

  /// Stages with transformers that the order leaves out. (PIPE-09)
  package var omittedStages: [PipelineStageKey] {
    stages.filter { !$0.value.transformers.isEmpty && !order.contains($0.key) }.map(\.key)
      .sorted { $0.description < $1.description }
  }

  /// Transformers with their stages, flattened in running order.
  package var steps: [Step] {
    order.flatMap { key in
      (stages[key]?.transformers ?? []).map { Step(stage: key, transformer: $0) }
    }
  }

  package struct Step {
    package let stage: PipelineStageKey
    package let transformer: any ResponseTransformer
  }
}

/// The transformers of one stage, in the order they were added. (PIPE-05)
public struct PipelineStage {
  package var transformers: [any ResponseTransformer] = []

  package init() {}

  public mutating func add(_ transformer: any ResponseTransformer) {
    transformers.append(transformer)
  }

  public mutating func removeTransformers() {
    transformers = []
  }
}
