/// The requests of a service that its limits have admitted and that haven't been notified yet.
///
/// They are notified one after the other, when limits and queues are consistent, because a notified
/// request may run code that starts, cancels and configures anything. Home thread only.
final class Admissions {
  private unowned let pump: Pump
  private var admitted: [PolicyExchange] = []
  private var isDelivering = false
  private var isDeliveringSoon = false
  private var nextOrder: UInt64 = 0

  init(pump: Pump) {
    self.pump = pump
  }

  /// The wall-clock time, for comparison with times that a server sends.
  var now: Double { pump.clock.now }
  /// The monotonic time, for spans, which changes of the system clock must not affect. (LIM-11)
  var uptime: Double { pump.clock.uptime }

  /// Returns the number of a new request. Earlier requests have smaller numbers.
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

  /// Notifies the admitted requests on a later turn. If many requests are cancelled one after the
  /// other, none of them is then sent only to be cancelled next.
  func deliverSoon() {
    guard !isDeliveringSoon, !admitted.isEmpty else { return }
    isDeliveringSoon = true
    pump.enqueue { [self] in
      isDeliveringSoon = false
      deliver()
    }
  }

  /// Notifies the admitted requests. A nested call does nothing, because the outer call continues
  /// with all of them.
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
