/// Is notified of events in the model: a script's host, or the list of a home's requests.
///
/// A pump has one host at most and releases it when it closes. A host stores its own data about a
/// request in `Request.hostMark`. Home thread only.
package protocol ModelHost: AnyObject {
  /// Whether this host is notified of the service's resources, if a pump has several hosts.
  func mirrors(_ service: Service) -> Bool
  /// The list of the pump's requests in flight, if this host keeps one.
  var ledger: RequestLedger? { get }

  // MARK: Requests

  /// A request was created that calls functions of the host. `maker` came with the mutation or the
  /// decision of a chain, or is the delegate. Called before any other use of the request; a
  /// repetition has its own maker.
  func requestMade(_ request: Request, by maker: AnyObject)
  /// A request has begun, or has ended before it could.
  func requestStarted(_ request: Request)
  /// When a request in flight began, in Unix seconds, if this host records it.
  func beginning(of request: Request) -> Double?
  /// A body of that many bytes has arrived; it lives as long as its response.
  func bodyArrived(byteCount: Int)
  /// Keeps the host's values in the response until the request has settled.
  func hold(_ response: Response, for request: Request)
  /// Keeps the host's values in the response until the returned function is called; nil if it has
  /// no such values.
  func hold(_ response: Response) -> (() -> Void)?
  /// The request's hooks have been called. It causes no further events.
  func requestSettled(_ request: Request)
  /// The requests awaited by functions of scripts on which this request depends.
  func requestsAwaited(byScriptsOf request: Request) -> [Request]

  // MARK: Pipelines

  /// A run begins with the received response. Called only while the pump `tracesPipelines`.
  func pipelineBegan(_ run: PipelineRun)
  /// A step has turned the response into this one. Called only while the pump `tracesPipelines`.
  func pipelinePassed(_ step: PipelineStep, with response: Response, in run: PipelineRun)
  /// Returns the response that the request ends with. Content that is shared with a cache is
  /// replaced by a copy.
  func published(_ response: Response, by run: PipelineRun) -> Response

  // MARK: Resources

  /// The data or error of a resource has changed.
  func resourceStateChanged(_ resource: Resource)
  /// Unused resources are about to be evicted: releases objects that only garbage holds.
  func releaseGarbage()
  /// The service has evicted a resource; its content is not used again.
  func recordForgotten(_ record: ResourceRecord, of service: Service)
  /// Notifies observers of an event, starting at index `first` of a snapshot: that one, and the
  /// following ones as long as they belong to the host and still observe.
  ///
  /// - Returns: the index of the first observer that was not notified.
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
/// All are notified of requests; of resources, only the host that mirrors their service.
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
  /// Adds a host beside the present ones.
  package func add(_ host: any ModelHost) {
    switch self.host {
    case let hosts as ModelHosts: hosts.add(host)
    case let other?: self.host = ModelHosts([other, host])
    case nil: self.host = ModelHosts([host])
    }
  }

  /// Removes a host that was added.
  package func remove(_ host: any ModelHost) { (self.host as? ModelHosts)?.remove(host) }
}
