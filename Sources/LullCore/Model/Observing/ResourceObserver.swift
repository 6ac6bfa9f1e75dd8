/// Hears what happens to a resource. Called on the home thread, in registration order.
///
/// A class, or a type of values: a value is copied when it is added, and is held by an owner
/// (`addObserver(_:owner:)`).
public protocol ResourceObserver {
  /// Called after each change, the resource being as the event left it.
  func resourceChanged(_ resource: Resource, event: ResourceEvent)
  /// Progress of loads, its 1 before newData or error. Called only while `wantsProgress`. (PRG-29)
  func resourceRequestProgress(for resource: Resource, progress: Double)
  /// After removal by call or by an owner's death, not after the observer's own. (OBS-26 to OBS-29)
  func stoppedObserving(resource: Resource)
  /// Whether `resourceRequestProgress` does anything; while nobody wants progress none is measured
  /// (PRG-24). True by default.
  var wantsProgress: Bool { get }
  /// False once the observer can never be called again; asked before every broadcast.
  var isAlive: Bool { get }
  /// What the log calls it. (LOG-10)
  var logName: String { get }
  /// What tells it from others: an observer of an equal identity is the same observer, of which adding it
  /// again adds only the owner. (OBS-16, OBS-160)
  ///
  /// It is read once, when the observer is added. By default that of an object is the object's own, and
  /// each addition of a value is another observer.
  var observerIdentity: AnyHashable { get }
}

/// What the list of a resource's observers holds: objects only, which values are boxed in.
package typealias ObserverObject = ResourceObserver & AnyObject

extension ResourceObserver {
  public func resourceRequestProgress(for resource: Resource, progress: Double) {}
  public func stoppedObserving(resource: Resource) {}
  public var wantsProgress: Bool { true }
  public var isAlive: Bool { true }
  public var logName: String { String(describing: type(of: self)) }
  public var observerIdentity: AnyHashable { AnyHashable(UniqueObserverIdentity()) }
}

extension ResourceObserver where Self: AnyObject {
  public var observerIdentity: AnyHashable { AnyHashable(ObjectIdentifier(self)) }
}

/// Equal to nothing but itself.
private final class UniqueObserverIdentity: Hashable {
  static func == (one: UniqueObserverIdentity, other: UniqueObserverIdentity) -> Bool {
    one === other
  }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An observer that is a value, as the list holds it.
final class ValueObserver: ResourceObserver {
  let value: any ResourceObserver

  init(_ value: any ResourceObserver) {
    self.value = value
  }

  var wantsProgress: Bool { value.wantsProgress }
  var isAlive: Bool { value.isAlive }
  var logName: String { value.logName }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    value.resourceChanged(resource, event: event)
  }

  func resourceRequestProgress(for resource: Resource, progress: Double) {
    value.resourceRequestProgress(for: resource, progress: progress)
  }

  func stoppedObserving(resource: Resource) { value.stoppedObserving(resource: resource) }
}

/// A function as an observer.
final class ClosureObserver: ResourceObserver {
  private let observe: (Resource, ResourceEvent) -> Void
  let logName: String
  var wantsProgress: Bool { false }

  init(name: String, _ observe: @escaping (Resource, ResourceEvent) -> Void) {
    logName = name
    self.observe = observe
  }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    observe(resource, event)
  }
}

/// What observers hear. (OBS-11)
public enum ResourceEvent: Sendable, Equatable, CustomStringConvertible {
  /// Sent to the new observer alone, during the add call.
  case observerAdded
  /// A load has begun.
  case requested
  /// A load was cancelled, and has left everything as it was.
  case requestCancelled
  /// There is data, or none any more after a wipe.
  case newData(NewDataSource)
  /// The data that is there counts as new again.
  case notModified
  /// A load has failed; the data that is there stays.
  case error

  /// Where new data came from. (OBS-10)
  public enum NewDataSource: String, Sendable {
    /// A response.
    case network
    /// The cache of a pipeline's stage.
    case cache
    /// Another host or process, which has written it to a cache that is shared. (NEWS-01)
    case shared
    /// The program, by `overrideLocalData` or `overrideLocalContent`.
    case localOverride
    /// Nowhere: it is gone.
    case wipe
  }

  /// As logs have it, such as `newData(network)`.
  public var description: String {
    switch self {
    case .observerAdded: "observerAdded"
    case .requested: "requested"
    case .requestCancelled: "requestCancelled"
    case .newData(let source): "newData(\(source.rawValue))"
    case .notModified: "notModified"
    case .error: "error"
    }
  }
}

/// An observer that is a function: what `addObserver(owner:closure:)` takes. Called on the home thread with the
/// resource and what has happened to it. (OBS-15) Lua: the function of `resource:add_observer`.
public typealias ResourceObserverClosure = (Resource, ResourceEvent) -> Void

