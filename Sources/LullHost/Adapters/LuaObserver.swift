import CLullBridge
import LullCore

/// A function or table of the script that observes a resource.
///
/// The closure is anchored on Lua's side: at its owner, at the service, or, for a table that owns
/// itself, nowhere. Once it or its owner is gone the observer is not alive any more.
final class LuaObserver: KeyedObserver {
  static let changed: StaticString = "resource_changed"

  private unowned let callbacks: Callbacks
  let id: Int64
  /// What scripts call it by: the function or table itself.
  private let identity: UInt
  let isTable: Bool
  /// Whether the table had `resource_request_progress` when it was added (PRG-24).
  let wantsProgress: Bool
  /// The kept owners; none of observers anchored to the service and of self-owned tables.
  private(set) var owners: [Owner] = []
  /// Whether the service's userdata anchors the closure.
  var isAnchoredToService: Bool
  var ownsItself: Bool
  private(set) var isStopped = false
  // The record holds this observer in its list. The service mostly holds the record, but requests of
  // another service that load its resource may hold it for longer.
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

  /// Whether it has heard of no more than its addition and requests that begin.
  var isUnheard: Bool { !isStopped && record.observers.eventCount == earlierEvents }

  private var service: Service? { serviceLink.service }

  /// A resource that no service remembers, such as one without a URL, takes its observers with it.
  deinit {
    guard !isStopped else { return }
    let anchoring = isAnchoredToService ? service?.hostHandle ?? 0 : 0
    guard anchoring != 0 || !owners.isEmpty else { return }
    released.add(ReleasedObserver(id: id, owners: owners.map(\.id), service: anchoring))
  }

  var keys: [UInt] { [identity] + owners.map(\.identity) }

  /// An owner has died: if it was the last, the observer is told and leaves the list.
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

  /// Whether that owner was one of its owners.
  func remove(owner: Int64) {
    guard let index = owners.firstIndex(where: { $0.id == owner }) else { return }
    owners.remove(at: index)
    lull_value_release_from_owner(callbacks.bridge.pointer, owner, id)
  }

  var isAlive: Bool {
    guard !isStopped, !callbacks.bridge.isClosed else { return false }
    // The service's userdata holds the closure; should it not, the next call will find that out.
    if isAnchoredToService { return true }
    guard lull_value_is_alive(callbacks.bridge.pointer, id) != 0 else { return false }
    return ownsItself
      || owners.contains { lull_value_is_alive(callbacks.bridge.pointer, $0.id) != 0 }
  }

  /// Whether nothing but removal keeps it from hearing an event: no owner is to be asked first.
  var isToldInTurn: Bool { isAnchoredToService && !isTable }

  var logName: String {
    let place = callbacks.stored.place(of: id)
    return (isTable ? "observer table" : "function") + (place.isEmpty ? "" : " (\(place))")
  }

  /// Never called again; the closure may be collected.
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
    // Of those anchored to the service, the call finds out.
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

  /// What a run of this observer is.
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

/// What `resource:observe` returns: stops that one observer.
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
  /// Takes one observer of a script off the list; it hears nothing more.
  func stopObserving(_ observer: LuaObserver) {
    let observed = record.observers
    observed.remove(observer, resource: self)
    observer.stop()
  }

  /// Takes several off at once.
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
