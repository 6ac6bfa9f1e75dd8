/// The progress of the one-time lookup in the caches of a resource. (CACHE-04)
enum CacheCheck {
  /// Not begun. The configuration of that version had no cache.
  case idle(noneAsOf: Int)
  case running(CacheLookup)
  case over
}

extension Resource {
  /// Starts the one-time cache lookup if the resource has caches and it has not begun. (STA-15,
  /// CACHE-33)
  ///
  /// Called at every read of the data, and almost always there is nothing to do.
  @inline(__always)
  func checkCaches() {
    if case .idle(let version) = record.cacheCheck, version != service.configurationVersion {
      beginCacheCheck()
    }
  }

  private func beginCacheCheck() {
    // Set first: keys and settings are computed by functions that may read this resource.
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
    // Neither is retained: the record holds the lookup, which may never end. (CACHE-36)
    lookup.onCompletion { [weak record, weak service, unowned lookup] response in
      // The resource was wiped or loaded, or another lookup has begun.
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

  /// Makes newer data that another process or host has loaded the data. A load is still needed.
  /// (SCA-22)
  func take(newer entity: Entity) {
    let event = record.state.take(newer: entity)
    stateChanged()
    notify(event)
  }

  /// Ends the cache lookup if the resource has got data another way, even if the caches never
  /// answer. Requests that waited for it continue. (CACHE-03, CACHE-34)
  func endCacheCheck() {
    guard case .running(let lookup) = record.cacheCheck, record.state.latestData != nil else {
      return
    }
    record.cacheCheck = .over
    lookup.giveUp()
  }

  /// Returns the request that `loadIfNeeded` returns during the cache lookup. A fresh hit completes
  /// it; otherwise it becomes a real load. (LOAD-29, CACHE-05 to CACHE-08)
  func loadAfterCacheCheck(_ lookup: CacheLookup) -> Request {
    let composite = ChainedRequest(wrapping: lookup) { [self] found, composite in
      // A cache hit comes before any load in flight.
      if case .nothing = loadPlan(isJoining: false).step {
        if let data = record.state.latestData {
          // The hit is new to the caller, because the resource was empty. (CACHE-38)
          return .useResponse(.success(data, isNew: found.entity?.isSame(as: data) ?? false))
        }
        if let error = record.state.latestError { return .useResponse(.failure(error)) }
      }
      record.removeLoad(composite)
      // A load that has not been started is not joined: its owner decides when to start it.
      // (LOAD-37)
      let running = record.loads.first {
        $0.request.state != .notStarted && !$0.request.waits(for: composite)
      }
      return .passTo(running?.request ?? loadAfterLookup())
    }
    record.loads.append(ResourceRecord.Load(request: composite, token: nil))
    // Sends no event, because none announced the load. A hit that comes later is dropped too.
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

  /// The entries of this resource in the caches of a configuration, in the order of their stages.
  ///
  /// - Parameter isUnshared: Whether they are for a request with credentials that are not
  ///   configured.
  func cacheEntries(
    _ configuration: ResolvedConfiguration, isUnshared: Bool = false
  ) -> [CacheEntry] {
    guard !configuration.caches.isEmpty, configuration.failure == nil else { return [] }
    return configuration.caches.compactMap {
      CacheEntry($0, resource: self, isUnshared: isUnshared)
    }
  }

  /// Writes the output of each cached stage for the response to a GET load, unless a later load has
  /// superseded it. Returns whether the run belongs to a GET load. (CACHE-14 to CACHE-17, CACHE-29,
  /// STA-11)
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
            : "not written at \(stage.stage), whose cache cannot store such content"))
      entry.write(output.entity)
      // The resource was invalidated or written to after the request was sent.
      if isOutdated { entry.expire(output.entity.timestamp) }
    }
    return true
  }

  /// Removes the cache entries: the present data did not come through the caches, so they are
  /// outdated. (OVR-12, CACHE-20, CACHE-29)
  func removeFromCaches() {
    for entry in cacheEntries(resolvedConfiguration) { entry.remove() }
  }

  /// Marks the cache entries as stale, for every process. (AGE-07, INV-59)
  func expireInCaches() {
    guard record.invalidSource == nil else { return }
    let now = pump.clock.now
    for entry in cacheEntries(resolvedConfiguration) {
      pump.log(.cache, "\(displayName): stale at \(entry.stage.stage) from now on")
      entry.expire(now)
    }
  }

  /// Applies a 304 to the cache entries that it is about: they get the timestamp of the data.
  /// (CACHE-19, CACHE-40, NM-04)
  ///
  /// - Parameters:
  ///   - load: The load that received the 304; nil if it is unknown.
  ///   - data: The data before the 304.
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

  /// Whether a request carries credentials that GET requests of the resource are not configured to
  /// carry. Caches then can't know whose response it is. (SCA-16)
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

  /// Whether the URL differs from the resource's only by that credential.
  private func isSent(by credential: QueryCredential?, _ http: HTTPRequest) -> Bool {
    guard let credential, let sent = http.secrets?.url else { return false }
    return sent == credential.put(on: urlTemplate)
  }

  /// Cancels the cache lookup after a wipe, and allows another. (WIPE-07, CACHE-32)
  func stopCacheCheck() {
    let check = record.cacheCheck
    record.cacheCheck = .idle(noneAsOf: -1)
    if case .running(let lookup) = check { lookup.cancel() }
  }

  /// Starts the cache lookup if there is an observer to notify of a hit.
  func checkCachesIfObserved() {
    if !record.observers.isEmpty { checkCaches() }
  }
}
