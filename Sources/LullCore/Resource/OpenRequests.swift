extension Sequence<Request> {
  /// Those that have not ended, without looks into caches and what others are made of: a chain and what it
  /// waits for are one.
  package var open: [Request] {
    let open = filter { !$0.isCompleted }
    let parts = Set(open.flatMap(\.openParts).map(ObjectIdentifier.init))
    return open.filter { !($0 is CacheLookup) && !parts.contains(ObjectIdentifier($0)) }
  }
}

extension Request {
  /// Whether it is a stream's connection.
  package var isStream: Bool {
    (self as? NetworkRequest)?.httpRequest.options?.sink?.isRaw ?? false
  }
}

extension HomeStatistics {
  /// Adds requests, of which each is there once.
  package mutating func add(_ requests: [Request]) {
    requestsInFlight += requests.open.count
    streams += requests.count { $0.isStream && !$0.isCompleted }
  }
}
