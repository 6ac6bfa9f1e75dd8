import LullCore
import LullTesting
import LullTransport
import Testing

@testable import LullTestRunner

/// The network that is asked in earnest while a test is recorded.
@Suite(.timeLimit(.minutes(20)))
struct LiveNetworkTests {
  /// Tells the test something before the loop waits, as curl does with an answer that is there already.
  private final class EarlyAnswer: TurnParticipant {
    private var completion: NetworkCompletion?

    init(_ completion: NetworkCompletion) { self.completion = completion }

    func beforeWaiting() {
      completion?(NetworkResult(error: TransportError(.network, "none")))
      completion = nil
    }

    var hasWork: Bool { false }
    func afterWaiting() {}
    func close() {}
  }

  @Test func `CAS-69 what has come before the loop waits is not waited for`() throws {
    let pump = Pump(clock: HeldClock())
    defer { pump.close() }
    let live = try LiveNetwork(pump, hear: { _ in }, literal: { $0 })
    defer { live.close() }
    let early = EarlyAnswer(pump.completion { _ in })
    live.loop.add(early)
    // Without which it would wait forever.
    var hasWaited = false
    let timer = live.loop.schedule(after: 10) { hasWaited = true }
    live.wait()
    #expect(pump.hasWork)
    #expect(!hasWaited)
    timer.cancel()
    withExtendedLifetime(early) {}
  }
}
