import LullCore

/// What was sent in a test, below retries and limits, and what came of it.
struct ProofExchange {
  let request: HTTPRequest
  /// By the test's clock, in Unix seconds.
  let start: Double
  /// The same in seconds since the test began, whatever its time was set to.
  let uptime: Double
  private(set) var end: Double?
  private(set) var status: Int?
  private(set) var error: String?

  init(_ request: HTTPRequest, at start: Double, after uptime: Double) {
    self.request = request
    self.start = start
    self.uptime = uptime
  }

  mutating func ended(with result: NetworkResult, at time: Double) {
    guard end == nil else { return }
    end = time
    status = result.response?.status
    error = result.error?.message ?? result.requestError?.userMessage
  }

  static let cancelled = "cancelled"

  /// Nobody wants the answer any more.
  mutating func cancelled(at time: Double) {
    guard end == nil else { return }
    end = time
    error = ProofExchange.cancelled
  }
}
