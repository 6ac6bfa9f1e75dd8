/// How far the one-time look into the caches of a resource has come. (CACHE-04)
enum CacheCheck {
  /// Not begun. None was configured as of that version of the configuration.
  case idle(noneAsOf: Int)
  case running(CacheLookup)
  case over
}

extension Resource {
  /// Begins the one-time look into the caches, if there are any to look into. (STA-15, CACHE-33)
  ///
  /// Called whenever somebody looks at the data: almost always there is nothing to do.
  @inline(__always)
  func checkCaches() {
    if case .idle(let version) = record.cacheCheck, version != service.configurationVersion {
      beginCacheCheck()
    }
  }

  private func beginCacheCheck() {
    // Noted first: keys and settings are made by functions that may look at this very resource.
    record.cacheCheck = .idle(noneAsOf: service.configurationVersion)
    guard record.invalidSource == nil else { return }
    let configuration = resolvedConfiguration
    let entries = cacheEntries(configuration)
    guard !entries.isEmpty else { return }
    guard record.state.latestData == nil else {
      record.cacheCheck = .over
      return
    }
    let lookup = CacheLookup(of: self, entries: entries, conf: configuration)
    record.cacheCheck = .running(lookup)
    // Neither is held: the record holds the look, which may never end. (CACHE-36)
    lookup.onCompletion { [weak record, weak service, unowned lookup] response in
      // Wiped or loaded meanwhile, or another look has begun.
      guard let record, let service, record.isLooking(with: lookup) else { return }
      guard !response.isCancellation else {
        record.cacheCheck = .over
        return
      }
      guard record.isInUse else {
        record.cacheCheck = .idle(noneAsOf: -1)
        return
      }
      record.cacheCheck = .over
      if let entity = response.entity {
        service.resource(of: record).deliver(cached: entity)
      }
    }
    lookup.start()
  }

  private func deliver(cached entity: Entity) {
    guard record.state.latestData == nil else { return }
    let event = record.state.cacheHit(entity)
    stateChanged()
    notify(event)
    pump.reportCacheHit(self, entity)
  }

  /// What others have loaded is newer, though it does not make a load needless. (SCA-22)
  func take(newer entity: Entity) {
    let event = record.state.take(newer: entity)
    stateChanged()
    notify(event)
  }

  /// Data has come another way: the check counts as finished, whether or not the caches ever
  /// answer, and what waited for them goes on. (CACHE-03, CACHE-34)
  func endCacheCheck() {
    guard case .running(let lookup) = record.cacheCheck, record.state.latestData != nil else {
      return
    }
    record.cacheCheck = .over
    lookup.giveUp()
  }

  /// The request `loadIfNeeded` returns while the caches have not answered: fresh data of theirs
  /// completes it, else it becomes a real load. (LOAD-29, CACHE-05 to CACHE-08)
  func loadAfterCacheCheck(_ lookup: CacheLookup) -> Request {
    let composite = ChainedRequest(wrapping: lookup) { [self] found, composite in
      // What the caches had counts before any load in flight.
      if case .nothing = loadPlan(isJoining: false).step {
        if let data = record.state.latestData {
          // What the caches had is new to whoever asked, as the resource was empty. (CACHE-38)
          return .useResponse(.success(data, isNew: found.entity?.isSame(as: data) ?? false))
        }
        if let error = record.state.latestError { return .useResponse(.failure(error)) }
      }
      record.removeLoad(composite)
      // One that nobody has started is somebody else's to start. (LOAD-37)
      let running = record.loads.first {
        $0.request.state != .notStarted && !$0.request.waits(for: composite)
      }
      return .passTo(running?.request ?? loadAfterLookup())
    }
    record.loads.append(ResourceRecord.Load(request: composite, token: nil))
    // No event: nothing was announced. What the caches have answered meanwhile is dropped too.
    // (CACHE-35)
    composite.onCancel { [record, lookup, unowned composite] in
      record.removeLoad(composite)
      if record.isLooking(with: lookup) { record.cacheCheck = .over }
    }
    composite.onCompletion { [self, unowned composite] response in
      guard record.loads.contains(where: { $0.request === composite }) else { return }
      record.removeLoad(composite)
      notify(response.isSuccess ? .notModified : .error)
    }
    return composite
  }

  // MARK: Writing

  /// This resource's places in the caches of a configuration, in the order of their stages.
  ///
  /// - Parameter isUnshared: whether by a request with credentials that are not configured.
  func cacheEntries(
    _ configuration: ResolvedConfiguration, isUnshared: Bool = false
  ) -> [CacheEntry] {
    guard !configuration.caches.isEmpty, configuration.failure == nil else { return [] }
    return configuration.caches.compactMap {
      CacheEntry($0, resource: self, isUnshared: isUnshared)
    }
  }

