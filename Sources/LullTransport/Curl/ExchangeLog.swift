import LullCore

/// Writes one line about each exchange to the network log. User and password are never included.
struct ExchangeLog {
  private let log: Log

  init(_ log: Log) {
    self.log = log
  }

  /// Whether anything is logged. If not, callers need not copy responses.
  var isOn: Bool { !log.isSilent }

  /// - Parameter remark: A message about the body.
  func answered(_ request: HTTPRequest, _ result: NetworkResult, _ remark: String?) {
    guard let response = result.response else { return }
    log(
      .network,
      "\(ExchangeLog.name(request)) → \(response.status) (\(result.body?.count ?? 0) bytes, "
        + "\(ExchangeLog.milliseconds(response.elapsed ?? 0)) ms)")
    if let remark {
      log(.network, "the body of \(ExchangeLog.name(request)): \(remark)")
    }
  }

  func failed(_ request: HTTPRequest, _ error: TransportError) {
    log(
      .network,
      "\(ExchangeLog.name(request)) → \(error.kind.rawValue): \(LogText.part(error.message))")
  }

  func redirected(_ redirect: Redirect) {
    log(.network, redirect.message)
  }

  private static func name(_ request: HTTPRequest) -> String {
    request.method.rawValue + " " + LogText.url(request.url)
  }

  private static func milliseconds(_ seconds: Double) -> Int {
    Int((seconds * 1000).rounded())
  }
}
