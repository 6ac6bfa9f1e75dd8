import CCurl
import LullCore

/// Telling observers what goes over the wire.
extension CurlProvider {
  /// Tells what curl has noted of the exchanges that somebody watches. Outside of curl.
  func tellObservers() {
    for easy in observed { tell(of: easy) }
  }

  /// It is about to leave curl.
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
  /// From now on curl says what it sends and gets.
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
