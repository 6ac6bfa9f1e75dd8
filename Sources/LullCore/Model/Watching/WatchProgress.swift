/// What a watch of a resource does next: it loads when that is due, and gives each content that is not the
/// one given before.
///
/// Whatever it does happens while somebody waits for it: between two waits there is no timer, no observer,
/// and nothing to free. Home thread only.
package final class WatchProgress {
  package struct Options {
    /// Seconds from one answer to the next load; nil: as long as data is fresh.
    package var every: Double?
    /// Seconds.
    package var timeout: Double?
    /// Whether the time-out is a failure, and not just the end.
    package var failsAtTimeout = false

    package init() {}
  }

  package enum Step {
    case give(Entity)
    case fail(RequestError)
    case end
  }

  /// Has something called after seconds, and gives what prevents that.
  package typealias Timing = (_ seconds: Double, _ action: @escaping () -> Void) -> () -> Void

  /// nil once the watch is over.
  package private(set) var resource: Resource?
  private let pump: Pump
  private let options: Options
  private let deadline: Double?
  private let areSame: (Content, Content) -> Bool
  private let timing: Timing

  private var last: Content?
  /// Whether the server has been heard of since the watch began, or what is there was fresh.
  private var isConfirmed = false
  private var hasPolled = false
  private var newError: RequestError?
  /// When a load last ended, or a poll began.
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

  /// Nothing comes any more; a load that nobody else wants is cancelled.
  package func end() {
    leave()
    resource = nil
    last = nil
    newError = nil
  }

  // MARK: Looking

  /// What there is to do now; nil: to wait.
  package func look() -> Step? {
    guard let resource else { return .end }
    let now = pump.clock.uptime
    let age = pump.clock.now - resource.timestamp
    // Otherwise the clock was set back.
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
    var message = "The watch was not over after \(text) s"
    if let error = resource.latestError {
      message += "; the last load failed: \(error.userMessage)"
    }
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: .transport(TransportError(.timeout, message)),
      timestamp: now)
    error.method = .get
    error.url = resource.url.text
    return error
  }

  // MARK: Waiting

  /// Loads if that is due, and calls once there is something to do; never inside this call.
  package func wait(_ found: @escaping (Step) -> Void) {
    guard let resource, wait == nil else { return }
    let observer = IteratorObserver("watch") { [weak self] event in self?.heard(event) }
    wait = Wait(found, observer)
    resource.hold(observer)
    proceed(resource)
  }

  /// Waits no more, of a watch that goes on.
  package func detach() {
    guard let wait, let resource else { return }
    wait.cancelTimer?()
    self.wait = nil
    resource.record.observers.remove(wait.observer, resource: resource)
  }

  /// Waits no more; a load that nobody else wants is cancelled.
  package func leave() {
    detach()
    resource?.cancelUnwantedLoads()
  }

  /// Loads if that is due, and sets the timer for what is due next.
  private func proceed(_ resource: Resource) {
    guard let wait else { return }
    let now = pump.clock.uptime
    let every = options.every ?? max(1, resource.expirationSeconds)
    // The first time it loads at once, unless what is fresh was given in place of that.
    let isFirst = !hasPolled && last == nil
    if !resource.isLoading, isFirst || now >= lastHeard + every {
      lastHeard = now
      // The first time through the caches, if there are any.
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
    // What a cache has may be stale: a load follows then.
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

  /// After the observers and hooks of what has just happened.
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
