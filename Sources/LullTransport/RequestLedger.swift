import LullCore

/// The requests in flight on one home thread, so that all can be cancelled when it closes.
final class RequestLedger: RequestHost {
  private var requests: [ObjectIdentifier: Request] = [:]

  func requestStarted(_ request: Request) {
    let identifier = ObjectIdentifier(request)
    requests[identifier] = request
    request.onSettled = { [weak self] in self?.requests[identifier] = nil }
  }

  func cancelAll() {
    for request in Array(requests.values) { request.cancel() }
  }
}
