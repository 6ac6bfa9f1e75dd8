/// The observers of one resource, in registration order.
///
/// A broadcast notifies the observers that were present at its start. Observers that are added
/// meanwhile get only observerAdded. Observers that another one removes get nothing more, not even
/// the present event. A nested broadcast finishes before the outer one continues. (OBS-33 to
/// OBS-35)
package final class ObserverList {
  /// In order. A removed observation is replaced by `hole`, until there are many of them.
  private var observations: [Observation] = []
  private var holeCount = 0
  private lazy var hole: Observation = {
    let hole = Observation(identity: nil)
    hole.markRemoved()
    return hole
  }()
  /// The index of a list that is too long to search for each of its observers.
  private var index: ObserverIndex?
  private static let shortest = 32
  /// Whether some observers are not held, so that their owners may have died unnoticed. Held
  /// observers are checked before each event.
  private var hasUnheld = false
  /// The number of observers at which an addition removes dead ones.
  private var nextLook = ObserverList.shortest

  package init() {}

  /// The number of events so far, except `requested`.
  package private(set) var eventCount = 0

  package var isEmpty: Bool { count == 0 }
  package var count: Int { observations.count - holeCount }

  /// The number of observers that would be notified, without dead ones.
  package var keptCount: Int { observations.count { $0.isKept } }

  /// Whether there are observers that have died, or whose owners have, and that have not been
  /// removed yet.
  package var hasDead: Bool { observations.contains { !$0.isRemoved && !$0.isKept } }

  /// Whether any observer wants progress.
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
      // An observer that has lost its last owner has stopped observing, and starts again. (OBS-30)
      removeDead(resource: resource)
    }
    let observation = Observation(identity: identity)
    observation.add(owner: owner, of: observer)
    append(observation, observer, resource)
  }

  /// Adds an observer that tells through `isAlive` how long it is in use, as those of a script's
  /// host do. (OBS-19) `isToldByHost`: the host of the service passes events to it, together with
  /// its neighbours, and it gets no progress.
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

  /// Removes an owner. Observers without any other owner are notified and removed.
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

  /// Returns the observer of that identity, if it is still in use.
  func observer(identifiedBy identity: AnyHashable) -> (any ObserverObject)? {
    observations.first { $0.isIdentified(by: identity) && $0.isKept }?.observer
  }

  /// Removes the observers of that identity, whatever their owners, and notifies them.
  func remove(identifiedBy identity: AnyHashable, resource: Resource) {
    remove(
      at: observations.indices.filter { observations[$0].isIdentified(by: identity) },
      resource: resource)
  }

  /// Removes a held observer and notifies it. No other observer is affected.
  package func remove(_ observer: any ObserverObject, resource: Resource) {
    remove([observer], resource: resource)
  }

  /// Removes several held observers at once, then notifies them in their order.
  package func remove(_ observers: [any ObserverObject], resource: Resource) {
    remove(
      at: Set(observers.compactMap { position(of: $0, identity: nil) }).sorted(),
      resource: resource)
  }

  /// Removes the observers that get their events from a host that has gone. They are not notified.
  package func removeToldByHost() {
    for observation in observations where observation.isToldByHost { observation.markRemoved() }
    takeOut()
  }

  /// Whether there is a held observer, such as those of hosts.
  package var hasHeld: Bool { observations.contains { $0.isHeld && !$0.isRemoved } }

  /// The held observers, such as those of hosts.
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

  /// Returns the observers with that key. In a short list these are all observers; in a long one
  /// there may be some that no longer have the key.
  package func keyed(_ key: UInt) -> [any KeyedObserver] {
    Set(positions(key)).sorted().compactMap { observations[$0].observer as? any KeyedObserver }
  }

  /// Registers a further key of an observer.
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

  /// The positions of observers that may have that key; all positions of a short list.
  private func positions(_ key: UInt) -> [Int] {
    guard observations.count > ObserverList.shortest else { return Array(observations.indices) }
    if index == nil { index = ObserverIndex() }
    index?.update(observations)
    return index?[key] ?? []
  }

  /// Marks observers as removed. The change is noted, so that a broadcast in progress checks the
  /// rest of its snapshot again.
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

  /// Removes observers whose owners have died. Those that still exist are notified.
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
    // By index: `present` holds the observations, and an iterator would retain each again.
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

