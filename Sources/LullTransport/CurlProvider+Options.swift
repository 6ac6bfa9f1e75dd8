import LullCore
import LullSystem

/// Support for requests with connection options.
extension CurlProvider {
  /// Returns a handle for the current hop of `transfer`, or nil if memory runs out.
  func handle(for transfer: CurlTransfer, to origin: Origin, from pool: CurlPool)
    throws(TransportError) -> CurlEasy?
  {
    guard let options = transfer.request.options, let route = CurlRoute(options, to: origin) else {
      return pool.take()
    }
    if !route.connection.verifiesServer, origin.isTLS { warnOfTrust(in: origin) }
    if let idle = pool.takeIdle(route) { return idle }
    try route.check()
    return pool.take(
      route,
      try route.cookies.map { name throws(TransportError) in
        try jars.jar(name)
      })
  }

  /// Returns the multi handle for the exchange of `easy`. Exchanges on one multi handle share its
  /// connections.
  func multi(for easy: CurlEasy, at index: Int, of multis: CurlMultis) -> CurlMulti? {
    guard let name = easy.route?.nameOfConnections else { return multis.multi(at: index) }
    return multis.multi(named: name, at: index)
  }

  /// Warns once for each host during the life of a network.
  private func warnOfTrust(in origin: Origin) {
    guard distrusted.insert(origin).inserted else { return }
    StandardError.write(
      "lull: warning: the certificate of \(origin.hostAndPort) is not verified (insecure)\n")
  }

  /// Writes the cookie jars. A file that cannot be written causes a warning, not a failure.
  func saveCookies() {
    jars.save { StandardError.write("lull: warning: \($0)\n") }
  }

  /// Observes an exchange that has begun, if its options request that.
  func watch(_ transfer: CurlTransfer, _ easy: CurlEasy, in queue: HostQueue) {
    guard let options = transfer.request.options else { return }
    if easy.incoming.pointee.passesLater { limited.append(easy) }
    if let observer = options.wire {
      easy.observe(for: observer, transfer.request)
      observed.append(easy)
    }
    easy.watch = ExchangeWatch(options, easy, at: queue.origin, on: loop) {
      [weak self, unowned easy, unowned transfer, unowned queue] error in
      self?.giveUp(transfer, easy, queue, error)
    }
  }

  /// Returns an error if nothing may be sent to `origin`, or nil if sending is allowed.
  func refusal(
    of origin: Origin, for request: HTTPRequest, redirectedBy host: String? = nil
  ) -> TransportError? {
    guard let allowedHosts else { return nil }
    if let socket = request.options?.connection.unixSocket {
      guard !allowedHosts.permits(socket: socket) else { return nil }
      return refusal("the socket \(LogText.part(socket, limit: 120))")
    }
    guard !allowedHosts.permits(origin) else {
      return refusal(ofHostHeaderIn: request, to: origin)
        ?? refusal(of: request, to: origin, by: allowedHosts)
    }
    let target = host.map { "\($0) redirects to \(origin.hostAndPort), which" }
    return TransportError(
      .connection,
      "\(target ?? "the host \(origin.hostAndPort)") is not allowed (--allow-host)")
  }

  /// Returns an error if a request may not be sent with its `Host` header (`:authority` in HTTP/2),
  /// or nil if the header is allowed. A server of several hosts, or a proxy in front of them,
  /// routes by that header.
  ///
  /// - Parameter request: The request with the texts of its secrets, or a request without secrets.
  ///   A request that still has masks is not checked here, but when it is sent.
  func refusal(ofHostHeaderIn request: HTTPRequest, to origin: Origin) -> TransportError? {
    guard let allowedHosts, request.secrets == nil,
      request.options?.connection.unixSocket == nil
    else { return nil }
    for value in request.headers.lines.byteValues(of: Array("host".utf8))
    where !allowedHosts.permits(hostHeader: value, scheme: origin.scheme) {
      let shown = LogText.part(String(escaping: value), limit: 120)
      return refusal("the host '\(shown)' of the Host header")
    }
    return nil
  }

  /// Returns an error if the request's own settings specify an address or a proxy that is not
  /// allowed; otherwise nil.
  func refusal(of request: HTTPRequest, to origin: Origin, by allowedHosts: AllowedHosts)
    -> TransportError?
  {
    guard let connection = request.options?.connection else { return nil }
    if let address = CurlRoute.address(for: origin, in: connection) {
      let port = address.port.map { "\($0)" } ?? origin.port
      let target = Origin(scheme: origin.scheme, host: address.urlHost, port: port)
      if !allowedHosts.permits(target) { return refusal("the address \(target.hostAndPort)") }
    }
    if case .url(let url) = connection.proxy {
      // An invalid proxy URL is rejected when the connection is made.
      guard let proxy = ProxyAddress(url) else { return nil }
      let target = Origin(scheme: "http", host: proxy.host.urlHost, port: "\(proxy.port)")
      if !allowedHosts.permits(target) { return refusal("the proxy \(proxy.host.description)") }
    }
    return nil
  }

  private func refusal(_ what: String) -> TransportError {
    TransportError(.connection, "\(what) is not allowed (--allow-host)")
  }
}
