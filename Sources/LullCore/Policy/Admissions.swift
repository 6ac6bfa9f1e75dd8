/// Those that the limits of a service have let through and that do not know it yet.
///
/// They are told one after the other, when limits and queues are done: each may start, cancel and
/// configure what it likes. Home thread only.
final class Admissions {
  private unowned let pump: Pump
  private var admitted: [PolicyExchange] = []
  private var isDelivering = false
  private var isDeliveringSoon = false
  private var nextOrder: UInt64 = 0

  init(pump: Pump) {
    self.pump = pump
  }

  /// For what a server says of times.
  var now: Double { pump.clock.now }
  /// For spans, which go on whatever is done to the clock. (LIM-11)
  var uptime: Double { pump.clock.uptime }

  /// For one that comes for the first time; earlier ones have smaller numbers.
  func makeOrder() -> UInt64 {
    nextOrder += 1
    return nextOrder
  }

  func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    pump.clock.schedule(after: seconds) { [self] in
      action()
      deliver()
    }
  }

  func append(_ exchange: PolicyExchange) { admitted.append(exchange) }

  /// On a later turn: of many that are cancelled one after the other, none shall be sent only to be
  /// cancelled next.
  func deliverSoon() {
    guard !isDeliveringSoon, !admitted.isEmpty else { return }
    isDeliveringSoon = true
    pump.enqueue { [self] in
      isDeliveringSoon = false
      deliver()
    }
  }

  /// Does nothing inside itself: the outer call comes to them.
  func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    var next = 0
    while next < admitted.count {
      let exchange = admitted[next]
      next += 1
      exchange.wasAdmitted()
    }
    admitted = []
    isDelivering = false
  }
}
