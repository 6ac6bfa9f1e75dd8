/// One operation with one outcome: the common part of every kind of request.
///
/// Order of events: `start()` begins the work; on completion `state` flips at once; on a later turn
/// progress hooks get 1, then completion hooks run in the order they were attached, each at most
/// once (HOOK-05 to HOOK-08, HOOK-13). A hook added after that is called on a later turn, never
/// inside the registration. Home thread only. Lua: `Request`.
public class Request {
  package let pump: Pump
  package private(set) var lifecycle: RequestLifecycle
  private var hooks: [CompletionHook] = []
  private var progressHooks: [ProgressHook] = []
  private var waiters: [RequestWaiter] = []
  private var progressTimer: (any HostTimer)?
  private var reportedProgress = 0.0
  private var cancelHooks: [() -> Void] = []
  /// The resource this loads, whose observers hear of its progress; further ones use `onProgress`.
  private var loaded: Resource?
  /// The others that it loads too, by `load(using:)`.
  private var loadedToo: [Resource] = []
  /// Whose lists hold this request, and how many hooks run before it leaves them (STA-14).
  private var tracker: (lists: ResourceRecord, position: Int)?
  /// What the pump's host notes of this request; nil if it has nothing to note.
  package final var hostMark: AnyObject?
  /// Nobody is left who could complete it, but for cancelling.
  package private(set) final var isAbandoned = false
  /// The how manyth this is of a request and its repetitions.
  package final var attempt = 1
  /// How many have asked to be told, those who wait included.
  package final var hookCount: Int { hooks.count + progressHooks.count + waiters.count }
  /// How many of its hooks belong to loops and iterators, which have started it: if there are no others and
  /// nobody observes, nobody wants it. nil: somebody else has started it.
  package final var iteratorHooks: Int?
  /// The place of its start, then of its last sending; 0 before. (STA-11)
  package final var sentPlace: UInt64 = 0
  /// How many chains wait for this request now. (CHN-14)
  package final var waitingChains = 0

  package init(pump: Pump) {
    self.pump = pump
    lifecycle = RequestLifecycle()
  }

  package init(pump: Pump, completedWith response: Response) {
    self.pump = pump
    lifecycle = RequestLifecycle(completedWith: response)
    scheduleDelivery()
    pump.host?.requestStarted(self)
  }

  /// The resource it is made for; nil of one that belongs to none. Lua: `request.resource`.
  public var resource: Resource? { nil }
  /// What it is sent with, mutations included; nil of one that sends nothing. Lua:
  /// `request.method`.
  public var method: RequestMethod? { nil }
  /// What is asked, mutations included; nil of one that sends nothing. Lua: `request.url`.
  public var url: String? { nil }

  /// The times it was sent, the latest last, as far as policies keep count: empty for a request
  /// without retries, limits and credentials that is no download. Lua: `request.attempts`.
  public var attempts: [RequestAttempt] { [] }
  /// As they are once this request is cancelled.
  package var cancelledAttempts: [RequestAttempt] { attempts }

  /// How far it is. Lua: `request.state`.
  public final var state: RequestState {
    pump.checkThread()
    return switch lifecycle.state {
    case .notStarted: .notStarted
    case .inProgress: .inProgress
    case .completed: .completed
    }
  }

  /// Whether it has its response, a cancellation among them.
  public final var isCompleted: Bool {
    pump.checkThread()
    return lifecycle.state == .completed
  }

  /// How it ended; nil before.
  public final var response: Response? {
    pump.checkThread()
    return lifecycle.response
  }

  /// 0 to 1; 0 before the start, exactly 1 once completed, whatever the outcome (PRG-01, PRG-02).
  public final var progress: Double {
    pump.checkThread()
    return switch lifecycle.state {
    case .notStarted: 0
    case .inProgress: currentProgress
    case .completed: 1
    }
  }

  // MARK: Hooks

