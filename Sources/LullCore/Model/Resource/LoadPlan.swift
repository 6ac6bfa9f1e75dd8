/// The step that a load will take and the reason for it, decided once from the known facts.
///
/// A value without effects. `Resource` provides the facts and carries out the plan; logging and
/// explaining read the same plan. The checks, in order: a load in flight, a stream, freshness,
/// caches (LOAD-31), whether the request is valid, offline. A forced load skips the first four
/// (LOAD-01).
package struct LoadPlan {
  package enum Step: Equatable {
    /// Return the load in flight, the earliest of several. (LOAD-16)
    case join
    /// Send nothing: the data is fresh until that time, in Unix seconds, if nothing else changes.
    /// (LOAD-27)
    case nothing(until: Double)
    /// Return a request that waits for the caches, whose data may be sufficient. (LOAD-29)
    case waitForCache
    /// Request the resource, on the condition of the present data if it has one. (LOAD-03)
    case load(condition: ResourceState.Condition?)
    /// The same for a resource without data while caches on disk are being read. The request waits
    /// for them for a short time, and their entry makes it conditional. (CACHE-39)
    case loadAfterDisk
    /// Offline: use the data that is available, whatever its age.
    case answerOffline(Source)
    /// Offline, and no data is available.
    case failOffline
    /// There is no valid request to send.
    case fail(Obstacle)
  }

  /// Where an offline service takes its data from.
  package enum Source: Equatable {
    case memory
    /// The caches. A lookup that is over is repeated, since other processes may have written to
    /// them since. (CACHE-04)
    case caches
  }

  package enum Obstacle: Equatable {
    /// The given text is not a URL. (SVC-21)
    case noURL
    /// A block of the configuration has thrown an error.
    case configuration
  }

  /// How long the present data is fresh according to the headers of its response.
  package enum Answer: Equatable {
    /// For that number of seconds after its timestamp.
    case isFresh(for: Double)
    case isOtherVariant
  }

  /// The progress of the cache lookup.
  package enum Caches: Equatable {
    case notAsked
    /// Some of the caches may be on disk; their entry can make the request conditional.
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
  /// The time at which the ages of the reason are measured, in Unix seconds.
  package let now: Double
  /// The configuration of GET, if the plan needed it. The whole load then uses it.
  let configuration: ResolvedConfiguration?

  /// - Parameters:
  ///   - now: Unix seconds. This and the following arguments are evaluated only if they matter.
  ///   - condition: The condition of the present data.
  ///   - answer: How long the present data is fresh by its own headers.
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
      // Data of any age, for as long as the service is offline.
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

  /// Why the resource is up to date, or is not.
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

  /// How long data is up to date, by the configuration or by its own headers.
  fileprivate enum Expiry {
    case configured(Double)
    case answered(Answer)

    /// Without data, its headers are not consulted.
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

  /// The text for the log.
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
    case .otherVariant: "the data is for other values of the request headers in its Vary"
    }
  }
}

extension ResourceState.Freshness {
  /// The time until which it is up to date; nil if it is not up to date now.
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
