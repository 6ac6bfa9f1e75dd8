extension ResourceExplanation {
  /// What `loadIfNeeded` would do, and what is there. Times are Unix seconds.
  public struct Load: Sendable {
    /// What it would do.
    public enum Step: Sendable, Hashable {
      /// Give the load in progress.
      case join
      /// Load nothing: what is there will do.
      case nothing
      /// Wait for the caches that are being asked; if they have nothing fresh, load, or fail if the service is
      /// offline.
      case waitForCache
      /// Ask the server.
      case load
      /// Fail, without asking the server.
      case fail(Obstacle)
    }

    /// Why nothing can be asked for.
    public enum Obstacle: Sendable, Hashable {
      /// The service is offline, and there is no data.
      case offline
      /// The resource has no URL.
      case noURL
      /// A block of the configuration has failed: see `failures`.
      case configuration
    }

    /// What it would do.
    public let step: Step
    /// Why it would load, or would not.
    public let reason: LoadReason
    /// The header by which the server may answer that nothing has changed, as `if-none-match: "v1"`; nil: none is
    /// sent.
    public let condition: String?
    /// What the resource has, which may be stale.
    public let data: Entity?
    /// How its last load failed; nil if it did not.
    public let error: RequestError?
    /// For how many seconds from its timestamp on the data is fresh.
    public let lifetime: Double
    /// Whether the data's own headers say so. (AGE-01)
    public let isLifetimeOfAnswer: Bool
    /// For how many seconds an error counts.
    public let retryTime: Double
    /// When this was found out.
    public let now: Double
    private let plan: LoadPlan.Step
    /// When the load in progress has begun.
    private let begun: Double?

    init(of resource: Resource) {
      let plan = resource.loadPlan
      self.plan = plan.step
      step = Step(plan)
      reason = plan.reason
      // That of caches on a disk is known only once they have answered.
      if case .load(let condition?) = plan.step {
        self.condition = "\(condition.name): \(condition.value)"
      } else {
        condition = nil
      }
      // Not asked of caches: that has been done to tell what would happen.
      data = resource.record.state.latestData
      error = resource.record.state.latestError
      let configuration = resource.configuration
      lifetime = resource.expirationSeconds
      isLifetimeOfAnswer = configuration.expirationTime == .http
      retryTime = configuration.retryTime
      now = resource.service.pump.clock.now
      begun = resource.loadRequests.first.flatMap {
        resource.pump.host?.beginning(of: $0)
      }
    }
  }
}

extension ResourceExplanation.Load.Step {
  fileprivate init(_ plan: LoadPlan) {
    self =
      switch plan.step {
      case .join: .join
      case .nothing: .nothing
      case .waitForCache, .answerOffline: .waitForCache
      case .load, .loadAfterDisk: .load
      case .failOffline: .fail(.offline)
      case .fail(.noURL): .fail(.noURL)
      case .fail(.configuration): .fail(.configuration)
      }
  }
}

extension ResourceExplanation.Load: CustomStringConvertible {
  /// What it would do and why, as `load nothing: the data is 3 s old, and fresh for 30 s`.
  public var description: String { text(ofFailure: "thrown") }

  /// - Parameter word: what a block that fails has done, in the language of who asks.
  func text(ofFailure word: String) -> String {
    switch plan {
    case .join: "give the load in progress\(begunText)"
    case .nothing: "load nothing: \(reasonText)"
    case .waitForCache where reason == .offline, .answerOffline:
      "wait for a cache, and fail if that has nothing: the service is offline"
    case .waitForCache: "wait for a cache, and load if that has nothing fresh"
    case .failOffline: "fail: the service is offline, and there is no data"
    case .fail(.noURL): "fail: there is no URL"
    case .fail(.configuration): "fail: a block of the configuration has \(word)"
    case .loadAfterDisk:
      "load: \(reasonText); on the condition of what a cache on a disk has, if it answers"
    case .load:
      "load: \(reasonText)" + (condition.map { "; asking with \($0)" } ?? "")
    }
  }

  private var begunText: String {
    guard let begun else { return "" }
    return ", begun \(Self.seconds(max(0, now - begun))) ago"
  }

  /// Why data, or an error, is fresh enough or is not.
  private var reasonText: String {
    switch reason {
    case .forced, .inProgress: ""
    case .followed: "a stream makes its content"
    case .offline: "the service is offline, and the data is \(age(of: data?.timestamp ?? 0))"
    case .invalidated: "it was invalidated"
    case .blank: "there is neither data nor error"
    case .error(let time, let limit):
      "the last error is \(age(of: time)), and counts for \(Self.seconds(limit))"
    case .data(let time, let limit):
      "the data is \(age(of: time)), and fresh for \(Self.seconds(limit))"
    case .answer(let time, let limit):
      "the data is \(age(of: time)), and fresh for \(Self.seconds(limit)) by its own headers"
    case .otherVariant: "the data answers other request headers, which its Vary names"
    }
  }

  // MARK: What is there

  /// The lines of a page: what each is about, and what is said of it.
  func rows(ofFailure word: String) -> [(name: String, value: String)] {
    var rows = [("would", text(ofFailure: word))]
    if let data {
      rows.append(
        (
          "data",
          "\(LogText.part(data.contentType, limit: 80)), \(age(of: data.timestamp)), fresh for "
            + Self.seconds(lifetime) + (isLifetimeOfAnswer ? " by its own headers" : "")
        ))
      let validators = [
        data.etag.map { "ETag \($0)" }, data.headers["last-modified"].map { "Last-Modified \($0)" },
      ].compactMap(\.self)
      rows.append(
        ("validators", validators.isEmpty ? "none" : validators.joined(separator: ", ")))
    } else {
      rows.append(("data", "none"))
    }
    guard let error else {
      return rows + [("last outcome", data == nil ? "not loaded yet" : "success")]
    }
    rows.append(
      (
        "last outcome",
        "\(error.summary), \(Self.seconds(max(0, now - error.timestamp))) ago, tried again after "
          + Self.seconds(retryTime)
      ))
    if !error.attempts.isEmpty {
      rows.append(("attempts", error.attempts.map(Self.text).joined(separator: "; ")))
    }
    return rows
  }

  private static func text(of attempt: RequestAttempt) -> String {
    "\(attempt.number): \(attempt.outcome?.text ?? "under way")"
      + (attempt.delay > 0 ? " after waiting \(LogText.seconds(attempt.delay))" : "")
  }

  /// Caches date back to 1970 what a clock that was wrong has dated.
  private func age(of timestamp: Double) -> String {
    guard timestamp > 0 else { return "of unknown age" }
    let age = now - timestamp
    return age < -1 ? "dated in the future" : "\(Self.seconds(max(0, age))) old"
  }

  /// Tenths of them, where that says something.
  private static func seconds(_ seconds: Double) -> String {
    LogText.number((seconds * 10).rounded() / 10) + " s"
  }
}
