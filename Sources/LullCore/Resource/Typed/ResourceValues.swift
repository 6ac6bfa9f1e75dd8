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
