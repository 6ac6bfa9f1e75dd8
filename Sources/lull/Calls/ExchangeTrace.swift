import LullCore
import LullSystem
import Synchronization

/// What `-v` shows of an exchange, on standard error: lines with `>` were sent, with `<` received, as they
/// went over the wire.
final class ExchangeTrace: Sendable {
  private struct State {
    var text: WireText
    /// Whether anything has gone over the wire since the last answer.
    var hasSeen = false
  }

  private let state: Mutex<State>
  private let style: OutputStyle

  init(_ style: OutputStyle) {
    self.style = style
    state = Mutex(State(text: WireText(style)))
  }

  /// Shows what it sees when it does.
  func observer(withBodies: Bool) -> WireObserver {
    WireObserver(wantsBodies: withBodies) { [self] event in
      let text = state.withLock { state in
        state.hasSeen = true
        return state.text.lines(of: event)
      }
      StandardError.write(text)
    }
  }

  func showNothingIsSent() {
    StandardError.write("* nothing is sent: a cache has it\n")
  }

  /// What came of it, and how often it was sent. What a cache has, or the server has confirmed, came
  /// with an exchange of before, whose times are not shown.
  func show(_ response: Response, of request: Request) {
    let hasSeen = state.withLock { state in
      defer { state.hasSeen = false }
      return state.hasSeen
    }
    guard let sent = request.lastPart as? NetworkRequest else {
      return StandardError.write("* a cache has answered\n")
    }
    let entity = response.entity ?? response.error?.entity
    let exchange = response.error?.exchange ?? entity?.exchange
    if !hasSeen, exchange != nil { show(standIn: sent, isNew: response.isNew, exchange, entity) }
    for attempt in request.attempts.dropLast() {
      let outcome = attempt.outcome?.text ?? "no answer"
      let elapsed = ExchangeTrace.milliseconds(attempt.elapsed ?? 0)
      StandardError.write("* attempt \(attempt.number): \(outcome), \(elapsed); sent again\n")
    }
    guard response.isNew else { return }
    guard let exchange else {
      return StandardError.write("* no answer\n")
    }
    if let timings = exchange.timings {
      StandardError.write(ExchangeTrace.text(of: timings))
    } else if let elapsed = exchange.elapsed {
      StandardError.write("* total \(ExchangeTrace.milliseconds(elapsed))\n")
    }
  }

  /// What stands in for the network, such as a function, has no wire: what it was asked for and answers.
  private func show(
    standIn sent: NetworkRequest, isNew: Bool, _ exchange: Exchange?, _ entity: Entity?
  ) {
    show(lines: HTTPText(sent.httpRequest).text, mark: ">")
    guard isNew, let exchange else {
      return StandardError.write("< HTTP 304 \(StatusPhrase.text(for: 304))\n")
    }
    let head = HTTPText.head(
      version: exchange.timings?.httpVersion, status: exchange.status,
      headers: entity?.headers ?? Headers(), OutputStyle.plain)
    show(lines: head, mark: "<")
  }

  private static func text(of timings: TransferTimings) -> String {
    let place = timings.remoteAddress.map { " to \($0)" } ?? ""
    var text =
      timings.isReused
      ? "* a connection\(place) that was there already\n" : "* a new connection\(place)\n"
    var parts: [(String, Double)] = []
    if !timings.isReused {
      parts = [("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls)]
    }
    // It has none if the answer was there before the request had gone out.
    if timings.firstByte > 0 { parts.append(("first byte", timings.firstByte)) }
    parts.append(("total", timings.total))
    text += "* " + parts.map { "\($0.0) \(milliseconds($0.1))" }.joined(separator: ", ")
    if timings.redirectCount > 0 { text += ", \(timings.redirectCount) redirects" }
    return text + "\n"
  }

  private func show(lines: String, mark: String) {
    var text = ""
    for line in lines.split(separator: "\n", omittingEmptySubsequences: true) {
      text += "\(mark) \(line)\n"
    }
    StandardError.write(text)
  }

  static func milliseconds(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10_000).rounded())
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
