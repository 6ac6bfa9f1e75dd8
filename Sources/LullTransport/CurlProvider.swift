import CCurl
package import LullCore

/// The network of one home thread: HTTP exchanges by libcurl, driven by an event loop.
///
/// `startRequest` queues the exchange by origin. When there is room, the exchange gets a curl
/// handle and is sent on the loop's next turn. The provider follows redirects itself. The provider
/// posts one report per exchange to the inbox, also for cancelled exchanges. curl is initialised at
/// the first request. Home thread only.
package final class CurlProvider: NetworkingProvider {
  /// The number of exchanges that have been started and not reported, including waiting exchanges.
  package private(set) var activeCount = 0

  /// The number of exchanges that wait in the queues of their origins.
  package var waitingCount: Int { queues.waitingCount }

  let loop: EventLoop
  private let userAgent: String
  private let authorities: CertificateAuthorities
  private let blocksSIGPIPE: Bool
  let allowedHosts: AllowedHosts?
  private let idleTime: Double
  let queues = HostQueues()
  let log: ExchangeLog
  /// The coordinator of secrets; nil before the first request with secrets.
  private(set) var secrets: SecretCoordinator?
  /// Receives every text that reveals a secret of a request when the request is sent; nil for none.
  package var onSecrets: (([ToldSecret]) -> Void)?
  /// Returns the secret text for a literal secret of the program. If this function is nil, the
  /// literal itself is the secret text. Must be set before the first request.
  package var onLiteral: ((String) -> String)?
  /// Receives the requests instead of the network; nil for none. The tap can send a request to the
  /// network with `send`.
  package weak var tap: (any NetworkTap)?
  let jars = CurlJars()
  /// Origins whose certificates are not verified and for which the warning was printed.
  var distrusted: Set<Origin> = []
  /// Handles in use whose traffic is observed.
  var observed: [CurlEasy] = []
  /// Handles in use that report to a rate limit when their request is sent.
  var limited: [CurlEasy] = []
  /// Handles that send a body and may use HTTP/2; see `wakeAnswered`.
  var uploads: [CurlEasy] = []
  /// While this timer runs, `wakeAnswered` does nothing. It limits how often transfers are woken.
  var waking: (any HostTimer)?
  /// Exchanges that will be sent again when their rate limit admits them.
  var awaitingPlaces: [CurlTransfer] = []
  /// The curl handles; nil before the first request.
  private(set) var curl: (multis: CurlMultis, pool: CurlPool)?
  /// The next time to check for expired timeouts, in the loop's `uptime`.
  var nextOverdueLook = 0.0
  /// The timer that closes idle multi handles; nil if there are none to close.
  private var tidying: (any HostTimer)?
  /// Exchanges that were cancelled while curl's code ran. They are removed from curl when it has
  /// returned.
  private var cancelledInside: [CurlTransfer] = []
  private var isClosed = false

  /// - Parameters:
  ///   - certificateAuthorities: A PEM file to trust instead of the system's certificates.
  ///   - blocksSIGPIPE: Whether to block SIGPIPE, for processes that do not ignore it themselves.
  ///   - allowedHosts: The hosts that requests may reach, also by redirects; nil for any.
  ///   - idleTime: Some connections are only needed for a very large number of simultaneous
  ///     exchanges. They are closed after this number of idle seconds.
  package init(
    loop: EventLoop, userAgent: String = "lull/" + Lull.version,
    certificateAuthorities: String? = nil, blocksSIGPIPE: Bool = false,
    allowedHosts: AllowedHosts? = nil, idleTime: Double = 30
  ) {
    self.loop = loop
    self.idleTime = idleTime
    self.userAgent = userAgent
    self.blocksSIGPIPE = blocksSIGPIPE
    self.allowedHosts = allowedHosts
    log = ExchangeLog(loop.pump.log)
    authorities = CertificateAuthorities(file: certificateAuthorities)
    loop.add(self)
    loop.pump.countedParts.add(queues)
  }

  deinit { close() }

  // MARK: Starting and cancelling

  /// Queues the exchange and returns; nothing is sent before the loop's next turn.
  package func startRequest(_ request: HTTPRequest, completion: NetworkCompletion)
    -> any RequestNetworking
  {
    if let tap { return tap.startRequest(request, completion: completion) }
    return send(request, completion: completion)
  }

  /// Like `startRequest`, but bypasses the tap.
  package func send(_ request: HTTPRequest, completion: NetworkCompletion)
    -> any RequestNetworking
  {
    let transfer = CurlTransfer(request, completion: completion, provider: self)
    request.options?.sending?.adopt()
    activeCount += 1
    if isClosed {
      refuse(transfer, TransportError(.network, "the network has been shut down"))
    } else if let failure = CurlLibrary.failure {
      refuse(transfer, failure)
    } else if request.method != .get, !request.method.isValid {
      refuse(transfer, TransportError(.network, "'\(request.method)' is not a valid HTTP method"))
    } else if let queue = queues.queue(for: request.address) {
      if let refusal = refusal(of: queue.origin, for: request) {
        refuse(transfer, refusal)
        return transfer
      }
      if request.secrets != nil {
        startWithSecrets(transfer, to: queue.origin)
      } else {
        enter(queue, transfer)
      }
    } else {
      let url = Redirect.shown(request.url)
      let problem =
        ResourceURL.hostProblem(in: request.url).map { ": \($0)" }
        ?? (ResourceURL.lacksScheme(request.url) ? ": it needs http:// or https:// before it" : "")
      refuse(
        transfer,
        TransportError(.invalidURL, "'\(url)' is not an absolute http or https URL\(problem)"))
    }
    return transfer
  }

  /// Ends an exchange that has not begun.
  private func refuse(_ transfer: CurlTransfer, _ error: TransportError) {
    var error = error
    error.isUnsent = true
    end(transfer, error)
  }

  private func enter(_ queue: HostQueue, _ transfer: CurlTransfer) {
    transfer.queue = queue
    if queue.waitingCount == 0 && queue.hasRoom(for: transfer) {
      if let error = begin(transfer, in: queue) { end(transfer, error) }
    } else {
      queue.append(transfer)
    }
  }

  private func startWithSecrets(_ transfer: CurlTransfer, to origin: Origin) {
    secretCoordinator.admit(transfer, to: origin) { [weak self] error in
      guard let self, !transfer.hasEnded else { return }
      if let error { return end(transfer, error) }
      enter(queues.queue(for: origin), transfer)
    }
  }

  var secretCoordinator: SecretCoordinator {
    if let secrets { return secrets }
    let coordinator = SecretCoordinator(pump: loop.pump, literal: onLiteral)
    secrets = coordinator
    return coordinator
  }

  /// Ends the exchange. Its connection or stream is closed before this returns.
  func cancel(_ transfer: CurlTransfer) {
    guard !transfer.hasEnded else { return }
    noteCancellation(of: transfer)
    if secrets?.cancel(transfer) ?? false || forgetAwaiting(transfer) {
      return end(transfer, CurlProvider.cancellation)
    }
    guard let queue = transfer.queue else { return }
    guard let easy = transfer.easy else {
      end(transfer, CurlProvider.cancellation)
      queue.waitingOneWasCancelled()
      return
    }
    if let multi = easy.multi, multi.isInsideCurl {
      cancelledInside.append(transfer)
      return
    }
    end(transfer, CurlProvider.cancellation)
    detach(easy, from: queue)
    startWaiting(in: queue)
  }

  private static let cancellation = TransportError(.cancelled, "the request was cancelled")

  // MARK: Starting and ending transfers

  func startWaiting(in queue: HostQueue) {
    while !isClosed, let transfer = queue.takeNext() {
      if let error = begin(transfer, in: queue) { end(transfer, error) }
    }
  }

  /// Hands the exchange to curl. Returns the error if that fails.
  private func begin(_ transfer: CurlTransfer, in queue: HostQueue) -> TransportError? {
    let noMemory = TransportError(.network, "not enough memory for a network exchange")
    var resolved: HTTPRequest?
    let reader: BodyReader?
    do throws(TransportError) {
      if transfer.request.secrets != nil {
        let sent = try secretCoordinator.resolved(transfer.request, telling: onSecrets)
        if let refusal = refusal(ofHostHeaderIn: sent, to: queue.origin) { return refusal }
        resolved = sent
      }
      if transfer.request.options?.gate != nil {
        var request = resolved ?? transfer.request
        if let bytes = request.body { request.payload = .streamed(StreamedBody(heldBack: bytes)) }
        resolved = request
      }
      reader = try (resolved ?? transfer.request).payload?.reader()
    } catch {
      return error
    }
    let (multis, pool) = setUp()
    queues.watch(queue)
    let place = queue.began(transfer)
    let taken: CurlEasy?
    do throws(TransportError) {
      taken = try handle(for: transfer, to: queue.origin, from: pool)
    } catch {
      queue.ended(transfer, at: place)
      return error
    }
    guard let easy = taken, let multi = multi(for: easy, at: queue.multi(at: place), of: multis)
    else {
      if let taken { pool.give(taken) }
      queue.ended(transfer, at: place)
      return noMemory
    }
    guard
      easy.prepare(
        for: transfer, sending: resolved, reading: reader, to: queue.origin, at: place, in: multi),
      multi.add(easy) == CURLM_OK
    else {
      pool.give(easy)
      queue.ended(transfer, at: place)
      return noMemory
    }
    transfer.began(with: easy)
    if easy.sendsBody, easy.mayUseHTTP2 { uploads.append(easy) }
    watch(transfer, easy, in: queue)
    return nil
  }

  private func setUp() -> (multis: CurlMultis, pool: CurlPool) {
    if let curl { return curl }
    DescriptorLimit.raise()
    let multis = CurlMultis(loop: loop.handle, blocksSIGPIPE: blocksSIGPIPE)
    let share = CurlShare()
    let hasProxyVariables = ProxyVariables.isAnySet
    let pool = CurlPool { [userAgent, authorities] in
      CurlEasy(
        userAgent: userAgent, authorities: authorities, share: share, receiveBufferSize: $0,
        hasProxyVariables: hasProxyVariables, route: $1, jar: $2)
    }
    curl = (multis, pool)
    return (multis, pool)
  }

  func detach(_ easy: CurlEasy, from queue: HostQueue) {
    if easy.wire != nil { endObserving(easy) }
    if !limited.isEmpty { endReporting(easy) }
    if !uploads.isEmpty { endWaking(easy) }
    if let multi = easy.multi {
      multi.remove(easy)
      if multi.index > 0, multi.attachedCount == 0 { tidyLater() }
    }
    if let jar = easy.jar { jars.mayHaveChanged(jar) }
    queue.ended(easy.transfer, at: easy.queuePlace)
    curl?.pool.give(easy)
  }

  /// Schedules the closing of multi handles that were only needed for many simultaneous exchanges.
  private func tidyLater() {
    guard tidying == nil, !isClosed else { return }
    tidying = loop.schedule(after: idleTime) { [weak self] in
      guard let self else { return }
      tidying = nil
      if curl?.multis.closeIdle(for: idleTime / 2) ?? false { tidyLater() }
    }
  }

  func end(_ transfer: CurlTransfer, _ error: TransportError) {
    let error = secrets?.masked(error, of: transfer) ?? error
    end(transfer, ArrivedResult(NetworkResult(error: error)))
    // The log is written last, here and below, because its handler may start and cancel any
    // request.
    if error.kind != .cancelled { log.failed(transfer.request, error) }
  }

  private func end(_ transfer: CurlTransfer, _ report: ArrivedResult) {
    guard !transfer.hasEnded else { return }
    activeCount -= 1
    transfer.end(report)
  }

  /// Ends a running exchange with an error that Lull itself has detected.
  func giveUp(
    _ transfer: CurlTransfer, _ easy: CurlEasy, _ queue: HostQueue, _ error: TransportError
  ) {
    guard !transfer.hasEnded, transfer.easy === easy else { return }
    queue.stopped(easy)
    end(transfer, ArrivedResult(NetworkResult(error: error)))
    detach(easy, from: queue)
    log.failed(transfer.request, error)
    startWaiting(in: queue)
  }

  // MARK: Results

  private func finished(_ easy: CurlEasy, _ code: CURLcode) {
    guard let transfer = easy.transfer, let queue = transfer.queue else { return }
    if queue.origin.isTLS, easy.route?.connection.httpVersion != .http1, easy.status > 0 {
      queue.usedHTTP2 = easy.usedHTTP2
    }
    let isOver = code == CURLE_OK
    let code = easy.verdict(code)
    if code != CURLE_OK, transfer.retryCount < 5, easy.diedOnKeptConnection(code) {
      transfer.willBeRetried()
      detach(easy, from: queue)
      sendAgain(transfer, in: queue)
    } else if code != CURLE_OK {
      let said = easy.error(code, of: transfer, at: queue.origin)
      let error = secrets?.masked(said, of: transfer) ?? said
      let isStopped = !isOver && easy.wasStopped
      if error.kind == .timeout || code == CURLE_HTTP2_STREAM || isStopped { queue.stopped(easy) }
      // If a response is truncated, or an error's body cannot be decoded, its head is still useful.
      let isKnown = error.kind == .truncatedBody || easy.hasUndecodableError
      let head = isKnown ? easy.response(of: transfer) : nil
      end(transfer, ArrivedResult(NetworkResult(response: head, error: error)))
      detach(easy, from: queue)
      log.failed(transfer.request, error)
    } else if easy.isRedirect {
      follow(easy, transfer, queue)
    } else {
      answered(easy, transfer, queue)
    }
    startWaiting(in: queue)
  }

  private func answered(_ easy: CurlEasy, _ transfer: CurlTransfer, _ queue: HostQueue) {
    let remark = log.isOn ? easy.remark : nil
    let report = easy.report(of: transfer)
    end(transfer, report)
    detach(easy, from: queue)
    if log.isOn { log.answered(transfer.request, report.result, remark) }
  }
}

