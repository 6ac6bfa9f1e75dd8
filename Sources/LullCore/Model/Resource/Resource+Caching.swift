/// The state of the cache lookup, which is done once for each resource. (CACHE-04)
enum CacheCheck {
  /// The lookup has not begun. `noneAsOf` is the version of the configuration that was found to
  /// have no cache; -1 if no version was checked.
  case idle(noneAsOf: Int)
  case running(CacheLookup)
  case over
}

extension Resource {
  /// Starts the one-time cache lookup if the resource has caches and the lookup has not begun.
  /// (STA-15, CACHE-33)
  ///
  /// Called at every read of the data. Almost always, it has nothing to do.
  @inline(__always)
  func checkCaches() {
    if case .idle(let version) = record.cacheCheck, version != service.configurationVersion {
      beginCacheCheck()
    }
  }

  private func beginCacheCheck() {
    // Set before keys and settings are computed, because functions that compute them may read this
    // resource.
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
    // The closure does not retain the record, which holds the lookup, because the lookup may never
    // end. (CACHE-36)
    lookup.onCompletion { [weak record, weak service, unowned lookup] response in
      // If the resource was wiped or loaded, or if another lookup has begun, the result is dropped.
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

  /// Replaces the data by newer data that another process or host has loaded. The newer data is not
  /// fresh, so a load is still needed. (SCA-22)
  func take(newer entity: Entity) {
    let event = record.state.take(newer: entity)
    stateChanged()
    notify(event)
  }

  /// If the resource has got data from another source than its caches, ends the cache lookup, even
  /// if the caches never respond. Requests that waited for the lookup continue. (CACHE-03,
  /// CACHE-34)
  func endCacheCheck() {
    guard case .running(let lookup) = record.cacheCheck, record.state.latestData != nil else {
      return
    }
    record.cacheCheck = .over
    lookup.giveUp()
  }

  /// Returns the request that `loadIfNeeded` returns during the cache lookup. If the lookup finds
  /// fresh data, the request completes with this data. Otherwise the request continues with a real
  /// load. (LOAD-29, CACHE-05 to CACHE-08)
  func loadAfterCacheCheck(_ lookup: CacheLookup) -> Request {
    let composite = ChainedRequest(wrapping: lookup) { [self] found, composite in
      // A fresh cache hit takes precedence over a load in flight.
      if case .nothing = loadPlan(isJoining: false).step {
        if let data = record.state.latestData {
          // The hit is new to the caller, because the resource was empty. (CACHE-38)
          return .useResponse(.success(data, isNew: found.entity?.isSame(as: data) ?? false))
        }
        if let error = record.state.latestError { return .useResponse(.failure(error)) }
      }
      record.removeLoad(composite)
      // A load that has not been started is not used, because its owner decides when to start it.
      // (LOAD-37)
      let running = record.loads.first {
        $0.request.state != .notStarted && !$0.request.waits(for: composite)
      }
      return .passTo(running?.request ?? loadAfterLookup())
    }
    record.loads.append(ResourceRecord.Load(request: composite, token: nil))
    // A cancellation sends no event, because no event announced this load. A cache hit that arrives
    // later is dropped. (CACHE-35)
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

  /// Returns the entries of this resource in the caches of a configuration, in the order of their
  /// stages.
  ///
  /// - Parameter isUnshared: Whether the entries are for a request whose credentials are not in the
  ///   configuration, so that its user is unknown.
  func cacheEntries(
    _ configuration: ResolvedConfiguration, isUnshared: Bool = false
  ) -> [CacheEntry] {
    guard !configuration.caches.isEmpty, configuration.failure == nil else { return [] }
    return configuration.caches.compactMap {
      CacheEntry($0, resource: self, isUnshared: isUnshared)
    }
  }

  /// Writes the response to a GET load to the caches: each cache gets the output of its stage.
  /// Writes nothing if a later load has superseded this load. Returns whether the run belongs to a
  /// GET load. (CACHE-14 to CACHE-17, CACHE-29, STA-11)
  func writeCaches(
    _ caches: [Pipeline.StageCache], of run: PipelineRun, _ response: Response
  ) -> Bool {
    guard (run.request as? NetworkRequest)?.isRead ?? false,
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
      // If the resource was invalidated or written to after the request was sent, its entry is
      // stale.
      if isOutdated { entry.expire(output.entity.timestamp) }
    }
    return true
  }

  /// Removes the cache entries of this resource. They are outdated, because the resource has got
  /// data that was not written to the caches. (OVR-12, CACHE-20, CACHE-29)
  func removeFromCaches() {
    for entry in cacheEntries(resolvedConfiguration) { entry.remove() }
  }

  /// Marks the cache entries of this resource as stale for all processes that use the caches.
  /// (AGE-07, INV-59)
  func expireInCaches() {
    guard record.invalidSource == nil else { return }
    let now = pump.clock.now
    for entry in cacheEntries(resolvedConfiguration) {
      pump.log(.cache, "\(displayName): stale at \(entry.stage.stage) from now on")
      entry.expire(now)
    }
  }

  /// Applies a 304 to the cache entries that the 304 confirms: these entries get the timestamp of
  /// the data. (CACHE-19, CACHE-40, NM-04)
  ///
  /// - Parameters:
  ///   - load: The load that received the 304; nil if it is unknown.
  ///   - data: The data of the resource before the 304 arrived; nil if there was no data.
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

  /// Returns whether a request has credentials that are not in the configuration for GET. If so,
  /// the caches can't know to which user the response belongs. (SCA-16)
  private func isSenderUnknown(of http: HTTPRequest) -> Bool {
    guard http.options?.cookies == nil else { return true }
    let settings = configuration
    if http.url != url.text, CredentialMask.url(http.url) != http.url,
      !isSent(by: settings.auth?.query, http)
    {
      return true
    }
    let configured = readHeaders.texts
    return http.headers.texts.contains { name, text, isSecret in
      if configured.contains(where: { $0.name == name && $0.text == text }) { return false }
      guard isSecret || CredentialName.names(name) else { return false }
      guard case .header(name, text)? = settings.auth?.credential else { return true }
      return false
    }
  }

  /// Returns whether `credential` is the only difference between the URL of the request and the URL
  /// of the resource.
  private func isSent(by credential: QueryCredential?, _ http: HTTPRequest) -> Bool {
    guard let credential, let sent = http.secrets?.url else { return false }
    return sent == credential.put(on: urlTemplate)
  }

  /// Cancels the cache lookup after a wipe, so that the next read of the resource starts a new one.
  /// (WIPE-07, CACHE-32)
  func stopCacheCheck() {
    let check = record.cacheCheck
    record.cacheCheck = .idle(noneAsOf: -1)
    if case .running(let lookup) = check { lookup.cancel() }
  }

  /// Starts the cache lookup if the resource has observers, which are notified of a hit.
  func checkCachesIfObserved() {
    if !record.observers.isEmpty { checkCaches() }
  }
}
