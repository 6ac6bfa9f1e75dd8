import Synchronization

/// The numbers of objects in memory and requests in flight on a home, or on a custom pump, at one
/// moment.
///
/// A number that grows without end although the work does not is a leak. If `resourcesInUse` grows,
/// resources are held or observed for ever. If `requestsInFlight` grows, requests never end. Lua:
/// the table of `lull.stats()`, with the same names in `snake_case`.
///
/// Behaviours: CNT-01 to CNT-07.
public struct HomeStatistics: Sendable, Hashable, CustomStringConvertible {
  /// Services that are held or have requests in flight.
  public package(set) var services = 0
  /// Resources of these services in memory.
  public package(set) var resources = 0
  /// Resources that are held, observed or requested, and therefore can't be evicted. (SVC-31,
  /// SVC-33)
  public package(set) var resourcesInUse = 0
  /// Observers of all resources.
  public package(set) var observers = 0
  /// Requests that have started and not ended. A chain and the requests it waits for count as one.
  public package(set) var requestsInFlight = 0
  /// Exchanges in flight that wait for a free connection; `TransferLimits.connectionsPerHost`
  /// limits the number of connections. Requests of custom networking never wait.
  public package(set) var requestsQueued = 0
  /// Requests in flight that are connections of streams. (STR-27)
  public package(set) var streams = 0
  /// Bytes of parsed JSON in the whole process.
  public package(set) var documentBytes = 0
  /// Bytes of bodies and texts in the whole process, except small ones.
  public package(set) var bodyBytes = 0

  package init() {
    documentBytes = HeldBytes.documents
    bodyBytes = HeldBytes.bodies
  }

  /// All numbers in one line.
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
  /// The services, resources, observers, requests and bytes in memory or in flight on this home.
  ///
  /// Objects of scripts in runtimes on this home are included. Reading the statistics visits every
  /// resource, changes nothing, and keeps nothing alive. After the home has ended, only bytes are
  /// counted. Outside the home, use `await home.statistics`. Lua: `lull.stats()`, which counts only
  /// the script's own objects.
  ///
  ///     let statistics = await home.statistics
  ///     print(statistics)  // 1 service, 25 resources, 3 of them in use, 0 observers, …
  public var statistics: HomeStatistics { surroundings.context.pump.statistics }
}

/// A part of a pump that its statistics count.
package protocol CountedPart: AnyObject {
  /// Adds the numbers of this part. Home thread only; calls no code of the program.
  func add(to statistics: inout HomeStatistics)
}

/// The parts that a pump's statistics visit, each registered for its lifetime.
///
/// Parts are added and removed on any thread, since services may be made and released on any
/// thread. Parts are visited on the home thread only. No part holds its owner, so that nothing is
/// kept alive here.
package final class CountedParts: Sendable {
  private let parts = Mutex<[ObjectIdentifier: Confined<any CountedPart>]>([:])

  init() {}

  package func add(_ part: any CountedPart) {
    let part = Confined(part)
    parts.withLock { $0[ObjectIdentifier(part.value)] = part }
  }

  package func remove(_ part: any CountedPart) {
    let identity = ObjectIdentifier(part)
    // The removed object is released outside the lock.
    _ = parts.withLock { $0.removeValue(forKey: identity) }
  }

  /// The current parts, in no order. Home thread only.
  package var all: [any CountedPart] { parts.withLock { Array($0.values) }.map(\.value) }
}
