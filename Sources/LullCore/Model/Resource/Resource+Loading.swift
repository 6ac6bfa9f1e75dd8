extension Resource {
  /// Loads the resource from the network, even if another load is in progress or the data is fresh.
  /// (LOAD-01)
  ///
  /// Order of events: the request is built and started, observers get `requested`, and the call
  /// returns. If caches on disk are being read, the request waits up to 50 ms for these caches
  /// before it is sent (CACHE-39). Later, observers get one of newData, notModified, error and
  /// requestCancelled. Then the hooks of the returned request run (LOAD-02, STA-14). Lua:
  /// `resource:load()`.
  @discardableResult
  public func load() -> Request {
    let plan = loadPlan(isForced: true)
    pump.log(.staleness, "\(displayName): \(plan.logText)")
    return load(as: plan)
  }

  /// Loads the resource unless a load is in flight or the data is fresh enough. (LOAD-15 to
  /// LOAD-31)
  ///
  /// Returns the load in flight, a new load, or nil if the resource is up to date. Lua:
  /// `resource:load_if_needed()`.
  @discardableResult
  public func loadIfNeeded() -> Request? {
    switch neededLoad() {
    case .load(let request): request
    case .none: nil
    }
  }

  /// The result of `loadIfNeeded`.
  package enum NeededLoad {
    case load(Request)
    /// No load is needed until the given time, in Unix seconds, as long as `pump.changes` does not
    /// change. If `until` is nil, the decision is valid only for this call.
    case none(until: Double?)
  }

  /// Loads the resource as `loadIfNeeded` does, and returns the load. If no load is needed, returns
  /// the time until which no load is needed.
  package func neededLoad() -> NeededLoad {
    let plan = loadPlan
    pump.log(.staleness, "\(displayName): \(plan.logText)")
    switch plan.step {
    case .join:
      if let running = record.loads.first?.request { return .load(running) }
    case .nothing(let time):
      // The decision must not be reused if each decision has to be logged, or if a test can set the
      // clock.
      let isSteady =
        pump.clock.isSystemTime && !pump.log.isOn(.staleness)
      return .none(until: isSteady ? time : nil)
    case .waitForCache:
      if case .running(let lookup) = record.cacheCheck {
        return .load(loadAfterCacheCheck(lookup))
      }
    case .load, .loadAfterDisk, .answerOffline, .failOffline, .fail:
      pump.log(.staleness, "\(displayName): loading")
    }
    return .load(load(as: plan))
  }

  /// The plan for the action that `loadIfNeeded` would take now. Reading this property starts the
  /// cache lookup if the lookup has not begun, as every read of the data does. (CACHE-33)
  package var loadPlan: LoadPlan { loadPlan() }

  /// Returns the plan for a load.
  ///
  /// - Parameters:
  ///   - isForced: Whether to load even if the data is fresh.
  ///   - isJoining: Whether the plan is allowed to be to return a load in flight.
  func loadPlan(isForced: Bool = false, isJoining: Bool = true) -> LoadPlan {
    pump.checkThread()
    var known = LoadPlan.Known()
    known.isForced = isForced
    known.isLoading = isJoining && !record.loads.isEmpty
    known.isFollowed = record.followerCount > 0
    // If the plan is to return a load in flight, no cache lookup is needed.
    if isForced || !known.isLoading { checkCaches() }
    known.isOffline = service.isOffline
    known.hasURL = record.invalidSource == nil
    known.caches =
      switch record.cacheCheck {
      case .idle: .notAsked
      case .running(let lookup): .asked(onDisk: lookup.isOnDisk)
      case .over: .haveAnswered
      }
    known.freshness = record.state.freshness
    return LoadPlan(
      known, now: pump.clock.now, configuration: resolvedConfiguration,
      condition: condition, answer: answerFreshness)
  }

  /// The condition of the next load; nil if the next load is unconditional. Data from a partial
  /// response (206) gives no condition if the request would now be for another range, because all
  /// ranges have the same validator. (AGE-08)
  var condition: ResourceState.Condition? {
    guard let condition = record.condition else { return nil }
    if let data = record.state.latestData, data.isPart, let variant = data.exchange?.variant,
      !variant.answers(readHeaders.lines)
    {
      return nil
    }
    return condition
  }

  /// How long the data is fresh according to the headers of its response.
  package var answerFreshness: LoadPlan.Answer {
    guard let data = record.state.latestData else { return .isFresh(for: 0) }
    if let variant = data.exchange?.variant,
      !variant.answers(readHeaders.lines)
    {
      return .isOtherVariant
    }
    return .isFresh(for: data.httpFreshness.remaining)
  }

  /// The number of seconds, counted from the timestamp of the data, for which the data is up to
  /// date unless it is invalidated.
  package var expirationSeconds: Double {
    switch resolvedConfiguration.expirationTime {
    case .seconds(let seconds): return seconds
    case .http:
      if case .isFresh(let seconds) = answerFreshness { return seconds }
      return 0
    }
  }

  /// Returns a new load, started because the cache lookup has found no fresh data.
  func loadAfterLookup() -> Request {
    let plan = loadPlan(isForced: true)
    pump.log(.staleness, "\(displayName): \(plan.logText)")
    return load(as: plan, record.state.isInvalidated ? .announced : .byTurns)
  }

  /// Starts the load that the plan describes.
  ///
  /// - Parameter manner: How the load is coordinated with loads of the same entry by other
  ///   processes; nil if the plan decides. A forced load, and a load of an invalidated resource, do
  ///   not wait for other processes. (SCA-21)
  private func load(as plan: LoadPlan, _ manner: FetchManner? = nil) -> Request {
    let manner =
      manner ?? (plan.reason == .forced || plan.reason == .invalidated ? .announced : .byTurns)
    let request =
      switch plan.step {
      case .answerOffline(let source): offlineLoad(from: source)
      case .failOffline: offlineLoad(from: nil)
      case .load(let condition):
        prepared(readMethod, plan.configuration, revalidation: .sending(condition), manner: manner)
      case .loadAfterDisk:
        prepared(readMethod, plan.configuration, revalidation: .awaiting, manner: manner)
      // If there is no valid request to send, `prepared` returns a request that has failed.
      default: prepared(readMethod, plan.configuration)
      }
    // The request is listed as a load before it starts, because networking may call `loadIfNeeded`
    // while the request starts. (LOAD-28)
    let isNew = adopt(request)
    request.start()
    if isNew { notify(.requested) }
    return request
  }

  /// Promotes a request to a load: its outcome becomes the state of this resource. (LOAD-32 to
  /// LOAD-39)
  ///
  /// Adds the request to `loadRequests` and notifies observers of `requested` at once. Does not
  /// start the request (LOAD-37). Returns the request.
  @discardableResult
  public func load(using request: Request) -> Request {
    if adopt(request) { notify(.requested) }
    return request
  }

  /// Lists a request as a load and applies its outcome when it completes. Returns false if the
  /// request is already a load of this resource.
  private func adopt(_ request: Request) -> Bool {
    pump.checkThread()
    if request.isLoad, record.loads.contains(where: { $0.request === request }) { return false }
    let token = record.state.loadStarted()
    // A request that sends nothing, such as a hard-wired request, counts as sent when it becomes a
    // load.
    let promoted = RequestSending(sent: pump.nextPlace())
    // If a decorator has cancelled the request, it has ended and is not listed. Only its event
    // still has to be sent. (STA-13, LOAD-30)
    if request.response?.isCancellation != true || !request.wasCancelled {
      record.loads.append(ResourceRecord.Load(request: request, token: token))
    }
    if !request.isTracked(by: record) {
      request.onCancel { [record, unowned request] in
        record.removeLoad(request)
      }
    }
    request.reportProgress(toObserversOf: self)
    // An `unsafe` reference is sufficient, because a request exists while it calls its hooks.
    request.onCompletion { [self, unowned(unsafe) request] response in
      record.removeLoad(request)
      loadEnded(token, request, response, request.sending ?? promoted)
    }
    return true
  }

  private func loadEnded(
    _ token: ResourceState.LoadToken, _ request: Request, _ response: Response,
    _ sending: RequestSending
  ) {
    let outcome: ResourceState.LoadOutcome
    // The data that a 304 refers to.
    let known = response.isNew ? nil : record.state.latestData
    switch response.outcome {
    case .success where (request.lastPart as? NetworkRequest)?.notes.found != nil:
      outcome = .found(response)
    case .success(let entity):
      outcome =
        response.isNew
        ? .newData(entity)
        : request.lastPart is OfflineLoad
          ? .kept : .notModified((request.lastPart as? NetworkRequest)?.notes.refreshment)
    case .failure(let error):
      outcome =
        response.isCancellation && request.wasCancelled ? .cancelled : .failure(error)
    }
    let effect = record.state.loadEnded(
      token, outcome, sending: sending, now: pump.clock.now)
    pump.log(.stateChanges, "\(shortDescription): \(effect.event)")
    if effect.isSuperseded {
      pump.log(
        .stateChanges,
        "\(shortDescription): superseded: the response to \(request.displayName) is ignored, "
          + "because a later load has succeeded")
    }
    endCacheCheck()
    let last = request.lastPart
    if effect.isApplied { updateCaches(effect.event, with: last, known) }
    // If the request becomes a load again later, its data is older than the data in the caches.
    (last as? NetworkRequest)?.notes.isInCaches = false
    stateChanged()
    notify(effect.event)
  }

  /// Updates the caches at the end of a load: removes outdated entries, or confirms the entries
  /// after a 304. The pipeline has already written new entries, but only if the request is a GET of
  /// this resource and was a load at that time.
  private func updateCaches(_ event: ResourceEvent, with last: Request, _ known: Entity?) {
    let isOwnRead =
      (last as? NetworkRequest)?.isRead ?? false && last.resource?.record === record
    switch event {
    case .newData where !isOwnRead || (last as? NetworkRequest)?.notes.isInCaches == false:
      removeFromCaches()
    case .notModified where isOwnRead && (last as? NetworkRequest)?.notes.found == nil:
      confirmCaches(by: last as? NetworkRequest, of: known)
    default: break
    }
  }

  /// Cancels the loads of this resource, but not its other requests, if the resource has no
  /// observers. (CAN-01 to CAN-04)
  public func cancelLoadIfUnobserved() {
    pump.checkThread()
    guard !isObserved else { return }
    for request in record.loadRequests { request.cancel() }
  }

  /// Cancels the loads of this resource after a delay, in seconds, if the resource has no observers
  /// at the end of the delay. Calls `completion` afterwards, whether or not a load was cancelled.
  /// Observers may be added and removed during the delay. The resource is retained until the delay
  /// has passed. (CAN-05 to CAN-10)
  public func cancelLoadIfUnobserved(
    afterDelay delay: Double, then completion: @escaping () -> Void = {}
  ) {
    pump.checkThread()
    _ = pump.clock.schedule(after: delay) { [self] in
      cancelLoadIfUnobserved()
      completion()
    }
  }
}

