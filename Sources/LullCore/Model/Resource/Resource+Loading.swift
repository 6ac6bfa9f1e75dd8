extension Resource {
  /// Always goes to the network, also during another load or with fresh data. (LOAD-01)
  ///
  /// Order of events: the request is built and started, `requested` is sent, the call returns; caches on
  /// a disk that are being asked have 50 ms to answer, then the request goes out (CACHE-39);
  /// later, one of newData, notModified, error, requestCancelled, then the hooks of the returned
  /// request (LOAD-02, STA-14). Lua: `resource:load()`.
  @discardableResult
  public func load() -> Request {
    let plan = loadPlan(isForced: true)
    pump.log(.staleness, "\(displayName): \(plan.logText)")
    return load(as: plan)
  }

  /// Loads unless a load is in flight or the data is fresh enough. (LOAD-15 to LOAD-31)
  ///
  /// Returns the load in flight, a new load, or nil: already up to date. Lua:
  /// `resource:load_if_needed()`.
  @discardableResult
  public func loadIfNeeded() -> Request? {
    switch neededLoad() {
    case .load(let request): request
    case .none: nil
    }
  }

  /// What `loadIfNeeded` comes to.
  package enum NeededLoad {
    case load(Request)
    /// None, and none again until then, in Unix seconds, while `pump.changes` stays what it is; nil if
    /// it must be asked each time.
    case none(until: Double?)
  }

  /// As `loadIfNeeded`.
  package func neededLoad() -> NeededLoad {
    let plan = loadPlan
    pump.log(.staleness, "\(displayName): \(plan.logText)")
    switch plan.step {
    case .join:
      if let running = record.loads.first?.request { return .load(running) }
    case .nothing(let time):
      // Each is logged; and a clock set by hand may go anywhere.
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

  /// What `loadIfNeeded` would do now. Asks caches if nobody has yet, as any look at the data does.
  /// (CACHE-33)
  package var loadPlan: LoadPlan { loadPlan() }

  /// - Parameter isJoining: whether a load in flight will do.
  func loadPlan(isForced: Bool = false, isJoining: Bool = true) -> LoadPlan {
    pump.checkThread()
    var known = LoadPlan.Known()
    known.isForced = isForced
    known.isLoading = isJoining && !record.loads.isEmpty
    known.isFollowed = record.followerCount > 0
    // Who joins a load asks nobody.
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

  /// The condition of the next load. None is made of a part (206) that is not the one asked for now: who has
  /// the rest of it has the same validator. (AGE-08)
  var condition: ResourceState.Condition? {
    guard let condition = record.condition else { return nil }
    if let data = record.state.latestData, data.isPart, let variant = data.exchange?.variant,
      !variant.answers(resolvedConfiguration.settings.headers.lines)
    {
      return nil
    }
    return condition
  }

  /// What the data says of its freshness itself.
  package var answerFreshness: LoadPlan.Answer {
    guard let data = record.state.latestData else { return .isFresh(for: 0) }
    if let variant = data.exchange?.variant,
      !variant.answers(resolvedConfiguration.settings.headers.lines)
    {
      return .isOtherVariant
    }
    return .isFresh(for: data.httpFreshness.remaining)
  }

  /// For how many seconds from its timestamp on the data is up to date, unless it is invalidated.
  package var expirationSeconds: Double {
    switch resolvedConfiguration.expirationTime {
    case .seconds(let seconds): return seconds
    case .http:
      if case .isFresh(let seconds) = answerFreshness { return seconds }
      return 0
    }
  }

  /// The load that is needed after what the caches have had.
  func loadAfterLookup() -> Request {
    let plan = loadPlan(isForced: true)
    pump.log(.staleness, "\(displayName): \(plan.logText)")
    return load(as: plan, record.state.isInvalidated ? .announced : .byTurns)
  }

  /// Begins the load that a plan has.
  ///
  /// - Parameter manner: nil: what is asked for whatever there is waits for nobody. (SCA-21)
  private func load(as plan: LoadPlan, _ manner: FetchManner? = nil) -> Request {
    let manner =
      manner ?? (plan.reason == .forced || plan.reason == .invalidated ? .announced : .byTurns)
    let request =
      switch plan.step {
      case .answerOffline(let source): offlineLoad(from: source)
      case .failOffline: offlineLoad(from: nil)
      case .load(let condition):
        prepared(.get, plan.configuration, revalidation: .sending(condition), manner: manner)
      case .loadAfterDisk:
        prepared(.get, plan.configuration, revalidation: .awaiting, manner: manner)
      // What cannot be asked for is a request that has failed.
      default: prepared(.get, plan.configuration)
      }
    // A load in progress before it starts: networking may ask for one in its turn. (LOAD-28)
    let isNew = adopt(request)
    request.start()
    if isNew { notify(.requested) }
    return request
  }

  /// Promotes a request to a load: its outcome becomes this resource's state. (LOAD-32 to LOAD-39)
  ///
  /// Adds it to `loadRequests` and sends `requested` at once; does not start it (LOAD-37).
  @discardableResult
  public func load(using request: Request) -> Request {
    if adopt(request) { notify(.requested) }
    return request
  }

  /// Lists a request as a load and waits for its outcome; false if it is one already.
  private func adopt(_ request: Request) -> Bool {
    pump.checkThread()
    if request.isLoad, record.loads.contains(where: { $0.request === request }) { return false }
    let token = record.state.loadStarted()
    // What was never sent, such as a hard-wired response, counts from here.
    let promoted = RequestSending(sent: pump.nextPlace())
    // A decorator may have cancelled it: that is over, and only to be told. (STA-13, LOAD-30)
    if request.response?.isCancellation != true || !request.wasCancelled {
      record.loads.append(ResourceRecord.Load(request: request, token: token))
    }
    if !request.isTracked(by: record) {
      request.onCancel { [record, unowned request] in
        record.removeLoad(request)
      }
    }
    request.reportProgress(toObserversOf: self)
    // Unsafe, since a request that calls its hooks is there.
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
    // What a 304 is about.
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
        "\(shortDescription): superseded: the answer to \(request.displayName) is not applied, since a load "
          + "that was sent later has succeeded")
    }
    endCacheCheck()
    let last = request.lastPart
    if effect.isApplied { updateCaches(effect.event, with: last, known) }
    // Made a load again later, it brings what is older than the caches.
    (last as? NetworkRequest)?.notes.isInCaches = false
    stateChanged()
    notify(effect.event)
  }

  /// Writes have been made by the pipeline already; only a GET of this resource makes any, and only
  /// while it is a load.
  private func updateCaches(_ event: ResourceEvent, with last: Request, _ known: Entity?) {
    let isOwnGet =
      last is NetworkRequest && last.method == .get && last.resource?.record === record
    switch event {
    case .newData where !isOwnGet || (last as? NetworkRequest)?.notes.isInCaches == false:
      removeFromCaches()
    case .notModified where isOwnGet && (last as? NetworkRequest)?.notes.found == nil:
      confirmCaches(by: last as? NetworkRequest, of: known)
    default: break
    }
  }

  /// Cancels loads (not other requests) if nobody observes this resource. (CAN-01 to CAN-04)
  public func cancelLoadIfUnobserved() {
    pump.checkThread()
    guard !isObserved else { return }
    for request in record.loadRequests { request.cancel() }
  }

  /// Does so after a delay, seconds, and then calls `completion`, whether or not anything was
  /// cancelled. An observer may come or go meanwhile; the resource is kept until then. (CAN-05 to
  /// CAN-10)
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

/// A load while the service is offline: what memory or the caches have, whatever its age.
///
/// Order of events: if the resource's caches are being looked into, it waits for what they have, which
/// the resource delivers; then it completes with the resource's data, as not new, or fails with
/// `TransportError.Kind.offline`. Nothing is sent, decorated or written.
package final class OfflineLoad: Request {
  private let loader: Resource

  init(of resource: Resource) {
    loader = resource
    super.init(pump: resource.pump)
  }

  override package var resource: Resource? { loader }
  override package var method: RequestMethod? { .get }
  override package var url: String? { loader.url.text }
  override package var openParts: [Request] { lookup.map { [$0] } ?? [] }

  override package func repeated() -> Request { OfflineLoad(of: loader) }

  override package func begin() {
    guard let lookup else { return answer() }
    // Its data is delivered by an earlier hook.
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
  /// The load of an offline service, listed and not begun.
  func offlineLoad(from source: LoadPlan.Source?) -> Request {
    if source == .caches { lookUpAgain() }
    let load = OfflineLoad(of: self)
    track(load)
    return load
  }

  /// Others may have written to the caches since this was looked for in vain.
  private func lookUpAgain() {
    guard case .over = record.cacheCheck else { return }
    record.cacheCheck = .idle(noneAsOf: -1)
    checkCaches()
  }
}

/// Why a load asks the server, or does not. Times are Unix seconds, spans seconds.
public enum LoadReason: Sendable, Equatable {
  /// It was asked for whatever there is, as by `load()`.
  case forced
  /// A load is in progress, which will do.
  case inProgress
  /// A stream makes its content. (STR-35)
  case followed
  /// The service is offline.
  case offline
  /// It was invalidated. (INV-01)
  case invalidated
  /// It has neither data nor error. (LOAD-25)
  case blank
  /// It has failed at that time, which counts for `retryTime`. (LOAD-23)
  case error(at: Double, retryTime: Double)
  /// It has data of that time, which counts for `expirationTime`. (LOAD-20)
  case data(at: Double, expirationTime: Double)
  /// It has data of that time, which counts for as long as it says itself. (AGE-01)
  case answer(at: Double, lifetime: Double)
  /// It has data that answers a request with other headers, which its `Vary` names.
  case otherVariant
}
