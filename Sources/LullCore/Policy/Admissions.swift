/// The requests of a service that have been admitted by the limits but not notified yet.
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

  /// The wall-clock time. Used for comparison with times that a server sends.
  var now: Double { pump.clock.now }
  /// The monotonic time. Used for spans, because changes of the system clock must not affect spans.
  /// (LIM-11)
  var uptime: Double { pump.clock.uptime }

  /// Returns the sequence number for a new request. Earlier requests have smaller numbers.
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

  /// Notifies the admitted requests in a later turn. If many requests are cancelled in a row, this
  /// delay prevents a request from being sent just before it is cancelled.
  func deliverSoon() {
    guard !isDeliveringSoon, !admitted.isEmpty else { return }
    isDeliveringSoon = true
    pump.enqueue { [self] in
      isDeliveringSoon = false
      deliver()
    }
  }

  /// Notifies the admitted requests. A nested call does nothing, because the outer call notifies
  /// all of them.
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
