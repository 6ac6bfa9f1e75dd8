extension Resource {
  /// Replaces the data with an entity of the caller's, as it is; pipeline and loads in flight are
  /// not touched. Observers get newData(localOverride). (OVR-01 to OVR-06, OVR-11)
  public func overrideLocalData(with entity: Entity) {
    pump.checkThread()
    overridden(record.state.override(with: entity, now: pump.clock.now))
  }

  /// Replaces the content, keeps content type and headers, age is zero. (OVR-07 to OVR-10)
  public func overrideLocalContent(with content: Content) {
    pump.checkThread()
    overridden(record.state.override(with: content, now: pump.clock.now))
  }

  private func overridden(_ event: ResourceEvent) {
    endCacheCheck()
    for news in record.news { news.drop() }
    removeFromCaches()
    stateChanged()
    notify(event)
  }

  /// Makes the next `loadIfNeeded` load; starts nothing and sends no event. What caches keep of it is stale from
  /// now on, also for other processes. (INV-01 to INV-59)
  public func invalidate() {
    pump.checkThread()
    record.state.invalidate(at: pump.nextPlace())
    expireInCaches()
  }

  /// The server has changed it: what was known of it is stale, without an event. (AGE-07)
  ///
  /// - Parameter isLoad: whether the answer that says so becomes the data.
  func expire(at place: UInt64, isLoad: Bool) {
    if isLoad { record.state.expired(at: place) } else { record.state.invalidate(at: place) }
    expireInCaches()
  }

  /// Cancels every request and forgets data and error; observers stay and get newData(wipe) during
  /// the call. An answer that has come but was not delivered yet changes nothing any more. Cached
  /// entries stay, and the caches are asked again (WIPE-01 to WIPE-08). Lua: `resource:wipe()`.
  public func wipe() {
    pump.checkThread()
    let requests = record.allRequests + record.loadRequests
    record.allRequests = []
    record.loads = []
    // Blank before anybody is told: whoever starts a load when told starts it afterwards.
    let event = record.state.wipe()
    stateChanged()
    stopCacheCheck()
    for news in record.news { news.drop() }
    for request in requests { request.cancel() }
    notify(event)
    checkCachesIfObserved()
  }

  /// Tells the host that data or error is another one now, before observers hear of it.
  func stateChanged() {
    pump.modelHost?.resourceStateChanged(self)
  }
}
