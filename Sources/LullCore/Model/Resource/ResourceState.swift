/// The state of a resource as a value: load outcomes and other changes go in, the event for
/// observers comes out.
///
/// Has no clock, callbacks or requests: `Resource` performs the effects. Whether a load is in
/// progress is known by the request lists, so data, error and loading are independent (STA-09).
package struct ResourceState {
  package private(set) var latestData: Entity? {
    didSet { freshness.dataTimestamp = latestData?.timestamp }
  }
  package private(set) var latestError: RequestError? {
    get { errors.first }
    set {
      errors = newValue.map { [$0] } ?? []
      freshness.errorTimestamp = newValue?.timestamp
    }
  }
  // An array of at most one error instead of an optional: errors are large and rare, and there are
  // many resources.
  private var errors: [RequestError] = []
  // Stored beside data and error, so that reading it copies neither.
  package private(set) var freshness = Freshness()
  package private(set) var isInvalidated: Bool {
    get { freshness.isInvalidated }
    set { freshness.isInvalidated = newValue }
  }

  private var loadsStarted = 0
  /// The number of the latest-started load that has succeeded.
  private var latestSucceededLoad = 0
  /// The highest sending position of the loads that have succeeded. A position is a number in the
  /// order in which requests are sent. (STA-11)
  private var latestSucceededPlace: UInt64 = 0
  /// The position at which the response to a promoted unsafe request last arrived.
  private var latestWritePlace: UInt64 = 0
  private var invalidations = 0
  /// The position of the last invalidation or write. The response to a request that was sent before
  /// may be outdated.
  private var expiredPlace: UInt64 = 0
  /// The number of loads that had started when the resource was last wiped.
  private var wipedLoads = 0
  /// The highest sending position of the loads whose response has passed the pipeline as a success.
  private var latestCachedPlace: UInt64 = 0
  /// The number of overrides and wipes.
  private var localChanges: Int32 = 0
  /// The time of the last override, in Unix seconds. Data that other processes loaded before that
  /// time is ignored.
  private var overriddenAt = -Double.infinity

  package init() {}

  /// A load's position in the order of starts, and the number of invalidations before it started.
  package struct LoadToken {
    fileprivate let order: Int
    fileprivate let invalidations: Int
  }

  /// How a load ended, as far as the state is concerned.
  package enum LoadOutcome {
    case newData(Entity)
    /// 304: the data is still valid, and the refreshment updates its headers.
    case notModified(Refreshment?)
    /// Another process or host has loaded it.
    case found(Response)
    /// No request was sent: the data stays, whatever its age.
    case kept
    case failure(RequestError)
    case cancelled
  }

  /// Registers the start of a load, just before `requested` is sent.
  package mutating func loadStarted() -> LoadToken {
    loadsStarted += 1
    return LoadToken(order: loadsStarted, invalidations: invalidations)
  }

  /// The result of a load: the event for observers, and whether it was applied to data or error.
  package struct LoadEffect: Equatable {
    package let event: ResourceEvent
    package let isApplied: Bool

    /// Whether a load that was sent later has already succeeded. (STA-11)
    package var isSuperseded: Bool { !isApplied && event == .notModified }

    package init(_ event: ResourceEvent, isApplied: Bool = true) {
      self.event = event
      self.isApplied = isApplied
    }
  }

  /// Applies the outcome of a load and returns the event for observers.
  ///
  /// A load that was sent before another load that has succeeded changes nothing. The response to
  /// an unsafe request is superseded only by a load that was sent after that response arrived
  /// (STA-11). A cancelled load changes neither data, error nor invalidation (CXL-11, INV-04). An
  /// invalidation outlives the loads that were in flight (INV-07). A load that was answered before
  /// a wipe but is delivered after it counts as cancelled (WIPE-03).
  ///
  /// - Parameter sending: When the last exchange of the load was sent. nil: nothing was sent, and
  ///   nothing supersedes the load.
  package mutating func loadEnded(
    _ load: LoadToken, _ outcome: LoadOutcome, sending: RequestSending? = nil, now: Double
  ) -> LoadEffect {
    if case .cancelled = outcome { return LoadEffect(.requestCancelled, isApplied: false) }
    if load.order <= wipedLoads { return LoadEffect(.requestCancelled, isApplied: false) }
    if let sending, sending.bound < latestSucceededPlace {
      return LoadEffect(.notModified, isApplied: false)
    }
    if load.invalidations == invalidations { isInvalidated = false }
    switch outcome {
    case .newData(let entity):
      succeeded(load, sending)
      latestData = entity
      latestError = nil
      return LoadEffect(.newData(.network))
    case .notModified(let refreshment):
      succeeded(load, sending)
      if let refreshment { latestData?.refresh(by: refreshment) }
      latestData?.timestamp = now
      latestError = nil
      return LoadEffect(.notModified)
    case .found(let response):
      succeeded(load, sending)
      if let entity = response.entity { take(entity) }
      latestError = nil
      return LoadEffect(response.isNew ? .newData(.cache) : .notModified)
    case .kept:
      succeeded(load, nil)
      latestError = nil
      return LoadEffect(.notModified)
    case .failure(let error):
      latestError = error
      return LoadEffect(.error)
    case .cancelled:
      return LoadEffect(.requestCancelled, isApplied: false)
    }
  }

  private mutating func succeeded(_ load: LoadToken, _ sending: RequestSending?) {
    latestSucceededLoad = max(latestSucceededLoad, load.order)
    guard let sending else { return }
    latestSucceededPlace = max(latestSucceededPlace, sending.sent)
    if let answered = sending.answered {
      latestWritePlace = max(latestWritePlace, answered)
    } else if sending.sent < latestWritePlace {
      // The server may have sent the response before it made the change.
      isInvalidated = true
    }
  }

  /// Whether the response of a load that was sent at that position may be written to caches. It may
  /// not if a load sent later has succeeded or is about to, if a promoted unsafe request has been
  /// answered since (STA-11), or after a wipe.
  package mutating func mayCache(_ load: LoadToken, sent place: UInt64, succeeded: Bool) -> Bool {
    guard place >= max(latestSucceededPlace, latestCachedPlace, latestWritePlace),
      load.order > wipedLoads
    else { return false }
    if succeeded { latestCachedPlace = place }
    return true
  }

  /// Whether the response to a request that was sent at that position may be older than an
  /// invalidation or a write.
  package func isOutdated(sent place: UInt64) -> Bool { place < expiredPlace }

  /// Replaces the data. An entity that its cache has marked as stale leaves the resource
  /// invalidated. (AGE-07, INV-59)
  private mutating func take(_ entity: Entity) {
    latestData = entity
    if entity.isOutdated { isInvalidated = true }
  }

  /// Makes a cache hit the data. Its age counts from its stored timestamp, and an invalidation
  /// stays in force. (CACHE-09, CACHE-31, STA-07)
  package mutating func cacheHit(_ entity: Entity) -> ResourceEvent {
    take(entity)
    latestError = nil
    return .newData(.cache)
  }

  /// Makes newer data, loaded by another process or host, the data. An error that is newer still
  /// stays. (SCA-22, NEWS-03)
  package mutating func take(newer entity: Entity) -> ResourceEvent {
    take(entity)
    clearError(before: entity.timestamp)
    return .newData(.cache)
  }

  private mutating func clearError(before timestamp: Double) {
    if let time = freshness.errorTimestamp, time < timestamp { latestError = nil }
  }

  /// Replaces the data with a local value, and clears error and invalidation. (OVR-02, OVR-11)
  ///
  /// - Parameter now: The time of the override, in Unix seconds; nil: the entity's timestamp.
  package mutating func override(with entity: Entity, now: Double? = nil) -> ResourceEvent {
    localChanges &+= 1
    overriddenAt = now ?? entity.timestamp
    latestData = entity
    // The caller vouches that the validators belong to the content. (OVR-10)
    latestData?.validatorsHold = true
    latestError = nil
    isInvalidated = false
    return .newData(.localOverride)
  }

  /// Replaces the content and keeps the headers, which then no longer validate it. (OVR-07 to
  /// OVR-10)
  package mutating func override(with content: Content, now: Double) -> ResourceEvent {
    var entity =
      latestData ?? Entity(content: content, contentType: "application/binary", timestamp: now)
    entity.content = content
    entity.timestamp = now
    entity.exchange = nil
    let event = override(with: entity)
    latestData?.validatorsHold = false
    return event
  }

  /// Replaces the content with the items that a stream has delivered so far. The headers are kept,
  /// as with overridden content, and no longer validate it. (STR-31)
  package mutating func streamed(_ content: Content, now: Double) -> ResourceEvent {
    _ = override(with: content, now: now)
    return .newData(.network)
  }

  /// Sets the error of a stream that was making the content. (STR-33)
  package mutating func streamFailed(_ error: RequestError) -> ResourceEvent {
    latestError = error
    return .error
  }

  /// Makes the next `loadIfNeeded` load, whatever the age of data and error. (INV-01 to INV-08)
  ///
  /// - Parameter place: The present position in the order of sendings.
  package mutating func invalidate(at place: UInt64 = 0) {
    isInvalidated = true
    invalidations += 1
    expired(at: place)
  }

  /// Registers that responses to requests sent before that position may be outdated, which caches
  /// have to know. (AGE-07)
  package mutating func expired(at place: UInt64) { expiredPlace = max(expiredPlace, place) }

  /// Resets everything to blank. The caller has to cancel loads in flight first. (WIPE-01, WIPE-02)
  package mutating func wipe() -> ResourceEvent {
    latestData = nil
    latestError = nil
    isInvalidated = false
    wipedLoads = loadsStarted
    localChanges &+= 1
    overriddenAt = -.infinity
    return .newData(.wipe)
  }

  // MARK: Updates from other processes

  /// The state of a resource at the moment when an update from another process was requested from a
  /// cache.
  package struct UpdateToken {
    fileprivate let order: Int
    fileprivate let localChanges: Int32
  }

  package var updateToken: UpdateToken {
    UpdateToken(order: loadsStarted, localChanges: localChanges)
  }

  /// Whether an entity of that timestamp, from another process, is newer than data and override.
  /// (NEWS-03, NEWS-05)
  package func isNewer(_ timestamp: Double) -> Bool {
    timestamp > (freshness.dataTimestamp ?? -.infinity) && timestamp > overriddenAt
  }

  /// Makes an entity that another process has written the data, and returns the event for
  /// observers. Returns nil if it comes too late: after an override or a wipe, or after the success
  /// of a load that began since the update was requested. An invalidation stays in force. (NEWS-03,
  /// NEWS-05 to NEWS-08)
  package mutating func updateArrived(_ token: UpdateToken, _ entity: Entity) -> ResourceEvent? {
    guard isInTime(token), isNewer(entity.timestamp) else { return nil }
    take(entity)
    clearError(before: entity.timestamp)
    return .newData(.shared)
  }

  /// Applies a 304 that another process has received: headers and timestamp of the data are
  /// updated. Returns nil if the 304 is not about the present data. (NEWS-04)
  package mutating func updateRefreshed(
    _ token: UpdateToken, by entity: Entity, _ request: Headers
  ) -> ResourceEvent? {
    guard isInTime(token), isNewer(entity.timestamp), let condition,
      condition == entity.condition
    else { return nil }
    latestData?.refresh(by: Refreshment(entity.headers, to: request))
    latestData?.timestamp = entity.timestamp
    if entity.isOutdated { isInvalidated = true }
    clearError(before: entity.timestamp)
    return .notModified
  }

  private func isInTime(_ token: UpdateToken) -> Bool {
    token.localChanges == localChanges && latestSucceededLoad <= token.order
  }

  /// The approximate size of the content, in bytes.
  package var contentSize: Int {
    (latestData?.content.size ?? 0) + (latestError?.entity?.content.size ?? 0)
  }

  /// The later of the timestamps of data and error, in Unix seconds; 0 if there is neither.
  /// (STA-08)
  package var timestamp: Double { freshness.timestamp }

  /// The values that decide whether a load is needed.
  package struct Freshness {
    fileprivate var dataTimestamp: Double?
    fileprivate var errorTimestamp: Double?
    package fileprivate(set) var isInvalidated = false

    package init(
      dataTimestamp: Double? = nil, errorTimestamp: Double? = nil, isInvalidated: Bool = false
    ) {
      self.dataTimestamp = dataTimestamp
      self.errorTimestamp = errorTimestamp
      self.isInvalidated = isInvalidated
    }

    package var hasData: Bool { dataTimestamp != nil }
    package var hasError: Bool { errorTimestamp != nil }

    /// The later of the timestamps of data and error; 0 if there is neither.
    var timestamp: Double { max(dataTimestamp ?? 0, errorTimestamp ?? 0) }

    /// Whether there is data or an error that is not invalidated and whose age is at most the
    /// limit: `retryTime` if there is an error, else `expirationTime`. A timestamp in the future
    /// counts as stale, since the clock was set back and the age is unknown. (LOAD-21, LOAD-24 to
    /// LOAD-26, LOAD-31)
    package func isUpToDate(now: Double, expirationTime: Double, retryTime: Double) -> Bool {
      guard !isInvalidated, dataTimestamp != nil || errorTimestamp != nil else { return false }
      return now >= timestamp && now - timestamp <= limit(expirationTime, retryTime)
    }

    /// The maximum age, in seconds, at which it is still up to date.
    func limit(_ expirationTime: Double, _ retryTime: Double) -> Double {
      errorTimestamp != nil ? retryTime : expirationTime
    }
  }

  /// A request header that lets the server respond 304 instead of sending the present data again.
  package struct Condition: Equatable {
    package let name: String
    package let value: ByteString

    package init(_ name: String, _ value: ByteString) {
      self.name = name
      self.value = value
    }
  }

  /// The condition of the next load.
  package var condition: Condition? { latestData?.condition }

  package var hasError: Bool { !errors.isEmpty }
}

extension Entity {
  /// The condition of a load that would otherwise receive this entity again. (LOAD-03, OVR-10)
  package var condition: ResourceState.Condition? {
    guard validatorsHold, headers.hasValidator else { return nil }
    if let etag = headers.bytes("etag") {
      return ResourceState.Condition("if-none-match", ByteString(etag))
    }
    if let date = headers.bytes("last-modified") {
      return ResourceState.Condition("if-modified-since", ByteString(date))
    }
    return nil
  }
}
