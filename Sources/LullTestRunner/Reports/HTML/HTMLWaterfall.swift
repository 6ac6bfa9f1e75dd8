import LullCore

/// Draws the exchanges of a test as a waterfall chart, by the test's clock.
enum HTMLWaterfall {
  static func text(_ exchanges: [ShownExchange], more: Int) -> String {
    guard !exchanges.isEmpty else { return "" }
    let ends = exchanges.map { $0.start + ($0.seconds ?? 0) }
    let first = exchanges.map(\.start).min() ?? 0
    let length = (ends.max() ?? 0) - first
    var text =
      "<h4>\(exchanges.count + more) \(exchanges.count + more == 1 ? "exchange" : "exchanges")"
    text += " <span class=\"scale\">in the test’s time, from \(HTMLText.span(first)) to "
    text += "\(HTMLText.span(first + length))</span></h4>\n<ol class=\"waterfall\">\n"
    for exchange in exchanges { text += row(exchange, from: first, length) }
    text += "</ol>\n"
    if more > 0 { text += "<p class=\"quiet\">and \(more) more, not shown in this report</p>\n" }
    return text
  }

  private static func row(_ exchange: ShownExchange, from first: Double, _ length: Double) -> String
  {
    let kind = kind(of: exchange)
    let start = length > 0 ? (exchange.start - first) / length : 0
    let share = length > 0 ? (exchange.seconds ?? length) / length : 0
    var text = "<li class=\"\(kind)\">"
    text += HTMLText.tag("span", "method", exchange.method) + " "
    text += "<span class=\"url\">\(HTMLText.breaking(exchange.url))</span> "
    let without = exchange.wasCancelled ? "none" : "failed"
    text += HTMLText.tag("span", "status", exchange.status.map(String.init) ?? without) + " "
    text += "<span class=\"track\" aria-hidden=\"true\"><i style=\"left:\(HTMLText.percent(start));"
    text += "width:\(HTMLText.percent(min(share, 1 - start)))\"></i></span> "
    let taken = exchange.seconds.map { HTMLText.span($0) } ?? "under way"
    text +=
      "<span class=\"when\"><span>at \(HTMLText.span(exchange.start)),</span> <b>\(taken)</b></span>"
    if let error = exchange.error {
      // Shorten the text. If the test has failed, its failure contains the whole text.
      text += " " + HTMLText.tag("span", "why", LogText.part(error, limit: 160))
    }
    return text + "</li>\n"
  }

  private static func kind(of exchange: ShownExchange) -> String {
    if exchange.wasCancelled { return "cancelled" }
    guard let status = exchange.status, exchange.error == nil else { return "broken" }
    return status < 300 ? "fine" : status < 400 ? "moved" : "refused"
  }
}
