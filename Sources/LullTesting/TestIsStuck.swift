import LullCore

/// A test of `Lull.test` has waited for something that did not come.
public struct TestIsStuck: Error, Sendable, CustomStringConvertible {
  /// What was waited for, and what would bring it.
  public let description: String

  init(
    inFlight: [Request], _ clock: ManualClock, _ network: StubProvider, isBusy: Bool,
    isDeadlocked: Bool
  ) {
    var text =
      isBusy
      ? "the test waits, and only what is beside its body goes on, which never rests"
      : isDeadlocked
        ? "deadlock: every task of the test waits, and nothing is left to wake one"
        : "the test waits, and nothing happens any more"
    if !inFlight.isEmpty {
      text += "; in flight: " + inFlight.map(\.description).joined(separator: ", ")
    }
    if network.heldCount > 0 {
      let answers = network.heldCount == 1 ? "an answer" : "\(network.heldCount) answers"
      text += "; the network holds \(answers) (test.network.release())"
    }
    if let due = clock.nextDue {
      let seconds = max(0, due - clock.uptime)
      text += "; the next timer is due in \(seconds) s (test.advance(by: \(seconds)))"
    }
    if isDeadlocked {
      text += "; if another thread wakes it, say how long to wait: Lull.test(patience: 10)"
    }
    description = text
  }
}
