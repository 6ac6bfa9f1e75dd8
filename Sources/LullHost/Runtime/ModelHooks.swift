import LullCore

/// Forwards events of the model to the objects of a script's host that handle them.
///
/// If several hosts share the pump, this host is a guest. A guest gets only the events of its own
/// services and their resources, and of the requests that its scripts created or started.
final class ModelHooks {
  private let isGuest: Bool
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let stored: StoredValues
  private let coroutines: Coroutines
  private let requests: RequestsInFlight
  private let unhandled: UnhandledRequests
  private let loop: ScriptLoop
  private let values: ScriptValues
  private var shared: SharedContent { values.shared }
  /// Records how responses pass through their pipelines; nil unless a session has asked for this
  /// record.
  var trace: PipelineTrace?

  init(isGuest: Bool, _ reporter: Reporter) {
    self.isGuest = isGuest
    loop = reporter.loop
    bridge = loop.bridge
    handles = loop.handles
    stored = loop.stored
    coroutines = loop.coroutines
    requests = loop.requests
    unhandled = reporter.unhandled
    values = reporter.values
  }

  private func concerns(_ request: Request) -> Bool {
    guard isGuest else { return true }
    if let service = request.resource?.service { return mirrors(service) }
    let mark = request.mark
    if let id = mark.anchors.first { return stored.isOwn(id) }
    return handles.isObject(request, mark.handle) || bridge.isRunning
  }

  /// Returns whether the value with that ID is stored in this host's Lua state. If the pump is not
  /// shared, the result is always true.
  private func isOwn(_ id: Int64?) -> Bool {
    guard isGuest else { return true }
    return id.map { stored.isOwn($0) } ?? false
  }
}

extension ModelHooks: ModelHost {
  func mirrors(_ service: Service) -> Bool {
    handles.isObject(service, service.hostHandle)
  }

  func bodyArrived(byteCount: Int) { loop.charge(byteCount) }

  func requestsAwaited(byScriptsOf request: Request) -> [Request] {
    WaitGraph(parts: coroutines.waitingParts).requestsAwaited(byFunctionsOf: request)
  }

  func releaseGarbage() { loop.releaseGarbage() }

  func resourceStateChanged(_ resource: Resource) {
    shared.stateChanged(of: resource)
    stored.stateChanged(of: resource)
    // This call comes before observers are notified, because a notified observer may be removed.
    if resource.record.hasError, resource.isObserved { unhandled.errorSeen(of: resource) }
  }

  func recordForgotten(_ record: ResourceRecord, of service: Service) {
    shared.forget(record, of: service)
    stored.forget(record, of: service)
  }

  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    coroutines.tell(observations, from: first, of: event, resource)
  }

  func requestMade(_ request: Request, by maker: AnyObject) {
    let anchors: [Int64]
    switch maker {
    case let callbacks as RequestCallbacks: anchors = callbacks.ids
    case let delegate as LuaRequestDelegate: anchors = delegate.anchors
    default: return
    }
    if isOwn(anchors.first) { request.mark.anchors = anchors }
  }

  func requestStarted(_ request: Request) {
    guard concerns(request) else { return }
    if isGuest, bridge.isRunning { request.mark.isScripts = true }
    shared.requestBegins(request)
    requests.track(request)
  }

  func beginning(of request: Request) -> Double? { requests.beginning(of: request) }

  func requestSettled(_ request: Request) {
    guard !isGuest || requests.has(request) else { return }
    trace?.settled(request)
    unhandled.note(request)
    requests.settle(request)
  }

  func pipelineBegan(_ run: PipelineRun) {
    if let trace, concerns(run.request) { trace.began(run) }
  }

  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun) {
    if let trace, concerns(run.request) { trace.passed(step, with: response, in: run) }
  }

  func published(_ response: Response, by run: PipelineRun) -> Response {
    guard case .success(let entity) = response.outcome, concerns(run.request) else {
      return response
    }
    return .success(values.unshared(entity, in: run), isNew: response.isNew)
  }

  func hold(_ response: Response, for request: Request) {
    if isOwn(response.foreignIDs.first) { stored.hold(response, for: request) }
  }

  func hold(_ response: Response) -> (() -> Void)? {
    isOwn(response.foreignIDs.first) ? stored.hold(response.foreignIDs) : nil
  }
}
