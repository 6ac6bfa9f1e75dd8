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
