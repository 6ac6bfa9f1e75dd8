import LullLibC
import LullCassettes
import LullClients
import LullCore

/// One request that is being answered: what every answer has besides is added here.
final class MockTurn {
  private let exchange: HTTPExchange
  private let site: MockSite
  private let log: RequestLog
  private let clock: any HostClock
  private let start: Double
  private var timer: (any HostTimer)?
  var request: MockRequest?
  /// Of the web page that asks.
  var permission: MockSite.Permission?

  init(_ exchange: HTTPExchange, _ site: MockSite, _ log: RequestLog, _ clock: any HostClock) {
    self.exchange = exchange
    self.site = site
    self.log = log
    self.clock = clock
    start = clock.uptime
  }

  func refuse(_ problem: Problem, by source: String = "problem") {
    send(problem.answer, by: source)
  }

  /// As long after as the answer says.
  func answer(_ answer: MockAnswer, by source: String) {
    wait(answer.delay) { [self] in send(answer, by: source) }
  }

  private func wait(_ delay: Double, _ action: @escaping () -> Void) {
    guard delay > 0 else { return action() }
    timer = clock.schedule(after: delay) { [self] in
      timer = nil
      action()
    }
  }

  /// As it was recorded, after so many seconds. Of what has failed then the connection ends.
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
        502, "what was recorded has the status \(response.status), which no server ends with"),
      by: "cassette")
  }

  /// The origin by which the client knows this server.
  var here: String {
    request?.hosts.last.map { "http://\($0)" } ?? site.url
  }

  private func send(_ answer: MockAnswer, by source: String) {
    var answer = answer
    // Only --cors lets pages of others read what is here, whatever else says so.
    for (name, _) in answer.headers.pairs
    where name.lowercased().hasPrefix("access-control-") && source != "cors" {
      answer.headers.remove(name)
    }
    if let request { ContentCondition.apply(request, to: &answer) }
    if let permission, source != "cors" { CrossOrigin.permit(permission, &answer) }
    if exchange.asked.isLast { answer.headers["connection"] = "close" }
    // Behind what a function has printed.
    fflush(nil)
    note(status: answer.status, by: source)
    exchange.answer(
      status: answer.status,
      headers: answer.headers.bytePairs.map { (String(escaping: $0.name), $0.value) },
      body: answer.body)
  }

  private func note(status: Int?, by source: String) {
    log.note(
      request?.method ?? String(escaping: exchange.asked.method),
      request?.target ?? String(escaping: exchange.asked.target), status: status, source: source,
      seconds: clock.uptime - start)
  }
}
