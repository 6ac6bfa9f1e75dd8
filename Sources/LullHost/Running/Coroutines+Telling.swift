import CLullBridge
import LullCore

extension Coroutines {
  /// The maximum number of observers that are notified in one call. The remaining observers are
  /// checked again before they are notified, because an observer may have removed them.
  private static let longestSequence = 64

  /// Notifies observers in order, beginning at index `first`. Stops at the first observer that is
  /// not a function held by the service, and returns its index.
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
        // Only script observers have `isToldByHost` set, so the type is known.
        let member = lull_member(unsafeDowncast(observer, to: LuaObserver.self))
        members.initializeElement(at: count, to: member)
        count += 1
      }
      return first + notify(.init(rebasing: members[..<count]), of: event, resource)
    }
  }

  /// Notifies one observer.
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
