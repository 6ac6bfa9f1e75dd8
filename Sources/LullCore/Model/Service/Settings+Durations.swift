// Properties and overloads that take a `Duration` instead of seconds. They are in extensions of a
// protocol, because a type can't have two properties of the same name.
extension Configuration: DurationSettable {}

extension DurationSettable where Self == Configuration {
  /// `retryTime` as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var retryTime: Duration {
    get { Duration(clamping: self.retryTime as Double) }
    set { self.retryTime = Double(seconds: newValue) as Double }
  }

  /// `progressReportingInterval` as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var progressReportingInterval: Duration {
    get { Duration(clamping: self.progressReportingInterval as Double) }
    set { self.progressReportingInterval = Double(seconds: newValue) as Double }
  }

  /// `expirationTime` as a `Duration`. It is zero for the value `.http`, with which the response
  /// headers determine the time. (SWF-162)
  @_disfavoredOverload
  public var expirationTime: Duration {
    get {
      guard case .seconds(let seconds) = self.expirationTime as ExpirationTime else { return .zero }
      return Duration(clamping: seconds)
    }
    set { self.expirationTime = ExpirationTime.seconds(Double(seconds: newValue)) }
  }
}

extension TransferLimits: DurationSettable {}

extension DurationSettable where Self == TransferLimits {
  /// `timeout` as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var timeout: Duration {
    get { Duration(clamping: self.timeout as Double) }
    set { self.timeout = Double(seconds: newValue) as Double }
  }

  /// `connectTimeout` as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var connectTimeout: Duration {
    get { Duration(clamping: self.connectTimeout as Double) }
    set { self.connectTimeout = Double(seconds: newValue) as Double }
  }
}

extension TransferOptions.Fields: DurationSettable {}

extension DurationSettable where Self == TransferOptions.Fields {
  /// `firstByteTimeout` as a `Duration`; nil if it is not set. (SWF-162)
  @_disfavoredOverload
  public var firstByteTimeout: Duration? {
    get { (self.firstByteTimeout as Double?).map { Duration(clamping: $0) } }
    set { self.firstByteTimeout = newValue.map { Double(seconds: $0) } as Double? }
  }

  /// `idleTimeout` as a `Duration`; nil if it is not set. (SWF-162)
  @_disfavoredOverload
  public var idleTimeout: Duration? {
    get { (self.idleTimeout as Double?).map { Duration(clamping: $0) } }
    set { self.idleTimeout = newValue.map { Double(seconds: $0) } as Double? }
  }
}

extension StreamOptions: DurationSettable {}

extension DurationSettable where Self == StreamOptions {
  /// `timeout` as a `Duration`; nil if it is not set. (SWF-162)
  @_disfavoredOverload
  public var timeout: Duration? {
    get { (self.timeout as Double?).map { Duration(clamping: $0) } }
    set { self.timeout = newValue.map { Double(seconds: $0) } as Double? }
  }
}

extension RateLimit: DurationSettable {}

extension DurationSettable where Self == RateLimit {
  /// The period `per` of the limit as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var per: Duration {
    get { Duration(clamping: self.per as Double) }
    set { self.per = Double(seconds: newValue) as Double }
  }
}

extension Backoff: DurationSettable {}

extension DurationSettable where Self == Backoff {
  /// `base` as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var base: Duration {
    get { Duration(clamping: self.base as Double) }
    set { self.base = Double(seconds: newValue) as Double }
  }

  /// `max` as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var max: Duration {
    get { Duration(clamping: self.max as Double) }
    set { self.max = Double(seconds: newValue) as Double }
  }
}

extension RateLimit {
  /// Creates a limit that allows the given number of requests within the period `per`, a
  /// `Duration`. (SWF-162)
  @_disfavoredOverload
  public init(
    requests: Int, per: Duration, scope: Scope = .block, learns: Bool = false, free: Set<Int> = [],
    strict: Bool = false
  ) {
    self.init(
      requests: requests, per: Double(seconds: per), scope: scope, learns: learns, free: free,
      strict: strict)
  }
}

extension Resource {
  /// Cancels the loads of this resource after a delay, given as a `Duration`, if the resource has
  /// no observers at the end of the delay. Calls `completion` afterwards, whether or not a load was
  /// cancelled. (SWF-162)
  @_disfavoredOverload
  public func cancelLoadIfUnobserved(
    afterDelay delay: Duration, then completion: @escaping () -> Void = {}
  ) {
    cancelLoadIfUnobserved(afterDelay: Double(seconds: delay), then: completion)
  }

  /// Polls the resource and returns a sequence for `for try await`. The sequence delivers an entity
  /// whenever the content has changed; see `ResourceWatch`. `every` and `timeout` are given as a
  /// `Duration`. (SWF-162)
  @_disfavoredOverload
  public func watch(
    every: Duration?, timeout: Duration? = nil, until: ((Entity) -> Bool)? = nil
  ) -> ResourceWatch<Entity> {
    watch(
      every: every.map { Double(seconds: $0) } as Double?,
      timeout: timeout.map { Double(seconds: $0) } as Double?, until: until)
  }

  /// Polls the resource until `timeout`, given as a `Duration`, has passed. Returns a sequence for
  /// `for try await` that delivers an entity whenever the content has changed; see `ResourceWatch`.
  /// (SWF-162)
  @_disfavoredOverload
  public func watch(
    timeout: Duration, until: ((Entity) -> Bool)? = nil
  ) -> ResourceWatch<Entity> {
    watch(every: nil as Double?, timeout: Double(seconds: timeout) as Double?, until: until)
  }

  /// Polls the resource and returns a sequence for `for try await`. The sequence delivers the
  /// content, decoded as `type`, whenever the content has changed; see `ResourceWatch`. `every` and
  /// `timeout` are given as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public func watch<Value: Decodable & Sendable>(
    every: Duration?, timeout: Duration? = nil, of type: Value.Type,
    until: ((Value) -> Bool)? = nil
  ) -> ResourceWatch<Value> {
    watch(
      every: every.map { Double(seconds: $0) } as Double?,
      timeout: timeout.map { Double(seconds: $0) } as Double?, of: type, until: until)
  }

  /// Polls the resource until `timeout`, given as a `Duration`, has passed. Returns a sequence for
  /// `for try await` that delivers the content, decoded as `type`, whenever the content has
  /// changed; see `ResourceWatch`. (SWF-162)
  @_disfavoredOverload
  public func watch<Value: Decodable & Sendable>(
    timeout: Duration, of type: Value.Type, until: ((Value) -> Bool)? = nil
  ) -> ResourceWatch<Value> {
    watch(
      every: nil as Double?, timeout: Double(seconds: timeout) as Double?, of: type, until: until)
  }
}
