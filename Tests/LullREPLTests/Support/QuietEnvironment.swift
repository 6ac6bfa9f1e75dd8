import LullCore
import LullHost
import LullSystem
import LullTesting

/// A host's surroundings without a loop, signals or network.
final class QuietEnvironment: HostEnvironment {
  let clock = ManualClock()
  let pump: Pump
  private let provider = StubProvider()
  private var hooks: [() -> Void] = []

  init() {
    pump = Pump(clock: clock)
  }

  func defaultNetworking() -> any NetworkingProvider { provider }
  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  func run(until condition: () -> Bool) {
    while !condition() {
      if pump.hasWork {
        for hook in hooks { hook() }
        pump.turn()
      } else if let due = clock.nextDue {
        clock.advance(by: max(0, due - clock.now))
      } else {
        return
      }
    }
  }

  var signalWakeUp: SignalWakeUp? { nil }
  let ownsProcess = true

  func close() {
    hooks = []
    pump.close()
  }
}
