extension ResourceExplanation {
  /// The step that `loadIfNeeded` would take, and the present state of the resource. Times are in
  /// Unix seconds.
  public struct Load: Sendable {
    /// The step of a load.
    public enum Step: Sendable, Hashable {
      /// Return the load in progress.
      case join
      /// Load nothing, because the resource is up to date.
      case nothing
      /// Wait for the caches that are being read. If they have no fresh data, send a request. If
      /// the service is offline, send nothing: use data of any age from the caches, or fail.
      case waitForCache
      /// Send a request.
      case load
      /// Fail without sending a request.
      case fail(Obstacle)
    }

    /// The reason why no request can be sent.
    public enum Obstacle: Sendable, Hashable {
      /// The service is offline, and there is no data.
      case offline
      /// The resource has no valid URL.
      case noURL
      /// A configuration block has failed; see `ResourceExplanation.failures`.
      case configuration
    }

    /// The step that `loadIfNeeded` would take.
    public let step: Step
    /// The reason for the step.
    public let reason: LoadReason
    /// The header that makes the request conditional, such as `if-none-match: "v1"`; nil if the
    /// request is not conditional.
    public let condition: String?
    /// The present data, which may be stale.
    public let data: Entity?
    /// The error of the last load; nil if the last load did not fail.
    public let error: RequestError?
    /// The number of seconds, counted from the timestamp of the data, for which the data is fresh.
    public let lifetime: Double
    /// Whether `lifetime` is determined by the response headers of the data. (AGE-01)
    public let isLifetimeOfAnswer: Bool
    /// For this number of seconds after an error, `loadIfNeeded` does not load again.
    public let retryTime: Double
    /// The time at which the explanation was made.
    public let now: Double
    private let plan: LoadPlan.Step
    /// The time at which the load in progress started, in Unix seconds. nil if no load is in
    /// progress, or if the time is unknown.
    private let begun: Double?

    init(of resource: Resource) {
      let plan = resource.loadPlan
      self.plan = plan.step
      step = Step(plan)
      reason = plan.reason
      // The condition from a cache on disk is known only when the cache has been read.
      if case .load(let condition?) = plan.step {
        self.condition = "\(condition.name): \(condition.value)"
      } else {
        condition = nil
      }
      // Read from the state, without starting a cache lookup, because the plan has already started
      // it.
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
  /// The step and the reason for it, for example
  /// `load nothing: the data is 3 s old, and fresh for 30 s`.
  public var description: String { text(ofFailure: "thrown") }

  /// Returns the step and the reason for it as text.
  ///
  /// - Parameter word: The verb for a block that fails: `thrown` in Swift, `raised` in Lua.
  func text(ofFailure word: String) -> String {
    switch plan {
    case .join: "join the load in progress\(begunText)"
    case .nothing: "load nothing: \(reasonText)"
    case .waitForCache where reason == .offline, .answerOffline:
      "wait for the cache check, and fail if it finds no data: the service is offline"
    case .waitForCache: "wait for the cache check, and load if it finds no fresh data"
    case .failOffline: "fail: the service is offline, and there is no data"
    case .fail(.noURL): "fail: there is no URL"
    case .fail(.configuration): "fail: a block of the configuration has \(word) an error"
    case .loadAfterDisk:
      "load: \(reasonText); conditionally, if a disk cache has data"
    case .load:
      "load: \(reasonText)" + (condition.map { "; conditionally, with \($0)" } ?? "")
    }
  }

  private var begunText: String {
    guard let begun else { return "" }
    return ", started \(Self.seconds(max(0, now - begun))) ago"
  }

  /// The reason why the data or the error is fresh, or is not fresh, as text.
  private var reasonText: String {
    switch reason {
    case .forced, .inProgress: ""
    case .followed: "its content comes from a stream"
    case .offline: "the service is offline, and the data is \(age(of: data?.timestamp ?? 0))"
    case .invalidated: "it was invalidated"
    case .blank: "there is neither data nor error"
    case .error(let time, let limit):
      "the last error is \(age(of: time)), and the retry time is \(Self.seconds(limit))"
    case .data(let time, let limit):
      "the data is \(age(of: time)), and fresh for \(Self.seconds(limit))"
    case .answer(let time, let limit):
      "the data is \(age(of: time)), and fresh for \(Self.seconds(limit)) by its own headers"
    case .otherVariant: "the data is for other values of the request headers that its Vary names"
    }
  }

  // MARK: State

  /// Returns the rows of the explanation about the load, each with a name and a value.
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
    if let types = acceptedQueries { rows.append(("queries accepted", LogText.part(types))) }
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

  /// The media types that the server accepts for queries of the URL, according to the last response
  /// that was received with the header `Accept-Query`. (QUERY-72; RFC 10008, section 3)
  var acceptedQueries: String? {
    let headers = [error?.entity?.headers, data?.headers].compactMap { $0 }
      .first { $0["accept-query"] != nil }
    guard let headers else { return nil }
    return AcceptQuery(headers).map { $0.ranges.joined(separator: ", ") }
      ?? "unknown, because the server's Accept-Query is not a valid list"
  }

  private static func text(of attempt: RequestAttempt) -> String {
    "\(attempt.number): \(attempt.outcome?.text ?? "under way")"
      + (attempt.delay > 0 ? " after waiting \(LogText.seconds(attempt.delay))" : "")
  }

  /// Returns the age of a timestamp as text. The age is unknown if the timestamp is 0, which the
  /// file cache sets in place of a timestamp in the future. (CACHE-31)
  private func age(of timestamp: Double) -> String {
    guard timestamp > 0 else { return "of unknown age" }
    let age = now - timestamp
    return age < -1 ? "dated in the future" : "\(Self.seconds(max(0, age))) old"
  }

  /// Returns a duration as text, rounded to tenths of a second.
  private static func seconds(_ seconds: Double) -> String {
    LogText.number((seconds * 10).rounded() / 10) + " s"
  }
}
