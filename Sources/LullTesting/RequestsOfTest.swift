import LullCore

/// The requests in flight of one test: what is cancelled at its end, and named where it is stuck.
final class RequestsOfTest: ModelHost {
  private var requests: [Request] = []

  func requestStarted(_ request: Request) {
    requests.append(request)
  }

  func requestSettled(_ request: Request) {
    requests.removeAll { $0 === request }
  }

  func cancelAll() {
    for request in requests { request.cancel() }
  }

  /// In words, and what may bring it.
  func whatIsMissing(_ clock: ManualClock, _ network: StubProvider) -> String {
    var text = "the test waits, and nothing happens any more"
    if !requests.isEmpty {
      text += "; in flight: " + requests.map(\.description).joined(separator: ", ")
    }
    if network.heldCount > 0 {
      text += "; the network holds \(network.heldCount) answers (test.network.release())"
    }
    if let due = clock.nextDue {
      let seconds = max(0, due - clock.uptime)
      text += "; the next timer is due in \(seconds) s (test.advance(by: \(seconds)))"
    }
    return text
  }
}
