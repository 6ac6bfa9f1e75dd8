/// The observers of one resource, in registration order.
///
/// A broadcast notifies the observers that are in the list at its start. Observers that are added
/// during the broadcast get only observerAdded. Observers that are removed during the broadcast get
/// no more events, not even the present one. A nested broadcast finishes before the outer broadcast
/// continues. (OBS-33 to OBS-35)
package final class ObserverList {
  /// The observations in registration order. In a long list, a removed observation is replaced by
  /// `hole`. When there are many holes, they are taken out.
  private var observations: [Observation] = []
  private var holeCount = 0
  private lazy var hole: Observation = {
    let hole = Observation(identity: nil)
    hole.markRemoved()
    return hole
  }()
  /// The index for finding observers in a long list; nil for a list that is short enough to be
  /// searched.
  private var index: ObserverIndex?
  private static let shortest = 32
  /// Whether some observers were not added with `hold`. The list is not notified when the owners of
  /// these observers are released. It therefore checks for dead observers before each event.
  private var hasUnheld = false
  /// The number of observers from which on the next addition first removes dead observers.
  private var nextLook = ObserverList.shortest

  package init() {}

  /// The number of events so far, except `requested`.
  package private(set) var eventCount = 0

  package var isEmpty: Bool { count == 0 }
  package var count: Int { observations.count - holeCount }

  /// The number of observers that an event would notify. Dead observers are not counted.
  package var keptCount: Int { observations.count { $0.isKept } }

  /// Whether the list contains dead observers. An observer is dead if it was released, or if all
  /// its owners were released. A dead observer stays in the list until it is removed.
  package var hasDead: Bool { observations.contains { !$0.isRemoved && !$0.isKept } }

  /// Whether at least one observer wants progress.
  var wantsProgress: Bool {
    observations.contains { !$0.isToldByHost && $0.observer?.wantsProgress ?? false }
  }

  func add(
    _ observer: any ObserverObject, owner: AnyObject?, identity: AnyHashable? = nil,
    to resource: Resource
  ) {
    if count >= nextLook {
      removeDead(resource: resource)
      nextLook = max(ObserverList.shortest, 2 * count)
    }
    if let position = position(of: observer, identity: identity) {
      let known = observations[position]
      known.forgetDeadOwners()
      if known.isKept, let kept = known.observer {
        known.add(owner: owner, of: kept)
        if let owner { index?.add(ObserverIndex.key(owner), at: position) }
        return
      }
      // If the observer has lost its last owner, it has stopped observing, and is now added again.
      // (OBS-30)
      removeDead(resource: resource)
    }
    let observation = Observation(identity: identity)
    observation.add(owner: owner, of: observer)
    append(observation, observer, resource)
  }

  /// Adds an observer that is retained until it is removed or its `isAlive` is false, such as an
  /// observer of a script. (OBS-19)
  ///
  /// - Parameter isToldByHost: Whether the host of the service notifies this observer, together
  ///   with adjacent observers of the host. Such an observer gets no progress.
  package func hold(_ observer: any ObserverObject, isToldByHost: Bool, resource: Resource) {
    let observation = Observation(identity: nil)
    observation.hold(observer, isToldByHost: isToldByHost)
    append(observation, observer, resource)
  }

  private func append(
    _ observation: Observation, _ observer: any ObserverObject, _ resource: Resource
  ) {
    observations.append(observation)
    if !observation.isHeld { hasUnheld = true }
    resource.pump.log(
      .observers, "\(resource.displayName): \(observer.logName) observes")
    observer.resourceChanged(resource, event: .observerAdded)
  }

  /// Removes an owner from all observers. Observers that then have no owner are removed and
  /// notified.
  func remove(ownedBy owner: AnyObject, resource: Resource) {
    var left: [Int] = []
    for position in positions(ObserverIndex.key(owner)).sorted() {
      let observation = observations[position]
      guard !observation.isRemoved else { continue }
      observation.remove(owner: owner)
      if !observation.isKept, left.last != position { left.append(position) }
    }
    remove(at: left, resource: resource)
  }

  /// Returns the observer with the given identity; nil if there is no such observer, or if it is
  /// dead.
  func observer(identifiedBy identity: AnyHashable) -> (any ObserverObject)? {
    observations.first { $0.isIdentified(by: identity) && $0.isKept }?.observer
  }

  /// Removes the observers with the given identity, even if they have owners, and notifies them.
  func remove(identifiedBy identity: AnyHashable, resource: Resource) {
    remove(
      at: observations.indices.filter { observations[$0].isIdentified(by: identity) },
      resource: resource)
  }

  /// Removes one observer that was added with `hold`, and notifies it.
  package func remove(_ observer: any ObserverObject, resource: Resource) {
    remove([observer], resource: resource)
  }

  /// Removes several observers that were added with `hold`, then notifies them in registration
  /// order.
  package func remove(_ observers: [any ObserverObject], resource: Resource) {
    remove(
      at: Set(observers.compactMap { position(of: $0, identity: nil) }).sorted(),
      resource: resource)
  }

  /// Removes the observers that a host notifies, because the host has closed. They do not get
  /// `stoppedObserving`.
  package func removeToldByHost() {
    for observation in observations where observation.isToldByHost { observation.markRemoved() }
    takeOut()
  }

  /// Whether the list contains observers that were added with `hold`, such as observers of scripts.
  package var hasHeld: Bool { observations.contains { $0.isHeld && !$0.isRemoved } }

  /// The observers that were added with `hold`, such as observers of scripts.
  package var held: [any ObserverObject] {
    observations.filter { $0.isHeld && !$0.isRemoved }.compactMap(\.observer)
  }

  private func remove(at positions: [Int], resource: Resource) {
    let gone = positions.map { observations[$0] }
    markRemoved(gone, of: resource)
    if observations.count <= ObserverList.shortest || 2 * positions.count > count {
      takeOut()
    } else {
      for position in positions { observations[position] = hole }
      holeCount += positions.count
      if 2 * holeCount > observations.count { takeOut() }
    }
    tell(gone, of: resource)
  }

  private func closeUp() {
    if holeCount > 0 { takeOut() }
  }

  /// Removes holes and observations that are marked as removed.
  private func takeOut() {
    observations.removeAll { $0.isRemoved }
    holeCount = 0
    index = nil
  }

  // MARK: Finding

  /// Returns the observers with the given key. The result may contain other observers too: in a
  /// short list all keyed observers, in a long list observers that no longer have the key.
  package func keyed(_ key: UInt) -> [any KeyedObserver] {
    Set(positions(key)).sorted().compactMap { observations[$0].observer as? any KeyedObserver }
  }

  /// Adds a key under which an observer can be found.
  package func add(key: UInt, of observer: any ObserverObject) {
    guard index != nil, let position = position(of: observer, identity: nil) else { return }
    index?.add(key, at: position)
  }

  private func position(of observer: any ObserverObject, identity: AnyHashable?) -> Int? {
    let isHere = { [observations] (position: Int) in
      !observations[position].isRemoved
        && observations[position].isSame(as: observer, identity: identity)
    }
    guard observations.count > ObserverList.shortest else {
      return observations.indices.first(where: isHere)
    }
    let candidates = positions(ObserverIndex.key(observer))
    if let identity { return index?.position(of: identity).flatMap { isHere($0) ? $0 : nil } }
    return candidates.first(where: isHere)
  }

  /// Returns the indices in `observations` of observers that may have the given key. In a short
  /// list, these are all indices.
  private func positions(_ key: UInt) -> [Int] {
    guard observations.count > ObserverList.shortest else { return Array(observations.indices) }
    if index == nil { index = ObserverIndex() }
    index?.update(observations)
    return index?[key] ?? []
  }

  /// Marks observers as removed. Increases the change count of the pump, so that a broadcast in
  /// progress checks again which of its remaining observers have been removed.
  private func markRemoved(_ gone: [Observation], of resource: Resource) {
    guard !gone.isEmpty else { return }
    for observation in gone { observation.markRemoved() }
    resource.pump.changes.note()
  }

  private func tell(_ gone: [Observation], of resource: Resource) {
    let log = resource.pump.log
    for observation in gone {
      log(.observers, "\(resource.displayName): \(observation.farewell)")
    }
    for observation in gone {
      observation.observer?.stoppedObserving(resource: resource)
    }
  }

  /// Removes dead observers: the observers whose owners have been released. Notifies the removed
  /// observers that still exist.
  package func removeDead(resource: Resource) {
    closeUp()
    for observation in observations { observation.forgetDeadOwners() }
    guard hasDead else { return }
    let gone = observations.filter { !$0.isKept }
    let log = resource.pump.log
    for observation in gone {
      log(.observers, "\(resource.displayName): \(observation.farewell)")
    }
    markRemoved(gone, of: resource)
    takeOut()
    for observation in gone {
      observation.observer?.stoppedObserving(resource: resource)
    }
  }

  func broadcast(_ event: ResourceEvent, resource: Resource) {
    closeUp()
    if event != .requested { eventCount &+= 1 }
    let present = observations
    guard !present.isEmpty else { return }
    if hasUnheld { removeDead(resource: resource) }
    let host = resource.pump.host
    // Loops by index, because `present` already retains the observations, and an iterator would
    // retain each of them again.
    var index = 0
    while index < present.count {
      let observation = present[index]
      if observation.isToldByHost, !observation.isRemoved, let host {
        index = host.tell(present, from: index, of: event, resource)
        continue
      }
      if !observation.isRemoved { observation.observer?.resourceChanged(resource, event: event) }
      index += 1
    }
  }

  func broadcastProgress(_ progress: Double, resource: Resource) {
    for observation in observations where !observation.isRemoved && !observation.isToldByHost {
      guard let observer = observation.observer, observer.wantsProgress else { continue }
      observer.resourceRequestProgress(for: resource, progress: progress)
    }
  }
}

