/// The facets of a resource as a value: events in, the event for observers out.
///
/// No clock, no callbacks, no requests: `Resource` performs the effects. Whether something loads is
/// the request list's business, so the facets stay independent (STA-09).
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
  // One or none, and not an optional: errors are rare and large, resources many.
  private var errors: [RequestError] = []
  // Beside the values it is about, so that asking for it copies neither.
  package private(set) var freshness = Freshness()
  package private(set) var isInvalidated: Bool {
    get { freshness.isInvalidated }
    set { freshness.isInvalidated = newValue }
  }

  private var loadsStarted = 0
  /// The latest-started of the loads that have succeeded.
  private var latestSucceededLoad = 0
  /// When the latest-sent of those was sent, as a place in the order of sendings. (STA-11)
  private var latestSucceededPlace: UInt64 = 0
  /// When the answer to a promoted unsafe request arrived last, in the same order.
  private var latestWritePlace: UInt64 = 0
  private var invalidations = 0
  /// When it was invalidated last, or a write was made, in the same order: what was sent before may be of the past.
  private var expiredPlace: UInt64 = 0
  /// Loads up to this one had started when the resource was last wiped.
  private var wipedLoads = 0
  /// When the latest-sent load whose response has passed the pipeline as a success was sent.
  private var latestCachedPlace: UInt64 = 0
  /// Overrides and wipes.
  private var localChanges: Int32 = 0
  /// When data was overridden last; what others have made before is of the past.
  private var overriddenAt = -Double.infinity

  package init() {}

  /// One load's position in the order of starts, and the invalidation it started under.
  package struct LoadToken {
    fileprivate let order: Int
    fileprivate let invalidations: Int
  }

  /// How a load ended, as far as state is concerned.
  package enum LoadOutcome {
    case newData(Entity)
    /// What is there holds still, with what is known of it anew.
    case notModified(Refreshment?)
    /// Another has loaded it.
    case found(Response)
    /// Nobody was asked; the data that is there must do, as old as it is.
    case kept
    case failure(RequestError)
    case cancelled
  }

  /// A load starts, that is: `requested` is about to be sent.
  package mutating func loadStarted() -> LoadToken {
    loadsStarted += 1
    return LoadToken(order: loadsStarted, invalidations: invalidations)
  }

  /// What became of a load: the event observers get, and whether data or error changed.
  package struct LoadEffect: Equatable {
    package let event: ResourceEvent
    package let isApplied: Bool

    /// Whether a load that was sent later has succeeded. (STA-11)
    package var isSuperseded: Bool { !isApplied && event == .notModified }

    package init(_ event: ResourceEvent, isApplied: Bool = true) {
      self.event = event
      self.isApplied = isApplied
    }
  }

  /// A load ended; what observers hear.
  ///
  /// A load that was sent before one that has succeeded changes nothing; the answer to an unsafe
  /// request only yields to what was sent after it had arrived (STA-11). A cancelled one
  /// touches neither data, error nor invalidation (CXL-11, INV-04). An invalidation outlives the
  /// loads that were already in flight (INV-07). One that was answered before a wipe but not
  /// delivered yet comes too late, as if it had been cancelled (WIPE-03).
  ///
  /// - Parameter sending: when its last exchange was sent; nil: nothing was sent, and nothing supersedes it.
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
      // The server may have answered it before it made the change.
      isInvalidated = true
    }
  }

  /// Whether the response of a load that was sent at that place may be written to caches: not if one that
  /// was sent later has succeeded, or is about to, nor if a promoted unsafe request has been answered since
  /// (STA-11); and not after a wipe.
  package mutating func mayCache(_ load: LoadToken, sent place: UInt64, succeeded: Bool) -> Bool {
    guard place >= max(latestSucceededPlace, latestCachedPlace, latestWritePlace),
      load.order > wipedLoads
    else { return false }
    if succeeded { latestCachedPlace = place }
    return true
  }

  /// Whether the answer to what was sent at that place may be older than an invalidation or a write.
  package func isOutdated(sent place: UInt64) -> Bool { place < expiredPlace }

  /// What a cache has found stale is invalidated here too. (AGE-07, INV-59)
  private mutating func take(_ entity: Entity) {
    latestData = entity
    if entity.isOutdated { isInvalidated = true }
  }

  /// A cache had the data; its age is what it was when it was written, and an invalidation stays in
  /// force. (CACHE-09, CACHE-31, STA-07)
  package mutating func cacheHit(_ entity: Entity) -> ResourceEvent {
    take(entity)
    latestError = nil
    return .newData(.cache)
  }

  /// What others have loaded is newer than the data; an error that came after that stays. (SCA-22, NEWS-03)
  package mutating func take(newer entity: Entity) -> ResourceEvent {
    take(entity)
    clearError(before: entity.timestamp)
    return .newData(.cache)
  }

  private mutating func clearError(before timestamp: Double) {
    if let time = freshness.errorTimestamp, time < timestamp { latestError = nil }
  }

  /// A local value replaces the data; errors and invalidation are cleared. (OVR-02, OVR-11)
  ///
  /// - Parameter now: nil for what is as old as it says.
  package mutating func override(with entity: Entity, now: Double? = nil) -> ResourceEvent {
    localChanges &+= 1
    overriddenAt = now ?? entity.timestamp
    latestData = entity
    // The caller says that they belong together. (OVR-10)
    latestData?.validatorsHold = true
    latestError = nil
    isInvalidated = false
    return .newData(.localOverride)
  }

  /// Content replaced, headers kept (OVR-07 to OVR-10): they no longer validate it.
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

  /// What the items of a stream have come to so far: headers are kept as with content of the caller's,
  /// and validate nothing. (STR-31)
  package mutating func streamed(_ content: Content, now: Double) -> ResourceEvent {
    _ = override(with: content, now: now)
    return .newData(.network)
  }

  /// A stream that made the content has failed. (STR-33)
  package mutating func streamFailed(_ error: RequestError) -> ResourceEvent {
    latestError = error
    return .error
  }

  /// The next `loadIfNeeded` loads, whatever the ages say. (INV-01 to INV-08)
  ///
  /// - Parameter place: when, in the order of sendings.
  package mutating func invalidate(at place: UInt64 = 0) {
    isInvalidated = true
    invalidations += 1
    expired(at: place)
  }

  /// What was sent before that place is of the past for caches. (AGE-07)
  package mutating func expired(at place: UInt64) { expiredPlace = max(expiredPlace, place) }

  /// Back to blank. Loads in flight are the caller's to cancel first. (WIPE-01, WIPE-02)
  package mutating func wipe() -> ResourceEvent {
    latestData = nil
    latestError = nil
    isInvalidated = false
    wipedLoads = loadsStarted
    localChanges &+= 1
    overriddenAt = -.infinity
    return .newData(.wipe)
  }

  // MARK: What others have written

  /// Up to where a resource had come when what another has written was asked for.
  package struct UpdateToken {
    fileprivate let order: Int
    fileprivate let localChanges: Int32
  }

  package var updateToken: UpdateToken {
    UpdateToken(order: loadsStarted, localChanges: localChanges)
  }

  /// Whether what others have made at that time is newer than what is here. (NEWS-03, NEWS-05)
  package func isNewer(_ timestamp: Double) -> Bool {
    timestamp > (freshness.dataTimestamp ?? -.infinity) && timestamp > overriddenAt
  }

  /// What another has written is here; the event observers hear, nil if it comes too late: after an override
  /// or a wipe, or a load that has begun since it was asked for and has succeeded. An invalidation stays in
  /// force. (NEWS-03, NEWS-05 to NEWS-08)
  package mutating func updateArrived(_ token: UpdateToken, _ entity: Entity) -> ResourceEvent? {
    guard isInTime(token), isNewer(entity.timestamp) else { return nil }
    take(entity)
    clearError(before: entity.timestamp)
    return .newData(.shared)
  }

  /// Another was told by the server that what is here holds still, and when; nil if it is not this. (NEWS-04)
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

  /// Roughly how many bytes the content takes.
  package var contentSize: Int {
    (latestData?.content.size ?? 0) + (latestError?.entity?.content.size ?? 0)
  }

  /// The later of data's and error's timestamps, 0 if there is neither. (STA-08)
  package var timestamp: Double { freshness.timestamp }

  /// What decides whether a load is needed.
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

    /// The later of data's and error's timestamps, 0 if there is neither.
    var timestamp: Double { max(dataTimestamp ?? 0, errorTimestamp ?? 0) }

    /// Fresh enough: not invalidated, something there, and its age within the limit, inclusively. An
    /// error switches the limit to `retryTime`. What lies ahead of the clock is stale: the clock was set
    /// back, and the age is not known. (LOAD-21, LOAD-24 to LOAD-26, LOAD-31)
    package func isUpToDate(now: Double, expirationTime: Double, retryTime: Double) -> Bool {
      guard !isInvalidated, dataTimestamp != nil || errorTimestamp != nil else { return false }
      return now >= timestamp && now - timestamp <= limit(expirationTime, retryTime)
    }

    /// Up to which age it is up to date, in seconds.
    func limit(_ expirationTime: Double, _ retryTime: Double) -> Double {
      errorTimestamp != nil ? retryTime : expirationTime
    }
  }

  /// A header under which the answer need not repeat the data that is there.
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
  /// The condition of a load that need not bring this again. (LOAD-03, OVR-10)
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
