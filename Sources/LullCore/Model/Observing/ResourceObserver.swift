/// An object or value that is notified of changes of a resource. The observers of a resource are
/// called on the home thread, in registration order.
///
/// An observer is an instance of a class or of a value type. A value is copied when it is added,
/// and needs an owner (`addObserver(_:owner:)`).
public protocol ResourceObserver {
  /// Called after each change. The resource already has the new state.
  func resourceChanged(_ resource: Resource, event: ResourceEvent)
  /// Called with the progress of loads. The last value, 1, is reported before newData or error.
  /// Called only while `wantsProgress` is true. (PRG-29)
  func resourceRequestProgress(for resource: Resource, progress: Double)
  /// Called after the observer was removed, by a call or because its last owner was released. Not
  /// called if the observer itself was released. (OBS-26 to OBS-29)
  func stoppedObserving(resource: Resource)
  /// Whether the observer needs calls of `resourceRequestProgress`. While no observer or hook wants
  /// progress, it is not measured (PRG-24). True by default.
  var wantsProgress: Bool { get }
  /// Whether the observer may still be called. Once it is false, the observer is removed. Checked
  /// before every broadcast.
  var isAlive: Bool { get }
  /// The name of the observer in the log, by default the name of its type. (LOG-10)
  var logName: String { get }
  /// Identifies the observer. If an observer with an equal identity is already present, adding the
  /// new one only adds its owner. (OBS-16, OBS-160)
  ///
  /// The identity is read once, when the observer is added. By default, an object has its object
  /// identity. A value has a new identity each time it is added.
  var observerIdentity: AnyHashable { get }
}

/// The type of observers in a resource's list. All of them are objects; observers that are values
/// are wrapped in a `ValueObserver`.
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

/// An identity that is equal only to itself.
private final class UniqueObserverIdentity: Hashable {
  static func == (one: UniqueObserverIdentity, other: UniqueObserverIdentity) -> Bool {
    one === other
  }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An object that wraps an observer that is a value, so that the list of observers can contain it.
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
  /// The observer was added. Sent only to the new observer, during the call that adds it.
  case observerAdded
  /// A load has begun.
  case requested
  /// A load was cancelled. Data and error have not changed.
  case requestCancelled
  /// The data was replaced, or a wipe has removed it.
  case newData(NewDataSource)
  /// The present data was confirmed and has a new timestamp.
  case notModified
  /// A load has failed. The resource keeps its data.
  case error

  /// The source of new data. (OBS-10)
  public enum NewDataSource: String, Sendable {
    /// The response to a request.
    case network
    /// The cache of a pipeline stage.
    case cache
    /// Another host or process, which has written the data to a shared cache. (NEWS-01)
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

/// A function as an observer, for `addObserver(owner:closure:)`. It is called on the home thread
/// with the resource and the event. (OBS-15) Lua: the function of `resource:add_observer`.
public typealias ResourceObserverClosure = (Resource, ResourceEvent) -> Void

/// Represents a loop of a Swift program, or an iterator of a script, in a resource's list of
/// observers while the loop or iterator waits.
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
  /// If the resource has no observers, cancels the loads that iterators have started and that have
  /// no hooks of other code.
  package func cancelUnwantedLoads() {
    guard !isObserved else { return }
    for load in loadRequests where load.iteratorHooks == load.hookCount { load.cancel() }
  }
}

extension Resource {
  /// Adds an observer without an owner. The resource has only a weak reference to the observer, and
  /// removes the observer from its list after the observer was released. (OBS-18)
  ///
  /// The observer gets observerAdded during this call (OBS-01). Adding it again does nothing
  /// (OBS-14). An observer that is a value needs an owner: use `addObserver(_:owner:)`.
  @discardableResult
  public func addObserver(_ observer: any (ResourceObserver & AnyObject)) -> Resource {
    add(observer, owner: nil, identity: ownIdentity(of: observer))
  }

  /// Adds an observer that is retained as long as `owner` exists. (OBS-19 to OBS-22)
  ///
  /// The observer gets observerAdded during this call (OBS-01). A value is copied. If an observer
  /// with an equal `observerIdentity` is already present, `owner` becomes a further owner of the
  /// present observer, and the given observer is not used (OBS-16).
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver, owner: AnyObject) -> Resource {
    // A cast alone is not sufficient, because on some platforms a value can be cast to an object,
    // which wraps it.
    guard type(of: observer) is AnyClass, let object = observer as? any ObserverObject else {
      return add(
        ValueObserver(observer), owner: owner, identity: observer.observerIdentity)
    }
    return add(object, owner: owner, identity: ownIdentity(of: object))
  }

  /// Returns the observer with the given identity: its `observerIdentity`, or for a function the
  /// `identity` with which the function was added. Returns nil if there is no such observer, or if
  /// its last owner has been released. For a value, returns the copy that was added. (OBS-160)
  ///
  /// Observers of scripts have no identity. Home thread only. There is no such function in Lua,
  /// because scripts identify an observer by its function.
  public func observer(identity: AnyHashable) -> (any ResourceObserver)? {
    pump.checkThread()
    let observer = record.observers.observer(identifiedBy: identity)
    return (observer as? ValueObserver)?.value ?? observer
  }

  /// Removes the observers with the given identity, even if they have owners. Each of them gets
  /// `stoppedObserving` during this call, and no events afterwards. If there is no such observer,
  /// does nothing. (OBS-160)
  ///
  /// Loads are not cancelled; to cancel them, use `cancelLoadIfUnobserved()`. Home thread only.
  /// Lua: `resource:remove_observers(f)`.
  public func removeObserver(identity: AnyHashable) {
    pump.checkThread()
    record.observers.remove(identifiedBy: identity, resource: self)
  }

  /// Returns the `observerIdentity` of an object. Returns nil if this is the object identity,
  /// because the list then finds the observer by its address.
  private func ownIdentity(of observer: any ObserverObject) -> AnyHashable? {
    let identity = observer.observerIdentity
    return identity == AnyHashable(ObjectIdentifier(observer)) ? nil : identity
  }

  /// Adds a function that is called with each event, until `owner` is released or the observers of
  /// `owner` are removed. Each call of `addObserver` adds a separate observer (OBS-15). If an
  /// observer with an equal `identity` is already present, `owner` becomes a further owner of that
  /// observer, and the function is not used (OBS-16). The log shows the file and line of the call
  /// (LOG-10).
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

  /// Adds an observer that is retained until it is removed or its `isAlive` is false, such as an
  /// observer of a script. (OBS-19)
  ///
  /// - Parameter isToldByHost: Whether the host of the service notifies this observer, together
  ///   with adjacent observers of the host.
  package func hold(_ observer: any ObserverObject, isToldByHost: Bool = false) {
    record.observers.hold(observer, isToldByHost: isToldByHost, resource: self)
    heard(ofAdding: observer)
  }

  /// Called after the new observer got observerAdded. Starts polling the progress if the observer
  /// wants progress. Starts the cache lookup, whose hit arrives later. (OBS-40)
  private func heard(ofAdding observer: any ResourceObserver) {
    if observer.wantsProgress {
      for load in record.loads { load.request.progressListenersChanged() }
    }
    checkCaches()
  }

  /// Removes `owner` from all observers of this resource. Observers that then have no owner are
  /// removed and get no more events. (OBS-23 to OBS-26, OBS-31)
  public func removeObservers(ownedBy owner: AnyObject?) {
    pump.checkThread()
    guard let owner else { return }
    record.observers.remove(ownedBy: owner, resource: self)
  }

  func notify(_ event: ResourceEvent) {
    record.observers.broadcast(event, resource: self)
  }
}
