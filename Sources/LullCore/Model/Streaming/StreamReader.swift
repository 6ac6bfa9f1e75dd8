import LullSystem

/// Parses the bytes of a stream into items, for events and rows.
struct StreamReader {
  private enum Kind {
    case events
    case rows(RowParser)
  }

  /// Kept across connections.
  private(set) var events: EventStreamParser
  private var kind = Kind.events
  /// Whether `rowText` is kept.
  var keepsText = false
  /// The last row as the server wrote it.
  private(set) var rowText: [UInt8] = []

  init(lastEventID: String) {
    events = EventStreamParser(lastEventID: lastEventID)
  }

  var areRows: Bool {
    if case .rows = kind { return true }
    return false
  }

  /// What an unreadable item is called in errors.
  private(set) var unit = "line"

  /// Begins a body.
  ///
  /// - Parameter form: The format of rows; nil for events.
  mutating func begin(rows form: JSONForm?) {
    events.beginAgain()
    guard let form else { return kind = .events }
    unit = form == .lines ? "line" : "value"
    kind = .rows(RowParser(keepsText: keepsText, areValues: form != .lines))
  }

  mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    guard case .rows(var parser) = kind else { return try events.take(&piece) }
    // Replaced meanwhile, so that the parser's buffer is not copied.
    kind = .events
    defer { kind = .rows(parser) }
    try parser.take(&piece)
  }

  /// The next item; nil if none is complete.
  mutating func next() throws(StreamProblem) -> StreamItem? {
    try read { parser throws(StreamProblem) in try parser.next() }
  }

  /// The item that is completed by the end of the body.
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
/// Cancelling the task that waits for an item ends the stream. Leaving the loop ends it when
/// nothing holds it any more. If the home has ended, or ends meanwhile, it throws
/// `requestCancelled`.
///
///     for try await item in api.resource("/events").events().items { … }
public struct StreamItems: AsyncSequence {
  /// An event or a row.
  public typealias Element = StreamItem
  /// The error that ended the stream early.
  public typealias Failure = RequestError

  /// The iterator of the loop.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: EventStream

    /// Waits for the next item; nil when there are no more.
    ///
    /// - Throws: The error of the stream, once, as its last result.
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
          // The first reader would never continue.
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
  /// The items, for `for try await`.
  public var items: StreamItems { StreamItems(stream: self) }

  /// Waits until `next` may have a result.
  fileprivate func ready(isolation: isolated (any Actor)?) async {
    let pump = resource.pump
    // A task may be cancelled on any thread, so only the signal leaves the home thread.
    let cancellation = pump.signal { [weak self] in self?.stop() }
    defer { pump.discard(cancellation) }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    let wait = Readiness()
    let ending = pump.ending.add { wait.end() }
    await withTaskCancellationHandler {
      // Captured, so that the closure stays on the caller's actor.
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
/// Order of events: the request is sent at once. When items have arrived, all of them are reduced
/// one by one, the result becomes the content of the resource, and observers get one event,
/// `newData(network)`. An error of the stream becomes the error of the resource. While the stream
/// is followed, the resource is up to date, and `loadIfNeeded` does not load. It continues until
/// the stream ends or `stop` is called, whether or not this object is held. Home thread only.
/// (STR-31 to STR-37) Lua: `resource:follow{…}`.
public final class StreamFollower {
  /// Combines the content so far, nil before the first item, with an item. A failure ends the
  /// stream.
  public typealias Reducer = (_ content: Content?, _ item: StreamItem) -> Result<
    Content, RequestError
  >

  /// The stream that is followed.
  public let stream: EventStream
  /// The items so far, reduced.
  public private(set) var content: Content?
  private var reduce: Reducer?
  /// Whether the stream is no longer followed.
  public var isOver: Bool { reduce == nil }
  /// The error that ended it; nil if it ended normally or by `stop`.
  public private(set) var error: RequestError?
  private var hasContent = false
  private var onEnd: (() -> Void)?

  init(_ stream: EventStream, from content: Content?, _ reduce: @escaping Reducer) {
    self.stream = stream
    self.content = content
    self.reduce = reduce
  }

  /// Calls `action` on a later turn when it is over. Call this at most once, before `start`.
  package func whenOver(_ action: @escaping () -> Void) { onEnd = action }

  func start() {
    stream.resource.record.followerCount += 1
    advance()
  }

  /// Ends it. The connection is closed before this call returns, and the content stays.
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

  /// Takes the items that have arrived.
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
        // An observer may have stopped it.
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
