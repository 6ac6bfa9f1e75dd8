import CUV
import LullCore

/// Requests that count against a rate limit: reporting when they are sent, and waiting for
/// permission to send again.
extension CurlProvider {
  /// Reports the requests that have been sent or answered since the last turn. Must be called
  /// outside curl.
  func reportSending() {
    let passed = limited.filter { easy in
      guard let report = easy.transfer?.request.options?.sending, easy.isConnected else {
        return false
      }
      return report.waitsForAnswer ? easy.hasWholeHead : easy.hasSentAll
    }
    guard !passed.isEmpty else { return }
    limited.removeAll { easy in passed.contains { $0 === easy } }
    for easy in passed { easy.transfer?.request.options?.sending?.pass() }
  }

  /// Resumes requests whose response arrived before their body was sent completely.
  ///
  /// If an HTTP/2 stream ends while curl (7.88) is still sending the body, curl does not notice the
  /// end and would wait until the timeout. One call may not be enough, because the last bytes may
  /// still be in transit when curl has handed them over. Must be called outside curl.
  func wakeAnswered() {
    guard waking == nil else { return }
    let answered = uploads.filter { $0.hasWholeHead && $0.hasSentAll && $0.usedHTTP2 }
    guard !answered.isEmpty else { return }
    for easy in answered { easy.multi?.wake(easy) }
    waking = loop.schedule(after: 0.05) { [weak self] in self?.waking = nil }
  }

  /// Removes a transfer that has left curl from the transfers that `wakeAnswered` resumes.
  func endWaking(_ easy: CurlEasy) {
    uploads.removeAll { $0 === easy }
    guard uploads.isEmpty else { return }
    waking?.cancel()
    waking = nil
  }

  /// Stops reporting when a transfer is sent, because the transfer has left curl. If nothing was
  /// reported before, the transfer is counted when its result arrives.
  func endReporting(_ easy: CurlEasy) {
    limited.removeAll { $0 === easy }
  }

  /// Sends an exchange again, or to its redirect target, ahead of the exchanges that wait in
  /// `queue`. An exchange with a rate limit first waits for an admission. That wait does not count
  /// against the timeout of the exchange.
  func sendAgain(_ transfer: CurlTransfer, in queue: HostQueue) {
    guard let report = transfer.request.options?.sending else { return goOn(transfer, in: queue) }
    transfer.queue = nil
    awaitingPlaces.append(transfer)
    let (start, origin) = (uv_hrtime(), queue.origin)
    report.sendAgain { [weak self, weak transfer] in
      guard let self, let transfer, forgetAwaiting(transfer) else { return }
      transfer.skipTime(since: start)
      goOn(transfer, in: queues.queue(for: origin))
    }
  }

  private func goOn(_ transfer: CurlTransfer, in queue: HostQueue) {
    transfer.queue = queue
    queue.prepend(transfer)
    startWaiting(in: queue)
    if transfer.isWaiting { boundWait(of: transfer, in: queue) }
  }

  /// Removes a transfer from the transfers that wait for an admission. Returns whether the transfer
  /// was waiting.
  func forgetAwaiting(_ transfer: CurlTransfer) -> Bool {
    guard let index = awaitingPlaces.firstIndex(where: { $0 === transfer }) else { return false }
    awaitingPlaces.remove(at: index)
    return true
  }

  /// Records, before an exchange is cancelled, whether any byte of its request was sent.
  func noteCancellation(of transfer: CurlTransfer) {
    guard let report = transfer.request.options?.sending else { return }
    guard let easy = transfer.easy else { return report.isUnsent = true }
    report.isUnsent = !easy.isConnected && !(easy.multi?.isInsideCurl ?? false)
  }
}