  /// Any outcome. (HOOK-01)
  @discardableResult
  public final func onCompletion(_ hook: @escaping (Response) -> Void) -> Self {
    pump.checkThread()
    switch lifecycle.hookAdded() {
    case .waits:
      // Most have two: their resource's, and one of whoever started them.
      if hooks.isEmpty { hooks.reserveCapacity(2) }
      hooks.append(CompletionHook(call: hook))
    case .deliverSoon: deliverSoon(hook)
    }
    return self
  }

  /// To somebody who comes when all others have been told.
  private func deliverSoon(_ receive: @escaping (Response) -> Void) {
    guard let response = lifecycle.response else { return }
    // Until then nobody else may hold what a script made of it.
    let release = pump.host?.hold(response)
    pump.enqueue { [self] in
      // Hooks may refer to their request without holding it.
      withExtendedLifetime(self) { receive(response) }
      release?()
    }
  }

  /// Any success, a 304 included.
  @discardableResult
  public final func onSuccess(_ hook: @escaping (Entity) -> Void) -> Self {
    onCompletion { if let entity = $0.entity { hook(entity) } }
  }

  /// Success that brought new data.
  @discardableResult
  public final func onNewData(_ hook: @escaping (Entity) -> Void) -> Self {
    onCompletion { if $0.isNew, let entity = $0.entity { hook(entity) } }
  }

  /// Success that brought none: a 304.
  @discardableResult
  public final func onNotModified(_ hook: @escaping () -> Void) -> Self {
    onCompletion { if !$0.isNew, $0.isSuccess { hook() } }
  }

  /// Called with the error, a cancellation too; never after a success. Lua:
  /// `request:on_failure(fn)`.
  @discardableResult
  public final func onFailure(_ hook: @escaping (RequestError) -> Void) -> Self {
    onCompletion { if let error = $0.error { hook(error) } }
  }

  /// May be called many times, finally with 1, always before completion hooks. (HOOK-12, PRG-26)
  @discardableResult
  public final func onProgress(_ hook: @escaping (Double) -> Void) -> Self {
    onProgress(hook, whileWanted: { true })
    return self
  }

  /// A hook that asks for polling only while it has somebody to tell; its final 1 comes anyway.
  package final func onProgress(
    _ report: @escaping (Double) -> Void, whileWanted isWanted: @escaping () -> Bool
  ) {
    pump.checkThread()
    switch lifecycle.hookAdded() {
    case .waits:
      progressHooks.append(ProgressHook(report: report, isWanted: isWanted))
      progressListenersChanged()
    case .deliverSoon: pump.enqueue { [self] in withExtendedLifetime(self) { report(1) } }
    }
  }

  /// Reports progress to the observers of `resource`, for as long as some of them want it. (PRG-29)
  package final func reportProgress(toObserversOf resource: Resource) {
    guard loaded == nil, lifecycle.hookAdded() == .waits else {
      loadedToo.append(resource)
      return onProgress(
        { resource.loadProgressed(to: $0) }, whileWanted: { resource.wantsProgress })
    }
    loaded = resource
    progressListenersChanged()
  }

  /// A closure that stands in an array by itself is wrapped in another one.
  private struct CompletionHook {
    let call: (Response) -> Void
  }

  private struct ProgressHook {
    let report: (Double) -> Void
    let isWanted: () -> Bool
  }

  /// Starts polling if the request runs and somebody wants to know. (PRG-24)
  package final func progressListenersChanged() {
    guard progressTimer == nil else { return }
    pollProgress(after: 0)
  }

  private func pollProgress(after seconds: Double) {
    guard lifecycle.state == .inProgress,
      loaded?.wantsProgress ?? false
        || progressHooks.contains(where: { $0.isWanted() })
    else { return }
    progressTimer = pump.clock.schedule(after: seconds) { [weak self] in self?.reportProgress() }
  }

