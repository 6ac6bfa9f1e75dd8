/// One operation with one outcome: the common base of all kinds of requests.
///
/// Order of events: `start()` begins the work. On completion, `state` changes at once. On a later
/// turn, progress hooks get 1, and then completion hooks run in the order in which they were
/// attached, each at most once (HOOK-05 to HOOK-08, HOOK-13). A hook that is added later is called
/// on a later turn, never inside the call that adds it. Home thread only. Lua: `Request`.
public class Request {
  package let pump: Pump
  package private(set) var lifecycle: RequestLifecycle
  private var hooks: [CompletionHook] = []
  private var progressHooks: [ProgressHook] = []
  private var waiters: [RequestWaiter] = []
  private var progressTimer: (any HostTimer)?
  private var reportedProgress = 0.0
  private var cancelHooks: [() -> Void] = []
  /// The resource that this request loads, whose observers are notified of its progress. Further
  /// resources use `onProgress`.
  private var loaded: Resource?
  /// Further resources that it loads, by `load(using:)`.
  private var loadedToo: [Resource] = []
  /// The record whose lists have this request, and how many hooks run before it is removed from
  /// them (STA-14).
  private var tracker: (lists: ResourceRecord, position: Int)?
  /// State that the pump's host keeps for this request; nil if it keeps no state.
  package final var hostMark: AnyObject?
  /// Whether nothing can complete the request any more except cancelling it.
  package private(set) final var isAbandoned = false
  /// 1 for the original request, 2 for its first repetition, and so on.
  package final var attempt = 1
  /// The number of hooks and waiters.
  package final var hookCount: Int { hooks.count + progressHooks.count + waiters.count }
  /// The number of hooks that belong to the loops and iterators that started the request. If it has
  /// no other hooks and its resource no observers, the request is no longer needed. nil: it was
  /// started another way.
  package final var iteratorHooks: Int?
  /// The position of its start, later of its last sending, in the order of sendings; 0 before.
  /// (STA-11)
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

  /// The resource that the request belongs to; nil if it belongs to none. Lua: `request.resource`.
  public var resource: Resource? { nil }
  /// The method that is sent, after mutations; nil if the request sends nothing. Lua:
  /// `request.method`.
  public var method: RequestMethod? { nil }
  /// The URL that is requested, after mutations; nil if the request sends nothing. Lua:
  /// `request.url`.
  public var url: String? { nil }

  /// The attempts to send it, the latest last. Empty for a request without retries, limits and
  /// credentials, unless it is a download. Lua: `request.attempts`.
  public var attempts: [RequestAttempt] { [] }
  /// The attempts to report if this request is cancelled now.
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

  /// Whether it has its response. A cancelled request is completed too.
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

  /// Calls the hook with the response, whatever it is. (HOOK-01)
  @discardableResult
  public final func onCompletion(_ hook: @escaping (Response) -> Void) -> Self {
    pump.checkThread()
    switch lifecycle.hookAdded() {
    case .waits:
      // Most requests have two: one of their resource, and one of the caller.
      if hooks.isEmpty { hooks.reserveCapacity(2) }
      hooks.append(CompletionHook(call: hook))
    case .deliverSoon: deliverSoon(hook)
    }
    return self
  }

  /// Delivers the response to a hook that is added after all others were called.
  private func deliverSoon(_ receive: @escaping (Response) -> Void) {
    guard let response = lifecycle.response else { return }
    // Until then, nothing else may hold the values of a script in the response.
    let release = pump.host?.hold(response)
    pump.enqueue { [self] in
      // Hooks may refer to their request without holding it.
      withExtendedLifetime(self) { receive(response) }
      release?()
    }
  }

  /// Calls the hook after a success, including a 304.
  @discardableResult
  public final func onSuccess(_ hook: @escaping (Entity) -> Void) -> Self {
    onCompletion { if let entity = $0.entity { hook(entity) } }
  }

  /// Calls the hook after a success with new data.
  @discardableResult
  public final func onNewData(_ hook: @escaping (Entity) -> Void) -> Self {
    onCompletion { if $0.isNew, let entity = $0.entity { hook(entity) } }
  }

  /// Calls the hook after a success without new data: a 304.
  @discardableResult
  public final func onNotModified(_ hook: @escaping () -> Void) -> Self {
    onCompletion { if !$0.isNew, $0.isSuccess { hook() } }
  }

  /// Calls the hook with the error of a failure or a cancellation; never after a success. Lua:
  /// `request:on_failure(fn)`.
  @discardableResult
  public final func onFailure(_ hook: @escaping (RequestError) -> Void) -> Self {
    onCompletion { if let error = $0.error { hook(error) } }
  }

