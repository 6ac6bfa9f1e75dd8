extension Resource {
  /// The resource's data as a type of the program's, loaded if it is not fresh.
  ///
  /// Order of events: fresh data is given at once, without any request. Else the load in flight is
  /// waited for, or one is started, as `loadIfNeeded` decides: however many ask at a time, one request
  /// goes out, and what it brings is decoded once. While the last load's error is recent, younger than
  /// the retry time, nobody is asked and that error is thrown. Offline, data of any age is fresh. If the
  /// data comes from a stream, its first data is waited for.
  ///
  /// Content of another type leaves the resource as it is, data that is there included; with a
  /// transformer, `Service.configureTransformer(_:as:)`, it fails the load. Cancelling the waiting task
  /// does what it does to `Request.entity()`. Runs on the caller's actor, which must be the home of the
  /// resource.
  ///
  ///     let user = try await api.resource("/me").fresh(User.self)
  ///
  /// - Throws: The load's error, or why the content is not of the type: see `decoded`.
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

  /// What a stream that is followed brings first.
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

/// What happens to a resource, for a loop: as an observer hears it, `observerAdded` first.
///
/// Between two steps of the loop each kind of event is kept once, at the place of its last time: a slow
/// loop misses no kind, and nothing grows. What the resource then has is what it has when the loop looks.
///
/// The loop observes the resource from where it stands, before its first step, until it ends, and loads
/// nothing by itself: what a load brings that was started in the line before is not missed. It ends
/// when its task is cancelled, when one leaves it, and when the home ends. It runs on the actor that is the
/// home of the resource. Lua: `resource:changes`.
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
      // Before the first step the home may have turned.
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
  /// What happens to it, for `for await`. Not to be confused with `events(_:)`, a stream of the server's.
  public var events: ResourceEvents { ResourceEvents(resource: self) }

  /// Observes until what this gives is called, and not when nobody listens any more.
  package func observe(
    while listens: @escaping () -> Bool, _ hear: @escaping (ResourceEvent) -> Void
  ) -> () -> Void {
    let observer = FeedObserver(listens, hear)
    hold(observer)
    return { [self] in record.observers.remove(observer, resource: self) }
  }
}

/// The observer that a loop is.
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

/// The data of a resource as a type of the program's, for a loop: what is there first, then whatever
/// replaces it.
///
/// Of data that came between two steps of the loop the last is given. What is not of the type, and errors
/// of loads, are none of its values: they end nothing, and are told to the function that was given to
/// `values(of:onFailure:)`, else the first to the log of the pipeline only. Wiping the resource gives
/// nothing, nor does a 304.
///
/// The loop observes the resource from where it stands until it ends, and loads nothing by itself. It ends
/// when its task is cancelled, when one leaves it, and when the home ends. It runs on the actor that is the
/// home of the resource.
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
  /// Its data as a type of the program's, for `for await`; see `ResourceValues`.
  ///
  ///     for await user in resource.values(of: User.self) { print(user.name) }
  ///
  /// - Parameter onFailure: called on the home thread with the error of each load that fails, and where data
  ///   is not of the type.
  public func values<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, onFailure: ((RequestError) -> Void)? = nil
  ) -> ResourceValues<Value> {
    ResourceValues(resource: self, onFailure: onFailure)
  }
}