  /// One poll; only a value that has changed is reported, and never a smaller one. (PRG-25)
  private func reportProgress() {
    progressTimer = nil
    guard lifecycle.state == .inProgress else { return }
    let progress = currentProgress
    if progress > reportedProgress || progress < reportedProgress && mayProgressFall {
      reportedProgress = progress
      loaded?.loadProgressed(to: progress)
      for hook in progressHooks where hook.isWanted() { hook.report(progress) }
    }
    pollProgress(after: max(progressReportingInterval, Request.shortestInterval))
  }

  private func stopPolling() {
    progressTimer?.cancel()
    progressTimer = nil
  }

  /// However short an interval is configured, polling must leave time for anything else. Seconds.
  private static let shortestInterval = 0.001

  /// Leaves those lists when it is cancelled, or after the hooks attached so far.
  package final func track(by lists: ResourceRecord) {
    guard tracker != nil else { return tracker = (lists, hooks.count) }
    // It stands for requests of several resources.
    onCancel { [unowned self] in lists.forget(self) }
    onCompletion { [unowned self] _ in lists.forget(self) }
  }

  /// Whether it is in the lists of some resource.
  package final var isTracked: Bool { tracker != nil }

  /// Whether it is a load of some resource, not delivered yet.
  package final var isLoad: Bool { loaded != nil }

  /// Whether cancelling takes it off those lists already.
  package final func isTracked(by lists: ResourceRecord) -> Bool { tracker?.lists === lists }

  private func leaveLists() {
    guard let lists = tracker?.lists else { return }
    tracker = nil
    lists.forget(self)
  }

  /// Runs synchronously inside `cancel()`, before any hook; not for users. (STA-13)
  package final func onCancel(_ hook: @escaping () -> Void) {
    guard !isCompleted else { return }
    cancelHooks.append(hook)
  }

  // MARK: Waiting

  /// Tells `receive` how this has ended: after all hooks, or on a later turn if those have run.
  package final func addWaiter(_ receive: @escaping (Response) -> Void) -> RequestWaiter {
    let waiter = RequestWaiter(receive)
    switch lifecycle.hookAdded() {
    case .waits: waiters.append(waiter)
    case .deliverSoon: deliverSoon(waiter.tell)
    }
    return waiter
  }

  /// Ends a wait before the request has ended, whose last one takes the request along, unless somebody
  /// is left who wants it: another waiter or, if `isSparingObserved`, an observer of a resource that it
  /// loads. (WAIT-01 to WAIT-05)
  ///
  /// - Returns: whether the request was cancelled. If so the waiter is told as if it had gone on.
  @discardableResult
  package final func leave(_ waiter: RequestWaiter, isSparingObserved: Bool) -> Bool {
    guard !isCompleted, let index = waiters.firstIndex(where: { $0 === waiter }) else {
      return false
    }
    guard waiters.count == 1, !(isSparingObserved && isLoadObserved) else {
      waiters.remove(at: index)
      return false
    }
    cancel()
    return true
  }

  private var isLoadObserved: Bool {
    loaded?.isObserved ?? false || loadedToo.contains { $0.isObserved }
  }

  // MARK: Life

  /// Begins the work; does nothing if it has begun or ended. (REP-11)
  @discardableResult
  public final func start() -> Self {
    pump.checkThread()
    if lifecycle.start() {
      sentPlace = pump.nextPlace()
      pump.host?.requestStarted(self)
      begin()
      progressListenersChanged()
    }
    return self
  }

  /// Completes the request at once as cancelled; hooks get the failure on a later turn. Does nothing
  /// once completed. (CXL-01 to CXL-12)
  public final func cancel() {
    pump.checkThread()
    let effect = lifecycle.cancel(.failure(cancellation()))
    guard effect != .ignored else { return }
    stopPolling()
    // Off the lists before anybody is told, who might look at them.
    leaveCancelled()
    if effect == .stopWork { stopWork() }
    scheduleDelivery()
  }

