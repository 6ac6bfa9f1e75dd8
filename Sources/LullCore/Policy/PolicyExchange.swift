/// One request on its way through the provider chain: limit → auth → retry → transport.
///
/// Order of events for each attempt: it waits until limits let it through, gets its credentials, and
/// is sent, for a download from where it has come to; with the answer its place is free for the next. A
/// place of the rate is released one span after the request went out, as its transport reports it.
/// Then the answer is kept, or after a pause, or with new credentials, the next attempt begins.
/// Whoever started the request sees one transfer. Cancelling leaves the line, the pause or the
/// exchange at once. Home thread only.
package final class PolicyExchange: RequestNetworking {
  private enum Stage {
    /// Between two of the others.
    case idle
    case waiting(LimitQueue.Ticket)
    case authorizing(stop: (() -> Void)?)
    case sending(NetworkCompletion, (any RequestNetworking)?)
    case pausing(any HostTimer)
    case over
  }

  private let http: HTTPRequest
  private let policies: Policies.Rules
  /// Where it waits for its limits; nil without any.
  private let queue: LimitQueue?
  private let networking: any NetworkingProvider
  private unowned let pump: Pump
  /// The service whose request it is.
  private let owner: AnyObject?
  /// What the answer becomes the content of; nil of most requests.
  private let download: Download?
  private var completion: NetworkCompletion?
  private var stage = Stage.idle
  /// The transfer that brought the last answer: what is in that may be held by it.
  private var answered: (any RequestNetworking)?
  /// That limits have let the attempt through which is prepared or under way.
  var admission = Admission.local
  /// Whether its span has begun; true without one.
  private var isCounted = true
  /// Of the attempt under way; nil where nothing limits the rate.
  private var report: SendingReport?
  /// Waits for a place for another request of the transfer under way.
  private var repetition: (ticket: LimitQueue.Ticket, resume: () -> Void)?
  /// Its number in the line of its service, kept for further attempts.
  private var order: UInt64?
  private var retries = 0
  private var hasRenewed = false
  /// When the request began, or the last attempt ended, by the clock's `uptime`.
  private var waitingSince = 0.0
  /// When the last attempt was sent, by the same.
  private var sentAt = 0.0
  /// The place of that sending in the pump's order; 0 before the first one. (STA-11)
  private(set) var sentPlace: UInt64 = 0
  package private(set) var attempts: [RequestAttempt] = []
  /// As they are once the exchange is cancelled: the last one too, if it is under way now.
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
  }

  deinit {
    if case .waiting(let ticket) = stage { queue?.drop(ticket) }
  }

  /// The transfer under way now, if there is one.
  package var current: (any RequestNetworking)? {
    if case .sending(_, let transfer) = stage { return transfer }
    return nil
  }

  /// Whether it waits for limits, credentials or the end of a pause, and nothing is under way.
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

  /// Called once. The answer comes on a later turn.
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
    // One that was let through meanwhile gives that back when it hears of it.
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

  /// It cannot be sent as it should be.
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
    // A provider may be a script that cancels the very request it is given.
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

  /// The span of its place begins now.
  private func count() {
    guard !isCounted else { return }
    isCounted = true
    if let queue { admission = queue.send(admission) }
  }

  /// The transfer is to send another request, which needs a place of its own.
  private func repeatLater(_ resume: @escaping () -> Void) {
    guard let queue, repetition == nil else { return resume() }
    count()
    let ticket = queue.repetitions.join(self, order: order ?? queue.makeOrder(), isAgain: true)
    repetition = (ticket, resume)
    queue.deliver()
    if repetition != nil {
      pump.log(.network, "\(name) waits to go on: at most \(queue.description)")
    }
  }

  private func stopRepeating() {
    // One that was let through meanwhile gives that back when it hears of it.
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
    // Those that the place was given to may have cancelled this one.
    guard case .idle = stage else { return }
    if let status = result.response?.status, let auth = policies.authStage, !hasRenewed,
      auth.renewableStatuses.contains(status)
    {
      hasRenewed = true
      if auth.canRenew(after: result, to: request, in: context) {
        pump.log(.network, "\(name) was answered \(status): once more, with other credentials")
        return queueUp()
      }
    }
    switch download?.settle(result) ?? .ended(result) {
    case .ended(let result): settle(result)
    case .again(let reason):
      pump.log(.network, "\(name) is asked for once more: \(reason)")
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
      after: result, method: http.method, hasKey: http.headers["idempotency-key"] != nil,
      retries: retries, now: pump.clock.now, random: pump.random)
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
          + "(\(RequestAttempt.Outcome(result)?.text ?? "no answer")), the next one in "
          + LogText.seconds(delay))
      // A log's handler may cancel it.
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
