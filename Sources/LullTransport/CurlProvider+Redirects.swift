import CCurl
import LullCore

extension CurlProvider {
  /// Redirects the exchange to the response's Location.
  func follow(_ easy: CurlEasy, _ transfer: CurlTransfer, _ queue: HostQueue) {
    let redirect: Redirect
    do throws(TransportError) {
      redirect = try Redirect(
        status: easy.status, location: easy.location ?? "",
        of: transfer.request, from: queue.origin, afterHops: transfer.redirectCount,
        hiding: transfer.secrets == nil
          ? nil : secretCoordinator.hiding(transfer, from: queue.origin))
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

  /// Enforces the timeout of an exchange that waits in a queue again, for example after a redirect.
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

/// Timeouts that curl does not notice.
extension CurlProvider {
  /// Ends exchanges that curl should have ended: curl (7.88) misses its timeout while a server
  /// floods it with GOAWAY frames over HTTP/2. Runs at most once a second, because it checks all
  /// handles.
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

/// Reporting network traffic to observers.
extension CurlProvider {
  /// Reports curl's records of the observed exchanges. Must be called outside curl.
  func tellObservers() {
    for easy in observed { tell(of: easy) }
  }

  /// Reports the last records of a transfer that is about to leave curl.
  func endObserving(_ easy: CurlEasy) {
    guard let record = easy.wire else { return }
    record.end()
    tell(of: easy)
    easy.stopObserving()
    observed.removeAll { $0 === easy }
  }

  private func tell(of easy: CurlEasy) {
    guard let record = easy.wire, !record.isEmpty, let transfer = easy.transfer else { return }
    let search = transfer.secrets.flatMap { exchange in
      secrets?.search(for: exchange.known)
    }
    record.tell(hiding: search)
  }
}

extension CurlEasy {
  /// Makes curl report what it sends and receives from now on.
  func observe(for observer: WireObserver, _ request: HTTPRequest) {
    let record = WireRecord(observer, of: request)
    wire = record
    incoming.pointee.wire = observer.wantsBodies ? record : nil
    // Unretained: the handle's object outlives it.
    setPointer(CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_easy_set_debugger(handle, CurlCallbacks.said)
    set(CURLOPT_VERBOSE, 1)
  }

  func stopObserving() {
    wire = nil
    incoming.pointee.wire = nil
    set(CURLOPT_VERBOSE, 0)
  }
}
