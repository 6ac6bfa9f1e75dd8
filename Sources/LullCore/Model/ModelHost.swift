/// An object that is notified of events in the model. The hosts of Lua runtimes conform to it, and
/// so does `RequestLedger`, the list of a home's requests.
///
/// A pump has at most one host, and releases the host when the pump closes. Several hosts are
/// combined in a `ModelHosts`. A host stores its own data about a request in `Request.hostMark`.
/// Home thread only.
package protocol ModelHost: AnyObject {
  /// Returns whether this host is notified of the events of the service's resources. Called only if
  /// the pump has several hosts.
  func mirrors(_ service: Service) -> Bool
  /// The list of the pump's requests in flight; nil if this host keeps no such list.
  var ledger: RequestLedger? { get }

  // MARK: Requests

  /// Called when a request that calls functions of the host is created, before any other use of the
  /// request. `maker` is the host's object with these functions: it belongs to an ad hoc mutation,
  /// belongs to the decision of a chain, or is the delegate of a custom request. Each repetition of
  /// a request is reported too.
  func requestMade(_ request: Request, by maker: AnyObject)
  /// Called when a request has started, or was created as completed.
  func requestStarted(_ request: Request)
  /// Returns the time at which a request in flight started, in Unix seconds; nil if this host does
  /// not record it.
  func beginning(of request: Request) -> Double?
  /// Called when a response body of the given size has arrived. The body is in memory as long as
  /// the response to which it belongs.
  func bodyArrived(byteCount: Int)
  /// Retains the values of the host that are in the response, until the request has settled.
  func hold(_ response: Response, for request: Request)
  /// Retains the values of the host that are in the response, until the returned function is
  /// called. Returns nil if the response contains no values of the host.
  func hold(_ response: Response) -> (() -> Void)?
  /// Called when all hooks of the request have been called. The request causes no further events.
  func requestSettled(_ request: Request)
  /// Returns the requests for which functions of the script are waiting, if `request` can't
  /// continue before these functions return.
  func requestsAwaited(byScriptsOf request: Request) -> [Request]

  // MARK: Pipelines

  /// Called when a pipeline run begins with the received response, if `Pump.tracesPipelines` is
  /// true.
  func pipelineBegan(_ run: PipelineRun)
  /// Called when a step of a pipeline run has ended with `response` as its result, if
  /// `Pump.tracesPipelines` is true.
  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun)
  /// Returns the final response of a pipeline run. If the content of the response is a value of
  /// this host that a cache shares, the content is replaced by a copy.
  func published(_ response: Response, by run: PipelineRun) -> Response

  // MARK: Resources

  /// Called when the data or the error of a resource has changed.
  func resourceStateChanged(_ resource: Resource)
  /// Called before unused resources are flushed. The host releases the objects that only garbage of
  /// its scripts refers to, so that their resources count as unused.
  func releaseGarbage()
  /// Called when the service has removed the record of a resource. Its content is not used again.
  func recordForgotten(_ record: ResourceRecord, of service: Service)
  /// Notifies observers of an event, beginning with the observer at index `first`. Stops at the
  /// first observer that does not belong to the host or has been removed.
  ///
  /// - Returns: The index of the first observer that was not notified.
  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int
}

extension ModelHost {
  package func mirrors(_ service: Service) -> Bool { false }
  package var ledger: RequestLedger? { nil }
  package func requestMade(_ request: Request, by maker: AnyObject) {}
  package func requestStarted(_ request: Request) {}
  package func beginning(of request: Request) -> Double? { nil }
  package func bodyArrived(byteCount: Int) {}
  package func hold(_ response: Response, for request: Request) {}
  package func hold(_ response: Response) -> (() -> Void)? { nil }
  package func requestSettled(_ request: Request) {}
  package func requestsAwaited(byScriptsOf request: Request) -> [Request] { [] }
  package func pipelineBegan(_ run: PipelineRun) {}
  package func pipelinePassed(
    _ step: PipelineStep, with response: Response, in run: PipelineRun
  ) {}
  package func published(_ response: Response, by run: PipelineRun) -> Response { response }
  package func resourceStateChanged(_ resource: Resource) {}
  package func releaseGarbage() {}
  package func recordForgotten(_ record: ResourceRecord, of service: Service) {}
  package func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    observations[first].observer?.resourceChanged(resource, event: event)
    return first + 1
  }
}

/// Several hosts of one pump: the list of a home's requests, and the hosts of the Lua runtimes on
/// that home.
///
/// All hosts are notified of events of requests. Only the host that `mirrors` a service is notified
/// of events of the service's resources.
final class ModelHosts: ModelHost {
  private var hosts: [any ModelHost]

  init(_ hosts: [any ModelHost]) { self.hosts = hosts }

  func add(_ host: any ModelHost) { hosts.append(host) }

  func remove(_ host: any ModelHost) { hosts.removeAll { $0 === host } }

  private func forEach(mirroring service: Service, _ body: (any ModelHost) -> Void) {
    for host in hosts where host.mirrors(service) { body(host) }
  }

  // MARK: For all hosts

  func mirrors(_ service: Service) -> Bool { hosts.contains { $0.mirrors(service) } }
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

  // MARK: For the host of a service

  func resourceStateChanged(_ resource: Resource) {
    forEach(mirroring: resource.service) { $0.resourceStateChanged(resource) }
  }

  func recordForgotten(_ record: ResourceRecord, of service: Service) {
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
  /// Adds a host to the hosts that the pump already has.
  package func add(_ host: any ModelHost) {
    switch self.host {
    case let hosts as ModelHosts: hosts.add(host)
    case let other?: self.host = ModelHosts([other, host])
    case nil: self.host = ModelHosts([host])
    }
  }

  /// Removes a host that was added with `add(_:)`.
  package func remove(_ host: any ModelHost) { (self.host as? ModelHosts)?.remove(host) }
}
