/// One observer's place in a resource's list: who it is, who owns it, whether it is still there.
package final class Observation {
  /// Strong while an owner other than itself lives (OBS-19, OBS-22).
  private var strongObserver: (any ObserverObject)?
  private weak var weakObserver: (any ObserverObject)?
  private var owners: [WeakOwner] = []
  private var ownsItself = false
  /// Kept until removed or no longer alive, by its own account.
  private(set) var isHeld = false
  /// Whether it hears events of the service's host, together with its neighbours, and nothing of progress.
  package private(set) var isToldByHost = false
  package private(set) var isRemoved = false
  /// Whether an owner has died, rather than been removed.
  private var hasLostOwner = false
  /// What the caller says it is, if not the object: an equal one is the same observer (OBS-16).
  let identity: AnyHashable?

  private struct WeakOwner {
    weak var object: AnyObject?
  }

  init(identity: AnyHashable?) {
    self.identity = identity
  }

  package var observer: (any ObserverObject)? { strongObserver ?? weakObserver }

  /// What it is looked up by: its observer, its owners, and what the observer says of itself.
  var keys: [UInt] {
    guard let observer else { return [] }
    var keys = [ObserverIndex.key(observer)]
    for owner in owners { if let object = owner.object { keys.append(ObserverIndex.key(object)) } }
    if let keyed = observer as? any KeyedObserver { keys += keyed.keys }
    return keys
  }

  /// What the log says of its end, asked before it is marked as removed.
  var farewell: String {
    guard let observer else { return "an observer was dropped: it has been collected" }
    return (isHeld ? !isRemoved : hasLostOwner)
      ? "\(observer.logName) was dropped: its owner has been collected"
      : "\(observer.logName) has stopped observing"
  }

  func isSame(as other: any ObserverObject, identity: AnyHashable?) -> Bool {
    if let identity { return self.identity == identity }
    return observer === other
  }

  /// Whether it was added under that identity, or is the object that has it for its own. (OBS-160)
  func isIdentified(by identity: AnyHashable) -> Bool {
    guard !isRemoved, !isHeld, let observer else { return false }
    return (self.identity ?? AnyHashable(ObjectIdentifier(observer))) == identity
  }

  func hold(_ observer: any ObserverObject, isToldByHost: Bool) {
    isHeld = true
    self.isToldByHost = isToldByHost
    strongObserver = observer
  }

  func add(owner: AnyObject?, of observer: any ObserverObject) {
    if let owner, owner !== observer {
      if !owners.contains(where: { $0.object === owner }) {
        owners.append(WeakOwner(object: owner))
      }
      strongObserver = observer
    } else {
      ownsItself = true
      weakObserver = observer
    }
  }

  func remove(owner: AnyObject) {
    hasLostOwner = false
    owners.removeAll { $0.object === owner || $0.object == nil }
    if owner === observer { ownsItself = false }
    if owners.isEmpty, ownsItself { strongObserver = nil }
  }

  /// An observer whose only owner left is itself is held weakly again. (OBS-22)
  func forgetDeadOwners() {
    guard !owners.isEmpty, strongObserver != nil, owners.contains(where: { $0.object == nil })
    else { return }
    hasLostOwner = true
    owners.removeAll { $0.object == nil }
    if owners.isEmpty, ownsItself { strongObserver = nil }
  }

  /// Whether anybody still keeps it: the observer is there and has an owner, or owns itself.
  var isKept: Bool {
    guard !isRemoved, let observer, observer.isAlive else { return false }
    if isHeld || ownsItself { return true }
    return owners.contains { $0.object != nil }
  }

  func markRemoved() { isRemoved = true }
}
