/// The observers of one resource, in registration order.
///
/// A broadcast runs over the set as at its start: observers added meanwhile get only observerAdded,
/// ones removed by a peer nothing more, not even the event under way; a nested broadcast finishes
/// before the outer goes on. (OBS-33 to OBS-35)
package final class ObserverList {
  private var observations: [Observation] = []

  package init() {}

  package var isEmpty: Bool { observations.isEmpty }
  package var count: Int { observations.count }

  func add(_ observer: any ResourceObserver, owner: AnyObject?, to resource: Resource) {
    if let known = observations.first(where: { $0.observer === observer }) {
      known.add(owner: owner, of: observer)
      return
    }
    let observation = Observation(observer)
    observation.add(owner: owner, of: observer)
    observations.append(observation)
    resource.service.pump.log(.observers, "\(resource.displayName): observer added")
    observer.resourceChanged(resource, event: .observerAdded)
  }

  func remove(ownedBy owner: AnyObject, resource: Resource) {
    for observation in observations { observation.remove(owner: owner) }
    removeDead(resource: resource)
  }

  /// Takes one observer off the list, whoever owns it; it is told.
  package func remove(_ observer: any ResourceObserver, resource: Resource) {
    for observation in observations where observation.observer === observer {
      observation.markRemoved()
    }
    removeDead(resource: resource)
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
    guard observations.contains(where: { !$0.isKept }) else { return }
    let gone = observations.filter { !$0.isKept }
    for observation in gone { observation.markRemoved() }
    observations.removeAll { $0.isRemoved }
    for observation in gone {
      resource.service.pump.log(.observers, "\(resource.displayName): observer removed")
      observation.observer?.stoppedObserving(resource: resource)
    }
  }

  func broadcast(_ event: ResourceEvent, resource: Resource) {
    guard !observations.isEmpty else { return }
    removeDead(resource: resource)
    for observation in observations where !observation.isRemoved {
      observation.observer?.resourceChanged(resource, event: event)
    }
  }

  func broadcastProgress(_ progress: Double, resource: Resource) {
    for observation in observations where !observation.isRemoved {
      observation.observer?.resourceRequestProgress(for: resource, progress: progress)
    }
  }
}
