// Settings in seconds, also as a `Duration`. They are in extensions of a protocol, because a type
// can't have two properties of the same name.
extension Configuration: DurationSettable {}

extension DurationSettable where Self == Configuration {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var retryTime: Duration {
    get { Duration(clamping: self.retryTime as Double) }
    set { self.retryTime = Double(seconds: newValue) as Double }
  }

  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var progressReportingInterval: Duration {
    get { Duration(clamping: self.progressReportingInterval as Double) }
    set { self.progressReportingInterval = Double(seconds: newValue) as Double }
  }

  /// The same as a duration; zero for `.http`, where responses determine it. (SWF-162)
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
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var timeout: Duration {
    get { Duration(clamping: self.timeout as Double) }
    set { self.timeout = Double(seconds: newValue) as Double }
  }

  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var connectTimeout: Duration {
    get { Duration(clamping: self.connectTimeout as Double) }
    set { self.connectTimeout = Double(seconds: newValue) as Double }
  }
}

extension TransferOptions.Fields: DurationSettable {}

extension DurationSettable where Self == TransferOptions.Fields {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var firstByteTimeout: Duration? {
    get { (self.firstByteTimeout as Double?).map { Duration(clamping: $0) } }
    set { self.firstByteTimeout = newValue.map { Double(seconds: $0) } as Double? }
  }

  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var idleTimeout: Duration? {
    get { (self.idleTimeout as Double?).map { Duration(clamping: $0) } }
    set { self.idleTimeout = newValue.map { Double(seconds: $0) } as Double? }
  }
}

extension StreamOptions: DurationSettable {}

extension DurationSettable where Self == StreamOptions {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var timeout: Duration? {
    get { (self.timeout as Double?).map { Duration(clamping: $0) } }
    set { self.timeout = newValue.map { Double(seconds: $0) } as Double? }
  }
}

extension RateLimit: DurationSettable {}

extension DurationSettable where Self == RateLimit {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var per: Duration {
    get { Duration(clamping: self.per as Double) }
    set { self.per = Double(seconds: newValue) as Double }
  }
}

extension Backoff: DurationSettable {}

extension DurationSettable where Self == Backoff {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var base: Duration {
    get { Duration(clamping: self.base as Double) }
    set { self.base = Double(seconds: newValue) as Double }
  }

  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var max: Duration {
    get { Duration(clamping: self.max as Double) }
    set { self.max = Double(seconds: newValue) as Double }
  }
}

extension RateLimit {
  /// Allows that number of requests within a duration. (SWF-162)
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
  /// The same with a duration. (SWF-162)
  @_disfavoredOverload
  public func cancelLoadIfUnobserved(
    afterDelay delay: Duration, then completion: @escaping () -> Void = {}
  ) {
    cancelLoadIfUnobserved(afterDelay: Double(seconds: delay), then: completion)
  }

  /// The same with durations. (SWF-162)
  @_disfavoredOverload
  public func watch(
    every: Duration?, timeout: Duration? = nil, until: ((Entity) -> Bool)? = nil
  ) -> ResourceWatch<Entity> {
    watch(
      every: every.map { Double(seconds: $0) } as Double?,
      timeout: timeout.map { Double(seconds: $0) } as Double?, until: until)
  }

  /// The same, with the duration after which the watch ends. (SWF-162)
  @_disfavoredOverload
  public func watch(
    timeout: Duration, until: ((Entity) -> Bool)? = nil
  ) -> ResourceWatch<Entity> {
    watch(every: nil as Double?, timeout: Double(seconds: timeout) as Double?, until: until)
  }

  /// The same with durations. (SWF-162)
  @_disfavoredOverload
  public func watch<Value: Decodable & Sendable>(
    every: Duration?, timeout: Duration? = nil, of type: Value.Type,
    until: ((Value) -> Bool)? = nil
  ) -> ResourceWatch<Value> {
    watch(
      every: every.map { Double(seconds: $0) } as Double?,
      timeout: timeout.map { Double(seconds: $0) } as Double?, of: type, until: until)
  }

  /// The same, with the duration after which the watch ends. (SWF-162)
  @_disfavoredOverload
  public func watch<Value: Decodable & Sendable>(
    timeout: Duration, of type: Value.Type, until: ((Value) -> Bool)? = nil
  ) -> ResourceWatch<Value> {
    watch(
      every: nil as Double?, timeout: Double(seconds: timeout) as Double?, of: type, until: until)
  }
}
