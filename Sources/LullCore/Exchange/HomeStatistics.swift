import Synchronization

/// The numbers of objects in memory and of requests in flight, on a home or on a custom pump, at
/// one moment.
///
/// If a number grows without end although the amount of work doesn't, there is a leak. If
/// `resourcesInUse` grows, resources are held or observed for ever. If `requestsInFlight` grows,
/// requests never end. Lua: the table of `lull.stats()`, with the same names in `snake_case`.
///
/// Behaviours: CNT-01 to CNT-07.
public struct HomeStatistics: Sendable, Hashable, CustomStringConvertible {
  /// The number of services that are held or have requests in flight.
  public package(set) var services = 0
  /// The number of resources of these services in memory.
  public package(set) var resources = 0
  /// The number of resources in use: held, observed or with requests in flight. Such resources
  /// can't be evicted. (SVC-31, SVC-33)
  public package(set) var resourcesInUse = 0
  /// The number of observers of all resources.
  public package(set) var observers = 0
  /// The number of requests that have started and not ended. A chain and the requests that it waits
  /// for count as one.
  public package(set) var requestsInFlight = 0
  /// The number of exchanges in flight that wait for a free connection.
  /// `TransferLimits.connectionsPerHost` limits the number of connections. Requests of custom
  /// networking never wait for a connection.
  public package(set) var requestsQueued = 0
  /// The number of requests in flight that are connections of streams. (STR-27)
  public package(set) var streams = 0
  /// The number of bytes of parsed JSON in the whole process.
  public package(set) var documentBytes = 0
  /// The number of bytes of bodies and texts in the whole process, except small ones.
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
  /// The current numbers of services, resources, observers, requests and bytes on this home.
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

/// An object of a pump, such as a service, that is counted in the pump's statistics.
package protocol CountedPart: AnyObject {
  /// Adds the numbers of this object to `statistics`. Home thread only; calls no code of the
  /// program.
  func add(to statistics: inout HomeStatistics)
}

/// The objects that a pump's statistics count. Each object is registered for its lifetime.
///
/// Objects are added and removed on any thread, since services may be made and released on any
/// thread. They are counted on the home thread only. A registered object doesn't hold its owner, so
/// the registration keeps nothing alive.
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

  /// The registered objects, in no particular order. Home thread only.
  package var all: [any CountedPart] { parts.withLock { Array($0.values) }.map(\.value) }
}
