import LullCore

/// An iterator over the events of resources, as an observer gets them.
///
/// It observes from its creation until it ends, and loads nothing. It does not keep the script
/// alive: if nothing else is left to do, nothing can change any more, and a waiting call returns
/// nil. Home thread only.
final class LuaChanges {
  /// The result of one iteration.
  enum Item {
    case event(ResourceEvent)
    case state(ResourceStatus.State)
  }

  private unowned let callbacks: Callbacks
  private let pump: Pump
  /// The name of the observed resources in messages.
  let name: String
  /// nil for a status, and after the end.
  private(set) var resource: Resource?
  /// The status whose changes are returned.
  private let status: ResourceStatus?
  /// The events not yet returned, each kind once.
  private var events: [ResourceEvent] = []
  private var lastState: ResourceStatus.State?
  /// Whether only one state is returned, once none of the resources is loading.
  private let awaitsEnd: Bool
  private var stops: [() -> Void] = []
  private(set) var isOver = false
  /// Completes a waiting call.
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

  /// Returns the next event or state, immediately or later; nil at the end.
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

  /// Waits for the next event or state.
  private func wait(_ call: Call) throws(Misuse) {
    let what = "a change of \(name)"
    try callbacks.loop.wait(call, for: what) { completion in
      pending = completion
      let context = callbacks.coroutines.innermost
      idleNumber = callbacks.loop.waitForIdle(context) { [weak self] in
        self?.idleNumber = nil
        self?.finish()
      }
      // If a call created the iterator for itself, only this closure keeps it alive.
      return { [weak self, held = awaitsEnd ? self : nil] in
        withExtendedLifetime(held) {}
        self?.pending = nil
        self?.end()
      }
    }
  }

  /// Ends the iterator; a waiting call returns nil.
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
    // After the other observers and the hooks of the current event.
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
