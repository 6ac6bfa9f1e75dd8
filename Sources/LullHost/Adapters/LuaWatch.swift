import LullCore

/// `resource:watch{…}`: polls a resource, and gives each content that is not the one given before.
///
/// Whatever it does happens inside a call of the script's: between two calls there is no timer, no
/// observer, and nothing to free. Home thread only.
final class LuaWatch {
  struct Options {
    /// Seconds from one answer to the next load; nil: as long as data is fresh.
    var every: Double?
    /// The kept function that ends the watch.
    var until: Int64?
    /// Seconds.
    var timeout: Double?
  }

  private unowned let iterators: ScriptIterators
  /// nil once the watch is over.
  private(set) var resource: Resource?
  private let options: Options
  private let deadline: Double?
  /// The userdata's, which holds the function and what was given last.
  var hostHandle: UInt64 = 0

  private var last: Content?
  /// Whether the server has been heard of since the watch began, or what is there was fresh.
  private var isConfirmed = false
  private var hasPolled = false
  private var newError: RequestError?
  /// When a load last ended, or a poll began.
  private var lastHeard = -Double.infinity
  private var pending: Pending?

  /// A call that waits.
  private final class Pending {
    private var completion: Waits.Completion?
    let observer: IteratorObserver
    var timer: StrongTimer?
    var isLookingSoon = false

    init(_ completion: @escaping Waits.Completion, _ observer: IteratorObserver) {
      self.completion = completion
      self.observer = observer
    }

    /// Gives the waiting call its results; only the first time.
    func complete(_ values: [LuaValue], raising: Bool = false) {
      let completion = completion
      self.completion = nil
      completion?(values, raising)
    }
  }

  private enum Outcome {
    case nothing
    case give([LuaValue])
    case raise(LuaValue)
  }

  init(_ resource: Resource, _ options: Options, _ iterators: ScriptIterators) {
    self.resource = resource
    self.options = options
    self.iterators = iterators
    deadline = options.timeout.map { iterators.pump.clock.now + $0 }
  }

  /// Gives content and resource, at once or later; nil at the end.
  func next(_ call: Call) throws(Misuse) {
    guard pending == nil else {
      throw .message("this watch is being waited for by another coroutine")
    }
    guard let resource else { return call.return(.nil) }
    switch look(at: resource) {
    case .give(let values):
      for value in values { call.return(value) }
      return
    case .raise(let value): throw .value(value)
    case .nothing: break
    }
    // Put together now: a wait must not hold the resource.
    let what = "a change of \(resource.displayName)"
    try iterators.waits.wait(call, for: what, Awaited(loading: resource)) { completion in
      begin(resource, completion)
      return { [weak self] in
        guard let self else { return }
        detach()
        resource.cancelUnwantedLoads()
      }
    }
  }

  /// Ends the watch; a call that waits gets nil.
  func stop() {
    guard resource != nil else { return }
    if let pending { iterators.pump.enqueue { pending.complete([.nil]) } }
    end()
  }

  private func end() {
    detach()
    resource?.cancelUnwantedLoads()
    resource = nil
    last = nil
    newError = nil
    iterators.release(function: options.until, from: hostHandle)
  }

  // MARK: Looking

  private func look(at resource: Resource) -> Outcome {
    let now = iterators.pump.clock.now
    let timestamp = resource.timestamp
    if timestamp <= now { lastHeard = max(lastHeard, timestamp) }
    if let error = newError {
      newError = nil
      if last == nil || !error.mayPass {
        end()
        return .raise(iterators.callbacks.values.of(error, service: resource.service))
      }
    }
    if let content = change(of: resource) { return give(content, of: resource) }
    guard let deadline, now >= deadline else { return .nothing }
    let error = timeoutError(resource, now)
    end()
    guard options.until != nil else { return .give([.nil]) }
    return .raise(iterators.callbacks.values.of(error, service: resource.service))
  }

  private func change(of resource: Resource) -> Content? {
    guard let content = resource.latestData?.content else { return nil }
    guard let last else {
      let isFresh = resource.latestError == nil && resource.isUpToDate
      return isConfirmed || isFresh ? content : nil
    }
    return iterators.areSame(content, last) ? nil : content
  }

  private func give(_ content: Content, of resource: Resource) -> Outcome {
    last = content
    iterators.hold(content, from: hostHandle)
    let values = [
      iterators.callbacks.values.content(of: resource), iterators.callbacks.values.of(resource),
    ]
    guard let until = options.until else { return .give(values) }
    let answer = iterators.callbacks.coroutines.ask(
      Callable(id: until), values, kind: "until_ function of watch"
    ) { $0[0].isTruthy }
    switch answer {
    case .success(let isDone):
      if isDone { end() }
      return .give(values)
    case .failure(.failed(let failure)):
      end()
      return .raise(iterators.callbacks.values.reraised(failure))
    case .failure(.gone):
      end()
      return .give(values)
    }
  }

  private func timeoutError(_ resource: Resource, _ now: Double) -> RequestError {
    var text = "The watch was not over after \((options.timeout ?? 0).luaText) s"
    if let error = resource.latestError { text += "; the last load failed: \(error.userMessage)" }
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: .transport(TransportError(.timeout, text)),
      timestamp: now)
    error.method = .get
    error.url = resource.url.text
    return error
  }

  // MARK: Waiting

  private func begin(_ resource: Resource, _ completion: @escaping Waits.Completion) {
    let observer = IteratorObserver("watch") { [weak self] event in self?.heard(event) }
    pending = Pending(completion, observer)
    resource.hold(observer)
    proceed(resource)
  }

  /// Loads if that is due, and sets the timer for what is due next.
  private func proceed(_ resource: Resource) {
    guard let pending else { return }
    let now = iterators.pump.clock.now
    let every = options.every ?? max(1, resource.expirationSeconds)
    if !resource.isLoading, !hasPolled || now >= lastHeard + every {
      lastHeard = now
      // The first time through the caches, if there are any.
      let first = hasPolled ? nil : resource.loadIfNeeded()
      let load = first ?? resource.load()
      load.mark.iteratorHooks = load.hookCount
    }
    hasPolled = true
    pending.timer?.cancel()
    pending.timer = nil
    var due = resource.isLoading ? Double.infinity : lastHeard + every
    if let deadline { due = min(due, deadline) }
    guard due.isFinite else { return }
    pending.timer = StrongTimer(after: max(0, due - now), iterators.loop, iterators.pump) {
      [weak self] in
      self?.lookSoon()
    }
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
      lastHeard = iterators.pump.clock.now
    case .error:
      newError = resource?.latestError
      lastHeard = iterators.pump.clock.now
    case .requestCancelled: lastHeard = iterators.pump.clock.now
    }
    lookSoon()
  }

  /// After the observers and hooks of what has just happened.
  private func lookSoon() {
    guard let pending, !pending.isLookingSoon else { return }
    pending.isLookingSoon = true
    iterators.pump.enqueueAfterPhase { [weak self, weak pending] in
      guard let self, let pending, pending === self.pending else { return }
      pending.isLookingSoon = false
      lookAgain()
    }
  }

  private func lookAgain() {
    guard let resource, let pending else { return }
    switch look(at: resource) {
    case .nothing: proceed(resource)
    case .give(let values):
      detach()
      pending.complete(values)
    case .raise(let value):
      detach()
      pending.complete([value], raising: true)
    }
  }

  /// Waits no more.
  private func detach() {
    guard let pending, let resource else { return }
    pending.timer?.cancel()
    self.pending = nil
    resource.record.observers.remove(pending.observer, resource: resource)
  }
}
