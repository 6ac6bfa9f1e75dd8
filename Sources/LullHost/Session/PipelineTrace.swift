import CLullBridge
import LullCore

/// Records the result of each pipeline step for the last response. For each result, the type, the
/// size and the beginning are recorded for display. Content is described when it arrives, and is
/// not stored.
///
/// Home thread only.
package final class PipelineTrace {
  /// Describes the response after one step.
  package struct Row {
    package let stage: String
    package let step: String
    package let type: String
    package let size: String
    package let excerpt: String
  }

  /// Describes one response and its way through the pipeline.
  package struct Answer {
    /// The title of the trace: the method, the path and the outcome.
    package var title: String
    package var rows: [Row] = []
  }

  /// The maximum number of characters that a row shows of the content.
  private static let excerptLimit = 60

  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let pump: Pump
  /// The requests that have not settled, each with the rows for the pipeline steps recorded so far.
  private var open: [ObjectIdentifier: (request: Request, rows: [Row])] = [:]
  /// The trace of the request that has ended last; nil if no request has ended.
  package private(set) var last: Answer?

  init(_ bridge: BridgeRuntime, _ handles: ObjectHandles, _ pump: Pump) {
    self.bridge = bridge
    self.handles = handles
    self.pump = pump
  }

  func began(_ run: PipelineRun) {
    let row = row(run.original, stage: "", step: "as received")
    open[ObjectIdentifier(run.request)] = (run.request, [row])
  }

  func passed(_ step: PipelineStep, with response: Response, in run: PipelineRun) {
    let row = row(
      response, stage: step.stage.description,
      step: LogText.part(step.transformer.description, limit: 40))
    open[ObjectIdentifier(run.request)]?.rows.append(row)
  }

  func settled(_ request: Request) {
    let rows = open.removeValue(forKey: ObjectIdentifier(request))?.rows
    // This request is a chain that has ended, and the last request of the chain was already
    // recorded.
    if rows == nil, request.lastPart !== request, last != nil { return }
    last = Answer(title: PipelineTrace.title(of: request), rows: rows ?? [])
  }

  private static func title(of request: Request) -> String {
    let outcome: String
    switch request.response?.outcome {
    case .success(let entity)?:
      if request.response?.isNew == false {
        outcome = "304, data unchanged"
      } else {
        outcome = entity.exchange.map { String($0.status) } ?? "success"
      }
    case .failure(let error)?:
      outcome = (error.httpStatusCode.map { "\($0), " } ?? "") + LogText.part(error.userMessage)
    case nil: outcome = "no response"
    }
    return "\(request.displayName) → \(outcome)"
  }

  private func row(_ response: Response, stage: String, step: String) -> Row {
    guard let content = (response.entity ?? response.error?.entity)?.content else {
      return Row(
        stage: stage, step: step, type: "error", size: "",
        excerpt: LogText.part(response.error?.userMessage, limit: PipelineTrace.excerptLimit))
    }
    let size = content.size
    return Row(
      stage: stage, step: step,
      type: (response.isSuccess ? "" : "error, ") + content.typeName,
      size: size > 0 ? String(size) : "", excerpt: excerpt(of: content))
  }

  private func excerpt(of content: Content) -> String {
    var limits = ShownValue.Limits()
    limits.depth = 2
    limits.elements = 3
    limits.topString = PipelineTrace.excerptLimit
    limits.string = 20
    // Script code must not run in the middle of a pipeline, so `__tostring` is not called.
    limits.mayCall = false
    let shown: ShownValue
    switch content {
    case .bytes(let bytes):
      let limit = PipelineTrace.excerptLimit
      shown = .string(bytes: bytes.prefix(limit), limit: limit)
    case .text(let text): shown = .string(text, limit: PipelineTrace.excerptLimit)
    case .json(let document): shown = ShownValue(document.root, limits: limits)
    case .value(let value): shown = .atom(String(describing: value), .object)
    case .foreign(let foreign):
      let state = lull_session_state(bridge.pointer)
      guard !bridge.isClosed, lull_push_kept(bridge.pointer, state, foreign.id) != 0 else {
        return ""
      }
      defer { lull_pop(state, 1) }
      shown = ValueDisplay(bridge, handles, at: pump.clock.now)
        .shown(lull_stack_top(state), in: state, limits: limits)
    }
    let text = ShownValueText.plain(shown)
    let limit = PipelineTrace.excerptLimit
    return text.count > limit ? text.prefix(limit - 1) + "…" : text
  }
}
