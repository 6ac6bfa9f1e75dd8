extension Pump {
  /// What is in memory and under way now of all that uses this pump: services, their resources and requests,
  /// scripts' too.
  ///
  /// Looks at every resource; changes nothing, waits for nothing and keeps nothing alive. Where the pump is
  /// neither a home's nor a test's, requests count that are of a resource. Once it has closed, or its home has
  /// ended, only bytes are counted. Home thread only. Lua: `lull.stats()`, which counts what is the
  /// script's own.
  public final var statistics: HomeStatistics {
    checkThread()
    var statistics = HomeStatistics()
    // What is left of it may be let go on any thread.
    guard !isClosed else { return statistics }
    let parts = countedParts.all
    for part in parts { part.add(to: &statistics) }
    statistics.add(host?.ledger?.inFlight ?? Pump.requests(of: parts))
    return statistics
  }

  /// Those of resources; one that is a load of several is there once.
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