/// The positions of observers in a long list, by their addresses and those of their owners.
///
/// An address may be that of another object by now, so callers have to check each result.
struct ObserverIndex {
  private var positions: [UInt: [Int]] = [:]
  private var identities: [AnyHashable: Int] = [:]
  /// The number of observations that are indexed. Later ones have been added since.
  private(set) var count = 0

  /// The key by which an object is found.
  static func key(_ object: AnyObject) -> UInt { UInt(bitPattern: ObjectIdentifier(object)) }

  /// Indexes the observations that have been added to the list.
  mutating func update(_ observations: [Observation]) {
    for position in count..<observations.count {
      let observation = observations[position]
      guard !observation.isRemoved else { continue }
      for key in observation.keys { positions[key, default: []].append(position) }
      if let identity = observation.identity { identities[identity] = position }
    }
    count = observations.count
  }

  /// Adds a further owner of an observation that is indexed already.
  mutating func add(_ key: UInt, at position: Int) {
    if position < count { positions[key, default: []].append(position) }
  }

  /// The positions of observers that may have that key, or an owner with it; in no particular
  /// order.
  subscript(_ key: UInt) -> [Int] { positions[key] ?? [] }

  func position(of identity: AnyHashable) -> Int? { identities[identity] }
}

/// An observer that can be found by further keys besides its own address: those of values of a
/// script, which Swift does not know.
package protocol KeyedObserver: ObserverObject {
  var keys: [UInt] { get }
}

/// The entry of an observer in a resource's list: the observer, its owners, and whether it is still
/// there.
package final class Observation {
  /// Set while an owner other than the observer itself lives (OBS-19, OBS-22).
  private var strongObserver: (any ObserverObject)?
  private weak var weakObserver: (any ObserverObject)?
  private var owners: [WeakOwner] = []
  private var ownsItself = false
  /// Whether it stays until it is removed or its `isAlive` is false.
  private(set) var isHeld = false
  /// Whether the service's host passes events to it, together with its neighbours. It gets no
  /// progress.
  package private(set) var isToldByHost = false
  package private(set) var isRemoved = false
  /// Whether an owner has died, as opposed to being removed.
  private var hasLostOwner = false
  /// The identity given by the caller, if it is not that of the object. An observer of an equal
  /// identity is the same observer (OBS-16).
  let identity: AnyHashable?

  private struct WeakOwner {
    weak var object: AnyObject?
  }

  init(identity: AnyHashable?) {
    self.identity = identity
  }

  package var observer: (any ObserverObject)? { strongObserver ?? weakObserver }

  /// The keys by which it is found: those of its observer, its owners, and further ones that the
  /// observer provides.
  var keys: [UInt] {
    guard let observer else { return [] }
    var keys = [ObserverIndex.key(observer)]
    for owner in owners { if let object = owner.object { keys.append(ObserverIndex.key(object)) } }
    if let keyed = observer as? any KeyedObserver { keys += keyed.keys }
    return keys
  }

  /// The log text for its end, which has to be read before it is marked as removed.
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

  /// Whether it was added with that identity, or has it as its own object identity. (OBS-160)
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

  /// Removes owners that have died. If the observer then has no owner but itself, it is held weakly
  /// again. (OBS-22)
  func forgetDeadOwners() {
    guard !owners.isEmpty, strongObserver != nil, owners.contains(where: { $0.object == nil })
    else { return }
    hasLostOwner = true
    owners.removeAll { $0.object == nil }
    if owners.isEmpty, ownsItself { strongObserver = nil }
  }

  /// Whether it is still in use: the observer exists, and has an owner or owns itself.
  var isKept: Bool {
    guard !isRemoved, let observer, observer.isAlive else { return false }
    if isHeld || ownsItself { return true }
    return owners.contains { $0.object != nil }
  }

  func markRemoved() { isRemoved = true }
}
