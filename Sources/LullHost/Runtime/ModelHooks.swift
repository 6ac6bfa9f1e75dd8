import LullCore

/// What the model tells a script's host, handed on to who is to know it.
final class ModelHooks {
  private let bridge: BridgeRuntime
  private let kept: KeptValues
  private let coroutines: Coroutines
  private let requests: RequestsInFlight
  private let collector: Collector
  /// What follows answers through their pipelines; nil if nobody wants to know.
  var trace: PipelineTrace?

  init(
    _ bridge: BridgeRuntime, _ kept: KeptValues, _ coroutines: Coroutines,
    _ requests: RequestsInFlight, _ collector: Collector
  ) {
    self.bridge = bridge
    self.kept = kept
    self.coroutines = coroutines
    self.requests = requests
    self.collector = collector
  }
}

extension ModelHooks: ModelHost {
  func bodyArrived(byteCount: Int) { collector.charge(byteCount) }

  func requestsAwaited(byScriptsOf request: Request) -> [Request] {
    WaitGraph(parts: coroutines.waitingParts).requestsAwaited(byFunctionsOf: request)
  }

  func releaseGarbage() { collector.releaseGarbage() }

  func resourceStateChanged(_ resource: Resource) { kept.stateChanged(of: resource) }

  func recordForgotten(_ record: ResourceRecord, of service: any ResourceOwner) {
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

  func requestStarted(_ request: Request) { requests.track(request) }

  func beginning(of request: Request) -> Double? { requests.beginning(of: request) }

  func requestSettled(_ request: Request) {
    trace?.settled(request)
    requests.settle(request)
  }

  func pipelineBegan(_ run: PipelineRun) { trace?.began(run) }

  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun) {
    trace?.passed(step, with: response, in: run)
  }

  func hold(_ response: Response, for request: Request) { kept.hold(response, for: request) }

  func hold(_ response: Response) -> (() -> Void)? { kept.hold(response.foreignIDs) }
}
