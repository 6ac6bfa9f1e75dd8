extension Resource {
  /// Returns the resource's data, decoded as the given type. If the data is not fresh, loads the
  /// data first.
  ///
  /// Order of events: fresh data is returned at once, without a request. Otherwise the call waits
  /// for the load in flight, or starts a load as `loadIfNeeded` does. Any number of callers share
  /// one request, and its response is decoded once. If the last load failed more recently than the
  /// retry time, nothing is sent, and the error of that load is thrown. While the service is
  /// offline, data of any age is fresh. If a stream provides the data, the call waits for the first
  /// data of the stream.
  ///
  /// If the content can't be decoded as the type, the call throws and the resource keeps its data.
  /// To make the load fail instead, register the type with `Service.configureTransformer(_:as:)`.
  /// Cancelling the waiting task has the same effect as for `Request.entity()`. The call runs on
  /// the caller's actor, which must be the home of the resource.
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
    if let error = latestError, !error.isPartial, !service.isOffline || latestData == nil {
      throw error
    }
    if let data = latestData { return try decoded(data, as: type) }
    return try await streamed(type, isolation: isolation)
  }

  /// Waits for the first data of the stream that the resource follows, and returns this data.
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

/// The events of a resource as a sequence for `for await`. The loop gets the events that an
/// observer gets, beginning with `observerAdded`.
///
/// Between two steps of the loop, each kind of event is queued only once, in the order of the last
/// occurrences. A slow loop therefore misses no kind of event, and the queue stays small. When the
/// loop reads a property of the resource, it gets the present value, not the value at the time of
/// the event.
///
/// The loop observes the resource from the creation of its iterator, before its first step, until
/// the loop ends. It does not load the resource. If you start a load just before the loop, the loop
/// gets all events of that load. The loop ends when its task is cancelled, when the code leaves the
/// loop, or when the home ends. It runs on the actor that is the home of the resource. Lua:
/// `resource:changes`.
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
      // Begins to observe now, because the home may run a turn before the first step of the loop.
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
  /// The events of the resource, for `for await`; see `ResourceEvents`. The method `events(_:)`, in
  /// contrast, reads an event stream from the server.
  public var events: ResourceEvents { ResourceEvents(resource: self) }

  /// Calls `hear` with each event of the resource, until the returned function is called or
  /// `listens` returns false.
  package func observe(
    while listens: @escaping () -> Bool, _ hear: @escaping (ResourceEvent) -> Void
  ) -> () -> Void {
    let observer = FeedObserver(listens, hear)
    hold(observer)
    return { [self] in record.observers.remove(observer, resource: self) }
  }
}

/// The observer that passes events to a `for await` loop.
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

/// The data of a resource, decoded as `Value`, as a sequence for `for await`: the present data
/// first, then each new data.
///
/// If data arrives several times between two steps of the loop, only the latest data is delivered.
/// Data that can't be decoded as `Value`, and errors of loads, are not delivered and do not end the
/// loop. They are reported to the `onFailure` function of `values(of:onFailure:)`. Data that can't
/// be decoded is also reported in the pipeline log. A wipe and a 304 deliver nothing.
///
/// The loop observes the resource from the creation of its iterator until the loop ends, and does
/// not load the resource. The loop ends when its task is cancelled, when the code leaves the loop,
/// or when the home ends. It runs on the actor that is the home of the resource.
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
  /// Returns the data of the resource, decoded as `Value`, as a sequence for `for await`; see
  /// `ResourceValues`.
  ///
  ///     for await user in resource.values(of: User.self) { print(user.name) }
  ///
  /// - Parameter onFailure: Called on the home thread with the error of each failed load, and with
  ///   an error if data can't be decoded as `Value`.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, onFailure: ((RequestError) -> Void)? = nil
  ) -> ResourceValues<Value> {
    ResourceValues(resource: self, onFailure: onFailure)
  }
}
