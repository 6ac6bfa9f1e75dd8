/// What a service remembers of one URL: state, observers, requests, computed configuration.
///
/// The service holds records; users hold `Resource` objects, which keep record and service alive. A
/// record whose `Resource` is gone and which nobody observes is unused and may be evicted (SVC-28 to
/// SVC-33). No record holds its service or its `Resource` strongly, so nothing here is a cycle.
package final class ResourceRecord {
  package let url: ResourceURL
  /// Why the URL is no URL; nil for valid resources.
  package let invalidSource: InvalidSource?
  /// What the URL means, if it shows masks of secrets.
  var secretURL: SecretURL?
  package var state = ResourceState() {
    didSet { changes.note() }
  }
  package let observers = ObserverList()
  /// In order of initiation.
  var loads: [Load] = [] {
    didSet {
      changes.note()
      if loads.isEmpty { for stage in updates { stage.loadsEnded() } }
    }
  }
  /// What caches tell of by which others keep what they load, one for each stage.
  var updates: [EntityUpdates] = []
  package var allRequests: [Request] = []
  /// How many streams make its content now.
  var followerCount = 0 {
    didSet { changes.note() }
  }
  /// Whether the caches have been asked for this resource's data.
  var cacheCheck = CacheCheck.idle(noneAsOf: -1) {
    didSet { changes.note() }
  }

  /// The one `Resource` that stands for this record, if anybody holds it. Not `weak`, which would slow
  /// down every use of a resource.
  // Set by `Resource.init`, cleared by its `deinit`: it never outlives the object.
  package unowned(unsafe) var resource: Resource?
  /// The number a script's host keeps this record's content under; 0 if none.
  package var hostKey: Int64 = 0
  /// When the error came about that a script has looked at last; Unix epoch seconds.
  package var seenErrorTime = -Double.infinity
  /// Changes with each use; an entry of the eviction queue with an older stamp is stale.
  package var useStamp = 0
  /// What the eviction queue counts for this record; 0 while it is in use.
  var queuedBytes = 0

  private let changes: ChangeCount
  /// Nearly all that is asked for is GET's: an array for it alone would take more than it holds.
  private var configurationOfGet: ResolvedConfiguration?
  private var configurations: [(method: RequestMethod, configuration: ResolvedConfiguration)] = []
  private var configurationVersion = -1

  /// A request whose outcome becomes the resource's state.
  struct Load {
    let request: Request
    /// nil while it only waits for the caches.
    let token: ResourceState.LoadToken?
  }

  // What is asked of the state at each load, without making a copy of it.
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

  /// Takes a request that has ended off both lists.
  package func forget(_ request: Request) {
    allRequests.removeFirst(identicalTo: request)
    removeLoad(request)
  }

  /// Requests hold the resources they load: one that never starts must not hold them for ever.
  func dropRequests() {
    loads = []
    allRequests = []
  }

  /// Loads mostly end in the order they began, so the one wanted is at or near the front.
  func removeLoad(_ request: Request) {
    guard let index = loads.firstIndex(where: { $0.request === request }) else { return }
    loads.remove(at: index)
  }

  /// The look into the caches under way.
  var lookup: CacheLookup? {
    if case .running(let lookup) = cacheCheck { return lookup }
    return nil
  }

  func isLooking(with lookup: CacheLookup) -> Bool {
    guard case .running(let running) = cacheCheck else { return false }
    return running === lookup
  }

  package var isInUse: Bool { resource != nil || !observers.isEmpty }

  /// The memoised configuration of a method, if it was computed in that version. (CFG-13)
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
  /// Requests mostly end in the order they began, so the one wanted is at or near the front.
  mutating func removeFirst(identicalTo request: Request) {
    guard let index = firstIndex(where: { $0 === request }) else { return }
    remove(at: index)
  }
}

/// The requests in flight on one home thread, so that all can be cancelled when it closes, and named.
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