/// A load of an offline service, which completes with data of any age from memory or caches.
///
/// Order of events: if a cache lookup is in progress, the load waits for the lookup. If there is a
/// hit, the resource takes the data of the hit. Then the load completes with the resource's data,
/// with `isNew` false. Without data, it fails with `TransportError.Kind.offline`. No request is
/// sent, no decorator is called, and no cache is written.
package final class OfflineLoad: Request {
  private let loader: Resource

  init(of resource: Resource) {
    loader = resource
    super.init(pump: resource.pump)
  }

  override package var resource: Resource? { loader }
  override package var method: RequestMethod? { loader.readMethod }
  override package var url: String? { loader.url.text }
  override package var openParts: [Request] { lookup.map { [$0] } ?? [] }

  override package func repeated() -> Request { OfflineLoad(of: loader) }

  override package func begin() {
    guard let lookup else { return answer() }
    // An earlier hook of the lookup has already given the data to the resource.
    lookup.onCompletion { [self] _ in
      if !isCompleted { answer() }
    }
  }

  private var lookup: CacheLookup? {
    if case .running(let lookup) = loader.record.cacheCheck { return lookup }
    return nil
  }

  private func answer() {
    if let data = loader.record.state.latestData {
      return complete(with: .success(data, isNew: false))
    }
    var error = RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .transport(
        .offline("Offline, and \(LogText.url(loader.url.text)) is not in the cache")),
      timestamp: pump.clock.now)
    error.method = method
    error.url = url
    complete(with: .failure(error))
  }
}

