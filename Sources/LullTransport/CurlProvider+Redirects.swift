import LullCore

extension CurlProvider {
  /// Sends the exchange on to where the response's Location points.
  func follow(_ easy: CurlEasy, _ transfer: CurlTransfer, _ queue: HostQueue) {
    let redirect: Redirect
    do throws(TransportError) {
      redirect = try Redirect(
        status: easy.status, location: easy.location ?? "",
        of: transfer.request, from: queue.origin, afterHops: transfer.redirectCount,
        hiding: transfer.secrets == nil ? nil : secretDesk.hiding(transfer, from: queue.origin))
    } catch {
      end(transfer, error)
      detach(easy, from: queue)
      return
    }
    let refusal = refusal(
      of: redirect.origin, for: redirect.request, redirectedBy: queue.origin.hostAndPort)
    if let refusal {
      end(transfer, refusal)
      detach(easy, from: queue)
      return
    }
    log.redirected(redirect)
    guard !transfer.hasEnded else { return }
    transfer.redirected(to: redirect.request)
    detach(easy, from: queue)
    sendAgain(transfer, in: queues.queue(for: redirect.origin))
  }

  /// An exchange that has left the queue once must end in time, also while it waits again.
  func boundWait(of transfer: CurlTransfer, in queue: HostQueue) {
    let timer = loop.schedule(after: max(0, transfer.remainingTime)) {
      [weak self, weak transfer] in
      guard let self, let transfer, transfer.isWaiting else { return }
      let error = CurlErrorMapping.exchangeTimeout(
        host: queue.origin.hostAndPort, transfer.request.limits)
      end(transfer, error)
      queue.waitingOneWasCancelled()
    }
    transfer.waits(until: timer)
  }
}
