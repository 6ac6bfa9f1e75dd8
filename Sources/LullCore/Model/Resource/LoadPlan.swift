/// What a load does, decided once from what is known, and why.
///
/// A value without effects: `Resource` says what is known and does what the plan says; explaining and
/// logging read the same plan. Order of the questions: a load in flight, a stream, freshness, caches (LOAD-31),
/// whether anything can be asked for at all, offline. A load that is forced skips the first four
/// (LOAD-01).
package struct LoadPlan {
  package enum Step: Equatable {
    /// The load in flight, the earliest of several. (LOAD-16)
    case join
    /// None: what is there is fresh enough, until then if nothing happens. Unix seconds. (LOAD-27)
    case nothing(until: Double)
    /// One that waits for the caches, whose data may do. (LOAD-29)
    case waitForCache
    /// Ask the network; what the data that is there makes the condition of the answer. (LOAD-03)
    case load(condition: ResourceState.Condition?)
    /// The same of a resource that has no data, once the caches on a disk that are being asked have
    /// answered, but soon all the same: what they have then makes the condition. (CACHE-39)
    case loadAfterDisk
    /// Offline: what there is, as old as it is.
    case answerOffline(Source)
    /// Offline, and there is nothing.
    case failOffline
    /// Nothing can be asked for.
    case fail(Obstacle)
  }

  /// Where an offline service has its answer from.
  package enum Source: Equatable {
    case memory
    /// The caches, which are being asked, or are asked again: others may have written to them since.
    /// (CACHE-04)
    case caches
  }

  package enum Obstacle: Equatable {
    /// What was given is no URL. (SVC-21)
    case noURL
    /// A block of the configuration has raised.
    case configuration
  }

  /// What the data that is there says of its freshness itself.
  package enum Answer: Equatable {
    /// For so many seconds from its timestamp on.
    case isFresh(for: Double)
    case isOtherVariant
  }

  /// How far the look into the caches has come.
  package enum Caches: Equatable {
    case notAsked
    /// Some of them may be on a disk, where what they have can be asked for on a condition.
    case asked(onDisk: Bool)
    case haveAnswered
  }

  /// What it takes to decide.
  package struct Known {
    /// Whether it is to load whatever there is.
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
  /// Where the ages of the reason are counted from; Unix seconds.
  package let now: Double
  /// GET's, if it was asked for: it is then that of the whole load.
  let configuration: ResolvedConfiguration?

  /// - Parameters:
  ///   - now: Unix seconds; this and what follows is asked for where it matters only.
  ///   - condition: of the data that is there.
  ///   - answer: what that says, if it is to be believed.
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
      // Whatever its age, for as long as the service is offline.
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

  /// Why it is up to date, or is not.
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

  /// For how long data is up to date, and who says so.
  fileprivate enum Expiry {
    case configured(Double)
    case answered(Answer)

    /// Of what is no data nothing is asked.
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

  /// What the log says of it.
  package var logText: String {
    switch step {
    case .join, .nothing: "not loading: \(reasonText)"
    case .waitForCache: "waiting for the cache: \(reasonText)"
    default: reason == .forced ? "loading" : "stale: \(reasonText)"
    }
  }

  private var reasonText: String {
    switch reason {
    case .forced: "it was asked for"
    case .inProgress: "a load is in progress"
    case .followed: "a stream is followed"
    case .offline: "the service is offline"
    case .invalidated: "it was invalidated"
    case .blank: "there is neither data nor error"
    case .error(let time, let limit): "the last error is \(now - time) s old, retry time \(limit) s"
    case .data(let time, let limit): "the data is \(now - time) s old, expiration time \(limit) s"
    case .answer(let time, let limit):
      "the data is \(now - time) s old, fresh for \(limit) s by its own headers"
    case .otherVariant: "the data answers other request headers, which its Vary names"
    }
  }
}

extension ResourceState.Freshness {
  /// Until when it is up to date, if it is now.
  fileprivate func upToDateUntil(
    _ now: Double, _ expiry: LoadPlan.Expiry, _ configuration: ResolvedConfiguration
  ) -> Double? {
    let expirationTime: Double
    switch expiry {
    case .configured(let seconds): expirationTime = seconds
    // Fresh is what is younger than its lifetime, and not what is as old. (RFC 9111, section 4.2)
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