/// An index for long lists of observers. It finds the position of an observer in the list by the
/// address of the observer, or by the address of one of its owners.
///
/// An address may have been reused for another object since, so callers have to check each result.
struct ObserverIndex {
  private var positions: [UInt: [Int]] = [:]
  private var identities: [AnyHashable: Int] = [:]
  /// The number of observations in this index. They are the first observations of the list; later
  /// ones have been added since.
  private(set) var count = 0

  /// Returns the key by which an object is found: its address.
  static func key(_ object: AnyObject) -> UInt { UInt(bitPattern: ObjectIdentifier(object)) }

  /// Adds the observations that were added to the list since the last update to the index.
  mutating func update(_ observations: [Observation]) {
    for position in count..<observations.count {
      let observation = observations[position]
      guard !observation.isRemoved else { continue }
      for key in observation.keys { positions[key, default: []].append(position) }
      if let identity = observation.identity { identities[identity] = position }
    }
    count = observations.count
  }

  /// Adds a further key, such as the address of another owner, of an observation that is already
  /// indexed.
  mutating func add(_ key: UInt, at position: Int) {
    if position < count { positions[key, default: []].append(position) }
  }

  /// The positions of observers that may have the given key, or an owner with this key. The
  /// positions are in no particular order.
  subscript(_ key: UInt) -> [Int] { positions[key] ?? [] }

