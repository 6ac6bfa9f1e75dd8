import LullCore
import LullHost
import LullSystem

/// What the host of one test stands on: time that stands still, and a network of answers.
///
/// Whatever can be done now is done; then the clock moves on to the next timer, and where there is none, what
/// waits waits in vain. There is no loop of the system's, and no pool: slow work on values is done at once. A network
/// that is asked in earnest, to record what it says, is to be given here too: while it is asked, `run` waits for
/// it in place of the clock.
final class HeldEnvironment: HostEnvironment {
  let clock = HeldClock()
  let pump: Pump
  let network: ProofNetwork
  private var hooks: [() -> Void] = []

  init() {
    pump = Pump(clock: clock)
    // What policies leave to chance is the same each time.
    pump.random = { 0.5 }
    network = ProofNetwork(pump)
  }

  let ownsProcess = true
  let holdsTime = true

  func defaultNetworking() -> any NetworkingProvider { network }

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  /// Turns until the condition holds, or nothing more can happen.
  func run(until condition: () -> Bool) {
    while !condition() {
      if pump.hasWork || clock.fireNext() {
        turn()
        continue
      }
      // What was let go of may be the last thing that somebody waited for.
      turn()
      guard pump.hasWork else { return }
    }
  }

  private func turn() {
    for hook in hooks { hook() }
    pump.turn()
  }

  /// Nothing sleeps, so that there is nothing to wake.
  var signalWakeUp: SignalWakeUp? {
    // The function does nothing with it.
    SignalWakeUp(function: { _ in }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func close() {
    hooks = []
    pump.close()
    clock.close()
  }
}
