/// The base class of all requests. A request is one operation with one outcome.
///
/// Order of events: `start()` begins the work. On completion, `state` changes at once. On a later
/// turn, progress hooks get 1, and then completion hooks run in the order in which they were
/// attached, each at most once (HOOK-05 to HOOK-08, HOOK-13). A hook that is attached after
/// completion is also called on a later turn, never inside the call that attaches it. Home thread
/// only. Lua: `Request`.
public class Request {
  package let pump: Pump
  package private(set) var lifecycle: RequestLifecycle
  private var hooks: [CompletionHook] = []
  private var progressHooks: [ProgressHook] = []
  private var waiters: [RequestWaiter] = []
  private var progressTimer: (any HostTimer)?
  private var reportedProgress = 0.0
  private var cancelHooks: [() -> Void] = []
  /// The first resource that this request loads. Its observers are notified of the progress
  /// directly; for further resources, a hook is added with `onProgress`.
  private var loaded: Resource?
  /// Further resources that this request loads, because it was passed to their `load(using:)`.
  private var loadedToo: [Resource] = []
  /// The record whose lists contain this request, and the number of hooks that run before the
  /// request is removed from these lists (STA-14).
  private var tracker: (lists: ResourceRecord, position: Int)?
  /// An object that the pump's host stores for this request; nil if the host stores none.
  package final var hostMark: AnyObject?
  /// Whether the request is abandoned: only cancelling can complete it now.
  package private(set) final var isAbandoned = false
  /// The number of this request among its repetitions: 1 for the original request, 2 for its first
  /// repetition, and so on.
  package final var attempt = 1
  /// The number of hooks and waiters.
  package final var hookCount: Int { hooks.count + progressHooks.count + waiters.count }
  /// The number of hooks that belong to loops and iterators. nil if the request was not started by
  /// a loop or iterator. If the request has no other hooks and its resource has no observers, the
  /// request is no longer needed when these loops and iterators end.
  package final var iteratorHooks: Int?
  /// The position of this request in the order in which the pump starts and sends requests. After
  /// the start, it is the position of the start. After the request was sent, it is the position of
  /// the last sending. 0 before the start. (STA-11)
  package final var sentPlace: UInt64 = 0
  /// The number of chains that wait for this request now. (CHN-14)
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

  /// The resource that the request belongs to; nil if it does not belong to a resource. Lua:
  /// `request.resource`.
  public var resource: Resource? { nil }
  /// The method that is sent, after mutations; nil if the request sends nothing. Lua:
  /// `request.method`.
  public var method: RequestMethod? { nil }
  /// The URL that is requested, after mutations; nil if the request sends nothing. Lua:
  /// `request.url`.
  public var url: String? { nil }

  /// The attempts to send the request, in order. Empty for a request without retries, limits and
  /// credentials, unless the request is a download. Lua: `request.attempts`.
  public var attempts: [RequestAttempt] { [] }
  /// The attempts that the error would contain if this request were cancelled now.
  package var cancelledAttempts: [RequestAttempt] { attempts }

  /// The state of the request. Lua: `request.state`.
  public final var state: RequestState {
    pump.checkThread()
    return switch lifecycle.state {
    case .notStarted: .notStarted
    case .inProgress: .inProgress
    case .completed: .completed
    }
  }

  /// Whether the request has its response. A cancelled request is completed too.
  public final var isCompleted: Bool {
    pump.checkThread()
    return lifecycle.state == .completed
  }

  /// The response; nil before completion.
  public final var response: Response? {
    pump.checkThread()
    return lifecycle.response
  }

  /// The progress, from 0 to 1: 0 before the start, exactly 1 after completion, whatever the
  /// outcome (PRG-01, PRG-02).
  public final var progress: Double {
    pump.checkThread()
    return switch lifecycle.state {
    case .notStarted: 0
    case .inProgress: currentProgress
    case .completed: 1
    }
  }

  // MARK: Hooks

  /// Adds a hook that is called with the response, whatever the outcome. (HOOK-01)
  @discardableResult
  public final func onCompletion(_ hook: @escaping (Response) -> Void) -> Self {
    pump.checkThread()
    switch lifecycle.hookAdded() {
    case .waits:
      // Most requests have two hooks: one of their resource, and one of the caller.
      if hooks.isEmpty { hooks.reserveCapacity(2) }
      hooks.append(CompletionHook(call: hook))
    case .deliverSoon: deliverSoon(hook)
    }
    return self
  }

