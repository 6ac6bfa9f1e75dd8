/// The observers of one resource, in registration order.
///
/// A broadcast runs over the set as at its start: observers added meanwhile get only observerAdded,
/// ones removed by a peer nothing more, not even the event under way; a nested broadcast finishes
/// before the outer goes on. (OBS-33 to OBS-35)
package final class ObserverList {
  private var observations: [Observation] = []
  /// Whether some may have lost their owners without knowing it; held ones look before each event.
  private var hasUnheld = false

  package init() {}

  package var isEmpty: Bool { observations.isEmpty }
  package var count: Int { observations.count }

  /// How many of them would be told, without those that have died unnoticed.
  package var keptCount: Int { observations.count { $0.isKept } }

  /// Whether some are there only because nobody has noticed yet that they or their owners died.
  package var hasDead: Bool { observations.contains { !$0.isKept } }

  /// Whether progress would reach anybody.
  var wantsProgress: Bool {
    observations.contains { $0.observer?.wantsProgress ?? false }
  }

  func add(
    _ observer: any ResourceObserver, owner: AnyObject?, identity: AnyHashable? = nil,
    to resource: Resource
  ) {
    // One that lost its last owner before has stopped observing, and starts anew. (OBS-30)
    removeDead(resource: resource)
    if let known = observations.first(where: { $0.isSame(as: observer, identity: identity) }) {
      if let kept = known.observer { known.add(owner: owner, of: kept) }
      return
    }
    let observation = Observation(identity: identity)
    observation.add(owner: owner, of: observer)
    append(observation, observer, resource)
  }

  /// Adds an observer that says itself how long it is alive; a script's host knows. (OBS-19)
  /// `isToldByHost`: it hears events of the service's host, together with its neighbours.
  package func hold(_ observer: any ResourceObserver, isToldByHost: Bool, resource: Resource) {
    let observation = Observation(identity: nil)
    observation.hold(observer, isToldByHost: isToldByHost)
    append(observation, observer, resource)
  }

  private func append(
    _ observation: Observation, _ observer: any ResourceObserver, _ resource: Resource
  ) {
    observations.append(observation)
    if !observation.isHeld { hasUnheld = true }
    resource.service.pump.log(
      .observers, "\(resource.displayName): \(observer.logName) observes")
    observer.resourceChanged(resource, event: .observerAdded)
  }

  func remove(ownedBy owner: AnyObject, resource: Resource) {
    for observation in observations { observation.remove(owner: owner) }
    removeDead(resource: resource)
  }

  /// Takes a held observer off the list; it is told. Nobody else is asked anything.
  package func remove(_ observer: any ResourceObserver, resource: Resource) {
    guard let index = observations.firstIndex(where: { $0.observer === observer }) else { return }
    let observation = observations.remove(at: index)
    markRemoved([observation], of: resource)
    tell([observation], of: resource)
  }

  /// Takes several held observers off the list at once; then they are told, in their order.
  package func remove(_ observers: [any ResourceObserver], resource: Resource) {
    let unwanted = Set(observers.map(ObjectIdentifier.init))
    var gone: [Observation] = []
    for observation in observations {
      guard let observer = observation.observer, unwanted.contains(ObjectIdentifier(observer))
      else { continue }
      gone.append(observation)
    }
    markRemoved(gone, of: resource)
    observations.removeAll { $0.isRemoved }
    tell(gone, of: resource)
  }

  /// Whoever tells those of a snapshot looks at the rest again.
  private func markRemoved(_ gone: [Observation], of resource: Resource) {
    guard !gone.isEmpty else { return }
    for observation in gone { observation.markRemoved() }
    resource.service.pump.changes.note()
  }

  private func tell(_ gone: [Observation], of resource: Resource) {
    let log = resource.service.pump.log
    for observation in gone {
      log(.observers, "\(resource.displayName): \(observation.farewell)")
    }
    for observation in gone {
      observation.observer?.stoppedObserving(resource: resource)
    }
  }

  package func first<Observer: ResourceObserver>(
    of type: Observer.Type, where matches: (Observer) -> Bool
  ) -> Observer? {
    for observation in observations {
      if let observer = observation.observer as? Observer, matches(observer) { return observer }
    }
    return nil
  }

  package func all<Observer: ResourceObserver>(of type: Observer.Type) -> [Observer] {
    observations.compactMap { $0.observer as? Observer }
  }

  /// Drops observers whose owners have died; the observers themselves are told if they still live.
  package func removeDead(resource: Resource) {
    for observation in observations { observation.forgetDeadOwners() }
    guard hasDead else { return }
    let gone = observations.filter { !$0.isKept }
    let log = resource.service.pump.log
    for observation in gone {
      log(.observers, "\(resource.displayName): \(observation.farewell)")
    }
    markRemoved(gone, of: resource)
    observations.removeAll { $0.isRemoved }
    for observation in gone {
      observation.observer?.stoppedObserving(resource: resource)
    }
  }

  func broadcast(_ event: ResourceEvent, resource: Resource) {
    let present = observations
    guard !present.isEmpty else { return }
    if hasUnheld { removeDead(resource: resource) }
    let host = resource.service.host
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
    for observation in observations where !observation.isRemoved {
      guard let observer = observation.observer, observer.wantsProgress else { continue }
      observer.resourceRequestProgress(for: resource, progress: progress)
    }
  }
}
