import LullCore

/// The requests in flight on one home thread, so that all can be cancelled when it closes.
final class RequestLedger: ModelHost {
  private var requests: [ObjectIdentifier: Request] = [:]

  func requestStarted(_ request: Request) {
    requests[ObjectIdentifier(request)] = request
  }

  func requestSettled(_ request: Request) {
    requests[ObjectIdentifier(request)] = nil
  }

  func cancelAll() {
    for request in Array(requests.values) { request.cancel() }
  }
}
