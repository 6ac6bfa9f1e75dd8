import LullCassettes
import LullClients
import LullCore
import LullLibC
import LullSystem

/// One request while it is being answered. Adds the headers that every response has.
final class MockTurn {
  private let exchange: HTTPExchange
  private let site: MockSite
  private let log: RequestLog
  private let clock: any HostClock
  private let start: Double
  private var timer: (any HostTimer)?
  var request: MockRequest?
  /// The permission for the web page that sent the request.
  var permission: MockSite.Permission?
  /// Whether the request loads a query: its method is QUERY, or its call is declared safe.
  var isQuery = false
  /// The media types of queries at the path of the request, for the header `Accept-Query`. Empty
  /// without queries.
  var queryTypes: [String] = []

  init(_ exchange: HTTPExchange, _ site: MockSite, _ log: RequestLog, _ clock: any HostClock) {
    self.exchange = exchange
    self.site = site
    self.log = log
    self.clock = clock
    start = clock.uptime
  }

  func refuse(_ problem: Problem, by source: String = "problem") {
    send(site.isSample ? problem.sampleAnswer : problem.answer, by: source)
  }

  /// Sends a response after its delay.
  ///
  /// - Parameters:
  ///   - source: The source of the response, for the log.
  ///   - stream: Produces the body.
  ///   - isWhole: Whether the response is sent unchanged, without a validator.
  func answer(
    _ answer: MockAnswer, by source: String, stream: MockStream? = nil, isWhole: Bool = false
  ) {
    wait(answer.delay) { [self] in
      send(answer, by: source, stream: stream, isWhole: isWhole || stream != nil)
    }
  }

  private func wait(_ delay: Double, _ action: @escaping () -> Void) {
    guard delay > 0 else { return action() }
    timer = clock.schedule(after: delay) { [self] in
      timer = nil
      action()
    }
  }

  /// Sends a recorded response after a delay in seconds. If a failure was recorded, the connection
  /// is closed instead.
  func answer(_ entry: HAREntry, _ base: MockBase, after delay: Double) {
    wait(delay) { [self] in answer(entry, base) }
  }

  private func answer(_ entry: HAREntry, _ base: MockBase) {
    guard entry.failure == nil, let response = entry.response else {
      note(status: nil, by: "cassette")
      return exchange.end()
    }
    let recorded = RecordedAnswer(response, origin: base.origin ?? "", here: here)
    if let answer = recorded.answer { return send(answer, by: "cassette") }
    refuse(
      Problem(
        502, "the recorded status is \(response.status), which is not a final status"),
      by: "cassette")
  }

  /// The origin of this server as the client addressed it.
  var here: String {
    request?.hosts.last.map { "http://\($0)" } ?? site.url
  }

  private func send(
    _ answer: MockAnswer, by source: String, stream: MockStream? = nil, isWhole: Bool = false
  ) {
    var answer = answer
    // Pages of other origins can read responses only if `--cors` permits it, whatever headers the
    // response itself has.
    for (name, _) in answer.headers.pairs
    where name.lowercased().hasPrefix("access-control-") && source != "cors" && !site.isSample {
      answer.headers.remove(name)
    }
    if let request, !isWhole { ContentCondition.apply(request, isQuery: isQuery, to: &answer) }
    if !queryTypes.isEmpty, answer.headers["accept-query"] == nil {
      answer.headers["accept-query"] = queryTypes.joined(separator: ", ")
    }
    if let permission, source != "cors" { CrossOrigin.permit(permission, &answer) }
    if exchange.asked.isLast { answer.headers["connection"] = "close" }
    // Write the output of functions before the log line of the request.
    fflush(nil)
    note(status: answer.status, by: source)
    let length = stream == nil ? nil : answer.headers["content-length"].flatMap { Int64($0) }
    if length != nil { answer.headers.remove("content-length") }
    let headers = answer.headers.bytePairs.map { name, value in
      let name = String(escaping: name)
      return (site.isSample ? MockTurn.capitalized(name) : name, value)
    }
    // For a streamed HEAD response, the library would also send the final chunk.
    if let stream, request?.isHead != true || length != nil {
      return exchange.answer(
        status: answer.status, headers: headers, stream: stream, length: length)
    }
    stream?.close()
    exchange.answer(status: answer.status, headers: headers, body: answer.body)
  }

  /// Capitalizes header names as usual, because responses of the sample API are read by users of
  /// curl.
  private static func capitalized(_ name: String) -> String {
    switch name {
    case "etag": return "ETag"
    case "www-authenticate": return "WWW-Authenticate"
    default:
      let words = name.split(separator: "-", omittingEmptySubsequences: false)
      return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }
  }

  private func note(status: Int?, by source: String) {
    log.note(
      request?.method ?? String(escaping: exchange.asked.method),
      request?.target ?? String(escaping: exchange.asked.target), status: status, source: source,
      seconds: clock.uptime - start)
  }
}

/// Logs a line on standard error for each request.
struct RequestLog {
  private let isQuiet: Bool

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// - Parameters:
  ///   - target: The path and query. Credentials in it are masked.
  ///   - source: The source of the response.
  ///   - seconds: The time since the request was complete.
  func note(
    _ method: String, _ target: String, status: Int?, source: String, seconds: Double
  ) {
    guard !isQuiet else { return }
    // Clients are untrusted, so control characters are escaped even if the log is a file.
    let shown = ControlCharacters.shown(in: LogText.part(CredentialMask.url(target), limit: 400))
    let method = ControlCharacters.shown(in: LogText.part(method, limit: 40))
    let outcome = status.map { String($0) } ?? "cut"
    let tenths = Int((seconds * 10_000).rounded())
    StandardError.write(
      "\(method) \(shown) \(outcome) \(source) \(tenths / 10).\(tenths % 10) ms\n"
    )
  }
}