  func position(of identity: AnyHashable) -> Int? { identities[identity] }
}

/// An observer that has further keys, besides its own address. These are the keys of script values
/// that Swift can't inspect.
package protocol KeyedObserver: ObserverObject {
  var keys: [UInt] { get }
}

/// The entry of an observer in a resource's list: the observer, its owners, and whether it has been
/// removed.
package final class Observation {
  /// A strong reference to the observer, set while the observer is held or has an owner other than
  /// itself (OBS-19, OBS-22).
  private var strongObserver: (any ObserverObject)?
  private weak var weakObserver: (any ObserverObject)?
  private var owners: [WeakOwner] = []
  private var ownsItself = false
  /// Whether the observer is held: it is retained until it is removed or its `isAlive` is false.
  private(set) var isHeld = false
  /// Whether the host of the service notifies the observer, together with adjacent observers of the
  /// host. Such an observer gets no progress.
  package private(set) var isToldByHost = false
  package private(set) var isRemoved = false
  /// Whether an owner was released without having been removed before.
  private var hasLostOwner = false
  /// The identity that the caller has given; nil if the observer is identified by its object
  /// identity. Observers with equal identities are the same observer (OBS-16).
  let identity: AnyHashable?

  private struct WeakOwner {
    weak var object: AnyObject?
  }

  init(identity: AnyHashable?) {
    self.identity = identity
  }

  package var observer: (any ObserverObject)? { strongObserver ?? weakObserver }

  /// The keys by which the observation is found: the key of its observer, the keys of its owners,
  /// and further keys if the observer is a `KeyedObserver`.
  var keys: [UInt] {
    guard let observer else { return [] }
    var keys = [ObserverIndex.key(observer)]
    for owner in owners { if let object = owner.object { keys.append(ObserverIndex.key(object)) } }
    if let keyed = observer as? any KeyedObserver { keys += keyed.keys }
    return keys
  }

  /// The log text for the removal of the observer. Read it before the observation is marked as
  /// removed.
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

  /// Returns whether `identity` is the identity that was given when the observer was added, or the
  /// object identity of the observer. (OBS-160)
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

  /// Removes owners that have been released. If the observer then has no owner but itself, the
  /// reference to the observer becomes weak again. (OBS-22)
  func forgetDeadOwners() {
    guard !owners.isEmpty, strongObserver != nil, owners.contains(where: { $0.object == nil })
    else { return }
    hasLostOwner = true
    owners.removeAll { $0.object == nil }
    if owners.isEmpty, ownsItself { strongObserver = nil }
  }

  /// Whether the observer is still in use: it exists, and is held, has an owner or owns itself.
  var isKept: Bool {
    guard !isRemoved, let observer, observer.isAlive else { return false }
    if isHeld || ownsItself { return true }
    return owners.contains { $0.object != nil }
  }

  func markRemoved() { isRemoved = true }
}
