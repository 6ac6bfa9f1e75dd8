import CLullBridge
import LullCore

/// A script function or table that observes a resource.
///
/// Lua keeps the closure alive by an anchor in the userdata of the service, or by an anchor from
/// each owner. A table that owns itself has no anchor. Once the closure or its last owner has been
/// collected, the observer is no longer alive.
final class LuaObserver: KeyedObserver {
  static let changed: StaticString = "resource_changed"

  private unowned let callbacks: Callbacks
  let id: Int64
  /// The address of the function or table, by which scripts refer to the observer.
  private let identity: UInt
  let isTable: Bool
  /// Whether the table had a function `resource_request_progress` when the observer was added
  /// (PRG-24).
  let wantsProgress: Bool
  /// The owners of the observer. The list is empty for an observer that is anchored to the service,
  /// and for a table that owns itself.
  private(set) var owners: [Owner] = []
  /// Whether the service's userdata anchors the closure.
  var isAnchoredToService: Bool
  var ownsItself: Bool
  private(set) var isStopped = false
  // The record is unowned, because its list of observers holds this object. The record may outlive
  // the service: if a request of another service loads the resource, that request may hold the
  // record for longer.
  private let serviceLink: ServiceLink
  private unowned let record: ResourceRecord
  private let released: ReleasedValues
  private let earlierEvents: Int

  struct Owner {
    let id: Int64
    let identity: UInt
  }

  init(
    callbacks: Callbacks, id: Int64, identity: UInt, isTable: Bool, wantsProgress: Bool,
    resource: Resource, anchoredToService: Bool, ownsItself: Bool
  ) {
    self.callbacks = callbacks
    self.id = id
    self.identity = identity
    self.isTable = isTable
    self.wantsProgress = wantsProgress
    serviceLink = resource.service.link
    record = resource.record
    released = callbacks.stored.released
    earlierEvents = record.observers.eventCount
    isAnchoredToService = anchoredToService
    self.ownsItself = ownsItself
  }

  /// Whether the only events that the observer got are its own addition and the start of requests.
  var isUnheard: Bool { !isStopped && record.observers.eventCount == earlierEvents }

  private var service: Service? { serviceLink.service }

  /// Releases the closure's anchors. An observer is freed without a call of `stop()` if no service
  /// stores its resource, for example a resource without a URL. The observer is then freed together
  /// with the resource.
  deinit {
    guard !isStopped else { return }
    let anchoring = isAnchoredToService ? service?.hostHandle ?? 0 : 0
    guard anchoring != 0 || !owners.isEmpty else { return }
    released.add(ReleasedObserver(id: id, owners: owners.map(\.id), service: anchoring))
  }

  var keys: [UInt] { [identity] + owners.map(\.identity) }

  /// Called when an owner has died. If no owner is left, the observer is notified and removed from
  /// the list.
  func ownerDied() {
    guard !isStopped else { return }
    guard let service else { return stop() }
    record.observers.removeDead(resource: service.resource(of: record))
  }

  func add(owner: Owner) {
    callbacks.note(self)
    owners.append(owner)
    record.observers.add(key: owner.identity, of: self)
    if lull_value_anchor_to_owner(callbacks.bridge.pointer, owner.id, id) != 0 {
      callbacks.stored.noteLackOfMemory()
    }
  }

  /// Removes an owner and releases its anchor. Has no effect if the observer does not have this
  /// owner.
  func remove(owner: Int64) {
    guard let index = owners.firstIndex(where: { $0.id == owner }) else { return }
    owners.remove(at: index)
    lull_value_release_from_owner(callbacks.bridge.pointer, owner, id)
  }

  var isAlive: Bool {
    guard !isStopped, !callbacks.bridge.isClosed else { return false }
    // The service's userdata holds the closure, so no check is needed here. If the userdata does
    // not hold the closure any more, the next call of the closure detects that.
    if isAnchoredToService { return true }
    guard lull_value_is_alive(callbacks.bridge.pointer, id) != 0 else { return false }
    return ownsItself
      || owners.contains { lull_value_is_alive(callbacks.bridge.pointer, $0.id) != 0 }
  }

  /// Whether the observer can be notified without checking whether an owner is still alive.
  var isToldInTurn: Bool { isAnchoredToService && !isTable }

  var logName: String {
    let place = callbacks.stored.place(of: id)
    return (isTable ? "observer table" : "function") + (place.isEmpty ? "" : " (\(place))")
  }

  /// Stops the observer. It is never called again, and its closure may be collected.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    callbacks.forget(self)
    for owner in owners { lull_value_release_from_owner(callbacks.bridge.pointer, owner.id, id) }
    owners = []
    ownsItself = false
    if isAnchoredToService, let service {
      lull_value_release_from_object(callbacks.bridge.pointer, service.hostHandle, id)
    }
    isAnchoredToService = false
  }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    // An observer that is anchored to the service needs no check here, because the call of a
    // collected closure fails anyway.
    guard isAnchoredToService || isAlive else {
      return record.observers.removeDead(resource: resource)
    }
    callbacks.coroutines.notify(self, of: event, resource)
  }

  func resourceRequestProgress(for resource: Resource, progress: Double) {
    guard wantsProgress else { return }
    call(
      "resource_request_progress", [callbacks.values.of(resource), .number(progress)],
      resource)
  }

  func stoppedObserving(resource: Resource) {
    if isTable { call("stopped_observing", [callbacks.values.of(resource)], resource) }
    stop()
  }

  private func call(_ method: StaticString, _ arguments: [LuaValue], _ resource: Resource) {
    callbacks.coroutines.start(
      Callable(id: id, method: method), arguments, makeContext(resource))
  }

  /// Creates the context for one run of the observer function.
  func makeContext(_ resource: Resource) -> RunContext {
    let context = RunContext(purpose: "an observer") { [unowned callbacks, id] outcome in
      if case .failed(let failure) = outcome {
        callbacks.reporter.report(
          failure,
          in: callbacks.stored.named("observer", id) + " of \(resource.displayName)")
      }
    }
    context.function = id
    return context
  }
}

/// The result of `resource:observe`. With this object, the script stops the observer that the call
/// added.
final class ObservationBox {
  let observer: LuaObserver
  let resource: Resource

  init(_ observer: LuaObserver, resource: Resource) {
    self.observer = observer
    self.resource = resource
  }

  func stop() {
    guard !observer.isStopped else { return }
    resource.stopObserving(observer)
  }
}

extension Resource {
  /// Removes a script observer from the resource. The observer gets no further events.
  func stopObserving(_ observer: LuaObserver) {
    let observed = record.observers
    observed.remove(observer, resource: self)
    observer.stop()
  }

  /// Removes several script observers from the resource at once.
  func stopObserving(_ observers: [LuaObserver]) {
    guard !observers.isEmpty else { return }
    let observed = record.observers
    observed.remove(observers, resource: self)
    for observer in observers { observer.stop() }
  }
}

extension ResourceEvent {
  var constant: LuaConstant {
    switch self {
    case .observerAdded: .observerAdded
    case .requested: .requested
    case .requestCancelled: .requestCancelled
    case .newData: .newData
    case .notModified: .notModified
    case .error: .error
    }
  }
}

extension ResourceEvent.NewDataSource {
  var constant: LuaConstant {
    switch self {
    case .network: .network
    case .cache: .cache
    case .shared: .shared
    case .localOverride: .localOverride
    case .wipe: .wipe
    }
  }
}
