import Synchronization

/// What `onExchange` has added, to be removed again. Letting go of it removes nothing.
public final class ExchangeObserver: Sendable {
  private let removed = Atomic<Bool>(false)
  fileprivate let tell: @Sendable (ExchangeEvent) -> Void

  fileprivate init(_ tell: @escaping @Sendable (ExchangeEvent) -> Void) {
    self.tell = tell
  }

  /// Ends it: no call begins afterwards on the home's thread. Called elsewhere, one that runs now may still be
  /// going on. Calling it again does nothing. Any thread.
  public func remove() { removed.store(true, ordering: .releasing) }

  fileprivate var isRemoved: Bool { removed.load(ordering: .acquiring) }
}

/// Those that hear of the exchanges of a pump. Home thread only.
struct ExchangeObservers {
  private var observers: [ExchangeObserver] = []

  /// Whether nobody would hear of an exchange.
  var isEmpty: Bool { observers.isEmpty }

  mutating func add(_ handler: @escaping @Sendable (ExchangeEvent) -> Void) -> ExchangeObserver {
    let observer = ExchangeObserver(handler)
    observers.append(observer)
    return observer
  }

  /// In their order, without those that have been removed.
  mutating func present() -> [ExchangeObserver] {
    observers.removeAll { $0.isRemoved }
    return observers
  }
}

extension Pump {
  /// Calls `handler` once for each request that has ended. (HOME-160, HOME-161) Lua: `lull.log` shows as much.
  ///
  /// Order of events: the request has ended, with all its attempts; observers, hooks and waiting tasks have been
  /// told; then handlers are called in the order in which they were added, on this pump's thread. What one of
  /// them does holds up the others, so leave slow work to another thread.
  ///
  /// Reported are requests of resources, whatever came of them: successes, errors, cancelled and refused ones, and data
  /// that a cache has brought. A stream's connection is one of them, reported when it ends. Not reported are single
  /// attempts and redirects of a request, requests for tokens, loads of an offline service, and requests of the program's own
  /// making, such as chains around others. Without a handler nothing is collected.
  ///
  ///     let observer = home.onExchange { event in print(event) }
  ///     …
  ///     observer.remove()
  @discardableResult
  public func onExchange(
    _ handler: @escaping @Sendable (_ event: ExchangeEvent) -> Void
  ) -> ExchangeObserver {
    checkThread()
    return exchangeObservers.add(handler)
  }

  func tell(_ event: ExchangeEvent) {
    for observer in exchangeObservers.present() where !observer.isRemoved { observer.tell(event) }
  }
}

extension ServiceHome {
  /// Calls `handler` on the home's thread once for each request of the home's services that has ended; see
  /// `Pump.onExchange`. (HOME-160, HOME-161)
  ///
  ///     await home.onExchange { event in logger.info("\(event)") }
  @discardableResult
  public func onExchange(
    _ handler: @escaping @Sendable (_ event: ExchangeEvent) -> Void
  ) -> ExchangeObserver {
    surroundings.context.pump.onExchange(handler)
  }
}

/// One request that has ended, for logs, metrics and traces: see `onExchange`.
///
/// A value for any thread, without credentials. Times are seconds, sizes are bytes.
public struct ExchangeEvent: Sendable, Equatable {
  /// Where the answer came from.
  public enum Source: String, Sendable {
    /// The server, or nothing: the request failed.
    case network
    /// A cache, or what another process has loaded meanwhile: nothing was sent.
    case cache
  }

  /// The name of the service, if it has one.
  public let service: String?
  /// What was asked for.
  public let method: RequestMethod
  /// Where, as it was sent, with secrets and credentials masked.
  public let url: String
  /// The status that the server answered with, such as 304; nil without an answer.
  public let status: Int?
  /// How often it was sent: 0 if it never was, 2 with one retry.
  public let attempts: Int
  /// Where the answer came from.
  public let source: Source
  /// The size of the request's body; nil without one, or if it is not known before it is read.
  public let requestBytes: Int?
  /// The size of the answer's body, decoded; 0 without one, and where it went to a file or a reader.
  public let responseBytes: Int
  /// When it ended; Unix epoch seconds.
  public let timestamp: Double
  /// From its start to its end, with waits for limits and retries; nil if nobody listened when it began.
  public let elapsed: Double?
  /// The parts of the last attempt; nil unless `TransferOptions.recordsTimings` is set.
  public let timings: TransferTimings?
  /// The kind of the error's cause, such as `timeout`, or `status` for an error of the server without one; nil of a
  /// success.
  public let errorKind: String?

