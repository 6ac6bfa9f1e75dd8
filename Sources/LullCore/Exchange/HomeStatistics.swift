/// What is in memory and under way on a home, or a pump of one's own, at one moment: plain numbers.
///
/// A number that grows without end where the work does not is a leak: `resourcesInUse` where resources are
/// held or observed for ever, `requestsInFlight` where requests never end. May be sent anywhere. Lua: the
/// table of `lull.stats()`, with the same names in `snake_case`.
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
