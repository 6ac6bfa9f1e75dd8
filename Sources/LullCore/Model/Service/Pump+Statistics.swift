extension Pump {
  /// How many objects are in memory and in progress now, counted for all users of this pump:
  /// services, and their resources and requests, including those of scripts.
  ///
  /// Reading this property visits every resource. It changes nothing, waits for nothing and retains
  /// nothing. If the pump belongs neither to a home nor to a test, only requests of resources are
  /// counted. After the pump has closed, or its home has ended, only bytes are counted. Home thread
  /// only. Lua: `lull.stats()`, which counts only the script's objects.
  public final var statistics: HomeStatistics {
    checkThread()
    var statistics = HomeStatistics()
    // The parts of a closed pump may be released on any thread.
    guard !isClosed else { return statistics }
    let parts = countedParts.all
    for part in parts { part.add(to: &statistics) }
    statistics.add(host?.ledger?.inFlight ?? Pump.requests(of: parts))
    return statistics
  }

  /// Returns the requests of all resources. A request that loads several resources is listed once.
  private static func requests(of parts: [any CountedPart]) -> [Request] {
    var seen: Set<ObjectIdentifier> = []
    var requests: [Request] = []
    for case let table as ResourceTable in parts {
      table.forEach { record in
        for request in record.allRequests where seen.insert(ObjectIdentifier(request)).inserted {
          requests.append(request)
        }
      }
    }
    return requests
  }
}

extension ResourceTable: CountedPart {
  package func add(to statistics: inout HomeStatistics) {
    statistics.services += 1
    forEach { record in
      statistics.resources += 1
      if record.isInUse { statistics.resourcesInUse += 1 }
      statistics.observers += record.observers.keptCount
    }
  }
}
