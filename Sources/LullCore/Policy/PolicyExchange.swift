/// A request on its way through the provider chain: limit → auth → retry → transport.
///
/// Each attempt passes these steps:
///
/// 1. It waits until the limits admit it.
/// 2. It gets its credentials and is sent. A download requests only the missing bytes.
/// 3. When the response arrives, the slot of the concurrency limit is free. The slot of the rate
///    limit is released one span after the request was sent, as reported by the transport.
/// 4. The response is returned, or the next attempt begins after a pause or with new credentials.
///
/// For the caller, all attempts together are one exchange. Cancelling this exchange immediately
/// ends the wait in the queue, the pause, or the attempt in flight. Home thread only.
package final class PolicyExchange: RequestNetworking {
  private enum Stage {
    /// The exchange is between two of the other stages.
    case idle
    case waiting(LimitQueue.Ticket)
    case authorizing(stop: (() -> Void)?)
    case sending(NetworkCompletion, (any RequestNetworking)?)
    case pausing(any HostTimer)
    case over
  }

  private var http: HTTPRequest
  /// The forms of a body with a GraphQL document that is sent as a hash; nil for other requests.
  private var persisted: PersistedBody?
  /// Called if the server responds that it does not support hashes of documents.
  var onPersistedQueriesRefused: (() -> Void)?
  private let policies: Policies.Rules
  /// The queue in which the request waits for its limits; nil without limits.
  private let queue: LimitQueue?
  private let networking: any NetworkingProvider
  private unowned let pump: Pump
  /// The service of the request.
  private let owner: AnyObject?
  /// The download that receives the response; nil for most requests.
  private let download: Download?
  private var completion: NetworkCompletion?
  private var stage = Stage.idle
  /// The transfer of the last response. It may own memory that the response uses.
  private var answered: (any RequestNetworking)?
  /// The admission of the attempt that is being prepared or is in flight.
  var admission = Admission.local
  /// Whether the span of the rate limit has begun for the current attempt; true without a rate
  /// limit.
  private var isCounted = true
  /// The object by which the transport reports that it sends the attempt in flight; nil without a
  /// rate limit.
  private var report: SendingReport?
  /// Set while the current transfer waits for an admission for another request. Contains the
  /// position in the queue, and the function that sends the other request.
  private var repetition: (ticket: LimitQueue.Ticket, resume: () -> Void)?
  /// The sequence number of the request in the queue of its service. All attempts use the same
  /// number.
  private var order: UInt64?
  private var retries = 0
  private var hasRenewed = false
  /// The time at which the request began or the last attempt ended, in `uptime` of the clock.
  private var waitingSince = 0.0
  /// The time at which the last attempt was sent, in `uptime` of the clock.
  private var sentAt = 0.0
  /// The sequence number of the last attempt among all requests sent by the pump; 0 before the
  /// first attempt. (STA-11)
  private(set) var sentPlace: UInt64 = 0
  package private(set) var attempts: [RequestAttempt] = []
  /// The attempts to report if the exchange is cancelled now. An attempt in flight is reported as
  /// cancelled.
  var cancelledAttempts: [RequestAttempt] {
    guard let last = attempts.last, last.elapsed == nil else { return attempts }
    var attempts = attempts
    attempts[attempts.count - 1].end(.failure(.cancelled), after: pump.clock.uptime - sentAt)
    return attempts
  }

  init(
    _ http: HTTPRequest, policies: Policies?, queue: LimitQueue?,
    networking: any NetworkingProvider, pump: Pump, owner: AnyObject? = nil
  ) {
    self.http = http
    self.policies = policies?.rules ?? Policies.Rules()
    self.queue = queue
    download = http.options?.download
    self.networking = networking
    self.pump = pump
    self.owner = owner
    if let queries = http.persistedQueries {
      persisted = http.body.flatMap { PersistedBody($0, queries) }
      if let persisted { self.http.body = persisted.bytes }
    }
  }

  deinit {
    if case .waiting(let ticket) = stage { queue?.drop(ticket) }
  }

  /// The transfer in flight; nil if there is none.
  package var current: (any RequestNetworking)? {
    if case .sending(_, let transfer) = stage { return transfer }
    return nil
  }

  /// Whether nothing is in flight and the request waits: for limits, for credentials, or for the
  /// end of a pause.
  var isWaiting: Bool {
    switch stage {
    case .waiting, .authorizing, .pausing: true
    case .sending: repetition != nil
    case .idle, .over: false
    }
  }

  package var transferMetrics: RequestTransferMetrics {
    let metrics = current?.transferMetrics ?? RequestTransferMetrics()
    return download?.counted(metrics) ?? metrics
  }

  package func resume() { current?.resume() }

  /// Starts the request. Called once. The result arrives on a later turn.
  func begin(completion: NetworkCompletion) {
    self.completion = completion
    waitingSince = pump.clock.uptime
    queueUp()
  }

  package func cancel() {
    let stage = stage
    self.stage = .over
    completion = nil
    switch stage {
    case .idle, .over: break
    // If the request was admitted meanwhile, it gives the admission back in `wasAdmitted`.
    case .waiting(let ticket): _ = queue?.leave(ticket)
    case .authorizing(let stop):
      stop?()
      queue?.withdraw(admission)
    case .sending(let channel, let transfer):
      pump.discard(channel)
      noteEnd(.failure(.cancelled))
      stopRepeating()
      transfer?.cancel()
      if report?.isUnsent ?? false, !isCounted {
        queue?.withdraw(admission)
      } else {
        count()
        queue?.end(admission, nil)
      }
    case .pausing(let timer): timer.cancel()
    }
  }

  // MARK: Limit

  private func queueUp() {
    guard let queue else { return authorize() }
    let isAgain = order != nil
    let order = order ?? queue.makeOrder()
    self.order = order
    stage = .waiting(queue.join(self, order: order, isAgain: isAgain))
    queue.deliver()
    if case .waiting = stage {
      pump.log(.network, "\(name) waits: at most \(queue.description)")
    }
  }

  func wasAdmitted() {
    if let repetition {
      self.repetition = nil
      guard case .sending = stage else {
        queue?.repetitions.withdraw(admission)
        return
      }
      isCounted = false
      return repetition.resume()
    }
    guard case .waiting = stage else {
      queue?.withdraw(admission)
      return
    }
    authorize()
  }

  // MARK: Auth

  private func authorize() {
    guard let auth = policies.authStage else { return send(AuthorizedRequest(http)) }
    stage = .authorizing(stop: nil)
    var hasProceeded = false
    let stop = auth.authorize(http, in: context) { [self] answer in
      hasProceeded = true
      guard case .authorizing = stage else { return }
      switch answer {
      case .success(let request): send(request)
      case .failure(let error): giveUp(error)
      }
    }
    guard !hasProceeded else { return }
    if case .authorizing = stage { stage = .authorizing(stop: stop) } else { stop?() }
  }

  /// Ends the attempt with an error, because the request can't be sent.
  private func giveUp(_ error: TransportError) {
    stage = .idle
    queue?.withdraw(admission)
    settle(NetworkResult(error: error))
  }

  private var context: AuthContext {
    AuthContext(networking: networking, pump: pump, owner: owner)
  }

  // MARK: Transport

  private func send(_ request: AuthorizedRequest) {
    var http = request.http
    do throws(TransportError) {
      if let download { http = try download.prepare(http, now: pump.clock.now) }
    } catch {
      return giveUp(error)
    }
    sentAt = pump.clock.uptime
    sentPlace = pump.nextPlace()
    attempts.append(
      RequestAttempt(
        number: attempts.count + 1, started: pump.clock.now, delay: max(0, sentAt - waitingSince)))
    watchSending(&http)
    let channel = pump.completion { [self] result in arrived(result, for: request) }
    stage = .sending(channel, nil)
    let transfer = networking.startRequest(http, completion: channel)
    // A provider may be a script that cancels the very request it receives.
    guard case .sending = stage else { return transfer.cancel() }
    stage = .sending(channel, transfer)
    if let report, !report.isAdopted { report.handOver() }
  }

  private func watchSending(_ http: inout HTTPRequest) {
    guard let queue, queue.hasRate else { return }
    isCounted = false
    let attempt = attempts.count
    let report = SendingReport(waitsForAnswer: queue.isStrict) { [weak self] event in
      guard let self, case .sending = stage, attempt == attempts.count else { return false }
      switch event {
      case .began: if !isCounted { queue.begin(admission) }
      case .passed: count()
      case .again(let resume): repeatLater(resume)
      }
      return true
    }
    self.report = report
    var options = http.options ?? TransferOptions()
    options.sending = report
    http.options = options
  }

  /// Starts the span of the rate limit for the current attempt.
  private func count() {
    guard !isCounted else { return }
    isCounted = true
    if let queue { admission = queue.send(admission) }
  }

  /// Waits until the rate limit admits another request of the current transfer, and then calls
  /// `resume`.
  private func repeatLater(_ resume: @escaping () -> Void) {
    guard let queue, repetition == nil else { return resume() }
    count()
    let ticket = queue.repetitions.join(self, order: order ?? queue.makeOrder(), isAgain: true)
    repetition = (ticket, resume)
    queue.deliver()
    if repetition != nil {
      pump.log(.network, "\(name) waits to continue: at most \(queue.description)")
    }
  }

  private func stopRepeating() {
    // If the request was admitted meanwhile, it gives the admission back in `wasAdmitted`.
    guard let repetition, queue?.repetitions.leave(repetition.ticket) ?? true else { return }
    self.repetition = nil
  }

  private func arrived(_ result: NetworkResult, for request: AuthorizedRequest) {
    guard case .sending(_, let transfer) = stage else { return }
    answered = transfer
    stopRepeating()
    count()
    stage = .idle
    noteEnd(RequestAttempt.Outcome(result))
    queue?.end(admission, result)
    // The requests that took the free slot may have cancelled this one.
    guard case .idle = stage else { return }
    if persisted?.advance(after: result) ?? false, let persisted {
      if persisted.form == .text, !persisted.isGuess { onPersistedQueriesRefused?() }
      http.body = persisted.bytes
      pump.log(
        .network,
        "\(name): the server does not know the hash of the document: it is sent again with the "
          + "text")
      guard case .idle = stage else { return }
      return queueUp()
    }
    if persisted?.provesRefusal(result) ?? false { onPersistedQueriesRefused?() }
    if let status = result.response?.status, let auth = policies.authStage, !hasRenewed,
      auth.renewableStatuses.contains(status)
    {
      hasRenewed = true
      if auth.canRenew(after: result, to: request, in: context) {
        pump.log(.network, "\(name) got \(status): it is sent again with other credentials")
        return queueUp()
      }
    }
    switch download?.settle(result) ?? .ended(result) {
    case .ended(let result): settle(result)
    case .again(let reason):
      pump.log(.network, "\(name) is requested again: \(reason)")
      guard case .idle = stage else { return }
      queueUp()
    }
  }

  private func noteEnd(_ outcome: RequestAttempt.Outcome?) {
    waitingSince = pump.clock.uptime
    guard let last = attempts.indices.last else { return }
    attempts[last].end(outcome, after: waitingSince - sentAt)
  }

  // MARK: Retry

  private func settle(_ result: NetworkResult) {
    guard let retry = policies.retry, http.options?.sink?.mayBegin() ?? true else {
      return finish(result)
    }
    let decision = retry.decision(
      after: result, method: http.method,
      isIdempotent: http.isIdempotent || http.headers["idempotency-key"] != nil, retries: retries,
      now: pump.clock.now, random: pump.random)
    switch decision {
    case .keep: finish(result)
    case .giveUp(let reason):
      pump.log(.network, "\(name) is not sent again: \(reason)")
      finish(result)
    case .sendAgain(let delay):
      retries += 1
      hasRenewed = false
      pump.log(
        .network,
        "\(name): attempt \(retries) of \(retry.times + 1) failed "
          + "(\(RequestAttempt.Outcome(result)?.text ?? "no response")), the next one in "
          + LogText.seconds(delay))
      // A log handler may cancel this request.
      guard case .idle = stage else { return }
      stage = .pausing(pump.clock.schedule(after: delay) { [self] in queueUp() })
    }
  }

  private func finish(_ result: NetworkResult) {
    guard case .idle = stage else { return }
    stage = .over
    completion?(result)
    completion = nil
  }

  private var name: String { "\(http.method) \(LogText.url(http.url))" }
}
