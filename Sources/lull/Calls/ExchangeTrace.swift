import LullCore
import LullSystem

/// What `-v` shows of an exchange, on standard error: lines with `>` were sent, with `<` received.
struct ExchangeTrace {
  private let style: OutputStyle

  init(_ style: OutputStyle) { self.style = style }

  func showNothingIsSent() {
    StandardError.write("* nothing is sent: a cache has it\n")
  }

  /// As it went on the wire, if it did.
  func show(sent request: Request) {
    guard let request = request.lastPart as? NetworkRequest else {
      return StandardError.write("* nothing is sent: a cache is asked first\n")
    }
    show(lines: HTTPText(request.httpRequest).text, mark: ">")
  }

  /// What came of it, and how often it was sent. What a cache has, or the server has confirmed, came
  /// with an exchange of before, whose times are not shown.
  func show(_ response: Response, of request: Request) {
    for attempt in request.attempts.dropLast() {
      let outcome = attempt.outcome?.text ?? "no answer"
      let elapsed = ExchangeTrace.milliseconds(attempt.elapsed ?? 0)
      StandardError.write("* attempt \(attempt.number): \(outcome), \(elapsed); sent again\n")
    }
    guard request.lastPart is NetworkRequest else {
      return StandardError.write("* a cache has answered\n")
    }
    guard response.isNew else {
      return StandardError.write("< HTTP 304 \(StatusPhrase.text(for: 304))\n")
    }
    let entity = response.entity ?? response.error?.entity
    let exchange = response.error?.exchange ?? entity?.exchange
    guard let exchange else {
      return StandardError.write("* no answer\n")
    }
    show(
      lines: HTTPText.head(
        version: exchange.timings?.httpVersion, status: exchange.status,
        headers: entity?.headers ?? Headers(), OutputStyle.plain),
      mark: "<")
    if let timings = exchange.timings {
      StandardError.write(ExchangeTrace.text(of: timings))
    } else if let elapsed = exchange.elapsed {
      StandardError.write("* total \(ExchangeTrace.milliseconds(elapsed))\n")
    }
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
    parts += [("first byte", timings.firstByte), ("total", timings.total)]
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
