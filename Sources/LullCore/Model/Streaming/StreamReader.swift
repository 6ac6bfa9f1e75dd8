import LullSystem

/// Makes items of the bytes of one stream, of either kind.
struct StreamReader {
  private enum Kind {
    case events
    case rows(RowParser)
  }

  /// Outlives each connection.
  private(set) var events: EventStreamParser
  private var kind = Kind.events
  /// Whether `rowText` is wanted.
  var keepsText = false
  /// The last row as the server has spelled it.
  private(set) var rowText: [UInt8] = []

  init(lastEventID: String) {
    events = EventStreamParser(lastEventID: lastEventID)
  }

  var areRows: Bool {
    if case .rows = kind { return true }
    return false
  }

  /// What an item is called that cannot be read.
  private(set) var unit = "line"

  /// A body begins.
  ///
  /// - Parameter form: How rows are written; nil for events.
  mutating func begin(rows form: JSONForm?) {
    events.beginAgain()
    guard let form else { return kind = .events }
    unit = form == .lines ? "line" : "value"
    kind = .rows(RowParser(keepsText: keepsText, areValues: form != .lines))
  }

  mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    guard case .rows(var parser) = kind else { return try events.take(&piece) }
    // So that its buffer is not shared meanwhile.
    kind = .events
    defer { kind = .rows(parser) }
    try parser.take(&piece)
  }

  /// The next item; nil if none is whole.
  mutating func next() throws(StreamProblem) -> StreamItem? {
    try read { parser throws(StreamProblem) in try parser.next() }
  }

  /// The item that the end of a whole body ends.
  mutating func last() throws(StreamProblem) -> StreamItem? {
    guard areRows else { return nil }
    return try read { parser throws(StreamProblem) in try parser.last() }
  }

  private mutating func read(
    _ row: (inout RowParser) throws(StreamProblem) -> JSONDocument?
  ) throws(StreamProblem) -> StreamItem? {
    guard case .rows(var parser) = kind else { return try events.next().map { .event($0) } }
    // As above.
    kind = .events
    defer { kind = .rows(parser) }
    guard let document = try row(&parser) else { return nil }
    rowText = parser.text
    return .row(document)
  }
}

/// The items of a stream, for a loop on the actor that is the stream's home.
///
/// Cancelling the task that waits for one ends the stream; leaving the loop does once nobody holds it. Of
/// a home that has ended, or ends meanwhile, it throws `requestCancelled`.
///
///     for try await item in api.resource("/events").events().items { … }
public struct StreamItems: AsyncSequence {
  /// An event, or a row.
  public typealias Element = StreamItem
  /// What ended the stream before its end.
  public typealias Failure = RequestError

  /// What a loop asks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: EventStream

    /// Waits for the next item; nil when there are no more.
    ///
    /// - Throws: What fails the stream, once, as the last thing.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws(RequestError) -> StreamItem? {
      while true {
        guard !stream.resource.pump.ending.hasEnded else { throw stream.endOfHome }
        switch stream.next() {
        case .item(let item): return item
        case .end: return nil
        case .failure(let error): throw error
        case .wait:
          // The first would never go on.
          if stream.isAwaited { ProgramMisuse.stopTwoReaders(of: "stream.items") }
          await stream.ready(isolation: isolation)
        }
      }
    }
  }

  let stream: EventStream

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }
}

extension EventStream {
  /// For `for try await`.
  public var items: StreamItems { StreamItems(stream: self) }

  /// Waits until there may be more to say.
  fileprivate func ready(isolation: isolated (any Actor)?) async {
    let pump = resource.pump
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { [weak self] in self?.stop() }
    defer { pump.discard(cancellation) }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    let wait = Readiness()
    let ending = pump.ending.add { wait.end() }
    await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      await withCheckedContinuation { continuation in
        wait.continuation = continuation
        guard !pump.ending.hasEnded else { return wait.end() }
        whenReady { wait.end() }
      }
    } onCancel: {
      cancellation()
    }
    pump.ending.remove(ending)
  }

  fileprivate var endOfHome: RequestError {
    var error = RequestError.cancelled(at: resource.pump.clock.now)
    error.userMessage = "Stream cancelled: its home has ended"
    return error
  }

  private final class Readiness {
    var continuation: CheckedContinuation<Void, Never>?

    func end() {
      continuation?.resume()
      continuation = nil
    }
  }
}

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
