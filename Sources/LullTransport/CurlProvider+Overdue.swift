import LullCore

/// What has run out of time without curl noticing.
extension CurlProvider {
  /// Ends exchanges that curl should have ended: while a server floods it with farewells over HTTP/2
  /// curl (7.88) forgets the time. Once a second at most, since all are looked at.
  func endOverdue() {
    guard let pool = curl?.pool, loop.uptime >= nextOverdueLook else { return }
    nextOverdueLook = loop.uptime + 1
    for easy in pool.inUse {
      guard let transfer = easy.transfer, let queue = transfer.queue, transfer.remainingTime < -1
      else { continue }
      let host = queue.origin.hostAndPort
      giveUp(
        transfer, easy, queue,
        CurlErrorMapping.exchangeTimeout(host: host, transfer.request.limits))
    }
  }
}