/// Stands in a resource's list of observers while a loop or an iterator of a script waits.
package final class IteratorObserver: ResourceObserver {
  package let logName: String
  private let hear: (ResourceEvent) -> Void
  package var wantsProgress: Bool { false }

  package init(_ logName: String, _ hear: @escaping (ResourceEvent) -> Void = { _ in }) {
    self.logName = logName
    self.hear = hear
  }

  package func resourceChanged(_ resource: Resource, event: ResourceEvent) { hear(event) }
}

extension Resource {
  /// Cancels loads that iterators have started, once nobody else has attached a hook and nobody
  /// observes.
  package func cancelUnwantedLoads() {
    guard !isObserved else { return }
    for load in loadRequests where load.iteratorHooks == load.hookCount { load.cancel() }
  }
}

extension Resource {
  /// Adds an observer that owns itself: held weakly, gone when nobody else holds it. (OBS-18)
  ///
  /// It gets observerAdded during this call (OBS-01); adding it again does nothing (OBS-14). Values cannot own
  /// themselves: add them with an owner.
  @discardableResult
  public func addObserver(_ observer: any (ResourceObserver & AnyObject)) -> Resource {
    add(observer, owner: nil, identity: ownIdentity(of: observer))
  }

  /// Adds an observer held for as long as `owner` lives. (OBS-19 to OBS-22)
  ///
  /// It gets observerAdded during this call (OBS-01). A value is copied; if one of an equal
  /// `observerIdentity` is there already, only the owner is added to that one (OBS-16), and the value given
  /// is not used.
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver, owner: AnyObject) -> Resource {
    // Not by a cast alone: on some platforms a value casts to a box that is an object.
    guard type(of: observer) is AnyClass, let object = observer as? any ObserverObject else {
      return add(
        ValueObserver(observer), owner: owner, identity: observer.observerIdentity)
    }
    return add(object, owner: owner, identity: ownIdentity(of: object))
  }

  /// The observer of that identity: its `observerIdentity`, or the `identity:` of a function. nil if none is
  /// there, or if its last owner has gone. A value comes as the copy that was added. (OBS-160)
  ///
  /// Observers of scripts have no identity. Home thread only. Lua: none; a script has its function.
  public func observer(identity: AnyHashable) -> (any ResourceObserver)? {
    pump.checkThread()
    let observer = record.observers.observer(identifiedBy: identity)
    return (observer as? ValueObserver)?.value ?? observer
  }

  /// Removes the observers of that identity, whoever owns them; each gets `stoppedObserving` during this call and
  /// nothing afterwards. Without such an observer it does nothing. (OBS-160)
  ///
  /// Cancels nothing; `cancelLoadIfUnobserved()` does. Home thread only. Lua: `resource:remove_observers(f)`.
  public func removeObserver(identity: AnyHashable) {
    pump.checkThread()
    record.observers.remove(identifiedBy: identity, resource: self)
  }

  /// nil of an object that is itself, by which the list looks it up.
  private func ownIdentity(of observer: any ObserverObject) -> AnyHashable? {
    let identity = observer.observerIdentity
    return identity == AnyHashable(ObjectIdentifier(observer)) ? nil : identity
  }

  /// Adds a function that is called until `owner` dies or its observers are removed. Each addition
  /// counts separately (OBS-15), unless an observer of an equal `identity` is there already: then
  /// only the owner is added to that one (OBS-16). The log names it by file and line (LOG-10).
  @discardableResult
  public func addObserver(
    owner: AnyObject, identity: AnyHashable? = nil, file: StaticString = #fileID,
    line: UInt = #line, closure: @escaping ResourceObserverClosure
  ) -> Resource {
    add(
      ClosureObserver(name: "function (\(file):\(line))", closure), owner: owner,
      identity: identity)
  }

  private func add(
    _ observer: any ObserverObject, owner: AnyObject?, identity: AnyHashable? = nil
  ) -> Resource {
    pump.checkThread()
    record.observers.add(observer, owner: owner, identity: identity, to: self)
    heard(ofAdding: observer)
    return self
  }

  /// Adds an observer that says itself how long it is alive; a script's host knows. (OBS-19)
  /// `isToldByHost`: it hears events of the service's host, together with its neighbours.
  package func hold(_ observer: any ObserverObject, isToldByHost: Bool = false) {
    record.observers.hold(observer, isToldByHost: isToldByHost, resource: self)
    heard(ofAdding: observer)
  }

  /// It has heard of its addition already; what caches have comes later. (OBS-40)
  private func heard(ofAdding observer: any ResourceObserver) {
    if observer.wantsProgress {
      for load in record.loads { load.request.progressListenersChanged() }
    }
    checkCaches()
  }

  /// `owner` stops owning any observer here; those left without owner stop observing and hear
  /// nothing more. (OBS-23 to OBS-26, OBS-31)
  public func removeObservers(ownedBy owner: AnyObject?) {
    pump.checkThread()
    guard let owner else { return }
    record.observers.remove(ownedBy: owner, resource: self)
  }

  func notify(_ event: ResourceEvent) {
    record.observers.broadcast(event, resource: self)
  }
}
