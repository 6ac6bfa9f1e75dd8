import CLullBridge
import LullCore

/// A script function or table that observes a resource.
///
/// The closure is anchored in Lua: to its owner, to the service, or, if a table owns itself, not at
/// all. Once the closure or its owner is gone, the observer is no longer alive.
final class LuaObserver: KeyedObserver {
  static let changed: StaticString = "resource_changed"

  private unowned let callbacks: Callbacks
  let id: Int64
  /// The address of the function or table, by which scripts refer to the observer.
  private let identity: UInt
  let isTable: Bool
  /// Whether the table had `resource_request_progress` when it was added (PRG-24).
  let wantsProgress: Bool
  /// The stored owners; empty for observers anchored to the service and for tables that own
  /// themselves.
  private(set) var owners: [Owner] = []
  /// Whether the service's userdata anchors the closure.
  var isAnchoredToService: Bool
  var ownsItself: Bool
  private(set) var isStopped = false
  // The record holds this observer in its list. The service usually holds the record, but requests
  // of another service that load its resource may hold it for longer.
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

  /// Whether it was only notified of its own addition and of the start of requests.
  var isUnheard: Bool { !isStopped && record.observers.eventCount == earlierEvents }

  private var service: Service? { serviceLink.service }

  /// A resource that no service stores, such as one without a URL, is freed with its observers.
  deinit {
    guard !isStopped else { return }
    let anchoring = isAnchoredToService ? service?.hostHandle ?? 0 : 0
    guard anchoring != 0 || !owners.isEmpty else { return }
    released.add(ReleasedObserver(id: id, owners: owners.map(\.id), service: anchoring))
  }

  var keys: [UInt] { [identity] + owners.map(\.identity) }

  /// Handles the death of an owner. If it was the last one, the observer is notified and removed
  /// from the list.
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

  /// Removes an owner. Returns whether it was one.
  func remove(owner: Int64) {
    guard let index = owners.firstIndex(where: { $0.id == owner }) else { return }
    owners.remove(at: index)
    lull_value_release_from_owner(callbacks.bridge.pointer, owner, id)
  }

  var isAlive: Bool {
    guard !isStopped, !callbacks.bridge.isClosed else { return false }
    // The service's userdata holds the closure. If it does not, the next call detects that.
    if isAnchoredToService { return true }
    guard lull_value_is_alive(callbacks.bridge.pointer, id) != 0 else { return false }
    return ownsItself
      || owners.contains { lull_value_is_alive(callbacks.bridge.pointer, $0.id) != 0 }
  }

  /// Whether it can be notified without checking whether an owner is still alive.
  var isToldInTurn: Bool { isAnchoredToService && !isTable }

  var logName: String {
    let place = callbacks.stored.place(of: id)
    return (isTable ? "observer table" : "function") + (place.isEmpty ? "" : " (\(place))")
  }

  /// Stops the observer, so that it is never called again and the closure may be collected.
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
    // For an observer anchored to the service, the call detects it.
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

  /// Creates the context of a run.
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

/// The result of `resource:observe`: stops that one observer.
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
  /// Removes one script observer from the list; it gets no further events.
  func stopObserving(_ observer: LuaObserver) {
    let observed = record.observers
    observed.remove(observer, resource: self)
    observer.stop()
  }

  /// Removes several observers at once.
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
