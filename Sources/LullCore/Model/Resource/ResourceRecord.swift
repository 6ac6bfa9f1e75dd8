/// The state that a service stores for one URL or query: data, error, observers, requests and
/// computed configuration.
///
/// The service retains records. Users hold `Resource` objects, which retain the record and the
/// service. A record without `Resource` and observers is unused and may be evicted (SVC-28 to
/// SVC-33). No record has a strong reference to its service or to its `Resource`, so there are no
/// reference cycles.
package final class ResourceRecord {
  package let url: ResourceURL
  /// The reason why the URL is invalid; nil for valid resources.
  package let invalidSource: InvalidSource?
  /// The query that the loads send; nil if the loads are GET requests.
  package let query: ResourceQuery?
  /// The URL with its secrets; nil if the URL contains no secrets. `url` contains masks in place of
  /// the secrets.
  var secretURL: SecretURL?
  package var state = ResourceState() {
    didSet { changes.note() }
  }
  package let observers = ObserverList()
  /// The loads in progress, in the order in which they were started.
  var loads: [Load] = [] {
    didSet {
      changes.note()
      if loads.isEmpty { for stage in updates { stage.loadsEnded() } }
    }
  }
  /// The objects that receive updates of cache entries when another process has written them. There
  /// is one object for each stage whose cache reports such updates.
  var updates: [EntityUpdates] = []
  package var allRequests: [Request] = []
  /// The number of streams that provide the content of this resource now.
  var followerCount = 0 {
    didSet { changes.note() }
  }
  /// The state of the lookup in the caches.
  var cacheCheck = CacheCheck.idle(noneAsOf: -1) {
    didSet { changes.note() }
  }

  /// The `Resource` of this record; nil if there is none. The reference is not `weak`, because a
  /// weak reference would slow down every use of a resource.
  // `Resource.init` sets it and `deinit` clears it, so it never outlives the object.
  package unowned(unsafe) var resource: Resource?
  /// The key under which the host of a script stores the content of this record; 0 if the host
  /// stores no content.
  package var hostKey: Int64 = 0
  /// The timestamp of the error that a script has last read, in Unix seconds.
  package var seenErrorTime = -Double.infinity
  /// A number that increases with each use of this record. An entry of the eviction queue is
  /// ignored if its stamp is older.
  package var useStamp = 0
  /// The number of bytes that the eviction queue counts for this record; 0 while the record is in
  /// use.
  var queuedBytes = 0

  private let changes: ChangeCount
  /// The configuration for the loads: for GET, or for QUERY if there is a query. It is stored outside
  /// of the array, because almost every request is a load, and an array with one element takes more
  /// space than the element.
  private var configurationOfLoads: ResolvedConfiguration?
  private var configurations: [(method: RequestMethod, configuration: ResolvedConfiguration)] = []
  private var configurationVersion = -1

  /// A request whose outcome becomes the resource's state.
  struct Load {
    let request: Request
    /// The token of the load; nil while the request only waits for the caches.
    let token: ResourceState.LoadToken?
  }

  // These properties are read at each load, and do not copy the state.
  var condition: ResourceState.Condition? { state.latestData?.condition }
  package var foreignID: Int64? { state.latestData?.foreignID }
  package var hasError: Bool { state.hasError }

  package var loadRequests: [Request] { loads.map(\.request) }

  package enum InvalidSource: Equatable {
    case missing
    case unparsable(String)
  }

  package init(
    url: ResourceURL, invalidSource: InvalidSource? = nil, query: ResourceQuery? = nil,
    changes: ChangeCount
  ) {
    self.url = url
    self.query = query
    self.invalidSource = invalidSource
    self.changes = changes
  }

  /// Removes a request that has ended from the lists `allRequests` and `loads`.
  package func forget(_ request: Request) {
    allRequests.removeFirst(identicalTo: request)
    removeLoad(request)
  }

  /// Removes all requests from the lists. A request retains the resources that it loads. A request
  /// in the lists that never starts would therefore keep its resource in memory for ever.
  func dropRequests() {
    loads = []
    allRequests = []
  }

  /// Removes a load from the list of loads. Loads usually end in the order in which they began, so
  /// the removed load is usually the first element.
  func removeLoad(_ request: Request) {
    guard let index = loads.firstIndex(where: { $0.request === request }) else { return }
    loads.remove(at: index)
  }

  /// The cache lookup in progress; nil if there is none.
  var lookup: CacheLookup? {
    if case .running(let lookup) = cacheCheck { return lookup }
    return nil
  }

  func isLooking(with lookup: CacheLookup) -> Bool {
    guard case .running(let running) = cacheCheck else { return false }
    return running === lookup
  }

  package var isInUse: Bool { resource != nil || !observers.isEmpty }

  /// Returns the stored configuration for a method. Returns nil if no configuration was computed
  /// for the given version of the service's configuration. (CFG-13)
  func memoised(_ method: RequestMethod, version: Int) -> ResolvedConfiguration? {
    guard version == configurationVersion else { return nil }
    if method == (query == nil ? .get : .query) { return configurationOfLoads }
    for entry in configurations where entry.method == method { return entry.configuration }
    return nil
  }

  func memoise(_ configuration: ResolvedConfiguration, _ method: RequestMethod, version: Int) {
    if version != configurationVersion {
      configurations = []
      configurationOfLoads = nil
      configurationVersion = version
    }
    if method == (query == nil ? .get : .query) {
      configurationOfLoads = configuration
    } else {
      configurations.append((method, configuration))
    }
  }
}

