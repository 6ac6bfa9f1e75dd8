/// The next step of a load and the reason for this step, decided once from the known facts.
///
/// A plan is a value without side effects. `Resource` provides the facts and carries out the plan;
/// logs and explanations read the same plan. The checks are, in this order: a load in flight, a
/// stream, freshness, caches (LOAD-31), a valid request, offline. A forced load skips the first
/// four checks (LOAD-01).
package struct LoadPlan {
  package enum Step: Equatable {
    /// Return the load in flight. If there are several, return the earliest. (LOAD-16)
    case join
    /// Send nothing. No load is needed until the given time, in Unix seconds, unless the state
    /// changes before then. (LOAD-27)
    case nothing(until: Double)
    /// Return a request that waits for the caches, whose data may be sufficient. (LOAD-29)
    case waitForCache
    /// Send a request for the resource. It is conditional if the present data has a validator.
    /// (LOAD-03)
    case load(condition: ResourceState.Condition?)
    /// Send a request for a resource without data while caches on disk are being read. The request
    /// waits a short time for the caches. If the caches have an entry with a validator, the request
    /// becomes conditional. (CACHE-39)
    case loadAfterDisk
    /// The service is offline: use the available data, whatever its age.
    case answerOffline(Source)
    /// The service is offline, and no data is available: fail.
    case failOffline
    /// There is no valid request to send: fail.
    case fail(Obstacle)
  }

  /// The source of the data while the service is offline.
  package enum Source: Equatable {
    case memory
    /// The caches. If the lookup has ended, it is repeated, because other processes may have
    /// written to the caches since. (CACHE-04)
    case caches
  }

  package enum Obstacle: Equatable {
    /// The given text is not a URL. (SVC-21)
    case noURL
    /// A block of the configuration has thrown an error.
    case configuration
  }

  /// How long the data is fresh, according to the headers of its response.
  package enum Answer: Equatable {
    /// The data is fresh for the given number of seconds after its timestamp.
    case isFresh(for: Double)
    case isOtherVariant
  }

  /// The progress of the cache lookup.
  package enum Caches: Equatable {
    case notAsked
    /// The caches are being read. `onDisk` is true if some of the caches are on disk, so that an
    /// entry of theirs can make the request conditional.
    case asked(onDisk: Bool)
    case haveAnswered
  }

  /// The facts that decide the plan.
  package struct Known {
    /// Whether to load even if the data is fresh.
    package var isForced = false
    package var isLoading = false
    package var isFollowed = false
    package var isOffline = false
    package var hasURL = true
    package var caches = Caches.notAsked
    package var freshness = ResourceState.Freshness()

    package init() {}
  }

  package let step: Step
  package let reason: LoadReason
  /// The time of the plan, in Unix seconds, from which the ages in texts about `reason` are
  /// computed.
  package let now: Double
  /// The configuration for GET; nil if the decision did not need it. The load uses the same
  /// configuration as the plan.
  let configuration: ResolvedConfiguration?

  /// - Parameters:
  ///   - now: The present time, in Unix seconds. This and the following arguments are evaluated
  ///     only if the plan depends on them.
  ///   - condition: The condition for the next request, from the validator of the present data.
  ///   - answer: How long the present data is fresh, according to the headers of its response.
  package init(
    _ known: Known, now: @autoclosure () -> Double,
    configuration: @autoclosure () -> ResolvedConfiguration,
    condition: @autoclosure () -> ResourceState.Condition?,
    answer: @autoclosure () -> Answer
  ) {
    if known.isForced {
      let configuration = configuration()
      self.init(
        LoadPlan.askingStep(known, configuration, condition), .forced, now: 0, configuration)
    } else if known.isLoading {
      self.init(.join, .inProgress, now: 0, nil)
    } else if known.isFollowed {
      self.init(.nothing(until: .infinity), .followed, now: 0, nil)
    } else if known.isOffline, known.freshness.hasData {
      // Data of any age is used as long as the service is offline.
      self.init(.nothing(until: .infinity), .offline, now: now(), nil)
    } else {
      let configuration = configuration()
      let now = now()
      let expiry = Expiry(known.freshness, configuration, answer)
      let step: Step
      if let until = known.freshness.upToDateUntil(now, expiry, configuration) {
        step = .nothing(until: until)
      } else if case .asked = known.caches {
        step = .waitForCache
      } else {
        step = LoadPlan.askingStep(known, configuration, condition)
      }
      let reason =
        known.isOffline ? .offline : LoadPlan.reason(known.freshness, expiry, configuration)
      self.init(step, reason, now: now, configuration)
    }
  }

  private init(
    _ step: Step, _ reason: LoadReason, now: Double, _ configuration: ResolvedConfiguration?
  ) {
    self.step = step
    self.reason = reason
    self.now = now
    self.configuration = configuration
  }

  private static func askingStep(
    _ known: Known, _ configuration: ResolvedConfiguration,
    _ condition: () -> ResourceState.Condition?
  ) -> Step {
    guard known.hasURL else { return .fail(.noURL) }
    guard configuration.failure == nil else { return .fail(.configuration) }
    guard known.isOffline else {
      if known.caches == .asked(onDisk: true), !known.freshness.hasData { return .loadAfterDisk }
      return .load(condition: condition())
    }
    if known.freshness.hasData { return .answerOffline(.memory) }
    return known.caches == .notAsked ? .failOffline : .answerOffline(.caches)
  }

  /// Returns the reason why the resource is or is not up to date.
  private static func reason(
    _ freshness: ResourceState.Freshness, _ expiry: Expiry, _ configuration: ResolvedConfiguration
  ) -> LoadReason {
    if freshness.isInvalidated { return .invalidated }
    if freshness.hasError {
      return .error(at: freshness.timestamp, retryTime: configuration.retryTime)
    }
    guard freshness.hasData else { return .blank }
    return switch expiry {
    case .configured(let seconds): .data(at: freshness.timestamp, expirationTime: seconds)
    case .answered(.isFresh(let seconds)): .answer(at: freshness.timestamp, lifetime: seconds)
    case .answered(.isOtherVariant): .otherVariant
    }
  }

  /// How long data is up to date: as configured, or according to the headers of its response.
  fileprivate enum Expiry {
    case configured(Double)
    case answered(Answer)

    /// - Parameter answer: Reads the headers of the data. Called only if the result is needed.
    init(
      _ freshness: ResourceState.Freshness, _ configuration: ResolvedConfiguration,
      _ answer: () -> Answer
    ) {
      switch configuration.expirationTime {
      case .seconds(let seconds): self = .configured(seconds)
      case .http:
        self = .answered(freshness.hasData && !freshness.hasError ? answer() : .isFresh(for: 0))
      }
    }
  }

  /// The text that describes the plan in logs.
  package var logText: String {
    switch step {
    case .join, .nothing: "not loading: \(reasonText)"
    case .waitForCache: "waiting for the cache: \(reasonText)"
    default: reason == .forced ? "loading" : "stale: \(reasonText)"
    }
  }

  private var reasonText: String {
    switch reason {
    case .forced: "it was requested"
    case .inProgress: "a load is in progress"
    case .followed: "a stream is followed"
    case .offline: "the service is offline"
    case .invalidated: "it was invalidated"
    case .blank: "there is neither data nor error"
    case .error(let time, let limit): "the last error is \(now - time) s old, retry time \(limit) s"
    case .data(let time, let limit): "the data is \(now - time) s old, expiration time \(limit) s"
    case .answer(let time, let limit):
      "the data is \(now - time) s old, fresh for \(limit) s by its own headers"
    case .otherVariant: "the data is for other values of the request headers that its Vary names"
    }
  }
}

extension ResourceState.Freshness {
  /// Returns the time until which the resource is up to date, in Unix seconds; nil if it is not up
  /// to date now.
  fileprivate func upToDateUntil(
    _ now: Double, _ expiry: LoadPlan.Expiry, _ configuration: ResolvedConfiguration
  ) -> Double? {
    let expirationTime: Double
    switch expiry {
    case .configured(let seconds): expirationTime = seconds
    // Data is fresh while its age is less than its lifetime, not when it is equal. (RFC 9111,
    // section 4.2)
    case .answered(.isFresh(let seconds)) where seconds > 0 || hasError:
      expirationTime = seconds.nextDown
    case .answered: return nil
    }
    guard
      isUpToDate(now: now, expirationTime: expirationTime, retryTime: configuration.retryTime)
    else { return nil }
    return timestamp + limit(expirationTime, configuration.retryTime)
  }
}
