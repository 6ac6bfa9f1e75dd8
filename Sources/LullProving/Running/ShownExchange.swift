import LullCore

/// What reports show of an exchange: no heads, no bodies, and nothing that lets somebody in.
struct ShownExchange: Codable {
  var method: String
  /// Masked as in logs.
  var url: String
  /// In seconds since the test began, of its time.
  var start: Double
  /// nil as long as it was under way.
  var seconds: Double?
  var status: Int?
  var error: String?

  init(_ exchange: ProofExchange) {
    method = ShownExchange.cut(exchange.request.method.rawValue, 40)
    url = ShownExchange.cut(LogText.url(exchange.request.url), ShownExchange.longest)
    start = exchange.uptime
    seconds = exchange.end.map { max(0, $0 - exchange.start) }
    status = exchange.status
    error = exchange.error.map { ShownExchange.cut($0, ShownExchange.longest) }
  }

  var wasCancelled: Bool { error == ProofExchange.cancelled }

  /// So many of a test are shown.
  static let most = 200

  /// In characters.
  private static let longest = 500

  private static func cut(_ text: String, _ length: Int) -> String {
    text.utf8.count > length ? LogText.part(text, limit: length) : text
  }
}
