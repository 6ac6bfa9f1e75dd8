/// A transformer, and the stage it belongs to.
package struct PipelineStep {
  package let stage: PipelineStageKey
  package let transformer: any ResponseTransformer
}
