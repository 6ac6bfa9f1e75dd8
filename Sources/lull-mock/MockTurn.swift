import LullCassettes
import LullClients
import LullCore
import LullLibC
import LullSystem

/// One request that is being answered. Adds the headers that every response has.
final class MockTurn {
  private let exchange: HTTPExchange
  private let site: MockSite
  private let log: RequestLog
  private let clock: any HostClock
  private let start: Double
  private var timer: (any HostTimer)?
  var request: MockRequest?
  /// The permission of the web page that sends the request.
  var permission: MockSite.Permission?

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

  /// Sends an answer after its delay.
  ///
  /// - Parameters:
  ///   - stream: Produces its body.
  ///   - isWhole: Whether it is sent unchanged, without a validator.
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

  /// Sends a recorded answer after so many seconds. For a recorded failure, the connection is
  /// closed.
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

  /// The origin by which the client knows this server.
  var here: String {
    request?.hosts.last.map { "http://\($0)" } ?? site.url
  }

  private func send(
    _ answer: MockAnswer, by source: String, stream: MockStream? = nil, isWhole: Bool = false
  ) {
    var answer = answer
    // Only --cors lets pages of other origins read responses, whatever the answer's own headers.
    for (name, _) in answer.headers.pairs
    where name.lowercased().hasPrefix("access-control-") && source != "cors" && !site.isSample {
      answer.headers.remove(name)
    }
    if let request, !isWhole { ContentCondition.apply(request, to: &answer) }
    if let permission, source != "cors" { CrossOrigin.permit(permission, &answer) }
    if exchange.asked.isLast { answer.headers["connection"] = "close" }
    // After the output of functions.
    fflush(nil)
    note(status: answer.status, by: source)
    let length = stream == nil ? nil : answer.headers["content-length"].flatMap { Int64($0) }
    if length != nil { answer.headers.remove("content-length") }
    let headers = answer.headers.bytePairs.map { name, value in
      let name = String(escaping: name)
      return (site.isSample ? MockTurn.capitalized(name) : name, value)
    }
    // The library would also send the last chunk for a HEAD.
    if let stream, request?.isHead != true || length != nil {
      return exchange.answer(
        status: answer.status, headers: headers, stream: stream, length: length)
    }
    stream?.close()
    exchange.answer(status: answer.status, headers: headers, body: answer.body)
  }

  /// The sample API is read with curl: header names have their usual capitals.
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
  ///   - target: Credentials in it are masked.
  ///   - source: The source of the answer.
  ///   - seconds: The time since the request was complete.
  func note(
    _ method: String, _ target: String, status: Int?, source: String, seconds: Double
  ) {
    guard !isQuiet else { return }
    // Clients are untrusted: control characters are escaped, in a file too.
    let shown = ControlCharacters.shown(in: LogText.part(CredentialMask.url(target), limit: 400))
    let method = ControlCharacters.shown(in: LogText.part(method, limit: 40))
    let outcome = status.map { String($0) } ?? "cut"
    let tenths = Int((seconds * 10_000).rounded())
    StandardError.write(
      "\(method) \(shown) \(outcome) \(source) \(tenths / 10).\(tenths % 10) ms\n"
    )
  }
}
