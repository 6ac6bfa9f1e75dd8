import CUV
import LullCore

/// One exchange from its start to its report, over all its redirects.
///
/// After the end of the exchange, this object retains neither the request body nor a curl handle.
final class CurlTransfer: RequestNetworking {
  private enum Stage {
    case waiting
    case active(CurlEasy)
    case ended(RequestTransferMetrics)
  }

  /// The request of the current hop.
  private(set) var request: HTTPRequest
  /// The queue that contains or counts the exchange; nil before the first queue and after the end.
  var queue: HostQueue?
  private(set) var redirectCount = 0
  /// How often the request was sent again because a reused connection turned out to be closed.
  private(set) var retryCount = 0
  /// The timer that limits the wait in a queue after a redirect or before another attempt.
  private var deadlineTimer: (any HostTimer)?

  private var stage = Stage.waiting
  private let completion: NetworkCompletion
  // Not `weak`, which would slow down every use of the provider. The provider ends all its
  // exchanges before it is released, and an ended exchange has no provider.
  private unowned(unsafe) var provider: CurlProvider?
  /// The time when the exchange left the queue for the first time, in nanoseconds; 0 before that.
  private var startedAt: UInt64 = 0
  /// The seconds that the exchange has waited for its secrets.
  private var secretWait = 0.0

  init(_ request: HTTPRequest, completion: NetworkCompletion, provider: CurlProvider) {
    self.request = request
    self.completion = completion
    self.provider = provider
  }

  var isWaiting: Bool {
    if case .waiting = stage { return true }
    return false
  }

  var hasEnded: Bool {
    if case .ended = stage { return true }
    return false
  }

  var easy: CurlEasy? {
    if case .active(let easy) = stage { return easy }
    return nil
  }

  // This is a separate property, because a whole request is expensive to copy.
  var payloadToSend: RequestPayload? {
    HTTPRequest.payloadToSend(request.payload, of: request.method)
  }

  /// The state of the secrets; nil for an exchange that has sent no secret.
  var secrets: SecretExchange?

  /// Seconds since the exchange left the queue.
  var elapsed: Double {
    startedAt == 0 ? 0 : Double(uv_hrtime() - startedAt) / 1e9
  }

  /// Seconds until the timeout of the whole exchange. Before the exchange has left the queue, only
  /// the wait for its secrets counts.
  var remainingTime: Double {
    request.limits.timeout - secretWait - elapsed
  }

  // MARK: Events

  /// Adds the seconds that the exchange has waited for its secrets.
  func hasWaited(_ seconds: Double) {
    secretWait += seconds
  }

  func began(with easy: CurlEasy) {
    if startedAt == 0 { startedAt = uv_hrtime() }
    stage = .active(easy)
    endWaiting()
  }

  /// Excludes the time since `start`, in which the exchange waited for a rate limit.
  func skipTime(since start: UInt64) {
    if startedAt != 0 { startedAt += uv_hrtime() - start }
  }

  /// Replaces the request after a redirect. The new request waits in a queue.
  func redirected(to request: HTTPRequest) {
    self.request = request
    redirectCount += 1
    stage = .waiting
  }

  /// Prepares to send the same request again.
  func willBeRetried() {
    retryCount += 1
    stage = .waiting
  }

  /// Sets the timer that limits the wait of the exchange. If the exchange still waits when the
  /// timer fires, the exchange ends.
  func waits(until timer: any HostTimer) {
    deadlineTimer = timer
  }

  private func endWaiting() {
    deadlineTimer?.cancel()
    deadlineTimer = nil
  }

  /// Reports the result. The caller must have removed the exchange from its queue and from curl.
  /// Later calls have no effect.
  func end(_ report: ArrivedResult) {
    guard !hasEnded else { return }
    stage = .ended(transferMetrics)
    provider = nil
    queue = nil
    secrets?.endWaiting()
    if request.payload != nil { request.payload = nil }
    endWaiting()
    completion(report)
  }

  // MARK: RequestNetworking

  func cancel() {
    provider?.cancel(self)
  }

  func resume() {
    easy?.resume()
  }

  /// The sizes of the bodies on the wire, in bytes.
  var transferMetrics: RequestTransferMetrics {
    switch stage {
    case .waiting: RequestTransferMetrics(requestBytesTotal: request.payload?.byteCount ?? 0)
    case .active(let easy): easy.metrics
    case .ended(let metrics): metrics
    }
  }
}

extension HTTPRequest {
  var payloadToSend: RequestPayload? { HTTPRequest.payloadToSend(payload, of: method) }

  /// Returns the body to send. POST, PUT and PATCH always send a Content-Length, so they get an
  /// empty body if they have none.
  static func payloadToSend(_ payload: RequestPayload?, of method: RequestMethod) -> RequestPayload?
  {
    // Fast path: most requests are GETs without a body, so the full comparison is rarely needed.
    guard payload == nil, method.rawValue.utf8.first == UInt8(ascii: "P") else { return payload }
    return [.post, .put, .patch].contains(method) ? .bytes([]) : nil
  }

  /// The part of the URL that determines the destination. With secrets in the URL, this is the part
  /// before the query: the rest is not a URL that curl could parse.
  var address: String {
    guard secrets?.url != nil else { return url }
    return String(url.prefix { $0 != "?" && $0 != "#" })
  }
}