  /// Calls the hook with the progress, any number of times, and finally with 1, always before
  /// completion hooks. (HOOK-12, PRG-26)
  @discardableResult
  public final func onProgress(_ hook: @escaping (Double) -> Void) -> Self {
    onProgress(hook, whileWanted: { true })
    return self
  }

  /// Adds a progress hook that causes polling only while `isWanted` returns true. The final 1 is
  /// always reported.
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

  /// A struct, because a closure stored directly in an array is wrapped in another closure.
  private struct CompletionHook {
    let call: (Response) -> Void
  }

  private struct ProgressHook {
    let report: (Double) -> Void
    let isWanted: () -> Bool
  }

  /// Starts polling if the request is in progress and progress is wanted. (PRG-24)
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

  /// Polls once. A value is reported only if it has changed, and never if it is smaller than the
  /// last one. (PRG-25)
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

  /// The shortest polling interval, in seconds, so that polling leaves time for other work.
  private static let shortestInterval = 0.001

  /// Removes the request from those lists when it is cancelled, or after the hooks that are
  /// attached now have run.
  package final func track(by lists: ResourceRecord) {
    guard tracker != nil else { return tracker = (lists, hooks.count) }
    // The request is in the lists of several resources.
    onCancel { [unowned self] in lists.forget(self) }
    onCompletion { [unowned self] _ in lists.forget(self) }
  }

  /// Whether it is in the lists of a resource.
  package final var isTracked: Bool { tracker != nil }

  /// Whether it is a load of a resource that has not been delivered yet.
  package final var isLoad: Bool { loaded != nil }

  /// Whether cancelling the request removes it from those lists.
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

  /// Calls `receive` with the response: after all hooks, or on a later turn if they have run
  /// already.
  package final func addWaiter(_ receive: @escaping (Response) -> Void) -> RequestWaiter {
    let waiter = RequestWaiter(receive)
    switch lifecycle.hookAdded() {
    case .waits: waiters.append(waiter)
    case .deliverSoon: deliverSoon(waiter.tell)
    }
    return waiter
  }

  /// Removes a waiter before the request has ended. If it was the last waiter, the request is
  /// cancelled, unless `isSparingObserved` is true and a resource that it loads has observers.
  /// (WAIT-01 to WAIT-05)
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

  /// Starts the work. Does nothing if it has started or ended. (REP-11)
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
    // Removed from the lists before hooks and observers can read them.
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

  /// Returns a new, unstarted request for the same thing. Hooks are not copied. (REP-01 to REP-08)
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

  /// Starts the work. Called once.
  package func begin() {}
  /// Stops the work after the outcome has been decided.
  package func stopWork() {}
  /// Marks the request as abandoned: nothing can complete it, or the request that it waits for, any
  /// more.
  package func abandon() { isAbandoned = true }
  /// Called once, after all hooks were called.
  package func didDeliver() {}
  package var currentProgress: Double { 0 }
  /// Whether a smaller value than the last one is reported as well. (PRG-25, CHN-18)
  package var mayProgressFall: Bool { false }
  /// Seconds between two polls.
  package var progressReportingInterval: Double { 0.05 }

  /// Method and URL, or another name of this request for messages.
  package var displayName: String {
    guard let url else { return method?.rawValue ?? "request" }
    return "\(method?.rawValue ?? "request") \(LogText.url(url))"
  }
  /// Whether `request` is this one or a part of it.
  package func includes(_ request: Request) -> Bool { self === request }
  /// Whether this cannot complete before `request` does.
  package func waits(for request: Request) -> Bool { self === request }
  /// The request that a chain wraps.
  package var wrappedRequest: Request? { nil }
  /// The requests that this one waits for now.
  package var openParts: [Request] { [] }
  /// The request that provides the response of this one, unless a chain has replaced the response.
  package var lastPart: Request { self }
  /// Whether this request was cancelled, or the part whose response it has. The error alone does
  /// not tell, since it may be that of another request. (CXL-08)
  package var wasCancelled: Bool { lifecycle.isCancelled }
  /// When its last exchange was sent; nil if nothing was started.
  package var sending: RequestSending? {
    sentPlace == 0 ? nil : RequestSending(sent: sentPlace, answered: nil)
  }
}

/// The state of a request. Lua: `request.state`, by the raw values.
public enum RequestState: String, Sendable {
  /// Created but not started. Decorators may still replace it with another request.
  case notStarted = "not_started"
  /// Started. A chain is in progress once the request that it wraps has been started.
  case inProgress = "in_progress"
  /// Has its response, which may be a cancellation. Its hooks may not have been called yet.
  case completed
}

extension Request: CustomStringConvertible {
  /// Method and URL without credentials, and the state, on one line:
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
  /// The error of a request that was cancelled.
  package final func cancellation() -> RequestError {
    var error = RequestError.cancelled(at: pump.clock.now)
    error.method = method
    error.url = url
    error.attempts = cancelledAttempts
    return error
  }
}
