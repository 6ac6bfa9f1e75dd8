import LullCassettes
import LullCore
import LullTransport

/// The connection to the live network for tests that are recorded. It has a separate event loop.
/// The test does not see the time that passes in it.
///
/// Home thread only.
final class LiveNetwork {
  let loop: EventLoop
  let recorder: RecordingNetwork
  private let provider: CurlProvider
  private let work: TestWork

  /// - Parameters:
  ///   - pump: The pump of the test, which receives the responses.
  ///   - hear: Called with the texts of secrets when they are sent.
  ///   - literal: Replaces the stand-ins in a text of the test with their tokens.
  init(
    _ pump: Pump, hear: @escaping ([ToldSecret]) -> Void, literal: @escaping (String) -> String
  ) throws(TransportError) {
    loop = try EventLoop()
    work = TestWork(pump)
    loop.add(work)
    provider = CurlProvider(loop: loop, blocksSIGPIPE: true)
    provider.onSecrets = hear
    provider.onLiteral = literal
    recorder = RecordingNetwork(provider, pump)
  }

  /// Whether a request is in progress.
  var isBusy: Bool { provider.activeCount > 0 }

  /// Waits until an event has been handled, or until the test has work to do.
  func wait() { loop.turn(.once) }

  func close() {
    provider.onSecrets = nil
    loop.close()
  }

  /// Reports to the loop whether the test has work to do, because the test's pump is separate from
  /// the loop. A response may arrive as soon as its request is sent, before the loop has waited for
  /// it. (CAS-69)
  private final class TestWork: TurnParticipant {
    private let pump: Pump

    init(_ pump: Pump) { self.pump = pump }

    var hasWork: Bool { pump.hasWork }

    func beforeWaiting() {}
    func afterWaiting() {}
    func close() {}
  }
}
