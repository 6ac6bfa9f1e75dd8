import LullCore

/// A test of `Lull.test` has waited for something that did not come.
public struct TestIsStuck: Error, Sendable, CustomStringConvertible {
  /// What was waited for, and what would bring it.
  public let description: String

  init(inFlight: [Request], _ clock: ManualClock, _ network: StubProvider, isBusy: Bool) {
    var text =
      isBusy
      ? "the test waits, and only tasks beside its body go on, which never rest"
      : "the test waits, and nothing happens any more"
    if !inFlight.isEmpty {
      text += "; in flight: " + inFlight.map(\.description).joined(separator: ", ")
    }
    if network.heldCount > 0 {
      text += "; the network holds \(network.heldCount) answers (test.network.release())"
    }
    if let due = clock.nextDue {
      let seconds = max(0, due - clock.uptime)
      text += "; the next timer is due in \(seconds) s (test.advance(by: \(seconds)))"
    }
    description = text
  }
}