  /// Writes what the cached stages made of a GET load's response, unless a later one has superseded it;
  /// whether it is of a GET load. (CACHE-14 to CACHE-17, CACHE-29, STA-11)
  func writeCaches(
    _ caches: [Pipeline.StageCache], of run: PipelineRun, _ response: Response
  ) -> Bool {
    guard run.request.method == .get,
      let token = record.loads.first(where: { $0.request.includes(run.request) })?.token
    else { return false }
    guard !run.outputs.isEmpty,
      record.state.mayCache(token, sent: run.request.sentPlace, succeeded: response.isSuccess)
    else { return true }
    let isUnshared = (run.request as? NetworkRequest).map { isSenderUnknown(of: $0.httpRequest) }
    let isOutdated = record.state.isOutdated(sent: run.request.sentPlace)
    for output in run.outputs {
      let stage = caches[output.mark]
      guard let entry = CacheEntry(stage, resource: self, isUnshared: isUnshared ?? false) else {
        continue
      }
      if let reason = entry.refusal(of: output.entity, from: run) {
        pump.log(.cache, "\(displayName): not written at \(stage.stage): \(reason)")
        entry.remove()
        continue
      }
      let isKept = stage.cache.accepts(output.entity)
      pump.log(
        .cache,
        "\(displayName): "
          + (isKept
            ? "written at \(stage.stage)"
            : "not written at \(stage.stage), whose cache cannot keep such content"))
      entry.write(output.entity)
      // Invalidated, or written to, since it was sent.
      if isOutdated { entry.expire(output.entity.timestamp) }
    }
    return true
  }

  /// What is the data now did not come through the caches: their entries are of the past. (OVR-12,
  /// CACHE-20, CACHE-29)
  func removeFromCaches() {
    for entry in cacheEntries(resolvedConfiguration) { entry.remove() }
  }

  /// What caches keep of it is stale from now on, for every process. (AGE-07, INV-59)
  func expireInCaches() {
    guard record.invalidSource == nil else { return }
    let now = pump.clock.now
    for entry in cacheEntries(resolvedConfiguration) {
      pump.log(.cache, "\(displayName): stale at \(entry.stage.stage) from now on")
      entry.expire(now)
    }
  }

  /// A 304 makes cached entities as young as the resource's, if they are what it is about. (CACHE-19, CACHE-40,
  /// NM-04)
  ///
  /// - Parameters:
  ///   - load: whose answer it is; nil: nobody knows what that says.
  ///   - data: what was there before.
  func confirmCaches(by load: NetworkRequest?, of data: Entity?) {
    guard let timestamp = record.state.latestData?.timestamp else { return }
    let confirmation = EntityConfirmation(
      timestamp: timestamp, condition: load?.sentCondition, data: data,
      refreshment: load?.notes.refreshment)
    let isUnshared = load.map { isSenderUnknown(of: $0.httpRequest) } ?? false
    let isOutdated = load.map { record.state.isOutdated(sent: $0.sentPlace) } ?? false
    for entry in cacheEntries(resolvedConfiguration, isUnshared: isUnshared) {
      if load?.notes.forbidsStoring ?? false, entry.stage.cache.outlivesProcess {
        pump.log(
          .cache, "\(displayName): removed at \(entry.stage.stage): \(StoringRule.reason)")
        entry.remove()
      } else {
        entry.confirm(confirmation)
        if isOutdated { entry.expire(timestamp) }
      }
    }
  }

  /// Whether a request carries what may let somebody in that GET requests of the resource are not configured to
  /// carry: caches do not know then who has asked. (SCA-16)
  private func isSenderUnknown(of http: HTTPRequest) -> Bool {
    guard http.options?.cookies == nil else { return true }
    let settings = configuration(for: .get)
    if http.url != url.text, CredentialMask.url(http.url) != http.url,
      !isSent(by: settings.auth?.query, http)
    {
      return true
    }
    let configured = settings.headers.texts
    return http.headers.texts.contains { name, text, isSecret in
      if configured.contains(where: { $0.name == name && $0.text == text }) { return false }
      guard isSecret || CredentialName.names(name) else { return false }
      guard case .header(name, text)? = settings.auth?.credential else { return true }
      return false
    }
  }

  /// Whether nothing but that credential is added to the resource's URL.
  private func isSent(by credential: QueryCredential?, _ http: HTTPRequest) -> Bool {
    guard let credential, let sent = http.secrets?.url else { return false }
    return sent == credential.put(on: urlTemplate)
  }

  /// Wiped: what the caches were asked for is of no interest, and they may be asked again. (WIPE-07,
  /// CACHE-32)
  func stopCacheCheck() {
    let check = record.cacheCheck
    record.cacheCheck = .idle(noneAsOf: -1)
    if case .running(let lookup) = check { lookup.cancel() }
  }

  /// An observer wants to hear what the caches have.
  func checkCachesIfObserved() {
    if !record.observers.isEmpty { checkCaches() }
  }
}
