/// Where requests wait that are subject to the same limits, first come, first served.
///
/// Only the first in line waits for limits; it gets a share of the rate before it waits for a place,
/// so no place is ever held idle, and no more than one share of the rate for each queue. What is sent
/// again has stood in line before, and goes ahead of those that have not been sent.
package final class LimitQueue {
  struct Ticket {
    fileprivate let isAgain: Bool
    fileprivate let place: Int
  }

  private struct Waiting {
    /// Who waits holds the queue.
    weak var exchange: PolicyExchange?
    let order: UInt64
  }

  private let rate: SharedLimit?
  private let places: SharedLimit?
  private let admissions: Admissions
  private var fresh = WaitingQueue<Waiting>()
  private var again = WaitingQueue<Waiting>()
  /// The share of the rate that the first in line has, who waits for a place.
  private var share: Admission?

  init(rate: SharedLimit?, places: SharedLimit?, _ admissions: Admissions) {
    self.rate = rate
    self.places = places
    self.admissions = admissions
  }

  /// Where an exchange waits that holds its place and is to send another request. Such requests have
  /// waited longest.
  private(set) lazy var repetitions = LimitQueue(rate: rate, places: nil, admissions)

  /// Whether requests count against a rate.
  var hasRate: Bool { rate != nil }
  /// Whether a place of the rate is released one span after the answer's head.
  var isStrict: Bool { rate?.isStrict ?? false }

  /// As logs say it.
  var description: String {
    [rate, places].compactMap { $0?.description }.joined(separator: ", ")
  }

  /// Since when the first in line has waited, as a running number of the service; the largest if
  /// nobody waits.
  var order: UInt64 { first()?.order ?? .max }

  var waitingCount: Int { fresh.count + again.count }

  /// For one that comes for the first time; earlier ones have smaller numbers.
  func makeOrder() -> UInt64 { admissions.makeOrder() }

  /// Tells those that were let through.
  func deliver() { admissions.deliver() }

  /// Who joins may be let through at once, and hears of it from `deliver`.
  ///
  /// - Parameter order: what `makeOrder` gave to it when it came first.
  func join(_ exchange: PolicyExchange, order: UInt64, isAgain: Bool) -> Ticket {
    let waiting = Waiting(exchange: exchange, order: order)
    let isFirst = isAgain ? again.isEmpty : fresh.isEmpty && again.isEmpty
    let place = isAgain ? again.append(waiting) : fresh.append(waiting)
    // Behind somebody there is nothing to be had.
    if isFirst { advance() }
    return Ticket(isAgain: isAgain, place: place)
  }

  /// Whether it still waited; if not, it is let through and has to give that back.
  func leave(_ ticket: Ticket) -> Bool {
    guard forget(ticket) else { return false }
    if waitingCount == 0 {
      settleEmpty()
      admissions.deliverSoon()
    }
    return true
  }

  /// Leaves and changes nothing for others: for an exchange that is going away unfinished.
  func drop(_ ticket: Ticket) {
    guard forget(ticket), waitingCount == 0 else { return }
    rate?.leave(self)
    places?.leave(self)
  }

  private func forget(_ ticket: Ticket) -> Bool {
    ticket.isAgain ? again.remove(ticket.place) : fresh.remove(ticket.place)
  }

  /// Lets through whom the limits let through now.
  func advance() {
    while let waiting = first() {
      if let rate, share == nil {
        // No share is held while all places are taken: one of those may wait for that share.
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

  // MARK: For those let through

  func begin(_ admission: Admission) { rate?.begin(admission) }

  func send(_ admission: Admission) -> Admission { rate?.send(admission) ?? admission }

  /// One that was let through will not be sent.
  func withdraw(_ admission: Admission) {
    rate?.withdraw(admission)
    places?.withdraw(.local)
    admissions.deliverSoon()
  }

  /// One that was sent has its answer; nil: it was cancelled.
  func end(_ admission: Admission, _ result: NetworkResult?) {
    places?.end(.local, nil)
    rate?.end(admission, result)
    if result == nil { admissions.deliverSoon() } else { admissions.deliver() }
  }
}

/// What limits have in common that count together: a name, or where requests go to, on whose behalf, and
/// which of them.
package struct LimitKey: Hashable, Sendable {
  /// As people are shown it.
  package let name: String
  /// A digest of who asks; empty if that is nobody in particular, or does not matter.
  package let identity: [UInt8]
  /// Which server counts, as whoever names it numbers them; 0: this machine does.
  package var server = 0

  package init(name: String, identity: [UInt8] = []) {
    self.name = name
    self.identity = identity
  }

  /// - Parameters:
  ///   - environment: that of the service, which counts alone.
  ///   - pattern: of the block that sets the limit.
  ///   - identity: asked for where it matters only.
  package init(
    of limit: RateLimit, origin: String, environment: String? = nil, pattern: String,
    identity: () -> [UInt8]
  ) {
    if case .named(let name) = limit.scope {
      self.init(name: EnvironmentMark.marked(name, in: environment))
    } else {
      // The identity has the environment, too, whatever patterns are called.
      let place = environment.map { " @\($0)" } ?? ""
      self.init(
        name: origin + place + (pattern.isEmpty ? "" : " ") + pattern, identity: identity())
    }
  }
}

/// Where limits are counted that processes share. Home thread only.
package protocol LimitSource: AnyObject {
  /// A digest of who asks, by what the requests carry; empty of nobody in particular. Looks variables and files
  /// up, so it is asked for seldom: see `KnownSenders`.
  func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8]

  /// Which server counts now, as `LimitKey` has it.
  var server: Int { get }

  /// Somebody who asks for admissions of that count, in a line of its own.
  func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog
}

extension LimitSource {
  package var server: Int { 0 }
}

/// Whether a limit lets one more through.
enum LimitOpening: Equatable {
  case open
  /// Seconds from now.
  case opens(after: Double)
  /// When one of those let through gives its place back.
  case closed
}

/// Why requests fail whose limit other processes could not find.
struct LimitNeedsName: Error, Sendable, CustomStringConvertible {
  var description: String {
    "a rate limit that processes share needs a name where the pattern of its block is a function, since "
      + "others cannot know that it is the same: name it (shared = \"name\")"
  }
}

extension Pump {
  /// Counts the limits that several services share: in memory, unless the pump has another source.
  var limitSource: any LimitSource {
    if let limits { return limits }
    let source = LoopLimits(self)
    limits = source
    return source
  }
}

/// That a rate limit has let one request through; given back, or counted once it is sent.
package struct Admission: Equatable, Sendable {
  /// What whoever keeps the count knows it by; 0 where they are not told apart.
  package let number: Int64

  package init(number: Int64) {
    self.number = number
  }

  static let local = Admission(number: 0)
}
