import LullCore

/// An iterator over the events of a resource, or over the states of a status.
///
/// The iterator observes its resources from its creation until it ends, and loads nothing. It does
/// not keep the script alive: if no other work is left that could cause a change, a waiting call
/// returns nil. Home thread only.
final class LuaChanges {
  /// The result of one iteration.
  enum Item {
    case event(ResourceEvent)
    case state(ResourceStatus.State)
  }

  private unowned let callbacks: Callbacks
  private let pump: Pump
  /// The name that messages use for the observed resources.
  let name: String
  /// The observed resource. It is nil if the iterator observes a status, and after the iterator has
  /// ended.
  private(set) var resource: Resource?
  /// The status whose states the iterator returns, or nil if it observes a resource.
  private let status: ResourceStatus?
  /// The events that have not been returned yet. Each kind of event occurs at most once.
  private var events: [ResourceEvent] = []
  private var lastState: ResourceStatus.State?
  /// Whether the iterator returns a single state: the state when none of the resources is loading
  /// any more.
  private let awaitsEnd: Bool
  private var stops: [() -> Void] = []
  private(set) var isOver = false
  /// Completes the call that waits for the next event or state; nil if no call is waiting.
  private var pending: WaitCompletion?
  private var idleNumber: Int?
  private var isLookingSoon = false

  init(_ resource: Resource, _ callbacks: Callbacks) {
    self.callbacks = callbacks
    self.resource = resource
    pump = resource.pump
    name = resource.displayName
    status = nil
    awaitsEnd = false
    observe(resource)
  }

  init(
    _ status: ResourceStatus, awaitsEnd: Bool = false, _ callbacks: Callbacks
  ) {
    self.callbacks = callbacks
    self.awaitsEnd = awaitsEnd
    self.status = status
    pump = callbacks.pump
    name = "\(status.resources.count) resources"
    for resource in status.resources { observe(resource) }
  }

  deinit {
    guard !isOver, !stops.isEmpty else { return }
    // Deferred, because a `deinit` must not call into Lua.
    pump.enqueue { [stops] in
      for stop in stops { stop() }
    }
  }

  private func observe(_ resource: Resource) {
    let stop = resource.observe(while: { [weak self] in self?.isOver == false }) {
      [weak self] event in
      self?.heard(event)
    }
    stops.append(stop)
  }

  // MARK: The loop

  /// Returns the next event or state to the script, immediately or after a wait. Returns nil once
  /// the iterator has ended.
  func next(_ call: Call) throws(Misuse) {
    guard pending == nil else {
      throw .message("another coroutine is already waiting for these changes")
    }
    guard !isOver else { return call.return(.nil) }
    if let item = take() {
      for value in values(of: item) { call.return(value) }
      return
    }
    try wait(call)
  }

  /// Makes the call wait for the next event or state.
  private func wait(_ call: Call) throws(Misuse) {
    let what = "a change of \(name)"
    try callbacks.loop.wait(call, for: what) { completion in
      pending = completion
      let context = callbacks.coroutines.innermost
      idleNumber = callbacks.loop.waitForIdle(context) { [weak self] in
        self?.idleNumber = nil
        self?.finish()
      }
      // If the iterator was created for this one call, only this closure keeps it alive.
      return { [weak self, held = awaitsEnd ? self : nil] in
        withExtendedLifetime(held) {}
        self?.pending = nil
        self?.end()
      }
    }
  }

  /// Ends the iterator. A call that waits for the next event or state returns nil.
  func stop() {
    guard !isOver else { return }
    if let pending {
      self.pending = nil
      pump.enqueue { pending([.nil], false) }
    }
    end()
  }

  private func finish() {
    let completion = pending
    pending = nil
    end()
    completion?([.nil], false)
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    forgetIdle()
    for stop in stops { stop() }
    stops = []
    events = []
    resource = nil
  }

  private func forgetIdle() {
    if let idleNumber { callbacks.loop.forgetIdleWaiter(number: idleNumber) }
    idleNumber = nil
  }

  // MARK: Events

  private func heard(_ event: ResourceEvent) {
    guard !isOver else { return }
    if status == nil {
      events.removeAll { $0 == event }
      events.append(event)
    }
    guard pending != nil, !isLookingSoon else { return }
    isLookingSoon = true
    // The result is computed after the other observers and the hooks of the current event have run.
    pump.enqueueAfterPhase { [weak self] in
      guard let self else { return }
      isLookingSoon = false
      guard !isOver, let completion = pending, let item = take() else { return }
      pending = nil
      forgetIdle()
      let values = values(of: item)
      if awaitsEnd { end() }
      completion(values, false)
    }
  }

  private func take() -> Item? {
    guard let status else { return events.isEmpty ? nil : .event(events.removeFirst()) }
    if awaitsEnd, status.isLoading { return nil }
    let state = status.state
    guard state != lastState else { return nil }
    lastState = state
    return .state(state)
  }

  private func values(of item: Item) -> [LuaValue] {
    switch item {
    case .event(.newData(let source)):
      [.constant(ResourceEvent.newData(source).constant), .constant(source.constant)]
    case .event(let event): [.constant(event.constant)]
    case .state(let state):
      [.string(state.rawValue)] + (awaitsEnd ? [error] : [])
    }
  }

  private var error: LuaValue {
    guard let resource = status?.failedResources.first, let error = resource.latestError else {
      return .nil
    }
    return callbacks.values.of(error, service: resource.service)
  }
}
