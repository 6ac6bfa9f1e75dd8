/// The queue of requests that are subject to the same limits, first come, first served.
///
/// Only the first request waits for the limits. First it gets an admission by the rate limit, and
/// then it waits for a slot of the concurrency limit. This way, slots are never idle, and each
/// queue holds at most one unused admission. Requests that are sent again have waited before, so
/// they precede new requests.
package final class LimitQueue {
  struct Ticket {
    fileprivate let isAgain: Bool
    fileprivate let place: Int
  }

  private struct Waiting {
    /// Weak, because the waiting exchange holds the queue.
    weak var exchange: PolicyExchange?
    let order: UInt64
  }

  private let rate: SharedLimit?
  private let places: SharedLimit?
  private let admissions: Admissions
  private var fresh = WaitingQueue<Waiting>()
  private var again = WaitingQueue<Waiting>()
  /// The admission of the first request, while this request waits for a slot of the concurrency
  /// limit.
  private var share: Admission?

  init(rate: SharedLimit?, places: SharedLimit?, _ admissions: Admissions) {
    self.rate = rate
    self.places = places
    self.admissions = admissions
  }

  /// The queue of exchanges that already have a slot of the concurrency limit and send another
  /// request. They precede other requests, because they have waited longest.
  private(set) lazy var repetitions = LimitQueue(rate: rate, places: nil, admissions)

  /// Whether a rate limit applies to the requests in this queue.
  var hasRate: Bool { rate != nil }
  /// Whether a slot of the rate limit is released one span after the response headers have arrived.
  var isStrict: Bool { rate?.isStrict ?? false }

  /// A description of the limits, for logs.
  var description: String {
    [rate, places].compactMap { $0?.description }.joined(separator: ", ")
  }

  /// The sequence number of the first request in the queue; `UInt64.max` if the queue is empty.
  var order: UInt64 { first()?.order ?? .max }

  var waitingCount: Int { fresh.count + again.count }

  /// Returns the sequence number for a new request. Earlier requests have smaller numbers.
  func makeOrder() -> UInt64 { admissions.makeOrder() }

  /// Notifies the admitted requests.
  func deliver() { admissions.deliver() }

  /// Adds an exchange to the queue. If it is admitted immediately, `deliver` notifies it.
  ///
  /// - Parameter order: The sequence number that the exchange got from `makeOrder` when it first
  ///   joined a queue.
  func join(_ exchange: PolicyExchange, order: UInt64, isAgain: Bool) -> Ticket {
    let waiting = Waiting(exchange: exchange, order: order)
    let isFirst = isAgain ? again.isEmpty : fresh.isEmpty && again.isEmpty
    let place = isAgain ? again.append(waiting) : fresh.append(waiting)
    // If other requests wait, the limits are exhausted.
    if isFirst { advance() }
    return Ticket(isAgain: isAgain, place: place)
  }

  /// Removes an exchange from the queue. Returns false if the exchange has already been admitted.
  /// In this case, the exchange must give its admission back.
  func leave(_ ticket: Ticket) -> Bool {
    guard forget(ticket) else { return false }
    if waitingCount == 0 {
      settleEmpty()
      admissions.deliverSoon()
    }
    return true
  }

  /// Removes an exchange that is released before it is finished. Other requests in the queue are
  /// not affected.
  func drop(_ ticket: Ticket) {
    guard forget(ticket), waitingCount == 0 else { return }
    rate?.leave(self)
    places?.leave(self)
  }

  private func forget(_ ticket: Ticket) -> Bool {
    ticket.isAgain ? again.remove(ticket.place) : fresh.remove(ticket.place)
  }

  /// Admits waiting requests as far as the limits allow.
  func advance() {
    while let waiting = first() {
      if let rate, share == nil {
        // No admission is held while all slots are taken, because a request in one of those slots
        // may be waiting for an admission.
        if let places, !places.isFree(for: self) { return }
        share = rate.take(for: self)
        guard share != nil else { return }
      }
      if let places, places.take(for: self) == nil { return }
      let admission = share ?? .local
      share = nil
      if again.isEmpty { fresh.removeFirst() } else { again.removeFirst() }
      if let exchange = waiting.exchange {
        exchange.admission = admission
        admissions.append(exchange)
      }
    }
    settleEmpty()
  }

  private func settleEmpty() {
    places?.leave(self)
    rate?.leave(self)
    guard let share else { return }
    self.share = nil
    rate?.withdraw(share)
  }

  private func first() -> Waiting? { again.first() ?? fresh.first() }

  // MARK: Admitted requests

  func begin(_ admission: Admission) { rate?.begin(admission) }

  func send(_ admission: Admission) -> Admission { rate?.send(admission) ?? admission }

  /// Gives back an admission that will not be used.
  func withdraw(_ admission: Admission) {
    rate?.withdraw(admission)
    places?.withdraw(.local)
    admissions.deliverSoon()
  }

  /// Records that a sent request has ended. `result` is nil if the request was cancelled.
  func end(_ admission: Admission, _ result: NetworkResult?) {
    places?.end(.local, nil)
    rate?.end(admission, result)
    if result == nil { admissions.deliverSoon() } else { admissions.deliver() }
  }
}

