/// A transformer, and the stage it belongs to.
package struct PipelineStep {
  package let stage: PipelineStageKey
  package let transformer: any ResponseTransformer
}

extension ResponseTransformer {
  /// Whether it may put text in the place of an entity's bytes: what is not known to keep them may.
  func mayMakeText(of entity: Entity) -> Bool {
    switch self {
    case let parser as ContentParser: parser.makesText && parser.isMine(entity)
    case let transformer as SelectiveTransformer:
      transformer.transformer.mayMakeText(of: entity)
    case let transformer as ResponseContentTransformer: transformer.makesTextOfBytes
    case is JSONResponseTransformer: false
    default: true
    }
  }
}
