extension Resource {
  /// Returns the resource's data as a type of the program, and loads it first if it is not fresh.
  ///
  /// Order of events: fresh data is returned at once, without a request. Otherwise it waits for the
  /// load in flight, or starts one as `loadIfNeeded` does. Any number of callers share one request,
  /// and its response is decoded once. If the last load failed more recently than the retry time,
  /// nothing is sent and its error is thrown. Offline, data of any age is fresh. If a stream
  /// provides the data, it waits for the first data of the stream.
  ///
  /// Content of another type does not change the resource, whose data stays. With a transformer,
  /// `Service.configureTransformer(_:as:)`, it fails the load instead. Cancelling the waiting task
  /// has the same effect as for `Request.entity()`. Runs on the caller's actor, which must be the
  /// home of the resource.
  ///
  ///     let user = try await api.resource("/me").fresh(User.self)
  ///
  /// - Throws: The error of the load, or the error of decoding: see `decoded`.
  public func fresh<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, isolation: isolated (any Actor)? = #isolation
  ) async throws(RequestError) -> Value {
    if let load = loadIfNeeded() {
      return try decoded(try await load.entity(isolation: isolation), as: type)
    }
    if let error = latestError, !service.isOffline || latestData == nil { throw error }
    if let data = latestData { return try decoded(data, as: type) }
    return try await streamed(type, isolation: isolation)
  }

  /// Returns the first data of the stream that the resource follows.
  private func streamed<Value: Decodable & Sendable>(
    _ type: Value.Type, isolation: isolated (any Actor)?
  ) async throws(RequestError) -> Value {
    var events = events.makeAsyncIterator()
    while await events.next(isolation: isolation) != nil {
      if latestData != nil || latestError != nil { return try decoded(type) }
    }
    throw RequestError.cancelled(at: pump.clock.now)
  }
}

/// The events of a resource for a `for await` loop: those that an observer gets, `observerAdded`
/// first.
///
/// Between two steps of the loop, each kind of event is queued once, in the order of its last
/// occurrence. A slow loop therefore misses no kind of event, and the queue stays small. The
/// resource's properties have their present values when the loop reads them.
///
/// The loop observes the resource from the moment the sequence is iterated, before its first step,
/// until the loop ends. It loads nothing itself. A load that was started in the line before is not
/// missed. The loop ends when its task is cancelled, when it is left, and when the home ends. It
/// runs on the actor that is the home of the resource. Lua: `resource:changes`.
///
///     for await event in resource.events { print(event, resource.isLoading) }
public struct ResourceEvents: AsyncSequence {
  public typealias Element = ResourceEvent
  public typealias Failure = Never

  fileprivate let resource: Resource

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(resource) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: FeedReader<ResourceEvent>

    fileprivate init(_ resource: Resource) {
      reader = FeedReader(
        Feed(resource.pump, of: "resource.events") { waiting, event in
          waiting.removeAll { $0 == event }
          waiting.append(event)
        } start: { feed in
          resource.observe(while: { [weak feed] in feed?.isOver == false }) { [weak feed] in
            feed?.push($0)
          }
        })
      // Begins now, because the home may run a turn before the first step.
      reader.feed.begin()
    }

    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async -> ResourceEvent? {
      await reader.feed.next(isolation: isolation)
    }
  }
}

extension Resource {
  /// The events of the resource, for `for await`. Not to be confused with `events(_:)`, which reads
  /// a stream from the server.
  public var events: ResourceEvents { ResourceEvents(resource: self) }

  /// Observes the resource until the returned function is called, or until `listens` returns false.
  package func observe(
    while listens: @escaping () -> Bool, _ hear: @escaping (ResourceEvent) -> Void
  ) -> () -> Void {
    let observer = FeedObserver(listens, hear)
    hold(observer)
    return { [self] in record.observers.remove(observer, resource: self) }
  }
}

/// The observer that serves a `for await` loop.
private final class FeedObserver: ResourceObserver {
  private let listens: () -> Bool
  private let hear: (ResourceEvent) -> Void

  init(_ listens: @escaping () -> Bool, _ hear: @escaping (ResourceEvent) -> Void) {
    self.listens = listens
    self.hear = hear
  }

  var wantsProgress: Bool { false }
  var isAlive: Bool { listens() }
  var logName: String { "a loop" }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) { hear(event) }
}

/// The data of a resource as a type of the program, for a `for await` loop: the present data first,
/// then each replacement.
///
/// If data arrives several times between two steps of the loop, only the latest is delivered. Data
/// of another type and errors of loads are not delivered and do not end the loop. They are passed
/// to the `onFailure` function of `values(of:onFailure:)`; without it, data of another type appears
/// only in the pipeline log, and errors of loads are not reported. Wiping the resource delivers
/// nothing, and neither does a 304.
///
/// The loop observes the resource from the moment the sequence is iterated until the loop ends, and
/// loads nothing itself. It ends when its task is cancelled, when it is left, and when the home
/// ends. It runs on the actor that is the home of the resource.
public struct ResourceValues<Value: Decodable & Sendable>: AsyncSequence {
  public typealias Element = Value
  public typealias Failure = Never

  fileprivate let resource: Resource
  fileprivate let onFailure: ((RequestError) -> Void)?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(resource, onFailure) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: FeedReader<Entity>
    private let resource: Resource
    private let onFailure: ((RequestError) -> Void)?

    fileprivate init(_ resource: Resource, _ onFailure: ((RequestError) -> Void)?) {
      self.resource = resource
      self.onFailure = onFailure
      reader = FeedReader(
        Feed(resource.pump, of: "resource.values(of:)") { waiting, data in
          waiting = [data]
        } start: { feed in
          resource.observe(while: { [weak feed] in feed?.isOver == false }) {
            [weak feed, unowned resource] event in
            switch event {
            case .observerAdded, .newData:
              if let data = resource.latestData { feed?.push(data) }
            case .error:
              if let error = resource.latestError { onFailure?(error) }
            case .requested, .requestCancelled, .notModified: break
            }
          }
        })
      reader.feed.begin()
    }

    public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Value? {
      while let data = await reader.feed.next(isolation: isolation) {
        do throws(RequestError) {
          return try resource.decoded(data, as: Value.self)
        } catch {
          resource.pump.log(
            .pipeline, "\(resource.displayName): \(LogText.part(error.cause?.message))")
          onFailure?(error)
        }
      }
      return nil
    }
  }
}

extension Resource {
  /// The data of the resource as a type of the program, for `for await`; see `ResourceValues`.
  ///
  ///     for await user in resource.values(of: User.self) { print(user.name) }
  ///
  /// - Parameter onFailure: Called on the home thread with the error of each failed load, and with
  ///   an error when the data is not of the type.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, onFailure: ((RequestError) -> Void)? = nil
  ) -> ResourceValues<Value> {
    ResourceValues(resource: self, onFailure: onFailure)
  }
}
