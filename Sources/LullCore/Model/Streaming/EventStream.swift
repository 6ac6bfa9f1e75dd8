/// Reads a resource as a stream of items, in order, with as many connections as necessary.
///
/// Order of events: the first call of `next` sends the request. Each call of `next` returns an item
/// that has arrived. If `next` returns `wait`, `whenReady` calls back when there may be more items.
///
/// If an event stream ends or breaks off, `next` first returns the items that have arrived. Then,
/// after the delay that the server has set (`Reconnection`), a new request for the stream is sent,
/// with the id of the last event returned. A 204 response ends the stream. If an error occurs
/// before the first connection has succeeded, or if a new request can't fix the error, the error is
/// the last result of `next`. A stream of JSON values ends with its body and is never requested
/// again.
///
/// Each connection is an ordinary request of the resource, with the configuration of the resource
/// except its pipeline. The stream reads ahead at most 256 KB, or one item of at most 16 MB. `stop`
/// closes the connection at once. If this object is released, the connection is closed a turn
/// later. Home thread only. (STR-01 to STR-30) Lua: `resource:events()`.
public final class EventStream {
  /// The result of `next`.
  public enum Step {
    /// The next item.
    case item(StreamItem)
    /// No item has arrived yet.
    case wait
    /// There are no more items.
    case end
    /// There are no more items, because of this error.
    case failure(RequestError)
  }

  private final class Connection {
    let request: Request
    let inbox: StreamInbox
    var response: Response?
    /// Whether the status and the headers of the response have been processed.
    var hasBegun = false

    init(_ request: Request, _ inbox: StreamInbox) {
      self.request = request
      self.inbox = inbox
    }
  }

  /// A callback that waits for items. The object that will call the callback retains it.
  private final class Wait {
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) {
      self.action = action
    }

