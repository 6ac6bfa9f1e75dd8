import CUV
import LullCore

/// One exchange from `start` to its report, over all its redirects.
///
/// Once it has ended it holds neither the body it sent nor a curl handle.
final class CurlTransfer: RequestNetworking {
  private enum Stage {
    case waiting
    case active(CurlEasy)
    case ended(RequestTransferMetrics)
  }

  /// What goes out on the present hop.
  private(set) var request: HTTPRequest
  /// Where it waits or is counted; nil before the first queue and after the end.
  var queue: HostQueue?
  private(set) var redirectCount = 0
  /// How often it was sent anew because a kept connection turned out to be dead.
  private(set) var retryCount = 0
  /// Bounds the wait for a place at another origin after a redirect.
  private var deadlineTimer: (any HostTimer)?

  private var stage = Stage.waiting
  private let completion: NetworkCompletion
  // Not `weak`, which would slow down every use of the provider: that ends all its exchanges before it
  // goes, and one that has ended has none.
  private unowned(unsafe) var provider: CurlProvider?
  /// When it left the queue for the first time, in nanoseconds; 0 before.
  private var startedAt: UInt64 = 0
  /// Seconds it has waited for its secrets.
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

  // By its parts: a request is large to copy.
  var payloadToSend: RequestPayload? {
    HTTPRequest.payloadToSend(request.payload, of: request.method)
  }

  /// nil for an exchange that has sent no secret.
  var secrets: SecretExchange?

  /// Seconds since it left the queue.
  var elapsed: Double {
    startedAt == 0 ? 0 : Double(uv_hrtime() - startedAt) / 1e9
  }

  /// Seconds left of the whole exchange; before it has left the queue only the wait for its
  /// secrets counts.
  var remainingTime: Double {
    request.limits.timeout - secretWait - elapsed
  }

  // MARK: What happens to it

  /// So much of its time has gone into getting its secrets.
  func hasWaited(_ seconds: Double) {
    secretWait += seconds
  }

  func began(with easy: CurlEasy) {
    if startedAt == 0 { startedAt = uv_hrtime() }
    stage = .active(easy)
    endWaiting()
  }

  /// The time since then was spent waiting for a limit, and is none of the exchange's.
  func skipTime(since start: UInt64) {
    if startedAt != 0 { startedAt += uv_hrtime() - start }
  }

  /// It goes on with another request, and waits for a place to do so.
  func redirected(to request: HTTPRequest) {
    self.request = request
    redirectCount += 1
    stage = .waiting
  }

  /// It goes out once more, as it is.
  func willBeRetried() {
    retryCount += 1
    stage = .waiting
  }

  /// `timer` ends the exchange if it still waits then.
  func waits(until timer: any HostTimer) {
    deadlineTimer = timer
  }

  private func endWaiting() {
    deadlineTimer?.cancel()
    deadlineTimer = nil
  }

  /// Reports; whoever calls it has taken it out of its queue and curl. Later calls do nothing.
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

  /// Bytes of the bodies, as they are on the wire.
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

  /// POST, PUT and PATCH always say how long their body is, be it nothing.
  static func payloadToSend(_ payload: RequestPayload?, of method: RequestMethod) -> RequestPayload?
  {
    // Most have none and are a GET, whose name need not be compared with all of those.
    guard payload == nil, method.rawValue.utf8.first == UInt8(ascii: "P") else { return payload }
    return [.post, .put, .patch].contains(method) ? .bytes([]) : nil
  }

  /// What decides where it goes: with secrets in it the rest is no URL that curl would read.
  var address: String {
    guard secrets?.url != nil else { return url }
    return String(url.prefix { $0 != "?" && $0 != "#" })
  }
}
