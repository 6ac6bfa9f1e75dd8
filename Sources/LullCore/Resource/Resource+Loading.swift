extension Resource {
  /// Always goes to the network, also during another load or with fresh data. (LOAD-01)
  ///
  /// Order of events: the request is built and started, `requested` is sent, the call returns;
  /// later, one of newData, notModified, error, requestCancelled, then the hooks of the returned
  /// request (LOAD-02, STA-14). Lua: `resource:load()`.
  @discardableResult
  public func load() -> Request {
    checkCaches()
    service.pump.log(.staleness, "\(displayName): loading")
    // Read again at each build, so that a repeated request carries the validators of its time
    // (LOAD-04).
    let conditional: AdHocMutation = { [record] http in
      if let (name, value) = record.state.conditionalHeader {
        http.headers.set(name, bytes: value.bytes)
      }
    }
    let request =
      offlineLoad() ?? prepared(makeRequest("GET", adHoc: conditional, scriptAnchors: []))
    // A load in progress before it starts: networking may ask for one in its turn. (LOAD-28)
    let isNew = adopt(request)
    request.start()
    if isNew { notify(.requested) }
    return request
  }

  /// Loads unless a load is in flight or the data is fresh enough. (LOAD-15 to LOAD-31)
  ///
  /// Returns the load in flight, a new load, or nil: already up to date. Lua:
  /// `resource:load_if_needed()`.
  @discardableResult
  public func loadIfNeeded() -> Request? {
    if let running = record.loads.first?.request {
      service.pump.log(.staleness, "\(displayName): not loading: a load is in progress")
      return running
    }
    if isUpToDate {
      service.pump.log(.staleness, "\(displayName): not loading: \(stalenessReason)")
      return nil
    }
    if case .running(let lookup) = record.cacheCheck {
      service.pump.log(.staleness, "\(displayName): waiting for the cache: \(stalenessReason)")
      return loadAfterCacheCheck(lookup)
    }
    service.pump.log(.staleness, "\(displayName): stale: \(stalenessReason)")
    return load()
  }

  /// Until when, in Unix seconds, `loadIfNeeded` goes on answering nil while `pump.changes` stays what
  /// it is; nil if it must be asked each time.
  package var needsNoLoadUntil: Double? {
    guard record.loads.isEmpty, service.pump.clock.isSystemTime,
      !service.pump.log.enabled.contains(.staleness)
    else { return nil }
    let configuration = configuration
    return record.state.upToDateUntil(
      expirationTime: configuration.expirationTime, retryTime: configuration.retryTime)
  }

  private var stalenessReason: String {
    if service.isOffline { return "the service is offline" }
    let configuration = configuration
    return record.state.stalenessReason(
      now: service.pump.clock.now, expirationTime: configuration.expirationTime,
      retryTime: configuration.retryTime)
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
    if request.isLoad, record.loads.contains(where: { $0.request === request }) { return false }
    let token = record.state.loadStarted()
    // A decorator may have cancelled it: that is over, and only to be told. (STA-13, LOAD-30)
    if request.response?.isCancellation != true {
      record.loads.append(ResourceRecord.Load(request: request, token: token))
    }
    if !request.isTracked(by: record) {
      request.onCancel { [record, unowned request] in
        record.removeLoad(request)
      }
    }
    request.reportProgress(toObserversOf: self)
    request.onCompletion { [self, unowned request] response in
      record.removeLoad(request)
      loadEnded(token, request, response)
    }
    return true
  }

  private func loadEnded(
    _ token: ResourceState.LoadToken, _ request: Request, _ response: Response
  ) {
    let outcome: ResourceState.LoadOutcome
    switch response.outcome {
    case .success(let entity):
      outcome =
        response.isNew
        ? .newData(entity) : request.lastPart is OfflineLoad ? .kept : .notModified
    case .failure(let error):
      outcome = response.isCancellation ? .cancelled : .failure(error)
    }
    let effect = record.state.loadEnded(token, outcome, now: service.pump.clock.now)
    service.pump.log(.stateChanges, "\(shortDescription): \(effect.event)")
    endCacheCheck()
    let last = request.lastPart
    if effect.isApplied { updateCaches(effect.event, with: last) }
    // Made a load again later, it brings what is older than the caches.
    (last as? NetworkRequest)?.isInCaches = false
    stateChanged()
    notify(effect.event)
  }

  /// Writes have been made by the pipeline already; only a GET of this resource makes any, and only
  /// while it is a load.
  private func updateCaches(_ event: ResourceEvent, with last: Request) {
    let isOwnGet =
      last is NetworkRequest && last.method == "GET" && last.resource?.record === record
    switch event {
    case .newData where !isOwnGet || (last as? NetworkRequest)?.isInCaches == false:
      removeFromCaches()
    case .notModified where isOwnGet:
      touchCaches(forbidsStoring: (last as? NetworkRequest)?.forbidsStoring ?? false)
    default: break
    }
  }

  /// Cancels loads (not other requests) if nobody observes this resource. (CAN-01 to CAN-04)
  public func cancelLoadIfUnobserved() {
    record.observers.removeDead(resource: self)
    guard record.observers.isEmpty else { return }
    for request in record.loadRequests { request.cancel() }
  }

  /// Does so after a delay, seconds, and then calls `completion`, whether or not anything was
  /// cancelled. An observer may come or go meanwhile; the resource is kept until then. (CAN-05 to
  /// CAN-10)
  public func cancelLoadIfUnobserved(
    afterDelay delay: Double, then completion: @escaping () -> Void = {}
  ) {
    _ = service.pump.clock.schedule(after: delay) { [self] in
      cancelLoadIfUnobserved()
      completion()
    }
  }
}