  /// Calls a hook with the response, on a later turn. Used for a hook that is added after the other
  /// hooks were called.
  private func deliverSoon(_ receive: @escaping (Response) -> Void) {
    guard let response = lifecycle.response else { return }
    // Holds the script values in the response until the hook is called, because no other object may
    // hold them.
    let release = pump.host?.hold(response)
    pump.enqueue { [self] in
      // Keeps the request alive during the call, because a hook may have an unowned reference to
      // its request.
      withExtendedLifetime(self) { receive(response) }
      release?()
    }
  }

  /// Adds a hook that is called after a success, including a 304.
  @discardableResult
  public final func onSuccess(_ hook: @escaping (Entity) -> Void) -> Self {
    onCompletion { if let entity = $0.entity { hook(entity) } }
  }

  /// Adds a hook that is called after a success with new data.
  @discardableResult
  public final func onNewData(_ hook: @escaping (Entity) -> Void) -> Self {
    onCompletion { if $0.isNew, let entity = $0.entity { hook(entity) } }
  }

  /// Adds a hook that is called after a success without new data, for example a 304.
  @discardableResult
  public final func onNotModified(_ hook: @escaping () -> Void) -> Self {
    onCompletion { if !$0.isNew, $0.isSuccess { hook() } }
  }

  /// Adds a hook that is called with the error after a failure or a cancellation. Lua:
  /// `request:on_failure(fn)`.
  @discardableResult
  public final func onFailure(_ hook: @escaping (RequestError) -> Void) -> Self {
    onCompletion { if let error = $0.error { hook(error) } }
  }

  /// Adds a hook that is called with the progress, any number of times, and finally with 1 before
  /// the completion hooks run. (HOOK-12, PRG-26)
  @discardableResult
  public final func onProgress(_ hook: @escaping (Double) -> Void) -> Self {
    onProgress(hook, whileWanted: { true })
    return self
  }

  /// Adds a progress hook. The progress is polled for this hook only while `isWanted` returns true.
  /// The final 1 is always reported.
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

  /// Reports progress to the observers of `resource`, as long as at least one of them wants it.
  /// (PRG-29)
  package final func reportProgress(toObserversOf resource: Resource) {
    guard loaded == nil, lifecycle.hookAdded() == .waits else {
      loadedToo.append(resource)
      return onProgress(
        { resource.loadProgressed(to: $0) }, whileWanted: { resource.wantsProgress })
    }
    loaded = resource
    progressListenersChanged()
  }

  /// A completion hook. It is a struct, because Swift wraps a closure that is stored directly in an
  /// array in another closure.
  private struct CompletionHook {
    let call: (Response) -> Void
  }

  private struct ProgressHook {
    let report: (Double) -> Void
    let isWanted: () -> Bool
  }

  /// Starts polling the progress if the request is in progress and a hook or observer wants its
  /// progress. (PRG-24)
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

  /// Polls the progress once. Reports the value if it is larger than the last reported value. If
  /// `mayProgressFall` is true, reports a smaller value too. (PRG-25)
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

  /// The minimum time between two polls of the progress, in seconds, which leaves time for other
  /// work.
  private static let shortestInterval = 0.001

  /// Makes the request remove itself from the lists of the record `lists`. A cancelled request is
  /// removed when it is cancelled, any other request after the hooks that are attached now have
  /// run.
  package final func track(by lists: ResourceRecord) {
    guard tracker != nil else { return tracker = (lists, hooks.count) }
    // The request is in the lists of several resources.
    onCancel { [unowned self] in lists.forget(self) }
    onCompletion { [unowned self] _ in lists.forget(self) }
  }

  /// Whether the request is in the lists of a record, because `track(by:)` was called.
  package final var isTracked: Bool { tracker != nil }

  /// Whether the request is a load of a resource, and its outcome has not been delivered yet.
  package final var isLoad: Bool { loaded != nil }

  /// Returns whether `lists` is the first record that was passed to `track(by:)`. If so, cancelling
  /// the request removes it from the lists of this record.
  package final func isTracked(by lists: ResourceRecord) -> Bool { tracker?.lists === lists }

  private func leaveLists() {
    guard let lists = tracker?.lists else { return }
    tracker = nil
    lists.forget(self)
  }

  /// Adds a hook for internal use that runs inside `cancel()`, before all other hooks. (STA-13)
  package final func onCancel(_ hook: @escaping () -> Void) {
    guard !isCompleted else { return }
    cancelHooks.append(hook)
  }

