import LullCore

extension CurlProvider {
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
