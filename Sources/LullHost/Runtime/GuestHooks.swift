import LullCore

/// What the model tells a host that is not the only one on its pump, as far as it concerns that host: what
/// is of its services, and requests that its scripts have made or begun.
final class GuestHooks {
  private let hooks: ModelHooks
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let kept: KeptValues
  private let requests: RequestsInFlight

  init(
    _ hooks: ModelHooks, _ bridge: BridgeRuntime, _ handles: ObjectHandles, _ kept: KeptValues,
    _ requests: RequestsInFlight
  ) {
    self.hooks = hooks
    self.bridge = bridge
    self.handles = handles
    self.kept = kept
    self.requests = requests
  }

  private func concerns(_ request: Request) -> Bool {
    if let service = request.resource?.service { return mirrors(service) }
    let mark = request.mark
    if let id = mark.anchors.first { return kept.isOwn(id) }
    return handles.isObject(request, mark.handle) || bridge.isRunning
  }
}

extension GuestHooks: ModelHost {
  func mirrors(_ service: any ResourceOwner) -> Bool {
    handles.isObject(service, service.hostHandle)
  }

  func bodyArrived(byteCount: Int) { hooks.bodyArrived(byteCount: byteCount) }

  func requestsAwaited(byScriptsOf request: Request) -> [Request] {
    hooks.requestsAwaited(byScriptsOf: request)
  }

  func releaseGarbage() { hooks.releaseGarbage() }

  func resourceStateChanged(_ resource: Resource) { hooks.resourceStateChanged(resource) }

  func recordForgotten(_ record: ResourceRecord, of service: any ResourceOwner) {
    hooks.recordForgotten(record, of: service)
  }

  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    hooks.tell(observations, from: first, of: event, resource)
  }

  func requestMade(_ request: Request, by maker: AnyObject) {
    switch maker {
    case let callbacks as RequestCallbacks:
      guard let id = callbacks.ids.first, kept.isOwn(id) else { return }
    case let delegate as LuaRequestDelegate:
      guard let id = delegate.anchors.first, kept.isOwn(id) else { return }
    default: return
    }
    hooks.requestMade(request, by: maker)
  }

  func requestStarted(_ request: Request) {
    guard concerns(request) else { return }
    if bridge.isRunning { request.mark.isScripts = true }
    hooks.requestStarted(request)
  }

  func beginning(of request: Request) -> Double? { hooks.beginning(of: request) }

  func requestSettled(_ request: Request) {
    if requests.has(request) { hooks.requestSettled(request) }
  }

  func pipelineBegan(_ run: PipelineRun) {
    if concerns(run.request) { hooks.pipelineBegan(run) }
  }

  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun) {
    if concerns(run.request) { hooks.pipelinePassed(step, with: response, in: run) }
  }

  func published(_ response: Response, by run: PipelineRun) -> Response {
    concerns(run.request) ? hooks.published(response, by: run) : response
  }

  func hold(_ response: Response, for request: Request) {
    if let id = response.foreignIDs.first, kept.isOwn(id) { hooks.hold(response, for: request) }
  }

  func hold(_ response: Response) -> (() -> Void)? {
    guard let id = response.foreignIDs.first, kept.isOwn(id) else { return nil }
    return hooks.hold(response)
  }
}
