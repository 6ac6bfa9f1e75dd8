import CUV
import LullCore

/// One exchange from its start to its report, over all its redirects.
///
/// After its end it retains neither its request body nor a curl handle.
final class CurlTransfer: RequestNetworking {
  private enum Stage {
    case waiting
    case active(CurlEasy)
    case ended(RequestTransferMetrics)
  }

  /// The request of the current hop.
  private(set) var request: HTTPRequest
  /// The queue in which it waits or is counted; nil before the first queue and after the end.
  var queue: HostQueue?
  private(set) var redirectCount = 0
  /// How often it was sent again because a reused connection turned out to be closed.
  private(set) var retryCount = 0
  /// Limits the wait for a place at another origin after a redirect.
  private var deadlineTimer: (any HostTimer)?

  private var stage = Stage.waiting
  private let completion: NetworkCompletion
  // Not `weak`, which would slow down every use of the provider. The provider ends all its
  // exchanges before it is released, and an ended exchange has no provider.
  private unowned(unsafe) var provider: CurlProvider?
  /// When it left the queue for the first time, in nanoseconds; 0 before.
  private var startedAt: UInt64 = 0
  /// Seconds that it has waited for its secrets.
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

  // Separately: a whole request is expensive to copy.
  var payloadToSend: RequestPayload? {
    HTTPRequest.payloadToSend(request.payload, of: request.method)
  }

  /// nil for an exchange that has sent no secret.
  var secrets: SecretExchange?

  /// Seconds since it left the queue.
  var elapsed: Double {
    startedAt == 0 ? 0 : Double(uv_hrtime() - startedAt) / 1e9
  }

  /// Seconds until the timeout of the whole exchange. Before it has left the queue, only the wait
  /// for its secrets counts.
  var remainingTime: Double {
    request.limits.timeout - secretWait - elapsed
  }

  // MARK: Events

  /// Adds the seconds that it has waited for its secrets.
  func hasWaited(_ seconds: Double) {
    secretWait += seconds
  }

  func began(with easy: CurlEasy) {
    if startedAt == 0 { startedAt = uv_hrtime() }
    stage = .active(easy)
    endWaiting()
  }

  /// Excludes the time since `start`, in which it waited for a limit.
  func skipTime(since start: UInt64) {
    if startedAt != 0 { startedAt += uv_hrtime() - start }
  }

  /// Replaces the request after a redirect, which waits for a place.
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

  /// Sets the timer that ends the exchange if it still waits then.
  func waits(until timer: any HostTimer) {
    deadlineTimer = timer
  }

  private func endWaiting() {
    deadlineTimer?.cancel()
    deadlineTimer = nil
  }

  /// Reports the result. The caller must have removed it from its queue and from curl. Later calls
  /// have no effect.
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

  /// The part of the URL that determines the destination: with secrets in it, the rest is not a URL
  /// that curl could parse.
  var address: String {
    guard secrets?.url != nil else { return url }
    return String(url.prefix { $0 != "?" && $0 != "#" })
  }
}
