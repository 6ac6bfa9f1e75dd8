/// Who mirrors the model elsewhere, as far as pipelines go; is told only while the pump `tracesPipelines`.
///
/// Order of events: `pipelineBegan` with the response as it came, then `pipelinePassed` after each step.
package protocol PipelineHost: RequestHost {
  func pipelineBegan(_ run: PipelineRun)
  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun)
}

extension PipelineHost {
  package func pipelineBegan(_ run: PipelineRun) {}
  package func pipelinePassed(
    _ step: PipelineStep, with response: Response, in run: PipelineRun
  ) {}
}

class PipelineHostSlot: RequestHostSlot {
  final let pipelineHost: any PipelineHost

  init(pipelineHost: any PipelineHost) {
    self.pipelineHost = pipelineHost
    super.init(requestHost: pipelineHost)
  }
}

extension Pump {
  /// The host, as pipelines know it; nil unless it wants to know what they do.
  final var pipelineHost: (any PipelineHost)? {
    guard tracesPipelines else { return nil }
    // `attach` makes no other slot.
    return hostSlot.map { unsafeDowncast($0, to: PipelineHostSlot.self).pipelineHost }
  }
}
