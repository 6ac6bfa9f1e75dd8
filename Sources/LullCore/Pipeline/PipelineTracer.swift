/// Who wants to know what each step of a pipeline makes of a response.
///
/// Order of events: `began` with the response as it came, `passed` after each step, `ended` with the
/// last. A run that is cancelled does not end. Home thread only.
package protocol PipelineTracer: AnyObject {
  func began(_ run: PipelineRun)
  func passed(_ step: PipelineStep, with response: Response, in run: PipelineRun)
  /// A request has ended, and its hooks have run; there need not have been a run.
  func settled(_ request: Request)
}