// MARK: - TurnParticipant

extension CurlProvider: TurnParticipant {
  package func beforeWaiting() { runCurl() }
  package func afterWaiting() { runCurl() }

  package var hasWork: Bool {
    guard let curl, !isClosed else { return false }
    return !curl.multis.work.isEmpty
  }

  /// Cancels every exchange and closes every connection. Later exchanges fail. Closing again has no
  /// effect.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.pump.countedParts.remove(queues)
    for transfer in (secrets?.close() ?? []) + queues.takeAllWaiting() + awaitingPlaces {
      end(transfer, CurlProvider.cancellation)
    }
    awaitingPlaces = []
    tidying?.cancel()
    tidying = nil
    waking?.cancel()
    waking = nil
    guard let (multis, pool) = curl else { return }
    for easy in pool.inUse {
      if let transfer = easy.transfer, let queue = transfer.queue {
        end(transfer, CurlProvider.cancellation)
        detach(easy, from: queue)
      }
    }
    saveCookies()
    multis.close()
    curl = nil
  }

  private func runCurl() {
    guard let work = curl?.multis.work, !isClosed else { return }
    for multi in work.multis { multi.performDue() }
    if !cancelledInside.isEmpty {
      let transfers = cancelledInside
      cancelledInside = []
      for transfer in transfers { cancel(transfer) }
    }
    if !observed.isEmpty { tellObservers() }
    if !limited.isEmpty { reportSending() }
    if !uploads.isEmpty { wakeAnswered() }
    endOverdue()
    for queue in queues.takeFound() { startWaiting(in: queue) }
    for multi in work.multis { multi.readCompletions(finished) }
    work.removeIdle()
    saveCookies()
  }
}

/// Intercepts the exchanges of a network: as long as the tap is set, requests go to it instead of
/// the network. Home thread only.
package protocol NetworkTap: NetworkingProvider {}

/// A network that bypasses its tap.
package final class UntappedNetwork: NetworkingProvider {
  // Unowned, because the network outlives its tap.
  private unowned let network: CurlProvider

  package init(_ network: CurlProvider) { self.network = network }

  package func startRequest(
    _ request: HTTPRequest, completion: NetworkCompletion
  ) -> any RequestNetworking {
    network.send(request, completion: completion)
  }
}
