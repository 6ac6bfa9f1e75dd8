import LullCore
import LullHost
import LullSystem
import LullTransport

/// The environment of one test's host: a simulated clock, and a network whose responses are
/// defined.
///
/// All work that is ready is done first. Then the clock advances to the next timer. If there is no
/// timer, a wait can never end. There is no system event loop and no thread pool, so slow work on
/// values is done at once. While a request is sent to the live network for recording, the clock
/// does not advance.
final class HeldEnvironment: HostEnvironment {
  let clock = HeldClock()
  let pump: Pump
  let network: StubNetwork
  /// The connection to the live network. `nil` if nothing is recorded.
  private let live: LiveNetwork?
  private var hooks: [() -> Void] = []

  /// - Parameter recorders: The recorders for requests without a recorded response. `nil`: nothing
  ///   is recorded.
  init(_ cache: CassetteCache, recording recorders: CassetteRecorders? = nil) throws(TransportError)
  {
    let pump = Pump(clock: clock)
    self.pump = pump
    // Policies use random numbers, for example for delays. Make them reproducible.
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

  /// Refers to the test network, which receives the secrets that are sent to the live network. The
  /// test network is created after the live network.
  private final class HeardSecrets {
    weak var network: StubNetwork?
  }

  let ownsProcess = true
  let holdsTime = true

  func defaultNetworking() -> any NetworkingProvider { network }

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  /// Runs turns until the condition is true, or until no work and no timer is left.
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
        // A turn releases objects, and a release may be the event that the test waits for.
        turn()
        guard pump.hasWork || clock.hasNext else { return }
      }
    }
  }

  private func turn() {
    for hook in hooks { hook() }
    pump.turn()
  }

  /// The function that a signal handler calls to wake up a sleeping event loop. Without a live
  /// network there is no event loop, so the function does nothing.
  var signalWakeUp: SignalWakeUp? {
    if let live { return live.loop.signalWakeUp }
    // The function ignores its context.
    return SignalWakeUp(function: { _ in }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func close() {
    hooks = []
    pump.close()
    live?.close()
    clock.close()
  }
}