    func end() {
      let action = action
      self.action = nil
      action?()
    }
  }

  private enum Phase {
    /// The stream waits until the given time, by the clock's `uptime`, and then sends a new
    /// request.
    case pausing(until: Double)
    case open(Connection)
    case over
  }

  /// The resource that is read as a stream. The requests have the configuration of this resource.
  public let resource: Resource
  private let options: StreamOptions
  private let pump: Pump
  private var phase: Phase
  private var reader: StreamReader
  private var reconnection = Reconnection()
  /// The time at which the `timeout` ends the stream, by the clock's `uptime`. nil before the first
  /// request, and if there is no timeout.
  private var deadline: Double?
  /// Whether at least one connection has succeeded.
  private var hasBegun = false
  /// A buffer that is exchanged with the inbox, so that memory is reused.
  private var spare: [UInt8] = []
  private weak var waiting: Wait?
  private var signal: HomeSignal?
  private var timer: (any HostTimer)?
  /// Whether the items are GraphQL responses, of which the values of `data` are returned. (GQL-44)
  private var readsGraphQL = false
  /// The text of the row that was made from a GraphQL response; nil for other rows.
  private var dataText: [UInt8]?
  /// The error that ends the stream after the last item.
  private var lastError: RequestError?
  /// A function that is called with each request before the request starts.
  package var onRequest: ((Request) -> Void)?

  package init(_ resource: Resource, _ options: StreamOptions) {
    self.resource = resource
    self.options = options
    pump = resource.pump
    phase = .pausing(until: -.infinity)
    reader = StreamReader(lastEventID: options.lastEventID)
  }

  deinit {
    if case .open(let connection) = phase { pump.enqueue { connection.request.cancel() } }
    if let signal { pump.discard(signal) }
    timer?.cancel()
  }

  /// The id of the last event that was returned; empty if no event had an id.
  public var lastEventID: String { reader.events.lastEventID }

  /// Whether `rowText` is available. Set this property before the first item is read.
  package var keepsText: Bool {
    get { reader.keepsText }
    set { reader.keepsText = newValue }
  }

  /// The last row that `next` returned, as the server wrote it.
  package var rowText: [UInt8] { dataText ?? reader.rowText }

  /// Whether the stream has ended: there are no more items, and no connection is open.
  public var isOver: Bool {
    if case .over = phase { return true }
    return false
  }

  /// The request of the open connection; nil if no connection is open.
  package var request: Request? {
    if case .open(let connection) = phase { return connection.request }
    return nil
  }

  // MARK: Reading

  /// Returns the next item that has arrived. If there is none, returns the reason.
  public func next() -> Step {
    if let lastError {
      self.lastError = nil
      return fail(lastError)
    }
    while true {
      switch phase {
      case .over: return .end
      case .pausing(let time):
        guard pump.clock.uptime >= min(time, deadline ?? .infinity) else { return .wait }
        if let deadline, pump.clock.uptime >= deadline { return fail(timeoutError) }
        connect()
      case .open(let connection):
        do throws(StreamProblem) {
          if let item = try reader.next() {
            guard readsGraphQL else { return .item(item) }
            if let step = data(of: item) { return step }
            continue
          }
          if try hasMore(connection) { continue }
          guard let response = connection.response else { return .wait }
          if case .success = response.outcome, let item = try reader.last() {
            guard readsGraphQL else { return .item(item) }
            if let step = data(of: item) { return step }
          }
          if let step = ended(connection, response) { return step }
        } catch {
          return fail(self.error(of: error))
        }
      }
    }
  }

  /// Calls `action` once, on a later turn, when `next` may return a result other than `wait`. If
  /// this method is called again before that, the new action replaces the old action.
  public func whenReady(_ action: @escaping () -> Void) {
    stopWaiting()
    let wait = Wait(action)
    waiting = wait
    switch phase {
    case .over: tell(wait)
    case .pausing(let time):
      let due = min(time, deadline ?? .infinity)
      timer = pump.clock.schedule(after: max(0, due - pump.clock.uptime)) { [weak self] in
        self?.wake(wait)
      }
    case .open(let connection):
      guard connection.response == nil else { return tell(wait) }
      let signal = pump.signal { [weak self] in self?.wake(wait) }
      self.signal = signal
      connection.inbox.tell(signal)
    }
  }

  /// Whether a callback waits for items.
  package var isAwaited: Bool { waiting != nil }

  /// Cancels the callback of `whenReady`.
  public func stopWaiting() {
    waiting = nil
    if let signal { pump.discard(signal) }
    signal = nil
    timer?.cancel()
    timer = nil
  }

  private func tell(_ wait: Wait) {
    pump.enqueue { [weak self] in self?.wake(wait) }
  }

  private func wake(_ wait: Wait) {
    guard wait === waiting else { return }
    stopWaiting()
    wait.end()
  }

  /// Ends the stream. The connection is closed before this call returns. If an `action` of
  /// `whenReady` is waiting, it is called on a later turn.
  public func stop() {
    guard !isOver else { return }
    if case .open(let connection) = phase {
      phase = .over
      connection.request.cancel()
    }
    end()
    if let waiting { tell(waiting) }
  }

  private func end() {
    phase = .over
    reader.begin(rows: nil)
    spare = []
  }

  private func fail(_ error: RequestError) -> Step {
    let connection = phase
    end()
    if case .open(let open) = connection { open.request.cancel() }
    return .failure(error)
  }

  /// Returns the step for an item of a GraphQL stream: the value of `data` as a row, or the end of
  /// the stream. nil for events that have no meaning. A response with errors ends the stream, after
  /// its data. (GQL-44; graphql-sse, "distinct connections mode")
  private func data(of item: StreamItem) -> Step? {
    let body: GraphQLResponse
    switch item {
    case .row(let document): body = GraphQLResponse(document)
    case .event(let event) where event.event == "complete":
      stop()
      return .end
    // Some servers send no names.
    case .event(let event) where event.event == "next" || event.event == "message":
      do throws(JSONError) {
        body = GraphQLResponse(try JSONDocument(parsing: event.data))
      } catch {
        return fail(self.error(.malformedJSON(message: "an event: \(error.message)", offset: nil)))
      }
    case .event: return nil
    }
    switch body {
    case .data(let data, let errors):
      if !errors.isEmpty { lastError = error(.graphQL(errors)) }
      if keepsText {
        var text: [UInt8] = []
        data.root.encode(into: &text)
        dataText = text
      }
      return .item(.row(data))
    case .errors(let errors): return fail(error(.graphQL(errors)))
    case .neither(let found): return fail(error(GraphQLStep.unexpected(found)))
    }
  }

  // MARK: Connections

  private func connect() {
    let inbox = StreamInbox()
    let now = pump.clock.uptime
    readsGraphQL = resource.resolvedConfiguration(for: resource.configuredMethod).settings.graphQL
    if deadline == nil { deadline = options.timeout.map { now + $0 } }
    let request = resource.streamRequest(
      to: inbox, after: reader.events.lastEventID, within: deadline.map { $0 - now },
      edit: options.edit)
    let connection = Connection(request, inbox)
    phase = .open(connection)
    onRequest?(request)
    request.onCompletion { [weak self] response in
      connection.response = response
      guard let self, case .open(let current) = phase, current === connection, let waiting else {
        return
      }
      wake(waiting)
    }
    request.start()
  }

  /// Passes the bytes that have arrived to the reader. Returns whether there were any bytes.
  private func hasMore(_ connection: Connection) throws(StreamProblem) -> Bool {
    if !connection.hasBegun { begin(connection) }
    let isPaused = connection.inbox.swap(&spare)
    guard !spare.isEmpty else { return false }
    resource.pump.host?.bodyArrived(byteCount: spare.count)
    try reader.take(&spare)
    if isPaused { (connection.request.lastPart as? NetworkRequest)?.transfer?.resume() }
    return true
  }

  private func begin(_ connection: Connection) {
    if connection.inbox.kind == nil, let entity = connection.response?.entity {
      connection.inbox.take(whole: entity)
    }
    switch connection.inbox.kind {
    case .events: reader.begin(rows: nil)
    case .rows(let form): reader.begin(rows: form)
    case .nothing, .other, nil: return
    }
    connection.hasBegun = true
    hasBegun = true
    reconnection.succeeded()
  }

  /// Handles the end of a connection after all its items have been read. Returns the last result of
  /// `next`. If the stream reconnects, returns nil.
  private func ended(_ connection: Connection, _ response: Response) -> Step? {
    switch connection.inbox.kind {
    case .nothing:
      end()
      return .end
    case .other(let status, let type): return fail(notAStream(status, type))
    case .events, .rows, nil: break
    }
    if connection.inbox.lacksMemory { return fail(error(of: .noMemory)) }
    switch response.outcome {
    case .success:
      guard connection.hasBegun else {
        return fail(notAStream(response.entity?.exchange?.status, nil))
      }
      guard !reader.areRows, options.reconnects else {
        end()
        return .end
      }
      pause("ended")
    case .failure(let error):
      guard hasBegun, !reader.areRows, options.reconnects, !response.isCancellation,
        deadline.map({ pump.clock.uptime < $0 }) ?? true, case .transport(let cause)? = error.cause,
        connection.inbox.isRepeated
          || Reconnection.mayPass(cause, afterHead: connection.hasBegun)
      else { return fail(error) }
      pause("broke off (\(cause.message))")
    }
    return nil
  }

  private func pause(_ what: String) {
    if let time = reader.events.retry { reconnection.time = time }
    let delay = reconnection.nextDelay(random: pump.random())
    phase = .pausing(until: pump.clock.uptime + delay)
    pump.log(
      .network,
      "the stream of \(resource.displayName) \(what): it reconnects in \(delay) s")
  }

  // MARK: Errors

  private func error(of problem: StreamProblem) -> RequestError {
    switch problem {
    case .tooLarge:
      let size = StreamLines.limit >> 20
      return error(
        .transport(
          .final(.bodyTooLarge, "an item of the stream is larger than \(size) MB")))
    case .noMemory:
      return error(
        .transport(.final(.network, "the memory limit leaves no room for the stream")))
    case .malformed(let line, let error):
      return self.error(
        .malformedJSON(
          message: "\(reader.unit) \(line) of the stream: \(error.message)", offset: error.offset))
    }
  }

  private var timeoutError: RequestError {
    let limit = String(options.timeout ?? 0)
    return error(
      .transport(.final(.timeout, "the stream did not end within \(limit) s (timeout)")))
  }

  private func notAStream(_ status: Int?, _ type: String?) -> RequestError {
    let what =
      if let status, status != 200 {
        "its status is \(status)"
      } else {
        type.map { "its type is \(LogText.part($0, limit: 80))" } ?? "it has no type"
      }
    var error = error(
      .transport(
        .final(
          .notAStream,
          "the response is not a stream (\(what)): only text/event-stream, lines of JSON and JSON "
            + "with status 200 can be read item by item; use load() for other responses"
            + (readsGraphQL
              ? ". GraphQL subscriptions are read over SSE (graphql-sse), not over WebSocket" : ""))
      ))
    error.httpStatusCode = status
    return error
  }

  private func error(_ cause: RequestError.Cause) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: cause, timestamp: pump.clock.now)
    error.method = resource.readMethod
    error.url = resource.url.text
    return error
  }
}

