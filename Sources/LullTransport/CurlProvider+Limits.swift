import CUV
import LullCore

/// Requests that count against a rate limit: when they have gone out, and leave to send another.
extension CurlProvider {
  /// Reports the requests that have gone out, or been answered, since the last turn. Outside of curl.
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

  /// Has curl look at requests whose response came before they had been sent whole.
  ///
  /// Over HTTP/2 curl (7.88) does not notice that the stream has ended if that happens while it sends the
  /// rest of the body: it would wait until the timeout. The last bytes may still be under way when curl
  /// has them, so that once may not be enough. Outside of curl.
  func wakeAnswered() {
    guard waking == nil else { return }
    let answered = uploads.filter { $0.hasWholeHead && $0.hasSentAll && $0.usedHTTP2 }
    guard !answered.isEmpty else { return }
    for easy in answered { easy.multi?.wake(easy) }
    waking = loop.schedule(after: 0.05) { [weak self] in self?.waking = nil }
  }

  /// It has left curl.
  func endWaking(_ easy: CurlEasy) {
    uploads.removeAll { $0 === easy }
    guard uploads.isEmpty else { return }
    waking?.cancel()
    waking = nil
  }

  /// It has left curl. If it has not been reported by then, it counts when its result arrives.
  func endReporting(_ easy: CurlEasy) {
    limited.removeAll { $0 === easy }
  }

  /// Sends an exchange once more, or on to where it was redirected, ahead of those that wait there. With a
  /// rate limit it waits for a place first, which takes nothing of its time.
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

  /// Whether it waited for a place of its limit; no longer now.
  func forgetAwaiting(_ transfer: CurlTransfer) -> Bool {
    guard let index = awaitingPlaces.firstIndex(where: { $0 === transfer }) else { return false }
    awaitingPlaces.remove(at: index)
    return true
  }

  /// An exchange is about to be cancelled: notes whether a byte of its request has gone out.
  func noteCancellation(of transfer: CurlTransfer) {
    guard let report = transfer.request.options?.sending else { return }
    guard let easy = transfer.easy else { return report.isUnsent = true }
    report.isUnsent = !easy.isConnected && !(easy.multi?.isInsideCurl ?? false)
  }
}
