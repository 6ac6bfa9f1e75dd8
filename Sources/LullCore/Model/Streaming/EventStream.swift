/// The items of a resource that is a stream, one after the other, over as many connections as it takes.
///
/// Order of events: `next` sends the request when it is first called, and gives the items as they have
/// come; while there is none, `whenReady` tells once to ask again. Of an event stream that ends or breaks
/// off the rest of what has come is given first; then, after the time that the server wants
/// (`Reconnection`), it is asked for once more with the id of the last event given. An answer of 204
/// ends it. What cannot pass, and whatever fails before the stream has been there once, is the last
/// thing that `next` gives. Rows of JSON end with their body, which is never asked for again.
///
/// Each connection is an ordinary request of its resource, with all that is configured, but for the
/// pipeline. No more is read from the server than there is room for: 256 KB ahead, or one item of at most
/// 16 MB. `stop` closes the connection at once, and so does the end of this object, a turn later. Home
/// thread only. (STR-01 to STR-30) Lua: `resource:events()`.
public final class EventStream {
  /// What there is now.
  public enum Step {
    /// The next one.
    case item(StreamItem)
    /// None yet.
    case wait
    /// None any more.
    case end
    /// As `end`, with the reason.
    case failure(RequestError)
  }

  private final class Connection {
    let request: Request
    let inbox: StreamInbox
    var response: Response?
    /// Whether its head has been looked at.
    var hasBegun = false

    init(_ request: Request, _ inbox: StreamInbox) {
      self.request = request
      self.inbox = inbox
    }
  }

  /// Somebody who wants to be told; held by what tells it.
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
    /// To be asked for, by the clock's `uptime`.
    case pausing(until: Double)
    case open(Connection)
    case over
  }

  /// Whose configuration its requests have.
  public let resource: Resource
  private let options: StreamOptions
  private let pump: Pump
  private var phase: Phase
  private var reader: StreamReader
  private var reconnection = Reconnection()
  /// By the clock's `uptime`; nil before the first request, and without a bound.
  private var deadline: Double?
  /// Whether it has been there once.
  private var hasBegun = false
  /// Memory that goes to and fro between reading and parsing.
  private var spare: [UInt8] = []
  private weak var waiting: Wait?
  private var signal: HomeSignal?
  private var timer: (any HostTimer)?
  /// Told of each request before it starts.
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

  /// The id of the last event given; empty if it has named none.
  public var lastEventID: String { reader.events.lastEventID }

  /// Whether `rowText` is wanted; set before anything is read.
  package var keepsText: Bool {
    get { reader.keepsText }
    set { reader.keepsText = newValue }
  }

  /// The row that `next` gave last, as the server has spelled it.
  package var rowText: [UInt8] { reader.rowText }

  /// Whether nothing more comes, and no connection is open.
  public var isOver: Bool {
    if case .over = phase { return true }
    return false
  }

  /// The request under way, if there is one.
  package var request: Request? {
    if case .open(let connection) = phase { return connection.request }
    return nil
  }

  // MARK: Reading

  /// The next item, or why there is none.
  public func next() -> Step {
    while true {
      switch phase {
      case .over: return .end
      case .pausing(let time):
        guard pump.clock.uptime >= min(time, deadline ?? .infinity) else { return .wait }
        if let deadline, pump.clock.uptime >= deadline { return fail(timeoutError) }
        connect()
      case .open(let connection):
        do throws(StreamProblem) {
          if let item = try reader.next() { return .item(item) }
          if try hasMore(connection) { continue }
          guard let response = connection.response else { return .wait }
          if case .success = response.outcome, let item = try reader.last() { return .item(item) }
          if let step = ended(connection, response) { return step }
        } catch {
          return fail(self.error(of: error))
        }
      }
    }
  }

  /// Calls `action` once, on a later turn, when `next` may have more to say than `wait`; a second
  /// call takes the place of the first.
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

  /// Whether somebody has been promised to be told.
  package var isAwaited: Bool { waiting != nil }

  /// What `whenReady` was given is not called any more.
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

  /// Ends it: its connection is closed before this returns. Whoever waits is told.
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

  // MARK: Connections

  private func connect() {
    let inbox = StreamInbox()
    let now = pump.clock.uptime
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

  /// Takes what has come; whether that is anything.
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

  /// Nothing of a connection is left to be read.
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
      "the stream of \(resource.displayName) \(what): it is asked for again in \(delay) s")
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
        .transport(.final(.network, "the limit of memory leaves no room for the stream")))
    case .malformed(let line, let error):
      return self.error(
        .malformedJSON(
          message: "\(reader.unit) \(line) of the stream: \(error.message)", offset: error.offset))
    }
  }

  private var timeoutError: RequestError {
    let limit = String(options.timeout ?? 0)
    return error(
      .transport(.final(.timeout, "the stream was not over after \(limit) s (timeout)")))
  }

  private func notAStream(_ status: Int?, _ type: String?) -> RequestError {
    let what =
      if let status, status != 200 {
        "\(status)"
      } else {
        type.map { "of type \(LogText.part($0, limit: 80))" } ?? "without a type"
      }
    var error = error(
      .transport(
        .final(
          .notAStream,
          "the answer is no stream but one \(what): text/event-stream, lines of JSON and JSON (200) can "
            + "be read item by item, load() reads others")))
    error.httpStatusCode = status
    return error
  }

  private func error(_ cause: RequestError.Cause) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: cause, timestamp: pump.clock.now)
    error.method = .get
    error.url = resource.url.text
    return error
  }
}

