package import LullCore

/// A service on a manual clock and stubbed networking, with the pump to turn by hand.
package final class Harness {
  package let clock = ManualClock()
  package let pump: Pump
  package let provider = StubProvider()
  package private(set) var service: Service

  package init(base: String? = "https://api.test/v1") {
    pump = Pump(clock: clock)
    service = Service(baseURL: base, networking: provider, pump: pump)
  }

  package func makeService(base: String?) -> Service {
    Service(baseURL: base, networking: provider, pump: pump)
  }

  /// Turns until nothing waits any more.
  package func settle() {
    var turns = 0
    while pump.hasWork {
      pump.turn()
      turns += 1
      precondition(turns < 10_000, "the pump never settles; this is a bug in the test or in Lull")
    }
  }
}
