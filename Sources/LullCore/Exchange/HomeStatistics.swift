import Synchronization

/// What is in memory and under way on a home, or a pump of one's own, at one moment: plain numbers.
///
/// A number that grows without end where the work does not is a leak: `resourcesInUse` where resources are
/// held or observed for ever, `requestsInFlight` where requests never end. May be sent anywhere. Lua: the
/// table of `lull.stats()`, with the same names in `snake_case`.
///
/// Behaviours: CNT-01 to CNT-07.
public struct HomeStatistics: Sendable, Hashable, CustomStringConvertible {
  /// Services that somebody holds, or that hold requests in flight.
  public package(set) var services = 0
  /// Resources in memory, of all these services.
  public package(set) var resources = 0
  /// Those of them that are held, observed or requested, and cannot be forgotten. (SVC-31, SVC-33)
  public package(set) var resourcesInUse = 0
  /// Observers of all resources.
  public package(set) var observers = 0
  /// Requests that have begun and not ended; a chain and what it waits for are one.
  public package(set) var requestsInFlight = 0
  /// Exchanges among them that wait for a free connection: `TransferLimits.connectionsPerHost` says how
  /// many there may be. Requests of a networking of your own never wait.
  public package(set) var requestsQueued = 0
  /// Requests among those in flight that are connections of streams. (STR-27)
  public package(set) var streams = 0
  /// Bytes of parsed JSON; of the whole process.
  public package(set) var documentBytes = 0
  /// Bytes of bodies and texts, small ones left out; of the whole process.
  public package(set) var bodyBytes = 0

  package init() {
    documentBytes = HeldBytes.documents
    bodyBytes = HeldBytes.bodies
  }

  /// All numbers, on one line.
  public var description: String {
    let parts = [
      HomeStatistics.count(services, "service"), HomeStatistics.count(resources, "resource"),
      "\(resourcesInUse) of them in use", HomeStatistics.count(observers, "observer"),
      HomeStatistics.count(requestsInFlight, "request") + " in flight",
      "\(requestsQueued) of them queued", HomeStatistics.count(streams, "stream"),
      HomeStatistics.count(documentBytes, "byte") + " of documents",
      HomeStatistics.count(bodyBytes, "byte") + " of bodies",
    ]
    return parts.joined(separator: ", ")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

extension ServiceHome {
  /// What is in memory and under way on this home now: services, resources, observers, requests, bytes.
  ///
  /// Counts what scripts of runtimes on this home have as well. It looks at every resource, changes nothing,
  /// and keeps nothing alive; of a home that has ended only bytes are counted. `await home.statistics` from
  /// elsewhere. Lua: `lull.stats()`, which counts what is the script's own.
  ///
  ///     let statistics = await home.statistics
  ///     print(statistics)  // 1 service, 25 resources, 3 of them in use, 0 observers, 1 request in flight …
  public var statistics: HomeStatistics { surroundings.context.pump.statistics }
}

/// Something of a pump's that its statistics count.
package protocol CountedPart: AnyObject {
  /// Adds what is its own. Home thread only; calls nothing of a program's.
  func add(to statistics: inout HomeStatistics)
}

/// What a pump's statistics look through, each part from its making to its end.
///
/// Parts come and go on any thread, since services may be made and let go on others; they are looked at on
/// the home thread only. None of them holds the one whose part it is, so that nothing is kept alive here.
package final class CountedParts: Sendable {
  private let parts = Mutex<[ObjectIdentifier: Confined<any CountedPart>]>([:])

  init() {}

  package func add(_ part: any CountedPart) {
    let part = Confined(part)
    parts.withLock { $0[ObjectIdentifier(part.value)] = part }
  }

  package func remove(_ part: any CountedPart) {
    let identity = ObjectIdentifier(part)
    // What is let go by this is let go outside of the lock.
    _ = parts.withLock { $0.removeValue(forKey: identity) }
  }

  /// Those that are there now, in no order. Home thread only.
  package var all: [any CountedPart] { parts.withLock { Array($0.values) }.map(\.value) }
}
