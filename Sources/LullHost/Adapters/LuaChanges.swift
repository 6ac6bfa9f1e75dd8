import LullCore

/// What happens to resources, for a loop of the script: as an observer hears it.
///
/// It observes from when it is made until it is over, and loads nothing. It keeps no script alive: when
/// nothing else is left to do, nothing can change any more, and a call that waits gets nil. Home thread
/// only.
final class LuaChanges {
  /// What a step of the loop gets.
  enum Item {
    case event(ResourceEvent)
    case state(ResourceStatus.State)
  }

  private unowned let callbacks: Callbacks
  private let pump: Pump
  /// What is observed, for messages.
  let name: String
  /// nil of those of a status, and once they are over.
  private(set) var resource: Resource?
  /// The status whose state is given when it has changed.
  private let status: ResourceStatus?
  /// Those to come, each kind once.
  private var events: [ResourceEvent] = []
  private var lastState: ResourceStatus.State?
  /// Whether only what is there once none of them is loading is given, once.
  private let awaitsEnd: Bool
  private var stops: [() -> Void] = []
  private(set) var isOver = false
  /// A call that waits.
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
    // Nothing may be called here.
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

  /// Gives what has happened, at once or later; nil at the end.
  func next(_ call: Call) throws(Misuse) {
    guard pending == nil else {
      throw .message("these changes are being waited for by another coroutine")
    }
    guard !isOver else { return call.return(.nil) }
    if let item = take() {
      for value in values(of: item) { call.return(value) }
      return
    }
    try wait(call)
  }

  /// Waits for the next one.
  private func wait(_ call: Call) throws(Misuse) {
    let what = "a change of \(name)"
    try callbacks.loop.wait(call, for: what) { completion in
      pending = completion
      let context = callbacks.coroutines.innermost
      idleNumber = callbacks.loop.waitForIdle(context) { [weak self] in
        self?.idleNumber = nil
        self?.finish()
      }
      // Where a call has made it for itself, only this holds it.
      return { [weak self, held = awaitsEnd ? self : nil] in
        withExtendedLifetime(held) {}
        self?.pending = nil
        self?.end()
      }
    }
  }

  /// Ends it; a call that waits gets nil.
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

  // MARK: What happens

  private func heard(_ event: ResourceEvent) {
    guard !isOver else { return }
    if status == nil {
      events.removeAll { $0 == event }
      events.append(event)
    }
    guard pending != nil, !isLookingSoon else { return }
    isLookingSoon = true
    // Behind the other observers and the hooks of what has just happened.
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
