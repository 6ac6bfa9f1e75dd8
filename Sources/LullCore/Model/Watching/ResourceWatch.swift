import LullSystem

/// A resource that is polled, for a loop: its content whenever that has changed.
///
/// What is fresh comes at once; else the resource is loaded first. A poll is due `every` seconds after the
/// last load has ended, whoever asked for that one: loads are shared with everybody else, those in progress
/// too. While it is watched, `every` counts in place of `expirationTime`. A 304, or content that holds the
/// same, is no change; a local override is one. If it changes several times while the loop's body runs, the
/// last content is what comes.
///
/// The loop ends after an element for which `until` answers true, after `timeout` seconds from its begin,
/// and when one leaves it. It polls only while it is waited for, and a load that only it wanted is cancelled
/// once it has ended. It runs on the actor that is the home of the resource. Lua: `resource:watch`.
///
///     for try await job in api.resource("/jobs/1").watch(every: 2, of: Job.self) where job.isDone {
///       break
///     }
///
/// Throws the error of the first load if that fails. Later it rides out failures that may pass (no answer,
/// 408, 425, 429, 5xx), which are in `latestError`, and throws any other; content that is not of the type;
/// with `until`, at the time-out, a transport error of kind `timeout`; and, with the cause
/// `requestCancelled`, that its task was cancelled or its home has ended.
///
/// Behaviours: POLL-01 to POLL-160.
public struct ResourceWatch<Element>: AsyncSequence {
  public typealias Failure = RequestError

  fileprivate let resource: Resource
  fileprivate let options: WatchProgress.Options
  fileprivate let read: (Entity) throws(RequestError) -> Element
  fileprivate let until: ((Element) -> Bool)?
  /// What is wrong with how it is asked for.
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

  /// Where a loop is; its time-out counts from when it is made.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: WatchReader
    private let problem: SettingProblem?
    private let read: (Entity) throws(RequestError) -> Element
    private let until: ((Element) -> Bool)?

    fileprivate init(_ watch: ResourceWatch) {
      // It must not count by a number that makes no sense.
      reader = WatchReader(
        watch.resource, watch.problem == nil ? watch.options : WatchProgress.Options())
      problem = watch.problem
      read = watch.read
      until = watch.until
    }

    /// Waits for the next change; nil at the end, and after an error.
    ///
    /// - Throws: The error of a load or of reading its data, as what ends it; `requestCancelled` if its task was
    ///   cancelled or its home has ended.
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
  /// Polls it, for `for try await`: an entity whenever its content has changed; see `ResourceWatch`.
  ///
  ///     for try await entity in resource.watch(every: 10) { print(entity.jsonDict) }
  ///
  /// - Parameters:
  ///   - every: seconds from the end of one load to the next, above 0; nil: its `expirationTime`, at least 1.
  ///   - timeout: seconds after which it ends; with `until` that is an error.
  ///   - until: ends it after the entity for which it answers true. Called on the home thread.
  public func watch(
    every: Double? = nil, timeout: Double? = nil, until: ((Entity) -> Bool)? = nil
  ) -> ResourceWatch<Entity> {
    ResourceWatch(self, every: every, timeout: timeout, until: until) { $0 }
  }

  /// The same as a type of the program's, as `decoded` reads it or a transformer has made it. Content that
  /// is not of the type ends the watch with an error.
  ///
  ///     for try await user in resource.watch(every: 10, timeout: 60, of: User.self) { print(user.name) }
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

/// One loop's way through a watch: waits as a task does, and lets go with the loop.
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
    // Called where nothing else may be called: the load is let go a turn later.
    guard progress.resource != nil else { return }
    resource.pump.enqueue { [progress] in progress.end() }
  }

  func next(isolation: isolated (any Actor)?) async throws(RequestError) -> Entity? {
    guard progress.resource != nil else { return nil }
    if progress.isWaiting { ProgramMisuse.stopTwoReaders(of: WatchReader.name) }
    // The load of a resource that waits for the transformer which watches it never ends.
    if let transformer = PumpTask.current(on: resource.pump) {
      for load in resource.loadRequests {
        guard let error = transformer.refusal(toAwait: load) else { continue }
        progress.end()
        throw error
      }
    }
    guard !Task.isCancelled, !resource.pump.ending.hasEnded, let step = await step(isolation) else {
      progress.end()
      // Whoever tries for ever must let others run.
      await Task.yield()
      throw cancellation()
    }
    switch step {
    case .give(let entity): return entity
    case .fail(let error): throw error
    case .end: return nil
    }
  }

  /// nil: the task is cancelled, or the home ends.
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
    error.method = .get
    error.url = resource.url.text
    if resource.pump.ending.hasEnded {
      error.userMessage = "Watch cancelled: its home has ended"
    }
    return error
  }
}
