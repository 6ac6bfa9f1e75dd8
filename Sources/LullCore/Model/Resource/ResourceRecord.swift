/// What a service remembers of one URL: state, observers, requests and computed configuration.
///
/// The service holds records. Users hold `Resource` objects, which keep record and service alive. A
/// record without `Resource` and observers is unused and may be evicted (SVC-28 to SVC-33). No
/// record holds its service or its `Resource` strongly, so there are no reference cycles.
package final class ResourceRecord {
  package let url: ResourceURL
  /// Why the URL is invalid; nil for valid resources.
  package let invalidSource: InvalidSource?
  /// The URL with its secrets, if the shown URL has masks.
  var secretURL: SecretURL?
  package var state = ResourceState() {
    didSet { changes.note() }
  }
  package let observers = ObserverList()
  /// In the order of their start.
  var loads: [Load] = [] {
    didSet {
      changes.note()
      if loads.isEmpty { for stage in updates { stage.loadsEnded() } }
    }
  }
  /// Receives updates of cache entries that other processes write: one for each stage.
  var updates: [EntityUpdates] = []
  package var allRequests: [Request] = []
  /// The number of streams that provide the content now.
  var followerCount = 0 {
    didSet { changes.note() }
  }
  /// The progress of the lookup in the caches.
  var cacheCheck = CacheCheck.idle(noneAsOf: -1) {
    didSet { changes.note() }
  }

  /// The `Resource` of this record, if one exists. It is not `weak`, which would slow down every
  /// use of a resource.
  // `Resource.init` sets it and `deinit` clears it, so it never outlives the object.
  package unowned(unsafe) var resource: Resource?
  /// The number under which a script's host stores this record's content; 0 if none.
  package var hostKey: Int64 = 0
  /// The time of the error that a script has last read, in Unix seconds.
  package var seenErrorTime = -Double.infinity
  /// Changes with each use. An entry of the eviction queue with an older stamp is ignored.
  package var useStamp = 0
  /// The bytes that the eviction queue counts for this record; 0 while it is in use.
  var queuedBytes = 0

  private let changes: ChangeCount
  /// Almost every request is a GET, and an array for that one element would take more space than
  /// the element.
  private var configurationOfGet: ResolvedConfiguration?
  private var configurations: [(method: RequestMethod, configuration: ResolvedConfiguration)] = []
  private var configurationVersion = -1

  /// A request whose outcome becomes the resource's state.
  struct Load {
    let request: Request
    /// nil while it only waits for the caches.
    let token: ResourceState.LoadToken?
  }

  // Read from the state at each load without copying it.
  var condition: ResourceState.Condition? { state.latestData?.condition }
  package var foreignID: Int64? { state.latestData?.foreignID }
  package var hasError: Bool { state.hasError }

  package var loadRequests: [Request] { loads.map(\.request) }

  package enum InvalidSource: Equatable {
    case missing
    case unparsable(String)
  }

  package init(url: ResourceURL, invalidSource: InvalidSource? = nil, changes: ChangeCount) {
    self.url = url
    self.invalidSource = invalidSource
    self.changes = changes
  }

  /// Removes a request that has ended from both lists.
  package func forget(_ request: Request) {
    allRequests.removeFirst(identicalTo: request)
    removeLoad(request)
  }

  /// Removes all requests from the lists. Requests hold the resources they load, so a request that
  /// never starts would keep its resource alive for ever.
  func dropRequests() {
    loads = []
    allRequests = []
  }

  /// Requests mostly end in the order in which they began, so the search usually ends at once.
  func removeLoad(_ request: Request) {
    guard let index = loads.firstIndex(where: { $0.request === request }) else { return }
    loads.remove(at: index)
  }

  /// The cache lookup in progress.
  var lookup: CacheLookup? {
    if case .running(let lookup) = cacheCheck { return lookup }
    return nil
  }

  func isLooking(with lookup: CacheLookup) -> Bool {
    guard case .running(let running) = cacheCheck else { return false }
    return running === lookup
  }

  package var isInUse: Bool { resource != nil || !observers.isEmpty }

  /// The cached configuration of a method, if it was computed for that version. (CFG-13)
  func memoised(_ method: RequestMethod, version: Int) -> ResolvedConfiguration? {
    guard version == configurationVersion else { return nil }
    if method == .get { return configurationOfGet }
    for entry in configurations where entry.method == method { return entry.configuration }
    return nil
  }

  func memoise(_ configuration: ResolvedConfiguration, _ method: RequestMethod, version: Int) {
    if version != configurationVersion {
      configurations = []
      configurationOfGet = nil
      configurationVersion = version
    }
    if method == .get {
      configurationOfGet = configuration
    } else {
      configurations.append((method, configuration))
    }
  }
}

extension Array where Element == Request {
  /// Requests mostly end in the order in which they began, so the search usually ends at once.
  mutating func removeFirst(identicalTo request: Request) {
    guard let index = firstIndex(where: { $0 === request }) else { return }
    remove(at: index)
  }
}

/// The requests in flight on one home thread, which can be listed, and cancelled when the home
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

  /// In the order in which they were started.
  package var inFlight: [Request] {
    requests.values.sorted { $0.number < $1.number }.map(\.request)
  }

  package var ledger: RequestLedger? { self }

  package func cancelAll() {
    for request in inFlight { request.cancel() }
  }
}

extension Sequence<Request> {
  /// The requests that have not ended, without cache lookups. A chain and the requests that it
  /// waits for count as one.
  package var open: [Request] {
    let open = filter { !$0.isCompleted }
    let parts = Set(open.flatMap(\.openParts).map(ObjectIdentifier.init))
    return open.filter { !($0 is CacheLookup) && !parts.contains(ObjectIdentifier($0)) }
  }
}

extension Request {
  /// Whether it is the connection of a stream.
  package var isStream: Bool {
    (self as? NetworkRequest)?.httpRequest.options?.sink?.isRaw ?? false
  }
}

extension HomeStatistics {
  /// Adds requests, each of which occurs once.
  package mutating func add(_ requests: [Request]) {
    requestsInFlight += requests.open.count
    streams += requests.count { $0.isStream && !$0.isCompleted }
  }
}