/// Identifies a count that several limits share. The count is identified either by a name, or by
/// the sender, origin and pattern of the requests.
package struct LimitKey: Hashable, Sendable {
  /// The name, as shown to the user.
  package let name: String
  /// A digest that identifies the sender; empty if there is no sender, or if senders are not
  /// distinguished.
  package let identity: [UInt8]
  /// The ID of the server that keeps the count; 0 if the count is kept on this machine.
  package var server = 0

  package init(name: String, identity: [UInt8] = []) {
    self.name = name
    self.identity = identity
  }

  /// Makes the key for the count of a limit.
  ///
  /// - Parameters:
  ///   - environment: The environment of the service. Each environment has its own count.
  ///   - pattern: The pattern of the configuration block that sets the limit.
  ///   - identity: Returns the digest of the sender. Called only if senders are distinguished.
  package init(
    of limit: RateLimit, origin: String, environment: String? = nil, pattern: String,
    identity: () -> [UInt8]
  ) {
    if case .named(let name) = limit.scope {
      self.init(name: EnvironmentMark.marked(name, in: environment))
    } else {
      // A pattern could look like an environment. The keys differ nevertheless, because the
      // identity also contains the environment.
      let place = environment.map { " @\($0)" } ?? ""
      self.init(
        name: origin + place + (pattern.isEmpty ? "" : " ") + pattern, identity: identity())
    }
  }
}

/// Provides the counts of limits that several services or processes share. Home thread only.
package protocol LimitSource: AnyObject {
  /// Returns a digest of the sender, computed from the credentials of a request; empty if there is
  /// no sender. The function reads environment variables and files, so it is called rarely; see
  /// `KnownSenders`.
  func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8]

  /// The ID of the server that keeps the counts now, as in `LimitKey`.
  var server: Int { get }

  /// Makes a log, which obtains admissions from the count with this key. Each log has its own
  /// position in the queue.
  func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog
}

extension LimitSource {
  package var server: Int { 0 }
}

/// Whether a limit admits another request.
enum LimitOpening: Equatable {
  case open
  /// The limit admits no request now, but will do so after this number of seconds.
  case opens(after: Double)
  /// The limit admits no request until the slot of an admitted request is given back.
  case closed
}

/// The error for a request whose limit needs a name, because other processes can't identify the
/// limit otherwise.
struct LimitNeedsName: Error, Sendable, CustomStringConvertible {
  var description: String {
    "a shared rate limit needs a name if the pattern of its block is a function, because other "
      + "processes cannot recognize the limit otherwise: name it (shared = \"name\")"
  }
}

extension Pump {
  /// The object that provides the counts of limits that several services share. It counts in
  /// memory, unless another source has been set in the pump.
  var limitSource: any LimitSource {
    if let limits { return limits }
    let source = LoopLimits(self)
    limits = source
    return source
  }
}

/// The admission of one request by a rate limit. If the request is not sent, the admission is given
/// back. If the request is sent, it is counted.
package struct Admission: Equatable, Sendable {
  /// The ID of the admission in its count; 0 if the count doesn't distinguish admissions.
  package let number: Int64

  package init(number: Int64) {
    self.number = number
  }

  static let local = Admission(number: 0)
}
