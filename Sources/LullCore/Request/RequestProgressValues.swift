/// What has a `progress` that can be read as a number, and followed by a loop.
///
/// The number is a member of the class, this of a protocol: where the context wants neither in particular,
/// it is the number.
public protocol ProgressSource: AnyObject {
  /// The progress now, then whenever it has changed, and finally 1: for `for await`.
  ///
  ///     for await part in request.progress { show(part) }
  var progress: RequestProgressValues { get }
}

extension Request: ProgressSource {}

extension ProgressSource where Self: Request {
  public var progress: RequestProgressValues { RequestProgressValues(self) }
}

/// How far a request is, 0 to 1: what it is now, then each change, of several between two steps of the loop
/// the last one, and finally 1, whatever the outcome. Never the same twice in a row.
///
/// The request is asked only while the loop runs. A loop over one that has not been started waits for its
/// start; it ends early, without the 1, when its task is cancelled, which does nothing to the request, and
/// when the home ends. It runs on the actor that is the home of the request. Lua: `request:on_progress`.
public struct RequestProgressValues: AsyncSequence {
  public typealias Element = Double
  public typealias Failure = Never

  private let request: Request

  init(_ request: Request) { self.request = request }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(request) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: FeedReader<Double>
    private var last: Double?

    fileprivate init(_ request: Request) {
      let feed = Feed<Double>(request.pump, of: "request.progress") { waiting, progress in
        waiting = [progress]
      } start: { feed in
        feed.push(request.progress)
        request.onProgress(
          { [weak feed, unowned request] progress in
            feed?.push(progress)
            if request.isCompleted { feed?.finish() }
          }, whileWanted: { [weak feed] in feed?.isOver == false })
        return {}
      }
      reader = FeedReader(feed)
    }

    public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Double? {
      while let progress = await reader.feed.next(isolation: isolation) {
        guard progress != last else { continue }
        last = progress
        return progress
      }
      return nil
    }
  }
}
