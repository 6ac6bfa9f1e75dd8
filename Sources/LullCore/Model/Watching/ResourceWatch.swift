import LullSystem

/// Polls a resource and delivers its content, as a sequence for `for try await`. There is an
/// element whenever the content has changed.
///
/// Fresh data is delivered at once. Without fresh data, the resource is loaded first. The next poll
/// follows `every` seconds after the end of the last load. Loads that other code has started count
/// too, and a load in progress is used instead of a new load. While the resource is watched,
/// `every` replaces its `expirationTime`. A local override is a change. A 304 and equal content are
/// not changes. If the content changes several times while the loop's body runs, only the last
/// content is delivered.
///
/// The loop ends in these cases: after an element for which `until` returns true, `timeout` seconds
/// after the loop began, or when the code leaves the loop. The loop polls only while it waits for
/// an element. When the loop has ended, its load is cancelled unless other code needs the load. The
/// loop runs on the actor that is the home of the resource. Lua: `resource:watch`.
///
///     for try await job in api.resource("/jobs/1").watch(every: 2, of: Job.self) where job.isDone
///     {
///       break
///     }
///
/// The loop throws in these cases:
/// - A load fails before the first element was delivered.
/// - A later load fails. Failures that may be temporary (no response, 408, 425, 429, 5xx) are an
///   exception: they are set in `latestError` and do not end the loop.
/// - The content can't be decoded as the type.
/// - The timeout has passed and there is an `until`: a transport error of kind `timeout`.
/// - The task was cancelled or the home has ended: an error with the cause `requestCancelled`.
///
/// Behaviours: POLL-01 to POLL-160.
public struct ResourceWatch<Element>: AsyncSequence {
  public typealias Failure = RequestError

  fileprivate let resource: Resource
  fileprivate let options: WatchProgress.Options
  fileprivate let read: (Entity) throws(RequestError) -> Element
  fileprivate let until: ((Element) -> Bool)?
  /// The problem of the first invalid argument; nil if all are valid.
  fileprivate let problem: SettingProblem?

  fileprivate init(
    _ resource: Resource, every: Double?, timeout: Double?, until: ((Element) -> Bool)?,
    _ read: @escaping (Entity) throws(RequestError) -> Element
  ) {
    var check = SettingCheck()
    if let every { check.check("every", every, .span) }
    if let timeout { check.check("timeout", timeout, .finiteSeconds) }
    problem = check.problem
    self.resource = resource
    options = {
      var options = WatchProgress.Options()
      options.every = every
      options.timeout = timeout
      options.failsAtTimeout = until != nil
      return options
    }()
    self.until = until
    self.read = read
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// The iterator of a loop. The timeout of the loop counts from the creation of the iterator.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: WatchReader
    private let problem: SettingProblem?
    private let read: (Entity) throws(RequestError) -> Element
    private let until: ((Element) -> Bool)?

    fileprivate init(_ watch: ResourceWatch) {
      // Invalid arguments must not be used, so `next` throws their error instead.
      reader = WatchReader(
        watch.resource, watch.problem == nil ? watch.options : WatchProgress.Options())
      problem = watch.problem
      read = watch.read
      until = watch.until
    }

    /// Waits for the next change of the content and returns the content. Returns nil if the loop
    /// has ended, also after an error.
    ///
    /// - Throws: The error of a load or of decoding its data. If the task was cancelled or the home
    ///   has ended, an error with the cause `requestCancelled`. Each error ends the loop.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws(RequestError) -> Element? {
      if let problem, let resource = reader.progress.resource {
        reader.progress.end()
        var error = RequestError(
          httpStatusCode: nil, entity: nil, cause: RequestError.Cause(problem),
          timestamp: resource.pump.clock.now)
        error.url = resource.url.text
        throw error
      }
      guard let entity = try await reader.next(isolation: isolation) else { return nil }
      do throws(RequestError) {
        let element = try read(entity)
        if until?(element) == true { reader.progress.end() }
        return element
      } catch {
        reader.progress.end()
        throw error
      }
    }
  }
}

