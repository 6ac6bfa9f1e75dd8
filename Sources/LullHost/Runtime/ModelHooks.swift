import LullCore

/// What the model tells a script's host, handed on to who is to know it.
final class ModelHooks {
  private let bridge: BridgeRuntime
  private let kept: KeptValues
  private let coroutines: Coroutines
  private let requests: RequestsInFlight
  private let unhandled: UnhandledRequests
  private let collector: Collector
  private let values: ScriptValues
  private var shared: SharedContent { values.shared }
  /// What follows answers through their pipelines; nil if nobody wants to know.
  var trace: PipelineTrace?

  init(
    _ bridge: BridgeRuntime, _ kept: KeptValues, _ coroutines: Coroutines,
    _ requests: RequestsInFlight, _ unhandled: UnhandledRequests, _ collector: Collector,
    _ values: ScriptValues
  ) {
    self.bridge = bridge
    self.kept = kept
    self.coroutines = coroutines
    self.requests = requests
    self.unhandled = unhandled
    self.collector = collector
    self.values = values
  }
}

extension ModelHooks: ModelHost {
  func bodyArrived(byteCount: Int) { collector.charge(byteCount) }

  func requestsAwaited(byScriptsOf request: Request) -> [Request] {
    WaitGraph(parts: coroutines.waitingParts).requestsAwaited(byFunctionsOf: request)
  }

  func releaseGarbage() { collector.releaseGarbage() }

  func resourceStateChanged(_ resource: Resource) {
    shared.stateChanged(of: resource)
    kept.stateChanged(of: resource)
    // Before the observers are called: they may stop observing.
    if resource.record.hasError, resource.isObserved { unhandled.errorSeen(of: resource) }
  }

  func recordForgotten(_ record: ResourceRecord, of service: any ResourceOwner) {
    shared.forget(record, of: service)
    kept.forget(record, of: service)
  }

  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    coroutines.tell(observations, from: first, of: event, resource)
  }

  func requestMade(_ request: Request, by maker: AnyObject) {
    switch maker {
    case let callbacks as RequestCallbacks: request.mark.anchors = callbacks.ids
    case let delegate as LuaRequestDelegate: request.mark.anchors = delegate.anchors
    default: break
    }
  }

  func requestStarted(_ request: Request) {
    shared.requestBegins(request)
    requests.track(request)
  }

  func beginning(of request: Request) -> Double? { requests.beginning(of: request) }

  func requestSettled(_ request: Request) {
    trace?.settled(request)
    unhandled.note(request)
    requests.settle(request)
  }

  func pipelineBegan(_ run: PipelineRun) { trace?.began(run) }

  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun) {
    trace?.passed(step, with: response, in: run)
  }

  func published(_ response: Response, by run: PipelineRun) -> Response {
    guard case .success(let entity) = response.outcome else { return response }
    return .success(values.unshared(entity, in: run), isNew: response.isNew)
  }

  func hold(_ response: Response, for request: Request) { kept.hold(response, for: request) }

  func hold(_ response: Response) -> (() -> Void)? { kept.hold(response.foreignIDs) }
}