  /// How often it was sent again.
  public var retries: Int { max(0, attempts - 1) }
}

extension ExchangeEvent: CustomStringConvertible {
  /// On one line: `GET https://api.test/a → 200, 17 bytes, 2 attempts, 0.12 s`.
  public var description: String {
    var text = "\(method) \(url)"
    if let status { text += " → \(status)" }
    if source == .cache { text += ", from a cache" }
    if let errorKind { text += ", \(errorKind)" }
    text += ", \(responseBytes) bytes"
    if attempts != 1 { text += ", \(attempts) attempts" }
    if let elapsed { text += ", \(LogText.seconds(elapsed))" }
    return text
  }
}

/// Sees what goes over the wire, both ways, as the network really sends and gets it.
///
/// Named in `TransferOptions`; nil there, in all ordinary requests, costs nothing. Of each hop, redirects,
/// repetitions and rounds of authentication included, it is told in the order in which it happened: the head
/// as a whole once the last line of it is there, a body once the other side has begun to answer or the hop
/// has ended. Texts of secrets have become masks; what is called like a credential has not. Told on the
/// provider's thread, between two calls of the network's code, and must not start or cancel anything. What
/// stands in for the network need not know of it.
package final class WireObserver: Sendable, Equatable {
  package enum Event: Sendable {
    /// Lines with their ends, the first one being that of the request or the status; what follows a body
    /// has no such line. Over HTTP/2 and 3, which have no lines, as libcurl writes them.
    case head(isSent: Bool, [UInt8])
    /// Bytes of a body, decoded if it is the answer's, `bodyLimit` at most, and how many there were.
    case body(isSent: Bool, [UInt8], count: Int)
  }

  /// How much of a body is kept, bytes.
  package static let bodyLimit = 64 * 1024

  package let wantsBodies: Bool
  package let tell: @Sendable (Event) -> Void

  package init(wantsBodies: Bool, tell: @escaping @Sendable (Event) -> Void) {
    self.wantsBodies = wantsBodies
    self.tell = tell
  }

  package static func == (one: WireObserver, other: WireObserver) -> Bool { one === other }
}

/// Connects a request that counts against a rate limit with its transport, which knows when the request goes
/// out. Named in `TransferOptions`; nil for a request without a limit.
///
/// A transport that can tell calls `adopt` inside `startRequest`. Then it calls, for each request that it
/// sends, `begin` before the first byte goes out, and `pass` when the last byte has gone out, or with
/// `waitsForAnswer` when the head of the answer has arrived. `pass` alone will do for a request without a
/// body. Before it sends another request for the same exchange, such as a redirect, it calls `sendAgain`.
/// For any other transport the request counts from `handOver` on, or when `startRequest` returns, with
/// `waitsForAnswer` when its result is there. Home thread only.
// Unchecked: TransferOptions is Sendable, but the report is used on the home thread only.
package final class SendingReport: @unchecked Sendable, Equatable {
  /// What the transport reports.
  package enum Event {
    /// Bytes may go out from now on: the place is not given back any more, even if this process dies.
    case began
    /// The place is released one span from now.
    case passed
    /// Another request is to be sent by `resume`, which is called once there is a place for it.
    case again(resume: () -> Void)
  }

  /// Whether the place is released one span after the answer's head, instead of after the last byte sent.
  package let waitsForAnswer: Bool
  /// Whether the transport reports.
  package private(set) var isAdopted = false
  /// Whether the transport has given the request up before a byte of it went out.
  package var isUnsent = false
  /// False if the exchange is over.
  private let tell: (Event) -> Bool

  init(waitsForAnswer: Bool, _ tell: @escaping (Event) -> Bool) {
    self.waitsForAnswer = waitsForAnswer
    self.tell = tell
  }

  package func adopt() { isAdopted = true }

  package func begin() { _ = tell(.began) }
  package func pass() { _ = tell(.passed) }

  /// Nobody will say when the request goes out.
  package func handOver() { waitsForAnswer ? begin() : pass() }

  /// Calls `resume` once the limit lets another request through, now or later; never after the exchange
  /// has been cancelled.
  package func sendAgain(_ resume: @escaping () -> Void) {
    if !tell(.again(resume: resume)) { resume() }
  }

  package static func == (one: SendingReport, other: SendingReport) -> Bool { one === other }
}
