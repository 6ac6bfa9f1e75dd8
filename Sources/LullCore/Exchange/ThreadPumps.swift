import Synchronization

/// Which pumps work for which thread, the latest last: how a request finds its pump that is made by nobody
/// in particular. Any thread.
enum ThreadPumps {
  // Not `weak`, which would slow down every use of a pump: each takes itself off here before it goes, and
  // is asked for on the thread of its number only, to which it belongs.
  private struct Entry: @unchecked Sendable {
    unowned(unsafe) let pump: Pump
    let identity: ObjectIdentifier
  }

  private static let entries = Mutex<[UInt: [Entry]]>([:])

  static func add(_ pump: Pump, _ thread: UInt) {
    let entry = Entry(pump: pump, identity: ObjectIdentifier(pump))
    entries.withLock { $0[thread, default: []].append(entry) }
  }

  static func remove(_ identity: ObjectIdentifier, _ thread: UInt) {
    entries.withLock { entries in
      entries[thread]?.removeAll { $0.identity == identity }
      if entries[thread]?.isEmpty ?? false { entries[thread] = nil }
    }
  }

  static func latest(_ thread: UInt) -> Pump? {
    entries.withLock { $0[thread]?.last }?.pump
  }
}
