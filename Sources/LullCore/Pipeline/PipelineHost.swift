/// Who mirrors the model elsewhere, as far as pipelines go; is told only while the pump `tracesPipelines`.
///
/// Order of events: `pipelineBegan` with the response as it came, then `pipelinePassed` after each step.
package protocol PipelineHost: RequestHost {
  func pipelineBegan(_ run: PipelineRun)
  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun)
  /// The response that the request ends with: content that a cache has too is replaced by a copy.
  func published(_ response: Response, by run: PipelineRun) -> Response
}

extension PipelineHost {
  package func pipelineBegan(_ run: PipelineRun) {}
  package func pipelinePassed(
    _ step: PipelineStep, with response: Response, in run: PipelineRun
  ) {}
  package func published(_ response: Response, by run: PipelineRun) -> Response { response }
}

class PipelineHostSlot: RequestHostSlot {
  final let pipelineHost: any PipelineHost

  init(pipelineHost: any PipelineHost) {
    self.pipelineHost = pipelineHost
    super.init(requestHost: pipelineHost)
  }
}

extension Pump {
  /// The response that a request ends with, as the host wants it.
  final func published(_ response: Response, by run: PipelineRun) -> Response {
    attachedHost?.published(response, by: run) ?? response
  }

  /// The host, as pipelines know it; nil unless it wants to know what they do.
  final var pipelineHost: (any PipelineHost)? {
    tracesPipelines ? attachedHost : nil
  }

  private final var attachedHost: (any PipelineHost)? {
    // `attach` makes no other slot.
    hostSlot.map { unsafeDowncast($0, to: PipelineHostSlot.self).pipelineHost }
  }
}
