/// Several who hear of one model: the ledger of a home, and the hosts of the Lua runtimes that live on it.
///
/// Each is told what concerns everybody, and of what is a service's only the one that mirrors it.
final class ModelHosts: ModelHost {
  private var hosts: [any ModelHost]

  init(_ hosts: [any ModelHost]) { self.hosts = hosts }

  func add(_ host: any ModelHost) { hosts.append(host) }

  func remove(_ host: any ModelHost) { hosts.removeAll { $0 === host } }

  private func forEach(mirroring service: any ResourceOwner, _ body: (any ModelHost) -> Void) {
    for host in hosts where host.mirrors(service) { body(host) }
  }

  // MARK: Everybody's

  func mirrors(_ service: any ResourceOwner) -> Bool { hosts.contains { $0.mirrors(service) } }
  func requestsAwaited(byScriptsOf request: Request) -> [Request] {
    hosts.flatMap { $0.requestsAwaited(byScriptsOf: request) }
  }

  var ledger: RequestLedger? { hosts.lazy.compactMap(\.ledger).first }

  func bodyArrived(byteCount: Int) { for host in hosts { host.bodyArrived(byteCount: byteCount) } }
  func releaseGarbage() { for host in hosts { host.releaseGarbage() } }

  func hold(_ response: Response) -> (() -> Void)? {
    let releases = hosts.compactMap { $0.hold(response) }
    return releases.isEmpty ? nil : { for release in releases { release() } }
  }

  func requestMade(_ request: Request, by maker: AnyObject) {
    for host in hosts { host.requestMade(request, by: maker) }
  }

  func requestStarted(_ request: Request) { for host in hosts { host.requestStarted(request) } }
  func beginning(of request: Request) -> Double? {
    for host in hosts {
      if let time = host.beginning(of: request) { return time }
    }
    return nil
  }

  func requestSettled(_ request: Request) { for host in hosts { host.requestSettled(request) } }

  func hold(_ response: Response, for request: Request) {
    for host in hosts { host.hold(response, for: request) }
  }

  func pipelineBegan(_ run: PipelineRun) { for host in hosts { host.pipelineBegan(run) } }

  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun) {
    for host in hosts { host.pipelinePassed(step, with: response, in: run) }
  }

  func published(_ response: Response, by run: PipelineRun) -> Response {
    hosts.reduce(response) { $1.published($0, by: run) }
  }

  // MARK: A service's

  func resourceStateChanged(_ resource: Resource) {
    forEach(mirroring: resource.service) { $0.resourceStateChanged(resource) }
  }

  func recordForgotten(_ record: ResourceRecord, of service: any ResourceOwner) {
    forEach(mirroring: service) { $0.recordForgotten(record, of: service) }
  }

  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    if observations[first].isToldByHost,
      let host = hosts.first(where: { $0.mirrors(resource.service) })
    {
      return host.tell(observations, from: first, of: event, resource)
    }
    observations[first].observer?.resourceChanged(resource, event: event)
    return first + 1
  }
}

extension Pump {
  /// Tells this host too of what happens from now on, beside those that are told already.
  package func add(_ host: any ModelHost) {
    switch modelHost {
    case let hosts as ModelHosts: hosts.add(host)
    case let other?: attach(ModelHosts([other, host]))
    case nil: attach(ModelHosts([host]))
    }
  }

  /// The host is not told of anything any more.
  package func remove(_ host: any ModelHost) { (modelHost as? ModelHosts)?.remove(host) }
}
