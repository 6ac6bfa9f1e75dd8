import LullCore
import LullSystem
import Synchronization

/// The output of `-v` on standard error. Lines with `>` were sent, lines with `<` received, exactly
/// as transferred.
final class ExchangeTrace: Sendable {
  private struct State {
    var text: WireText
    /// Whether anything was transferred since the last response.
    var hasSeen = false
  }

  private let state: Mutex<State>
  private let style: OutputStyle

  init(_ style: OutputStyle) {
    self.style = style
    state = Mutex(State(text: WireText(style)))
  }

  /// An observer that writes each event when it occurs.
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
    StandardError.write("* nothing is sent: answered from a cache\n")
  }

  /// Shows the failed attempts of a request and the timings of its last exchange. A response that
  /// comes from a cache, or that the server has revalidated, has the timings of an earlier
  /// exchange, which are not shown.
  func show(_ response: Response, of request: Request) {
    let hasSeen = state.withLock { state in
      defer { state.hasSeen = false }
      return state.hasSeen
    }
    guard let sent = request.lastPart as? NetworkRequest else {
      return StandardError.write("* answered from a cache\n")
    }
    let entity = response.entity ?? response.error?.entity
    let exchange = response.error?.exchange ?? entity?.exchange
    if !hasSeen, exchange != nil { show(standIn: sent, isNew: response.isNew, exchange, entity) }
    for attempt in request.attempts.dropLast() {
      let outcome = attempt.outcome?.text ?? "no response"
      let elapsed = ExchangeTrace.milliseconds(attempt.elapsed ?? 0)
      StandardError.write("* attempt \(attempt.number): \(outcome), \(elapsed); sent again\n")
    }
    guard response.isNew else { return }
    guard let exchange else {
      return StandardError.write("* no response\n")
    }
    if let timings = exchange.timings {
      StandardError.write(ExchangeTrace.text(of: timings))
    } else if let elapsed = exchange.elapsed {
      StandardError.write("* total \(ExchangeTrace.milliseconds(elapsed))\n")
    }
  }

  /// Shows the request and response if a stand-in for the network, such as a function, has
  /// answered. A stand-in transfers no bytes.
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
      ? "* a reused connection\(place)\n" : "* a new connection\(place)\n"
    var parts: [(String, Double)] = []
    if !timings.isReused {
      parts = [("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls)]
    }
    // The value is 0 if the response arrived before the request was sent completely.
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
