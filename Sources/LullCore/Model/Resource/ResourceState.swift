/// The state of a resource, as a value. Its methods apply load outcomes and other changes, and
/// return the event for observers.
///
/// It has no clock, no callbacks and no requests: `Resource` performs the effects. The request
/// lists of the record show whether a load is in progress, so data, error and loading are
/// independent (STA-09).
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
  // Holds at most one error. An array takes less memory than an optional: errors are large and
  // rare, and there are many resources.
  private var errors: [RequestError] = []
  // Stored separately from data and error, so that reading the freshness does not copy them.
  package private(set) var freshness = Freshness()
  package private(set) var isInvalidated: Bool {
    get { freshness.isInvalidated }
    set { freshness.isInvalidated = newValue }
  }

  private var loadsStarted = 0
  /// The number of the load that was started last, among the loads that have succeeded.
  private var latestSucceededLoad = 0
  /// The highest position at which a load that has succeeded was sent. A position is a number in
  /// the order in which requests are sent. (STA-11)
  private var latestSucceededPlace: UInt64 = 0
  /// The latest position at which the response to an unsafe request that was promoted to a load has
  /// arrived.
  private var latestWritePlace: UInt64 = 0
  private var invalidations = 0
  /// The position of the last invalidation or write. The response to a request that was sent before
  /// this position may be outdated.
  private var expiredPlace: UInt64 = 0
  /// The number of loads that had started when the resource was last wiped.
  private var wipedLoads = 0
  /// The highest position at which a load was sent, among the loads whose successful response was
  /// processed by the pipeline.
  private var latestCachedPlace: UInt64 = 0
  /// The number of overrides and wipes.
  private var localChanges: Int32 = 0
  /// The time of the last override, in Unix seconds. Data that another process has loaded before
  /// this time is ignored.
  private var overriddenAt = -Double.infinity

  package init() {}

  /// Identifies a load by two counts: the number of the load in the order of starts, and the number
  /// of invalidations before the load started.
  package struct LoadToken {
    fileprivate let order: Int
    fileprivate let invalidations: Int
  }

  /// The outcome of a load, reduced to the values that the state needs.
  package enum LoadOutcome {
    case newData(Entity)
    /// The response was a 304: the data is still valid. The refreshment, if there is one, updates
    /// the headers of the data.
    case notModified(Refreshment?)
    /// No request was sent, because another process or host has loaded the data.
    case found(Response)
    /// No request was sent, because the service is offline: the data is kept, whatever its age.
    case kept
    case failure(RequestError)
    case cancelled
  }

  /// Records the start of a load. Called just before observers are notified of `requested`.
  package mutating func loadStarted() -> LoadToken {
    loadsStarted += 1
    return LoadToken(order: loadsStarted, invalidations: invalidations)
  }

  /// The result of a load: the event for observers, and whether the outcome changed data or error.
  package struct LoadEffect: Equatable {
    package let event: ResourceEvent
    package let isApplied: Bool

    /// Whether the load is superseded: a load that was sent later has already succeeded. (STA-11)
    package var isSuperseded: Bool { !isApplied && event == .notModified }

    package init(_ event: ResourceEvent, isApplied: Bool = true) {
      self.event = event
      self.isApplied = isApplied
    }
  }

  /// Applies the outcome of a load and returns the event for observers.
  ///
  /// A load is superseded, and changes nothing, if another load that was sent later has succeeded.
  /// An unsafe request is superseded only by a load that was sent after the response to the unsafe
  /// request arrived (STA-11). A cancelled load does not change data, error or invalidation
  /// (CXL-11, INV-04). Loads that were in flight during an invalidation do not end the invalidation
  /// (INV-07). A load whose response arrived before a wipe but is delivered after the wipe counts
  /// as cancelled (WIPE-03).
  ///
  /// - Parameter sending: The position at which the last exchange of the load was sent. With nil,
  ///   the load has sent nothing and can't be superseded.
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
      latestError = entity.isPartial ? entity.partialError : nil
      return LoadEffect(.newData(.network))
    case .notModified(let refreshment):
      succeeded(load, sending)
      if let refreshment { latestData?.refresh(by: refreshment) }
      latestData?.timestamp = now
      // The server confirms the data, with the parts that are missing.
      latestError = partialError?.dated(now)
      return LoadEffect(.notModified)
    case .found(let response):
      succeeded(load, sending)
      if let entity = response.entity { take(entity) }
      latestError = partialError
      return LoadEffect(response.isNew ? .newData(.cache) : .notModified)
    case .kept:
      succeeded(load, nil)
      latestError = partialError
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
      // The server may have sent this response before it processed the unsafe request.
      isInvalidated = true
    }
  }

  /// Returns whether the response of a load that was sent at position `place` may be written to
  /// caches. The response must not be written in these cases:
  /// - A load that was sent later has succeeded, or its response has passed the pipeline
  ///   successfully. (STA-11)
  /// - Since then, the response to an unsafe request that was promoted to a load has arrived.
  ///   (STA-11)
  /// - The resource was wiped after the load had started.
  package mutating func mayCache(_ load: LoadToken, sent place: UInt64, succeeded: Bool) -> Bool {
    guard place >= max(latestSucceededPlace, latestCachedPlace, latestWritePlace),
      load.order > wipedLoads
    else { return false }
    if succeeded { latestCachedPlace = place }
    return true
  }

  /// Returns whether the response to a request that was sent at position `place` may be older than
  /// an invalidation or a write.
  package func isOutdated(sent place: UInt64) -> Bool { place < expiredPlace }

  /// Replaces the data by an entity from a cache. If the cache has marked the entity as stale, the
  /// resource is invalidated. (AGE-07, INV-59)
  private mutating func take(_ entity: Entity) {
    latestData = entity
    if entity.isOutdated { isInvalidated = true }
  }

  /// Replaces the data by a cache hit. The age of the data counts from the timestamp that is stored
  /// in the cache. An existing invalidation is not ended. (CACHE-09, CACHE-31, STA-07)
  package mutating func cacheHit(_ entity: Entity) -> ResourceEvent {
    take(entity)
    latestError = entity.isPartial ? entity.partialError : nil
    return .newData(.cache)
  }

  /// Replaces the data by newer data that another process or host has loaded. If the error is newer
  /// than that data, the error is kept. (SCA-22, NEWS-03)
  package mutating func take(newer entity: Entity) -> ResourceEvent {
    take(entity)
    clearError(before: entity.timestamp)
    return .newData(.cache)
  }

  /// The error that the data has besides its content. (GQL-31)
  private var partialError: RequestError? {
    latestData.flatMap { $0.isPartial ? $0.partialError : nil }
  }

  private mutating func clearError(before timestamp: Double) {
    if let time = freshness.errorTimestamp, time < timestamp { latestError = nil }
  }

  /// Replaces the data with a local entity. Clears the error and an invalidation. (OVR-02, OVR-11)
  ///
  /// - Parameter now: The time of the override, in Unix seconds; with nil, the timestamp of the
  ///   entity is used.
  package mutating func override(with entity: Entity, now: Double? = nil) -> ResourceEvent {
    localChanges &+= 1
    overriddenAt = now ?? entity.timestamp
    latestData = entity
    // The validators are used for the next load, because the caller has provided them together with
    // the content. (OVR-10)
    latestData?.validatorsHold = true
    if latestData?.isPartial ?? false { latestData?.partialError = nil }
    latestError = nil
    isInvalidated = false
    return .newData(.localOverride)
  }

  /// Replaces the content and keeps the headers. Validators among the headers are no longer used,
  /// because they belong to the old content. (OVR-07 to OVR-10)
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

  /// Replaces the content with the combined items that a stream has delivered so far. As with an
  /// override, the headers are kept, but validators among the headers are no longer used. (STR-31)
  package mutating func streamed(_ content: Content, now: Double) -> ResourceEvent {
    _ = override(with: content, now: now)
    return .newData(.network)
  }

  /// Sets the error of the stream that provided the content. (STR-33)
  package mutating func streamFailed(_ error: RequestError) -> ResourceEvent {
    latestError = error
    return .error
  }

  /// Makes the next `loadIfNeeded` load, whatever the age of data and error. (INV-01 to INV-08)
  ///
  /// - Parameter place: The present position in the order in which requests are sent.
  package mutating func invalidate(at place: UInt64 = 0) {
    isInvalidated = true
    invalidations += 1
    expired(at: place)
  }

  /// Records that responses to requests that were sent before position `place` may be outdated.
  /// Entries that are written from such responses are marked as stale in caches. (AGE-07)
  package mutating func expired(at place: UInt64) { expiredPlace = max(expiredPlace, place) }

  /// Removes data, error and invalidation. Loads that have started are ignored from now on; the
  /// caller has to cancel them. (WIPE-01, WIPE-02)
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

  /// Identifies the state that a resource had when an update that another process has written was
  /// requested from a cache.
  package struct UpdateToken {
    fileprivate let order: Int
    fileprivate let localChanges: Int32
  }

  package var updateToken: UpdateToken {
    UpdateToken(order: loadsStarted, localChanges: localChanges)
  }

  /// Returns whether an entity of another process with the given timestamp is newer than the data
  /// and newer than the last override. (NEWS-03, NEWS-05)
  package func isNewer(_ timestamp: Double) -> Bool {
    timestamp > (freshness.dataTimestamp ?? -.infinity) && timestamp > overriddenAt
  }

  /// Replaces the data by an entity that another process has written to a cache, and returns the
  /// event for observers. An existing invalidation is not ended. (NEWS-03, NEWS-05 to NEWS-08)
  ///
  /// Returns nil and changes nothing in these cases:
  /// - The entity is not newer than the data.
  /// - There was an override or a wipe after the update was requested.
  /// - A load has started and succeeded after the update was requested.
  package mutating func updateArrived(_ token: UpdateToken, _ entity: Entity) -> ResourceEvent? {
    guard isInTime(token), isNewer(entity.timestamp) else { return nil }
    take(entity)
    clearError(before: entity.timestamp)
    return .newData(.shared)
  }

  /// Applies a 304 that another process has received: headers and timestamp of the data are
  /// updated. Returns nil if the 304 does not confirm the present data, or if it comes too late.
  /// (NEWS-04)
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

  /// The timestamp of the data or the error, whichever is later, in Unix seconds; 0 if there is
  /// neither. (STA-08)
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

    /// The timestamp of the data or the error, whichever is later; 0 if there is neither.
    var timestamp: Double { max(dataTimestamp ?? 0, errorTimestamp ?? 0) }

    /// Returns whether the resource is up to date: the resource is not invalidated, has data or an
    /// error, and the age of the data or error is at most the limit. The limit is `retryTime` if
    /// there is an error, otherwise `expirationTime`. A timestamp in the future counts as stale,
    /// because the clock was set back and the age is unknown. (LOAD-21, LOAD-24 to LOAD-26,
    /// LOAD-31)
    package func isUpToDate(now: Double, expirationTime: Double, retryTime: Double) -> Bool {
      guard !isInvalidated, dataTimestamp != nil || errorTimestamp != nil else { return false }
      return now >= timestamp && now - timestamp <= limit(expirationTime, retryTime)
    }

    /// Returns the maximum age, in seconds, at which the resource is still up to date.
    func limit(_ expirationTime: Double, _ retryTime: Double) -> Double {
      errorTimestamp != nil ? retryTime : expirationTime
    }
  }

  /// A request header that makes a request conditional: the server can respond with 304 instead of
  /// sending the present data again.
  package struct Condition: Equatable {
    package let name: String
    package let value: ByteString

    package init(_ name: String, _ value: ByteString) {
      self.name = name
      self.value = value
    }
  }

  /// The condition of the next load, made from the validators of the data; nil without validators.
  package var condition: Condition? { latestData?.condition }

  package var hasError: Bool { !errors.isEmpty }
}

extension Entity {
  /// The condition of a load, made from the validators of this entity. With this condition, the
  /// server need not send the entity again. nil without usable validators. (LOAD-03, OVR-10)
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