/// The options of a stream.
public struct StreamOptions {
  /// The `StreamEvent.id` of the event after which the stream should continue. If it is empty, the
  /// server decides where the stream starts.
  public var lastEventID = ""
  /// Whether a new request is sent if the connection of an event stream ends or breaks off. If
  /// false, the end of the connection ends the stream, and a connection that breaks off is an
  /// error.
  public var reconnects = true
  /// The maximum duration of the stream in seconds, counted from the first request and including
  /// later connections; nil for no limit.
  public var timeout: Double?
  /// A mutation that edits each request of the stream.
  package var edit: AdHocMutation?

  /// Creates options. By default, the server decides where the stream starts, and there is no
  /// timeout.
  public init(lastEventID: String = "", reconnects: Bool = true) {
    self.lastEventID = lastEventID
    self.reconnects = reconnects
  }
}

extension Resource {
  /// Returns an `EventStream`, which reads the resource as a stream of items: `text/event-stream`,
  /// JSON Lines, or a sequence of JSON values.
  ///
  /// The request is sent when the first item is read. The state of the resource does not change.
  /// Lua: `resource:events{…}`.
  ///
  ///     for try await item in api.resource("/events").events().items { … }
  public func events(_ options: StreamOptions = StreamOptions()) -> EventStream {
    EventStream(self, options)
  }

