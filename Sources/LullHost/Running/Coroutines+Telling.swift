import CLullBridge
import LullCore

extension Coroutines {
  /// How many observers one call tells at most: those behind one that removes others are looked at
  /// again.
  private static let longestSequence = 64

  /// Tells observers from `first` on, one after the other, as long as they are functions that the
  /// service holds; the place of the first one that has not been told.
  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    let capacity = min(observations.count - first, Coroutines.longestSequence)
    return withUnsafeTemporaryAllocation(of: lull_member.self, capacity: capacity) { members in
      var count = 0
      while count < capacity {
        let observation = observations[first + count]
        guard observation.isToldByHost, !observation.isRemoved, let observer = observation.observer
        else { break }
        // Only a script's observers are marked so.
        let member = lull_member(unsafeDowncast(observer, to: LuaObserver.self))
        members.initializeElement(at: count, to: member)
        count += 1
      }
      return first + notify(.init(rebasing: members[..<count]), of: event, resource)
    }
  }

  /// Tells one observer.
  func notify(_ observer: LuaObserver, of event: ResourceEvent, _ resource: Resource) {
    withUnsafeTemporaryAllocation(of: lull_member.self, capacity: 1) { members in
      members.initializeElement(at: 0, to: lull_member(observer))
      _ = notify(members, of: event, resource)
    }
  }
}

extension lull_member {
  fileprivate init(_ observer: LuaObserver) {
    self.init(function: observer.id, context: Unmanaged.passUnretained(observer).toOpaque())
  }
}
