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
