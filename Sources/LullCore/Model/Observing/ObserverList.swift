/// The observers of one resource, in registration order.
///
/// A broadcast runs over the set as at its start: observers added meanwhile get only observerAdded,
/// ones removed by a peer nothing more, not even the event under way; a nested broadcast finishes
/// before the outer goes on. (OBS-33 to OBS-35)
package final class ObserverList {
  /// In order; in the place of one that has been removed stands `hole`, until there are many of them.
  private var observations: [Observation] = []
  private var holeCount = 0
  private lazy var hole: Observation = {
    let hole = Observation(identity: nil)
    hole.markRemoved()
    return hole
  }()
  /// Of a list too long to be walked for each of its observers.
  private var index: ObserverIndex?
  private static let shortest = 32
  /// Whether some may have lost their owners without knowing it; held ones look before each event.
  private var hasUnheld = false
  /// At how many of them additions look for such as have.
  private var nextLook = ObserverList.shortest

  package init() {}

  /// How many events there were, without those of requests that begin.
  package private(set) var eventCount = 0

  package var isEmpty: Bool { count == 0 }
  package var count: Int { observations.count - holeCount }

  /// How many of them would be told, without those that have died unnoticed.
  package var keptCount: Int { observations.count { $0.isKept } }

  /// Whether some are there only because nobody has noticed yet that they or their owners died.
  package var hasDead: Bool { observations.contains { !$0.isRemoved && !$0.isKept } }

  /// Whether progress would reach anybody.
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
      // One that lost its last owner before has stopped observing, and starts anew. (OBS-30)
      removeDead(resource: resource)
    }
    let observation = Observation(identity: identity)
    observation.add(owner: owner, of: observer)
    append(observation, observer, resource)
  }

  /// Adds an observer that says itself how long it is alive; a script's host knows. (OBS-19)
  /// `isToldByHost`: it hears events of the service's host, together with its neighbours, and nothing of
  /// progress.
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

  /// Those left without an owner are told, and leave the list.
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

  /// The observer of that identity that is still kept.
  func observer(identifiedBy identity: AnyHashable) -> (any ObserverObject)? {
    observations.first { $0.isIdentified(by: identity) && $0.isKept }?.observer
  }

  /// Takes the observers of that identity off the list, whoever owns them; they are told.
  func remove(identifiedBy identity: AnyHashable, resource: Resource) {
    remove(
      at: observations.indices.filter { observations[$0].isIdentified(by: identity) },
      resource: resource)
  }

  /// Takes a held observer off the list; it is told. Nobody else is asked anything.
  package func remove(_ observer: any ObserverObject, resource: Resource) {
    remove([observer], resource: resource)
  }

  /// Takes several held observers off the list at once; then they are told, in their order.
  package func remove(_ observers: [any ObserverObject], resource: Resource) {
    remove(
      at: Set(observers.compactMap { position(of: $0, identity: nil) }).sorted(),
      resource: resource)
  }

  /// Takes off the list whom a host has told that has gone: nobody is told of it.
  package func removeToldByHost() {
    for observation in observations where observation.isToldByHost { observation.markRemoved() }
    takeOut()
  }

  /// Whether there is one that says itself how long it is alive, as those of hosts do.
  package var hasHeld: Bool { observations.contains { $0.isHeld && !$0.isRemoved } }

  /// Those that say themselves how long they are alive.
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

  /// Holes, and those that are marked as removed.
  private func takeOut() {
    observations.removeAll { $0.isRemoved }
    holeCount = 0
    index = nil
  }

  // MARK: Finding

  /// Those that have that key, all of a short list, and perhaps some that had it.
  package func keyed(_ key: UInt) -> [any KeyedObserver] {
    Set(positions(key)).sorted().compactMap { observations[$0].observer as? any KeyedObserver }
  }

  /// The observer has got another of its keys.
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

  /// Where those may stand that have that key; everywhere in a short list.
  private func positions(_ key: UInt) -> [Int] {
    guard observations.count > ObserverList.shortest else { return Array(observations.indices) }
    if index == nil { index = ObserverIndex() }
    index?.update(observations)
    return index?[key] ?? []
  }

  /// Whoever tells those of a snapshot looks at the rest again.
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

  /// Drops observers whose owners have died; the observers themselves are told if they still live.
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
    // By index: `present` holds them, and an iterator would hold each once more.
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

/// Where observers stand in a long list, by what they and their owners are.
///
/// Addresses are compared, which may be those of others by now: whoever looks something up looks
/// whether it is still so.
struct ObserverIndex {
  private var positions: [UInt: [Int]] = [:]
  private var identities: [AnyHashable: Int] = [:]
  /// How many of the list it knows; the others were added since.
  private(set) var count = 0

  /// What an object is looked up by.
  static func key(_ object: AnyObject) -> UInt { UInt(bitPattern: ObjectIdentifier(object)) }

  /// Takes in what has been added to the list.
  mutating func update(_ observations: [Observation]) {
    for position in count..<observations.count {
      let observation = observations[position]
      guard !observation.isRemoved else { continue }
      for key in observation.keys { positions[key, default: []].append(position) }
      if let identity = observation.identity { identities[identity] = position }
    }
    count = observations.count
  }

  /// One that is known already has got another owner.
  mutating func add(_ key: UInt, at position: Int) {
    if position < count { positions[key, default: []].append(position) }
  }

  /// Where those may stand that are, or are owned by, what has that key; in no order.
  subscript(_ key: UInt) -> [Int] { positions[key] ?? [] }

  func position(of identity: AnyHashable) -> Int? { identities[identity] }
}

/// An observer that knows by which keys, other than its own address, it may be looked up: those of values
/// of a script, which Swift does not know.
package protocol KeyedObserver: ObserverObject {
  var keys: [UInt] { get }
}

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
