/// A stream whose items make the content of its resource.
///
/// Order of events: the request is sent at once; whenever items have come, all that are there are
/// reduced one by one, what they come to becomes the resource's content, and observers hear of one event,
/// `newData(network)`. What fails the stream becomes the resource's error. Meanwhile the resource counts as
/// up to date: `loadIfNeeded` loads nothing. It goes on until the stream is over or `stop`, whoever holds
/// this. Home thread only. (STR-31 to STR-37) Lua: `resource:follow{…}`.
public final class StreamFollower {
  /// What an item makes of what those before have come to, nil before the first; a failure ends it.
  public typealias Reducer = (_ content: Content?, _ item: StreamItem) -> Result<
    Content, RequestError
  >

  /// What is followed.
  public let stream: EventStream
  /// What the items have come to so far.
  public private(set) var content: Content?
  private var reduce: Reducer?
  /// Whether nothing is followed any more.
  public var isOver: Bool { reduce == nil }
  /// Why it is over, if that is not by itself or by `stop`.
  public private(set) var error: RequestError?
  private var hasContent = false
  private var onEnd: (() -> Void)?

  init(_ stream: EventStream, from content: Content?, _ reduce: @escaping Reducer) {
    self.stream = stream
    self.content = content
    self.reduce = reduce
  }

  /// Calls `action` when it is over, on a later turn; called once at most, before `start`.
  package func whenOver(_ action: @escaping () -> Void) { onEnd = action }

  func start() {
    stream.resource.record.followerCount += 1
    advance()
  }

  /// Ends it: its connection is closed before this returns, and the content stays.
  public func stop() {
    guard !isOver else { return }
    end()
  }

  private func end(_ error: RequestError? = nil) {
    reduce = nil
    self.error = error
    stream.resource.record.followerCount -= 1
    stream.stop()
    if let onEnd { stream.resource.pump.enqueue(onEnd) }
    onEnd = nil
  }

  /// Takes what there is.
  private func advance() {
    var isChanged = false
    while let reduce {
      switch stream.next() {
      case .item(let item):
        switch reduce(content, item) {
        case .success(let content):
          guard !isOver else { break }
          self.content = content
          isChanged = true
        case .failure(let error):
          guard !isOver else { break }
          publish(if: isChanged)
          return fail(error)
        }
      case .wait:
        publish(if: isChanged)
        // Unless an observer has stopped it.
        if !isOver { stream.whenReady { self.advance() } }
        return
      case .end:
        publish(if: isChanged)
        return stop()
      case .failure(let error):
        publish(if: isChanged)
        return fail(error)
      }
    }
    publish(if: isChanged)
  }

  private func publish(if isChanged: Bool) {
    guard isChanged, let content else { return }
    stream.resource.streamed(content, isFirst: !hasContent)
    hasContent = true
  }

  private func fail(_ error: RequestError) {
    guard !isOver else { return }
    end(error)
    if case .requestCancelled? = error.cause { return }
    stream.resource.streamFailed(error)
  }
}