extension Array where Element == Request {
  /// Removes a request from the array. Requests usually end in the order in which they began, so
  /// the removed request is usually the first element.
  mutating func removeFirst(identicalTo request: Request) {
    guard let index = firstIndex(where: { $0 === request }) else { return }
    remove(at: index)
  }
}

/// A list of the requests in flight on one home thread. It can cancel all of them when the home
/// closes.
package final class RequestLedger: ModelHost {
  private var requests: [ObjectIdentifier: (number: Int, since: Double, request: Request)] = [:]
  private var startedCount = 0

  package init() {}

  package func requestStarted(_ request: Request) {
    startedCount += 1
    requests[ObjectIdentifier(request)] = (startedCount, request.pump.clock.now, request)
  }

  package func beginning(of request: Request) -> Double? {
    requests[ObjectIdentifier(request)]?.since
  }

  package func requestSettled(_ request: Request) {
    requests[ObjectIdentifier(request)] = nil
  }

  /// The requests in flight, in the order in which they were started.
  package var inFlight: [Request] {
    requests.values.sorted { $0.number < $1.number }.map(\.request)
  }

  package var ledger: RequestLedger? { self }

  package func cancelAll() {
    for request in inFlight { request.cancel() }
  }
}

extension Sequence<Request> {
  /// The requests of this sequence that have not ended, except cache lookups. If the sequence
  /// contains a chain and also the requests that the chain waits for, only the chain is included.
  package var open: [Request] {
    let open = filter { !$0.isCompleted }
    let parts = Set(open.flatMap(\.openParts).map(ObjectIdentifier.init))
    return open.filter { !($0 is CacheLookup) && !parts.contains(ObjectIdentifier($0)) }
  }
}

extension Request {
  /// Whether the request is the connection of a stream.
  package var isStream: Bool {
    (self as? NetworkRequest)?.httpRequest.options?.sink?.isRaw ?? false
  }
}

extension HomeStatistics {
  /// Adds the number of requests in flight and the number of streams in `requests` to these
  /// statistics. Each request must occur in the array only once.
  package mutating func add(_ requests: [Request]) {
    requestsInFlight += requests.open.count
    streams += requests.count { $0.isStream && !$0.isCompleted }
  }
}