extension Resource {
  /// Returns a load of an offline service. It is listed in the resource's requests, but not
  /// started.
  func offlineLoad(from source: LoadPlan.Source?) -> Request {
    if source == .caches { lookUpAgain() }
    let load = OfflineLoad(of: self)
    track(load)
    return load
  }

  /// Repeats the cache lookup if it has ended, because other processes may have written to the
  /// caches since then.
  private func lookUpAgain() {
    guard case .over = record.cacheCheck else { return }
    record.cacheCheck = .idle(noneAsOf: -1)
    checkCaches()
  }
}

/// The reason why a load sends a request, or why it sends no request. Times are in Unix seconds,
/// durations in seconds.
public enum LoadReason: Sendable, Equatable {
  /// The load was started whatever the state of the resource, for example by `load()`.
  case forced
  /// Another load is in progress, which is used instead.
  case inProgress
  /// A stream provides the content. (STR-35)
  case followed
  /// The service is offline.
  case offline
  /// The resource was invalidated. (INV-01)
  case invalidated
  /// The resource has neither data nor error. (LOAD-25)
  case blank
  /// The last load failed at time `at`. Its error is fresh for `retryTime`. (LOAD-23)
  case error(at: Double, retryTime: Double)
  /// The data has the timestamp `at` and is fresh for `expirationTime`. (LOAD-20)
  case data(at: Double, expirationTime: Double)
  /// The data has the timestamp `at` and is fresh for `lifetime`, according to the response headers
  /// of the data. (AGE-01)
  case answer(at: Double, lifetime: Double)
  /// The data can't be used: it is the response to a request with other values of the headers that
  /// are named by `Vary`.
  case otherVariant
}