extension Resource {
  /// Polls the resource and returns a sequence for `for try await`. The sequence delivers an entity
  /// whenever the content has changed; see `ResourceWatch`.
  ///
  ///     for try await entity in resource.watch(every: 10) { print(entity.jsonDict) }
  ///
  /// - Parameters:
  ///   - every: The time from the end of one load to the next load, in seconds, above 0. With nil,
  ///     it is the `expirationTime` of the resource, but at least 1 s.
  ///   - timeout: The time after which the loop ends, in seconds; nil for no limit. With `until`,
  ///     the timeout is an error.
  ///   - until: A function that is called with each entity, on the home thread. The loop ends after
  ///     the entity for which it returns true.
  public func watch(
    every: Double? = nil, timeout: Double? = nil, until: ((Entity) -> Bool)? = nil
  ) -> ResourceWatch<Entity> {
    ResourceWatch(self, every: every, timeout: timeout, until: until) { $0 }
  }

  /// Polls the resource and returns a sequence for `for try await`. The sequence delivers the
  /// content, decoded as `type`, whenever the content has changed; see `ResourceWatch`. Content
  /// that can't be decoded ends the loop with an error.
  ///
  ///     for try await user in resource.watch(every: 10, timeout: 60, of: User.self) {
  ///     print(user.name) }
  public func watch<Value: Decodable & Sendable>(
    every: Double? = nil, timeout: Double? = nil, of type: Value.Type,
    until: ((Value) -> Bool)? = nil
  ) -> ResourceWatch<Value> {
    ResourceWatch(self, every: every, timeout: timeout, until: until) {
      [self] entity throws(RequestError) in
      try decoded(entity, as: type)
    }
  }
}

/// The iteration of a watch by one loop. The watch ends when the loop releases the reader.
final class WatchReader {
  private static let name = "resource.watch"

  let progress: WatchProgress
  private let resource: Resource

  init(_ resource: Resource, _ options: WatchProgress.Options) {
    self.resource = resource
    progress = WatchProgress(resource, options) { [pump = resource.pump] seconds, action in
      let timer = pump.clock.schedule(after: seconds) { pump.enqueue(action) }
      return { timer.cancel() }
    } areSame: {
      $0.holdsSame(as: $1) { _, _ in false }
    }
  }

  deinit {
    // `deinit` must not call hooks or observers, so the watch ends, and cancels its load, on a
    // later turn.
    guard progress.resource != nil else { return }
    resource.pump.enqueue { [progress] in progress.end() }
  }

  func next(isolation: isolated (any Actor)?) async throws(RequestError) -> Entity? {
    guard progress.resource != nil else { return nil }
    if progress.isWaiting { ProgramMisuse.stopTwoReaders(of: WatchReader.name) }
    // A transformer would wait for ever if it watched a resource whose load waits for the
    // transformer.
    if let transformer = PumpTask.current(on: resource.pump) {
      for load in resource.loadRequests {
        guard let error = transformer.refusal(toAwait: load) else { continue }
        progress.end()
        throw error
      }
    }
    guard !Task.isCancelled, !resource.pump.ending.hasEnded, let step = await step(isolation) else {
      progress.end()
      // Yields, so that a loop of failing calls does not block other tasks.
      await Task.yield()
      throw cancellation()
    }
    switch step {
    case .give(let entity): return entity
    case .fail(let error): throw error
    case .end: return nil
    }
  }

  /// Waits for the next step. Returns nil if the task is cancelled or the home ends.
  private func step(_ isolation: isolated (any Actor)?) async -> WatchProgress.Step? {
    if let step = progress.look() { return step }
    let feed = Feed<WatchProgress.Step>(resource.pump, of: WatchReader.name) { waiting, step in
      waiting = [step]
    } start: { [progress] feed in
      progress.wait { [weak feed] step in
        feed?.push(step)
        feed?.finish()
      }
      return { progress.detach() }
    }
    return await feed.next(isolation: isolation)
  }

  private func cancellation() -> RequestError {
    var error = RequestError.cancelled(at: resource.pump.clock.now)
    error.method = resource.readMethod
    error.url = resource.url.text
    if resource.pump.ending.hasEnded {
      error.userMessage = "Watch cancelled: its home has ended"
    }
    return error
  }
}
