import LullSystem

/// Parses the bytes of a stream into items: events, or rows of JSON.
struct StreamReader {
  private enum Kind {
    case events
    case rows(RowParser)
  }

  /// The parser of events. It is used for all connections of the stream, because it stores the id
  /// of the last event.
  private(set) var events: EventStreamParser
  private var kind = Kind.events
  /// Whether the text of rows is stored in `rowText`.
  var keepsText = false
  /// The text of the last row, as the server wrote it.
  private(set) var rowText: [UInt8] = []

  init(lastEventID: String) {
    events = EventStreamParser(lastEventID: lastEventID)
  }

  var areRows: Bool {
    if case .rows = kind { return true }
    return false
  }

  /// The word for a row in error messages.
  private(set) var unit = "line"

  /// Prepares the reader for a new body.
  ///
  /// - Parameter form: The format of rows; nil if the body contains events.
  mutating func begin(rows form: JSONForm?) {
    events.beginAgain()
    guard let form else { return kind = .events }
    unit = form == .lines ? "line" : "value"
    kind = .rows(RowParser(keepsText: keepsText, areValues: form != .lines))
  }

  mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    guard case .rows(var parser) = kind else { return try events.take(&piece) }
    // `kind` is replaced during the call, so that the buffer of the parser is not copied.
    kind = .events
    defer { kind = .rows(parser) }
    try parser.take(&piece)
  }

  /// Returns the next item; nil if no item is complete.
  mutating func next() throws(StreamProblem) -> StreamItem? {
    try read { parser throws(StreamProblem) in try parser.next() }
  }

  /// Returns the row that the end of the body completes; nil if there is no such row.
  mutating func last() throws(StreamProblem) -> StreamItem? {
    guard areRows else { return nil }
    return try read { parser throws(StreamProblem) in try parser.last() }
  }

  private mutating func read(
    _ row: (inout RowParser) throws(StreamProblem) -> JSONDocument?
  ) throws(StreamProblem) -> StreamItem? {
    guard case .rows(var parser) = kind else { return try events.next().map { .event($0) } }
    // `kind` is replaced during the call, so that the buffer of the parser is not copied.
    kind = .events
    defer { kind = .rows(parser) }
    guard let document = try row(&parser) else { return nil }
    rowText = parser.text
    return .row(document)
  }
}

/// The items of a stream, as a sequence for `for try await`. The loop runs on the actor that is the
/// home of the stream.
///
/// Cancelling the task that waits for an item ends the stream. If the code leaves the loop, the
/// stream ends when its `EventStream` is no longer referenced. If the home has already ended, or
/// ends during the loop, the loop throws an error with the cause `requestCancelled`.
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

    /// Waits for the next item and returns this item; nil if there are no more items.
    ///
    /// - Throws: The error that has ended the stream. It is thrown once; later calls return nil.
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
          // Two tasks must not wait for the same stream, because the first of them would never
          // continue.
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
  /// The items of the stream, as a sequence for `for try await`; see `StreamItems`.
  public var items: StreamItems { StreamItems(stream: self) }

  /// Waits until `EventStream.next` may return a result other than `wait`.
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
      // Captures `isolation`, so that the closure stays on the caller's actor.
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

/// A stream whose items are combined. The combined items are the content of the resource.
///
/// Order of events: the request is sent at once. When items have arrived, they are combined with
/// the content one by one. The result becomes the content of the resource, and observers get one
/// event, `newData(network)`. An error of the stream becomes the error of the resource. While the
/// stream is followed, the resource is up to date, and `loadIfNeeded` does not load. The stream is
/// followed until it ends or `stop` is called, even if the `StreamFollower` is not referenced. Home
/// thread only. (STR-31 to STR-37) Lua: `resource:follow{…}`.
public final class StreamFollower {
  /// A function that combines the content so far (nil if there is none) with an item, and returns
  /// the new content. If it returns a failure, the stream ends with this error.
  public typealias Reducer = (_ content: Content?, _ item: StreamItem) -> Result<
    Content, RequestError
  >

  /// The stream that is followed.
  public let stream: EventStream
  /// The initial content, combined with the items that have arrived so far; nil if there is neither
  /// initial content nor an item.
  public private(set) var content: Content?
  private var reduce: Reducer?
  /// Whether the stream is no longer followed, because it has ended or was stopped.
  public var isOver: Bool { reduce == nil }
  /// The error that ended the stream. nil if the stream has not ended, has ended normally, or was
  /// ended by `stop`.
  public private(set) var error: RequestError?
  private var hasContent = false
  private var onEnd: (() -> Void)?

  init(_ stream: EventStream, from content: Content?, _ reduce: @escaping Reducer) {
    self.stream = stream
    self.content = content
    self.reduce = reduce
  }

  /// Sets a function that is called on a later turn when the stream is no longer followed. Call
  /// this method at most once, before `start`.
  package func whenOver(_ action: @escaping () -> Void) { onEnd = action }

  func start() {
    stream.resource.record.followerCount += 1
    advance()
  }

  /// Ends the stream. The connection is closed before this call returns. The resource keeps its
  /// content.
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

  /// Processes the items that have arrived, and then waits for more or ends.
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
        // An observer may have called `stop`.
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