  // MARK: Waiting

  /// Adds a waiter, which calls `receive` with the response after all hooks. If the hooks have
  /// already run, `receive` is called on a later turn.
  package final func addWaiter(_ receive: @escaping (Response) -> Void) -> RequestWaiter {
    let waiter = RequestWaiter(receive)
    switch lifecycle.hookAdded() {
    case .waits: waiters.append(waiter)
    case .deliverSoon: deliverSoon(waiter.tell)
    }
    return waiter
  }

  /// Removes a waiter if the request has not ended. If the waiter was the last one, the request is
  /// cancelled, unless `isSparingObserved` is true and a resource that the request loads has
  /// observers. (WAIT-01 to WAIT-05)
  ///
  /// - Returns: Whether the request was cancelled. If so, the waiter is called with the
  ///   cancellation.
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

  /// Starts the request. Does nothing if the request has started or ended. (REP-11)
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

  /// Completes the request at once as cancelled; hooks get the failure on a later turn. Does
  /// nothing if the request has completed. (CXL-01 to CXL-12)
  public final func cancel() {
    pump.checkThread()
    let effect = lifecycle.cancel(.failure(cancellation()))
    guard effect != .ignored else { return }
    stopPolling()
    // Removes the request from the lists of its resources before hooks and observers can read the
    // lists.
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

  /// Returns a new, unstarted request for the same operation, without the hooks of this request. A
  /// hard-wired request returns itself. (REP-01 to REP-08)
  public func repeated() -> Request { self }

  /// Completes the request with a response. Only the first call has an effect.
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

  // MARK: For subclasses

  /// Starts the work of the request. Called once.
  package func begin() {}
  /// Stops the work of a cancelled request.
  package func stopWork() {}
  /// Marks the request as abandoned: neither the request nor the request that it waits for can be
  /// completed any more.
  package func abandon() { isAbandoned = true }
  /// Called once, after all hooks and waiters were called.
  package func didDeliver() {}
  package var currentProgress: Double { 0 }
  /// Whether a progress value that is smaller than the last reported value is reported too.
  /// (PRG-25, CHN-18)
  package var mayProgressFall: Bool { false }
  /// The time between two polls of the progress, in seconds.
  package var progressReportingInterval: Double { 0.05 }

  /// The name of this request in messages: its method and URL, or another text.
  package var displayName: String {
    guard let url else { return method?.rawValue ?? "request" }
    return "\(method?.rawValue ?? "request") \(LogText.url(url))"
  }
  /// Returns whether `request` is this request or a part of it.
  package func includes(_ request: Request) -> Bool { self === request }
  /// Returns whether this request can't complete before `request` does.
  package func waits(for request: Request) -> Bool { self === request }
  /// The request that this request wraps, if it is a chain; otherwise nil.
  package var wrappedRequest: Request? { nil }
  /// The requests that this request waits for now.
  package var openParts: [Request] { [] }
  /// The request whose response becomes the response of this request, unless a chain replaces the
  /// response. For a request that is not a chain, it is the request itself.
  package var lastPart: Request { self }
  /// Whether this request was cancelled, or the request inside this chain that provides its
  /// response. The error does not show this, because it may be the error of another, cancelled
  /// request. (CXL-08)
  package var wasCancelled: Bool { lifecycle.isCancelled }
  /// The positions at which the last exchange of this request was sent and answered, in the order
  /// of the pump; nil if the request has not started.
  package var sending: RequestSending? {
    sentPlace == 0 ? nil : RequestSending(sent: sentPlace, answered: nil)
  }
}

/// The state of a request. In Lua, `request.state` is the raw value.
public enum RequestState: String, Sendable {
  /// The request was created but not started. Decorators may still replace it with another request.
  case notStarted = "not_started"
  /// The request has started. A chain around a request that has started is in progress.
  case inProgress = "in_progress"
  /// The request has its response, which may be a cancellation. Its hooks may not have been called
  /// yet.
  case completed
}

extension Request: CustomStringConvertible {
  /// The method, the URL without credentials, and the state, on one line, for example
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
  /// Returns the error for a cancellation of this request.
  package final func cancellation() -> RequestError {
    var error = RequestError.cancelled(at: pump.clock.now)
    error.method = method
    error.url = url
    error.attempts = cancelledAttempts
    return error
  }
}
