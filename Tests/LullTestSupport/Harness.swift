package import LullCore
package import LullTesting

/// A service on a manual clock and stubbed networking, with the pump to turn by hand.
package final class Harness {
  package let clock = ManualClock()
  package let pump: Pump
  package let provider = StubProvider()
  package private(set) var service: Service
  private weak var leakCheck: LeakCheck?
  private let base: String?

  /// - Parameter leakCheck: is told of everything made here.
  package init(base: String? = "https://api.test/v1", leakCheck: LeakCheck? = nil) {
    self.base = base
    self.leakCheck = leakCheck
    pump = Pump(clock: clock)
    service = Service(baseURL: base, networking: provider, pump: pump)
    watch(service)
    leakCheck?.watch(self)
    leakCheck?.watch(pump)
    if let leakCheck { pump.host = leakCheck }
    leakCheck?.watch(provider)
    leakCheck?.watch(clock)
  }

  package func makeService(
    base: String?, standardTransformers: [StandardTransformer] = [.json, .text]
  ) -> Service {
    let service = Service(
      baseURL: base, standardTransformers: standardTransformers, networking: provider, pump: pump)
    watch(service)
    return service
  }

  private func watch(_ service: Service) {
    leakCheck?.watch(service)
  }

  /// The answers to a method and path under the base, in turn; the last one stays.
  package func stub(_ method: RequestMethod, _ path: String, _ answers: StubProvider.Answer...) {
    provider.stub(method, (base ?? "") + path, answers: answers)
  }

  /// The resource at a path, after a load that must have left data.
  package func loaded(_ path: String, _ answer: StubProvider.Answer = .text("data")) -> Resource {
    stub("GET", path, answer)
    let resource = service.resource(path)
    resource.load()
    settle()
    precondition(resource.latestData != nil, "the load of \(path) left no data")
    return resource
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

  /// Moves time on and settles.
  package func advance(by seconds: Double) {
    clock.advance(by: seconds)
    settle()
  }

  /// Cancels what is in flight and settles, as a program that ends does.
  package func finish() {
    for record in service.table.all {
      for request in record.allRequests + record.loadRequests { request.cancel() }
    }
    settle()
  }
}
