/// The requests in flight on one home thread, so that all can be cancelled when it closes, and named.
package final class RequestLedger: ModelHost {
  private var requests: [ObjectIdentifier: (number: Int, since: Double, request: Request)] = [:]
  private var startedCount = 0

  package init() {}

  package func requestStarted(_ request: Request) {
    startedCount += 1
    requests[ObjectIdentifier(request)] = (startedCount, request.pump.clock.now, request)
  }

  package func beginning(of request: Request) -> Double? {
    requests[ObjectIdentifier(request)]?.since
  }

  package func requestSettled(_ request: Request) {
    requests[ObjectIdentifier(request)] = nil
  }

  /// In the order in which they were started.
  package var inFlight: [Request] {
    requests.values.sorted { $0.number < $1.number }.map(\.request)
  }

  package var ledger: RequestLedger? { self }

  package func cancelAll() {
    for request in inFlight { request.cancel() }
  }
}
