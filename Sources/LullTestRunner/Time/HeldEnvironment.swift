import LullCore
import LullHost
import LullSystem
import LullTransport

/// The environment of one test's host: a simulated clock, and a network with defined responses.
///
/// All work that is ready is done first. Then the clock advances to the next timer. Without a
/// timer, a wait can never end. There is no system event loop and no thread pool, so slow work on
/// values is done at once. While a request is sent to the network for recording, the clock stands
/// still.
final class HeldEnvironment: HostEnvironment {
  let clock = HeldClock()
  let pump: Pump
  let network: StubNetwork
  /// `nil` if nothing is recorded.
  private let live: LiveNetwork?
  private var hooks: [() -> Void] = []

  /// - Parameter recorders: The recorders of requests without a recorded response. `nil`: nothing
  ///   is recorded.
  init(_ cache: CassetteCache, recording recorders: CassetteRecorders? = nil) throws(TransportError)
  {
    let pump = Pump(clock: clock)
    self.pump = pump
    // Make random parts of policies reproducible.
    pump.random = { 0.5 }
    let heard = HeardSecrets()
    live =
      recorders == nil
      ? nil
      : try LiveNetwork(
        pump, hear: { heard.network?.cassettes.hide($0) },
        literal: { heard.network?.cassettes.told($0) ?? $0 })
    network = StubNetwork(pump, clock, recorder: live?.recorder)
    network.cassettes = CassetteSet(cache, recording: recorders)
    heard.network = network
  }

  /// Forwards secrets to the network, which is created later.
  private final class HeardSecrets {
    weak var network: StubNetwork?
  }

  let ownsProcess = true
  let holdsTime = true

  func defaultNetworking() -> any NetworkingProvider { network }

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  /// Runs turns until the condition is true or nothing more can happen.
  func run(until condition: () -> Bool) {
    while !condition() {
      if pump.hasWork {
        turn()
      } else if let live, live.isBusy {
        live.wait()
        turn()
      } else if clock.fireNext() {
        turn()
      } else {
        // Releasing an object may be the event that the test waits for.
        turn()
        guard pump.hasWork || clock.hasNext else { return }
      }
    }
  }

  private func turn() {
    for hook in hooks { hook() }
    pump.turn()
  }

  /// There is no sleep to wake up from.
  var signalWakeUp: SignalWakeUp? {
    if let live { return live.loop.signalWakeUp }
    // The function ignores it.
    return SignalWakeUp(function: { _ in }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func close() {
    hooks = []
    pump.close()
    live?.close()
    clock.close()
  }
}
