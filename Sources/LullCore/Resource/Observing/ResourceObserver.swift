/// Hears what happens to a resource. Called on the home thread, in registration order.
public protocol ResourceObserver: AnyObject {
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
}

extension ResourceObserver {
  public func resourceRequestProgress(for resource: Resource, progress: Double) {}
  public func stoppedObserving(resource: Resource) {}
  public var wantsProgress: Bool { true }
  public var isAlive: Bool { true }
  public var logName: String { String(describing: type(of: self)) }
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
