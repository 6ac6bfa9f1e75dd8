import LullCore
import LullHost
import LullSystem
import LullTransport

/// What the host of one test stands on: time that stands still, and a network of answers.
///
/// Whatever can be done now is done; then the clock moves on to the next timer, and where there is none, what
/// waits waits in vain. There is no loop of the system's, and no pool: slow work on values is done at once. Where the
/// network is asked in earnest, to record what it says, the clock stands still while it is asked.
final class HeldEnvironment: HostEnvironment {
  let clock = HeldClock()
  let pump: Pump
  let network: StubNetwork
  /// nil where nothing is recorded.
  private let live: LiveNetwork?
  private var hooks: [() -> Void] = []

  /// - Parameter recorders: where what has no answer is recorded; nil: nothing is.
  init(_ cache: CassetteCache, recording recorders: CassetteRecorders? = nil) throws(TransportError)
  {
    let pump = Pump(clock: clock)
    self.pump = pump
    // What policies leave to chance is the same each time.
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

  /// Who is told of secrets: made before it is known who that is.
  private final class HeardSecrets {
    weak var network: StubNetwork?
  }

  let ownsProcess = true
  let holdsTime = true

  func defaultNetworking() -> any NetworkingProvider { network }

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  /// Turns until the condition holds, or nothing more can happen.
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
        // What was let go of may be the last thing that somebody waited for.
        turn()
        guard pump.hasWork || clock.hasNext else { return }
      }
    }
  }

  private func turn() {
    for hook in hooks { hook() }
    pump.turn()
  }

  /// Nothing sleeps, so that there is nothing to wake.
  var signalWakeUp: SignalWakeUp? {
    if let live { return live.loop.signalWakeUp }
    // The function does nothing with it.
    return SignalWakeUp(function: { _ in }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func close() {
    hooks = []
    pump.close()
    live?.close()
    clock.close()
  }
}