  private func leaveCancelled() {
    leaveLists()
    let hooks = cancelHooks
    cancelHooks = []
    for hook in hooks { hook() }
  }

  /// A new request for the same thing, not started; hooks are not carried over. (REP-01 to REP-08)
  public func repeated() -> Request { self }

  /// Reports the outcome; the second and later reports are ignored.
  package final func complete(with response: Response) {
    guard lifecycle.complete(with: response) else { return }
    pump.host?.hold(response, for: self)
    stopPolling()
    cancelHooks = []
    scheduleDelivery()
  }

  private func scheduleDelivery() {
    pump.enqueue { [self] in deliver() }
  }

  private func deliver() {
    guard let response = lifecycle.deliver() else { return }
    let progressHooks = progressHooks
    self.progressHooks = []
    if let loaded {
      self.loaded = nil
      loaded.loadProgressed(to: 1)
    }
    for hook in progressHooks { hook.report(1) }
    loadedToo = []
    let hooks = hooks
    self.hooks = []
    for (position, hook) in hooks.enumerated() {
      if position == tracker?.position { leaveLists() }
      hook.call(response)
    }
    leaveLists()
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.tell(response) }
    didDeliver()
    pump.host?.requestSettled(self)
  }

  // MARK: For the kinds of request

  /// Begins the work; called once.
  package func begin() {}
  /// Stops the work; the outcome is already decided.
  package func stopWork() {}
  /// Nobody is left who could complete it, or what it waits for.
  package func abandon() { isAbandoned = true }
  /// Called once after all hooks were delivered.
  package func didDeliver() {}
  package var currentProgress: Double { 0 }
  /// Whether a smaller progress than the last one is reported too. (PRG-25, CHN-18)
  package var mayProgressFall: Bool { false }
  /// Seconds between two polls.
  package var progressReportingInterval: Double { 0.05 }

  /// Method and URL, or what else messages call this request.
  package var displayName: String {
    guard let url else { return method?.rawValue ?? "request" }
    return "\(method?.rawValue ?? "request") \(LogText.url(url))"
  }
  /// Whether `request` is this one or a part of it.
  package func includes(_ request: Request) -> Bool { self === request }
  /// Whether this cannot complete before `request` does.
  package func waits(for request: Request) -> Bool { self === request }
  /// The request a chain begins with.
  package var wrappedRequest: Request? { nil }
  /// What this waits for now.
  package var openParts: [Request] { [] }
  /// The request whose response this one's is, unless a chain has replaced it.
  package var lastPart: Request { self }
  /// Whether it was cancelled, or the part whose response it has: another's error may say so too. (CXL-08)
  package var wasCancelled: Bool { lifecycle.isCancelled }
  /// When its last exchange was sent; nil if nothing was started.
  package var sending: RequestSending? {
    sentPlace == 0 ? nil : RequestSending(sent: sentPlace, answered: nil)
  }
}

/// How far a request is. Lua: `request.state`, by the raw values.
public enum RequestState: String, Sendable {
  /// Made, and not begun: decorators may still pass on another one in its place.
  case notStarted = "not_started"
  /// From `start()` on; a chain: from when its wrapped request has been started.
  case inProgress = "in_progress"
  /// Has its response, a cancellation among them; its hooks may still have to be called.
  case completed
}

extension Request: CustomStringConvertible {
  /// What it asks for, without credentials, and how far it is, on one line:
  /// `GET https://api.test/a: in progress`.
  public final var description: String {
    switch state {
    case .notStarted: "\(displayName): not started"
    case .inProgress: "\(displayName): in progress"
    case .completed: "\(displayName): \(response?.description ?? "completed")"
    }
  }
}

extension Request {
  /// That it was cancelled, as an error.
  package final func cancellation() -> RequestError {
    var error = RequestError.cancelled(at: pump.clock.now)
    error.method = method
    error.url = url
    error.attempts = cancelledAttempts
    return error
  }
}
