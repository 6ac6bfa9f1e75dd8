/// Is notified of changes of a resource. Called on the home thread, in registration order.
///
/// An observer is a class, or a value type. A value is copied when it is added, and held by an
/// owner (`addObserver(_:owner:)`).
public protocol ResourceObserver {
  /// Called after each change. The resource is then in the state after the event.
  func resourceChanged(_ resource: Resource, event: ResourceEvent)
  /// Called with the progress of loads; the final 1 comes before newData or error. Called only
  /// while `wantsProgress` is true. (PRG-29)
  func resourceRequestProgress(for resource: Resource, progress: Double)
  /// Called after the observer was removed, by a call or by the death of an owner, but not after
  /// its own death. (OBS-26 to OBS-29)
  func stoppedObserving(resource: Resource)
  /// Whether `resourceRequestProgress` does anything. While no observer or hook wants progress, it
  /// is not measured (PRG-24). True by default.
  var wantsProgress: Bool { get }
  /// False once the observer can never be called again. Checked before every broadcast.
  var isAlive: Bool { get }
  /// The name of the observer in the log. (LOG-10)
  var logName: String { get }
  /// Identifies the observer. Adding an observer of an equal identity again adds only the owner.
  /// (OBS-16, OBS-160)
  ///
  /// It is read once, when the observer is added. By default, an object has its object identity,
  /// and each addition of a value is a new observer.
  var observerIdentity: AnyHashable { get }
}

/// The type of the elements in a resource's list of observers: objects only. Values are boxed.
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

/// Equal only to itself.
private final class UniqueObserverIdentity: Hashable {
  static func == (one: UniqueObserverIdentity, other: UniqueObserverIdentity) -> Bool {
    one === other
  }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Boxes an observer that is a value, for the list.
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

/// An observer that calls a function.
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

/// The events that observers are notified of. (OBS-11)
public enum ResourceEvent: Sendable, Equatable, CustomStringConvertible {
  /// Sent only to the new observer, during the call that adds it.
  case observerAdded
  /// A load has begun.
  case requested
  /// A load was cancelled. Data and error have not changed.
  case requestCancelled
  /// The data was replaced, or removed by a wipe.
  case newData(NewDataSource)
  /// The present data was confirmed and has a new timestamp.
  case notModified
  /// A load has failed. The present data stays.
  case error

  /// Where new data came from. (OBS-10)
  public enum NewDataSource: String, Sendable {
    /// A response to a request.
    case network
    /// The cache of a pipeline stage.
    case cache
    /// Another host or process that has written it to a shared cache. (NEWS-01)
    case shared
    /// The program, through `overrideLocalData` or `overrideLocalContent`.
    case localOverride
    /// A wipe, which has removed the data.
    case wipe
  }

  /// The text for logs, such as `newData(network)`.
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

/// An observer that is a function: the argument of `addObserver(owner:closure:)`. Called on the
/// home thread with the resource and the event. (OBS-15) Lua: the function of
/// `resource:add_observer`.
public typealias ResourceObserverClosure = (Resource, ResourceEvent) -> Void

/// Represents a loop or an iterator of a script in a resource's list of observers while it waits.
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
  /// Cancels loads that iterators have started, if they have no other hooks and the resource has no
  /// observers.
  package func cancelUnwantedLoads() {
    guard !isObserved else { return }
    for load in loadRequests where load.iteratorHooks == load.hookCount { load.cancel() }
  }
}

extension Resource {
  /// Adds an observer that owns itself: it is held weakly, and removed when nothing else holds it.
  /// (OBS-18)
  ///
  /// It gets observerAdded during this call (OBS-01). Adding it again does nothing (OBS-14). Values
  /// can't own themselves: add them with an owner.
  @discardableResult
  public func addObserver(_ observer: any (ResourceObserver & AnyObject)) -> Resource {
    add(observer, owner: nil, identity: ownIdentity(of: observer))
  }

  /// Adds an observer that is held as long as `owner` lives. (OBS-19 to OBS-22)
  ///
  /// It gets observerAdded during this call (OBS-01). A value is copied. If an observer of an equal
  /// `observerIdentity` is present already, only the owner is added to that one (OBS-16), and the
  /// given value is not used.
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver, owner: AnyObject) -> Resource {
    // A cast alone is not sufficient: on some platforms a value casts to a box that is an object.
    guard type(of: observer) is AnyClass, let object = observer as? any ObserverObject else {
      return add(
        ValueObserver(observer), owner: owner, identity: observer.observerIdentity)
    }
    return add(object, owner: owner, identity: ownIdentity(of: object))
  }

  /// Returns the observer of that identity: its `observerIdentity`, or the `identity:` of a
  /// function. Returns nil if there is no such observer, or if its last owner has gone. A value is
  /// returned as the copy that was added. (OBS-160)
  ///
  /// Observers of scripts have no identity. Home thread only. Not available in Lua, where a script
  /// has its function.
  public func observer(identity: AnyHashable) -> (any ResourceObserver)? {
    pump.checkThread()
    let observer = record.observers.observer(identifiedBy: identity)
    return (observer as? ValueObserver)?.value ?? observer
  }

  /// Removes the observers of that identity, whatever their owners. Each gets `stoppedObserving`
  /// during this call, and no events afterwards. If there is no such observer, nothing happens.
  /// (OBS-160)
  ///
  /// Does not cancel loads; use `cancelLoadIfUnobserved()`. Home thread only. Lua:
  /// `resource:remove_observers(f)`.
  public func removeObserver(identity: AnyHashable) {
    pump.checkThread()
    record.observers.remove(identifiedBy: identity, resource: self)
  }

  /// nil for an object with its own identity, which the list finds by its address.
  private func ownIdentity(of observer: any ObserverObject) -> AnyHashable? {
    let identity = observer.observerIdentity
    return identity == AnyHashable(ObjectIdentifier(observer)) ? nil : identity
  }

  /// Adds a function that is called until `owner` dies or its observers are removed. Each addition
  /// is a separate observer (OBS-15), unless an observer of an equal `identity` is present already:
  /// then only the owner is added to that one (OBS-16). The log shows its file and line (LOG-10).
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

  /// Adds an observer that tells through `isAlive` how long it is in use, as those of a script's
  /// host do. (OBS-19) `isToldByHost`: the host of the service passes events to it, together with
  /// its neighbours.
  package func hold(_ observer: any ObserverObject, isToldByHost: Bool = false) {
    record.observers.hold(observer, isToldByHost: isToldByHost, resource: self)
    heard(ofAdding: observer)
  }

  /// Comes after observerAdded. A cache hit comes later. (OBS-40)
  private func heard(ofAdding observer: any ResourceObserver) {
    if observer.wantsProgress {
      for load in record.loads { load.request.progressListenersChanged() }
    }
    checkCaches()
  }

  /// Removes `owner` from all observers of this resource. Observers without any other owner stop
  /// observing and get no more events. (OBS-23 to OBS-26, OBS-31)
  public func removeObservers(ownedBy owner: AnyObject?) {
    pump.checkThread()
    guard let owner else { return }
    record.observers.remove(ownedBy: owner, resource: self)
  }

  func notify(_ event: ResourceEvent) {
    record.observers.broadcast(event, resource: self)
  }
}
