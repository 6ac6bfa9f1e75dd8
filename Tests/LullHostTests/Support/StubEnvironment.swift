import LullCore
import LullHost
import LullSystem
import LullTesting

/// A host's surroundings without a loop: time stands still, the network is stubs.
final class StubEnvironment: HostEnvironment {
  let clock = ManualClock()
  let pump: Pump
  let provider = StubProvider()
  private var hooks: [() -> Void] = []
  private(set) var isClosed = false

  init() {
    pump = Pump(clock: clock)
  }

  func defaultNetworking() -> any NetworkingProvider { provider }

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  func turn() {
    for hook in hooks { hook() }
    pump.turn()
  }

  /// Turns until the condition holds; where nothing is left to do now, time moves on to the next
  /// timer, and where there is none either, or no end after a million turns, it gives up.
  func run(until condition: () -> Bool) {
    var turns = 0
    while !condition(), turns < 1_000_000 {
      turns += 1
      if pump.hasWork {
        turn()
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
    isClosed = true
    hooks = []
    pump.close()
  }
}