/// How a stream is asked for.
public struct StreamOptions {
  /// The event to go on after, as `StreamEvent.id` names it; empty: as the server likes.
  public var lastEventID = ""
  /// Whether an event stream that ends, or breaks off, is asked for once more; else the first ends it,
  /// and the second is an error.
  public var reconnects = true
  /// How long it may take in all, from the first request on, connections that follow included; seconds.
  /// nil: as long as it takes.
  public var timeout: Double?
  /// Edits the request, each time it is made.
  package var edit: AdHocMutation?

  /// From the start, and for as long as it takes, unless said otherwise.
  public init(lastEventID: String = "", reconnects: Bool = true) {
    self.lastEventID = lastEventID
    self.reconnects = reconnects
  }
}

extension Resource {
  /// Reads the resource as a stream, item by item: `text/event-stream`, lines of JSON, or values of JSON that follow
  /// each other.
  ///
  /// Nothing is sent before the first item is asked for, and the resource's state stays as it is; see
  /// `EventStream`. Lua: `resource:events{…}`.
  ///
  ///     for try await item in api.resource("/events").events().items { … }
  public func events(_ options: StreamOptions = StreamOptions()) -> EventStream {
    EventStream(self, options)
  }

  /// Makes what the items of a stream come to the resource's content, and begins at once; see
  /// `StreamFollower`. Lua: `resource:follow{…}`.
  ///
  /// - Parameters:
  ///   - content: what the first item is added to.
  ///   - prepare: sees the follower before anything is sent.
  ///   - reduce: makes one content of the last one and an item.
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

  /// What items of a stream have come to.
  func streamed(_ content: Content, isFirst: Bool) {
    let event = record.state.streamed(content, now: pump.clock.now)
    endCacheCheck()
    // Later it is gone from there.
    if isFirst { removeFromCaches() }
    stateChanged()
    notify(event)
  }

  /// A stream that made its content has failed.
  func streamFailed(_ error: RequestError) {
    let event = record.state.streamFailed(error)
    endCacheCheck()
    stateChanged()
    notify(event)
  }

  /// A request for a stream, not started: without a bound in time but for silence.
  ///
  /// - Parameter timeout: seconds of its own, nil for none.
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
      // As a browser asks for one: whatever lies between is not to answer in the server's stead.
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
    return prepared(.get, adHoc: mutation)
  }
}
