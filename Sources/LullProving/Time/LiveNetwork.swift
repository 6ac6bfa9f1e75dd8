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

  /// - Parameters:
  ///   - pump: of the test, where answers are told.
  ///   - hear: is told the texts of secrets when they go out.
  ///   - literal: what texts stand for that are in the test itself.
  init(
    _ pump: Pump, hear: @escaping ([ToldSecret]) -> Void, literal: @escaping (String) -> String
  ) throws(TransportError) {
    loop = try EventLoop()
    provider = CurlProvider(loop: loop, blocksSIGPIPE: true)
    provider.onSecrets = hear
    provider.onLiteral = literal
    recorder = RecordingNetwork(provider, pump)
  }

  /// Whether it is being asked.
  var isBusy: Bool { provider.activeCount > 0 }

  /// Waits until something has moved.
  func wait() { loop.turn(.once) }

  func close() {
    provider.onSecrets = nil
    loop.close()
  }
}
