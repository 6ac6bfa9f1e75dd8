/// The logic of a watch, which polls a resource. It loads the resource when it is time for a poll,
/// and returns the content whenever the content differs from the content returned before.
///
/// A watch is active only while its caller waits. Between two waits the watch has no timer and no
/// observer, and nothing has to be released. Home thread only.
package final class WatchProgress {
  package struct Options {
    /// The time from the end of one load to the next load, in seconds. With nil, it is the time for
    /// which the data is fresh, but at least 1 s.
    package var every: Double?
    /// The time after which the watch ends, in seconds; nil for no limit.
    package var timeout: Double?
    /// Whether the watch fails at its timeout. If false, the timeout only ends the watch.
    package var failsAtTimeout = false

    package init() {}
  }

  package enum Step {
    case give(Entity)
    case fail(RequestError)
    case end
  }

  /// A function that calls `action` after the given number of seconds. It returns a function that
  /// cancels the call.
  package typealias Timing = (_ seconds: Double, _ action: @escaping () -> Void) -> () -> Void

  /// The resource; nil when the watch has ended.
  package private(set) var resource: Resource?
  private let pump: Pump
  private let options: Options
  private let deadline: Double?
  private let areSame: (Content, Content) -> Bool
  private let timing: Timing

  private var last: Content?
  /// Whether the data may be returned even if it is not fresh. True if, since the watch began, a
  /// load has succeeded, or an override or another process has replaced the data.
  private var isConfirmed = false
  private var hasPolled = false
  private var newError: RequestError?
  /// The time at which the last load ended or the last poll started, whichever is later, by the
  /// clock's `uptime`.
  private var lastHeard = -Double.infinity
  private var wait: Wait?

  private final class Wait {
    let found: (Step) -> Void
    let observer: IteratorObserver
    var cancelTimer: (() -> Void)?
    var isLookingSoon = false

    init(_ found: @escaping (Step) -> Void, _ observer: IteratorObserver) {
      self.found = found
      self.observer = observer
    }
  }

  package init(
    _ resource: Resource, _ options: Options, timing: @escaping Timing,
    areSame: @escaping (Content, Content) -> Bool
  ) {
    self.resource = resource
    pump = resource.pump
    self.options = options
    self.timing = timing
    self.areSame = areSame
    deadline = options.timeout.map { [pump] in pump.clock.uptime + $0 }
  }

  package var isWaiting: Bool { wait != nil }

  /// Ends the watch. The load of the watch is cancelled unless other code needs this load.
  package func end() {
    leave()
    resource = nil
    last = nil
    newError = nil
  }

  // MARK: Steps

  /// Returns the step to take now, or nil if the caller has to wait.
  package func look() -> Step? {
    guard let resource else { return .end }
    let now = pump.clock.uptime
    let age = pump.clock.now - resource.timestamp
    // A negative age means that the clock was set back.
    if age >= 0 { lastHeard = max(lastHeard, now - age) }
    if let error = newError {
      newError = nil
      if last == nil || !error.mayPass {
        end()
        return .fail(error)
      }
    }
    if let entity = change(of: resource) {
      last = entity.content
      return .give(entity)
    }
    guard let deadline, now >= deadline else { return nil }
    let error = timeoutError(resource, pump.clock.now)
    end()
    return options.failsAtTimeout ? .fail(error) : .end
  }

  private func change(of resource: Resource) -> Entity? {
    guard let data = resource.latestData else { return nil }
    guard let last else {
      let isFresh = resource.latestError == nil && resource.isUpToDate
      return isConfirmed || isFresh ? data : nil
    }
    return areSame(data.content, last) ? nil : data
  }

  private func timeoutError(_ resource: Resource, _ now: Double) -> RequestError {
    let seconds = options.timeout ?? 0
    let text = Int64(exactly: seconds).map(String.init) ?? String(seconds)
    var message = "The watch did not end within \(text) s"
    if let error = resource.latestError {
      message += "; the last load failed: \(error.userMessage)"
    }
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: .transport(TransportError(.timeout, message)),
      timestamp: now)
    error.method = resource.readMethod
    error.url = resource.url.text
    return error
  }

  // MARK: Waiting

  /// Starts a wait: loads the resource if it is time for a poll. When there is a step to take,
  /// calls `found`, but never inside this call.
  package func wait(_ found: @escaping (Step) -> Void) {
    guard let resource, wait == nil else { return }
    let observer = IteratorObserver("watch") { [weak self] event in self?.heard(event) }
    wait = Wait(found, observer)
    resource.hold(observer)
    proceed(resource)
  }

  /// Ends the wait. The watch and its load continue.
  package func detach() {
    guard let wait, let resource else { return }
    wait.cancelTimer?()
    self.wait = nil
    resource.record.observers.remove(wait.observer, resource: resource)
  }

  /// Ends the wait. The load of the watch is cancelled unless other code needs this load.
  package func leave() {
    detach()
    resource?.cancelUnwantedLoads()
  }

  /// Loads the resource if it is time for a poll. Sets a timer for the next poll or for the
  /// timeout.
  private func proceed(_ resource: Resource) {
    guard let wait else { return }
    let now = pump.clock.uptime
    let every = options.every ?? max(1, resource.expirationSeconds)
    // The first poll is due at once, unless fresh data was returned instead.
    let isFirst = !hasPolled && last == nil
    if !resource.isLoading, isFirst || now >= lastHeard + every {
      lastHeard = now
      // The first load reads the caches, if there are any.
      let first = hasPolled ? nil : resource.loadIfNeeded()
      let load = first ?? resource.load()
      load.iteratorHooks = load.hookCount
    }
    hasPolled = true
    wait.cancelTimer?()
    wait.cancelTimer = nil
    var due = resource.isLoading ? Double.infinity : lastHeard + every
    if let deadline { due = min(due, deadline) }
    guard due.isFinite else { return }
    wait.cancelTimer = timing(max(0, due - now)) { [weak self] in self?.lookSoon() }
  }

  private func heard(_ event: ResourceEvent) {
    switch event {
    case .observerAdded, .requested: return
    // Data from a cache may be stale. If it is, a load follows.
    case .newData(.cache): break
    case .newData(.wipe): lastHeard = -.infinity
    case .newData, .notModified:
      isConfirmed = true
      newError = nil
      lastHeard = pump.clock.uptime
    case .error:
      newError = resource?.latestError
      lastHeard = pump.clock.uptime
    case .requestCancelled: lastHeard = pump.clock.uptime
    }
    lookSoon()
  }

  /// Looks for the next step on a later turn, after the observers and hooks of the present event
  /// have been called.
  private func lookSoon() {
    guard let wait, !wait.isLookingSoon else { return }
    wait.isLookingSoon = true
    pump.enqueueAfterPhase { [weak self, weak wait] in
      guard let self, let wait, wait === self.wait else { return }
      wait.isLookingSoon = false
      checkAgain(wait)
    }
  }

  private func checkAgain(_ wait: Wait) {
    guard let resource else { return }
    guard let step = look() else { return proceed(resource) }
    detach()
    wait.found(step)
  }
}
