/// What keeps things that are to be done on a pump, which it lets go of when that has closed: nobody calls them
/// then any more, and they may hold the queue itself.
package protocol PumpQueue: AnyObject {
  /// The pump delivers nothing any more.
  func pumpHasClosed(_ pump: Pump)
}

/// The queues that a pump is to tell of its end. Holds none of them. Home thread only.
struct PumpQueues {
  private struct Known {
    weak var queue: (any PumpQueue)?
  }

  private var known: [ObjectIdentifier: Known] = [:]
  private var sizeAfterSweep = 8

  mutating func add(_ queue: any PumpQueue) {
    known[ObjectIdentifier(queue)] = Known(queue: queue)
    guard known.count > sizeAfterSweep * 2 else { return }
    known = known.filter { $0.value.queue != nil }
    sizeAfterSweep = max(8, known.count)
  }

  mutating func takeAll() -> [any PumpQueue] {
    defer { known = [:] }
    return known.values.compactMap(\.queue)
  }
}
