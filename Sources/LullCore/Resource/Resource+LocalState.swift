extension Resource {
  /// Replaces the data with an entity of the caller's, as it is; pipeline and loads in flight are
  /// not touched. Observers get newData(localOverride). (OVR-01 to OVR-06, OVR-11)
  public func overrideLocalData(with entity: Entity) {
    let event = record.state.override(with: entity)
    stateChanged()
    notify(event)
  }

  /// Replaces the content, keeps content type and headers, age is zero. (OVR-07 to OVR-10)
  public func overrideLocalContent(with content: Content) {
    let event = record.state.override(with: content, now: service.pump.clock.now)
    stateChanged()
    notify(event)
  }

  /// Makes the next `loadIfNeeded` load; starts nothing and sends no event. (INV-01 to INV-08)
  public func invalidate() {
    record.state.invalidate()
  }

  /// Cancels every request and forgets data and error; observers stay and get newData(wipe) during
  /// the call. An answer that has come but was not delivered yet changes nothing any more. (WIPE-01
  /// to WIPE-08)
  public func wipe() {
    let requests = record.allRequests + record.loadRequests
    record.allRequests = []
    record.loadRequests = []
    for request in requests { request.cancel() }
    let event = record.state.wipe()
    stateChanged()
    notify(event)
  }

  /// Tells the host that data or error is another one now, before observers hear of it.
  func stateChanged() {
    service.host?.resourceStateChanged(self)
  }
}
