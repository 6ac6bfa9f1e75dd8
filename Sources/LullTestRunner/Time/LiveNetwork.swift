import LullCassettes
import LullCore
import LullTransport

/// The network in earnest, where a test is recorded: an event loop of its own, whose time nobody else sees.
///
/// Home thread only.
final class LiveNetwork {
  let loop: EventLoop
  let recorder: RecordingNetwork
  private let provider: CurlProvider
  private let work: TestWork

  /// - Parameters:
  ///   - pump: of the test, where answers are told.
  ///   - hear: is told the texts of secrets when they go out.
  ///   - literal: what texts stand for that are in the test itself.
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

  /// Whether it is being asked.
  var isBusy: Bool { provider.activeCount > 0 }

  /// Waits until something has moved, or the test can go on.
  func wait() { loop.turn(.once) }

  func close() {
    provider.onSecrets = nil
    loop.close()
  }

  /// What is told to the test, whose pump is not the loop's: an answer may be there as soon as its request is
  /// sent, before the loop has waited for it. (CAS-69)
  private final class TestWork: TurnParticipant {
    private let pump: Pump

    init(_ pump: Pump) { self.pump = pump }

    var hasWork: Bool { pump.hasWork }

    func beforeWaiting() {}
    func afterWaiting() {}
    func close() {}
  }
}