  /// Reads the resource as a stream. The function `reduce` combines the items of the stream, and
  /// the result becomes the content of the resource. The request is sent at once; see
  /// `StreamFollower`. Lua: `resource:follow{…}`.
  ///
  /// - Parameters:
  ///   - content: The initial content, with which the first item is combined; nil for no content.
  ///   - prepare: A function that is called with the follower before the request is sent.
  ///   - reduce: A function that combines the previous content and an item to new content.
  @discardableResult
  public func follow(
    _ options: StreamOptions = StreamOptions(), from content: Content? = nil,
    prepare: (StreamFollower) -> Void = { _ in }, reduce: @escaping StreamFollower.Reducer
  ) -> StreamFollower {
    let follower = StreamFollower(events(options), from: content, reduce)
    prepare(follower)
    follower.start()
    return follower
  }

  /// Replaces the content of the resource with the combined items of a stream, and notifies
  /// observers.
  func streamed(_ content: Content, isFirst: Bool) {
    let event = record.state.streamed(content, now: pump.clock.now)
    endCacheCheck()
    // The cache entries are removed only the first time, because there are none later.
    if isFirst { removeFromCaches() }
    stateChanged()
    notify(event)
  }

  /// Sets the error of a stream that provided the content, and notifies observers.
  func streamFailed(_ error: RequestError) {
    let event = record.state.streamFailed(error)
    endCacheCheck()
    stateChanged()
    notify(event)
  }

  /// Returns an unstarted request for a stream. The request has a timeout for inactivity. It has a
  /// timeout for the whole response only if `timeout` is not nil.
  ///
  /// - Parameter timeout: The timeout for the whole response, in seconds; nil for no timeout.
  func streamRequest(
    to inbox: StreamInbox, after lastEventID: String, within timeout: Double?, edit: AdHocMutation?
  ) -> Request {
    let mutation = AdHocMutation(by: edit?.maker) {
      (http: inout HTTPRequest) throws(RequestError) in
      if http.headers["accept"] == nil {
        http.headers["Accept"] =
          "text/event-stream, application/x-ndjson, application/jsonl, "
          + "application/json;q=0.9"
      }
      // Browsers send this header too, so that no cache between client and server responds instead
      // of the server.
      if http.headers["cache-control"] == nil { http.headers["Cache-Control"] = "no-store" }
      if !lastEventID.isEmpty { http.headers.set("Last-Event-ID", bytes: lastEventID.utf8) }
      var options = http.options ?? TransferOptions()
      options.sink = inbox.sink
      http.options = options
      http.boundBySilence()
      if let timeout { http.limits.timeout = timeout }
      try edit?.edit(&http)
      if let type = http.options?.responseType { inbox.expect(type) }
    }
    return prepared(readMethod, adHoc: mutation)
  }
}
