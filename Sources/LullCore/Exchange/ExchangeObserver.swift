import Synchronization

/// A handler added by `onExchange`. Releasing this object does not remove the handler.
public final class ExchangeObserver: Sendable {
  private let removed = Atomic<Bool>(false)
  fileprivate let tell: @Sendable (ExchangeEvent) -> Void

  fileprivate init(_ tell: @escaping @Sendable (ExchangeEvent) -> Void) {
    self.tell = tell
  }

  /// Removes the handler. After this call, no call of the handler begins on the home's thread. If
  /// `remove` is called on another thread, a call of the handler that is in progress may still
  /// continue. Calling `remove` again does nothing. Callable on any thread.
  public func remove() { removed.store(true, ordering: .releasing) }

  fileprivate var isRemoved: Bool { removed.load(ordering: .acquiring) }
}

/// The exchange observers of a pump. Home thread only.
struct ExchangeObservers {
  private var observers: [ExchangeObserver] = []

  /// Whether there are no observers.
  var isEmpty: Bool { observers.isEmpty }

  mutating func add(_ handler: @escaping @Sendable (ExchangeEvent) -> Void) -> ExchangeObserver {
    let observer = ExchangeObserver(handler)
    observers.append(observer)
    return observer
  }

  /// Returns the observers that have not been removed, in the order in which they were added.
  mutating func present() -> [ExchangeObserver] {
    observers.removeAll { $0.isRemoved }
    return observers
  }
}

extension Pump {
  /// Calls `handler` once for each request that has ended. (HOME-160, HOME-161) Lua: `lull.log`
  /// shows the same information.
  ///
  /// For each request, events have this order:
  ///
  /// 1. The request ends, with all its attempts.
  /// 2. Observers, hooks and waiting tasks are notified.
  /// 3. Handlers are called on this pump's thread, in the order in which they were added.
  ///
  /// A slow handler delays the others, so do slow work on another thread.
  ///
  /// Every request of a resource is reported, with any outcome: success, error, cancelled, refused,
  /// or data from a cache. The connection of a stream is one request, reported when the connection
  /// ends. Some requests are not reported: single attempts and redirects, requests for tokens,
  /// loads of an offline service, and requests that the program creates, such as chains around
  /// others. Without a handler, nothing is collected.
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
  /// Calls `handler` on the home's thread each time a request of one of the home's services has
  /// ended; see `Pump.onExchange`. (HOME-160, HOME-161)
  ///
  ///     await home.onExchange { event in logger.info("\(event)") }
  @discardableResult
  public func onExchange(
    _ handler: @escaping @Sendable (_ event: ExchangeEvent) -> Void
  ) -> ExchangeObserver {
    surroundings.context.pump.onExchange(handler)
  }
}

/// A request that has ended, for logs, metrics and traces; see `onExchange`.
///
/// An event can be used on any thread and contains no credentials. Times are in seconds, sizes in
/// bytes.
public struct ExchangeEvent: Sendable, Equatable {
  /// The source of the response.
  public enum Source: String, Sendable {
    /// The server. Also the source if the request failed.
    case network
    /// A cache, or data that another process has loaded while the request was waiting. Nothing was
    /// sent.
    case cache
  }

  /// The name of the service, if it has one.
  public let service: String?
  /// The method of the request.
  public let method: RequestMethod
  /// The URL as sent, with secrets and credentials masked.
  public let url: String
  /// The status of the server's response, such as 304; nil without a response.
  public let status: Int?
  /// The number of times the request was sent: for example 0 if it was never sent, and 2 if it was
  /// retried once.
  public let attempts: Int
  /// The source of the response.
  public let source: Source
  /// The size of the request body in bytes; nil if there is no body, or if the size isn't known
  /// before the body is read.
  public let requestBytes: Int?
  /// The size of the response body in bytes after decoding; 0 if there is no body, or if the body
  /// was passed to a file or a reader.
  public let responseBytes: Int
  /// The time at which the request ended, in Unix epoch seconds.
  public let timestamp: Double
  /// The seconds from the start to the end of the request, including waits for limits and retries;
  /// nil if there was no handler when the request began.
  public let elapsed: Double?
  /// The durations of the phases of the last attempt; nil unless `TransferOptions.recordsTimings`
  /// is set.
  public let timings: TransferTimings?
  /// The kind of the error's cause, such as `timeout`. For an error response without a cause,
  /// `status`. After success, nil.
  public let errorKind: String?

  /// The number of retries.
  public var retries: Int { max(0, attempts - 1) }
}

extension ExchangeEvent: CustomStringConvertible {
  /// The event on one line: `GET https://api.test/a → 200, 17 bytes, 2 attempts, 0.12 s`.
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

/// Observes the bytes sent and received on the wire.
///
/// The observer is set in `TransferOptions`. Requests without an observer have no extra cost. The
/// observer is notified of each hop in order, including redirects, retries and rounds of
/// authentication. The headers of a message are reported when they are complete. A request body is
/// reported when the server has begun to respond, or when the hop has ended.
///
/// Secrets are masked; other credentials are not. The observer is called on the provider's thread,
/// between two calls of the network library, so it must not start or cancel anything. Custom
/// networking need not support observers.
package final class WireObserver: Sendable, Equatable {
  package enum Event: Sendable {
    /// The header or trailer lines of a message, with their line ends. For headers, the first line
    /// is the request or status line. HTTP/2 and HTTP/3 have no such lines, so the text is the one
    /// that libcurl writes.
    case head(isSent: Bool, [UInt8])
    /// The first bytes of a body, at most `bodyLimit`, and the full size of the body. A response
    /// body is decoded.
    case body(isSent: Bool, [UInt8], count: Int)
  }

  /// The largest number of bytes of a body that are reported.
  package static let bodyLimit = 64 * 1024

  package let wantsBodies: Bool
  package let tell: @Sendable (Event) -> Void

  package init(wantsBodies: Bool, tell: @escaping @Sendable (Event) -> Void) {
    self.wantsBodies = wantsBodies
    self.tell = tell
  }

  package static func == (one: WireObserver, other: WireObserver) -> Bool { one === other }
}

/// Reports to a rate limit when a request is sent. The transport calls this object, because only
/// the transport knows when it sends. Set in `TransferOptions`; nil for a request without a limit.
///
/// A transport that supports reports calls `adopt` inside `startRequest`. Then, for each request
/// that it sends, it calls `begin` before the first byte is sent. It calls `pass` when the last
/// byte has been sent; with `waitsForAnswer`, when the headers of the response have arrived. For a
/// request without a body, `pass` alone suffices. Before the transport sends another request for
/// the same exchange, such as a redirect, it calls `sendAgain`.
///
/// For any other transport, the request counts from the call of `handOver` on. The transport may
/// call `handOver` itself; otherwise `handOver` is called when `startRequest` returns. With
/// `waitsForAnswer`, the request counts from its result on. Home thread only.
// Unchecked: TransferOptions is Sendable, but the report is used on the home thread only.
package final class SendingReport: @unchecked Sendable, Equatable {
  /// An event that the transport reports.
  package enum Event {
    /// Bytes may be sent from now on. The slot of the rate limit stays used, even if this process
    /// dies.
    case began
    /// The slot of the rate limit is released one span from now.
    case passed
    /// The transport is about to send another request. `resume` must be called when the limit has a
    /// slot for this request.
    case again(resume: () -> Void)
  }

  /// Whether the slot of the rate limit is released one span after the head of the response,
  /// instead of after the last byte sent.
  package let waitsForAnswer: Bool
  /// Whether the transport reports when it sends the request.
  package private(set) var isAdopted = false
  /// Whether the transport has given up the request before sending a byte.
  package var isUnsent = false
  /// Receives the events. Returns false if the exchange has ended.
  private let tell: (Event) -> Bool

  init(waitsForAnswer: Bool, _ tell: @escaping (Event) -> Bool) {
    self.waitsForAnswer = waitsForAnswer
    self.tell = tell
  }

  package func adopt() { isAdopted = true }

  package func begin() { _ = tell(.began) }
  package func pass() { _ = tell(.passed) }

  /// Counts the request from now on. For a transport that doesn't report when it sends the request.
  /// With `waitsForAnswer`, this function only records that the request may have been sent.
  package func handOver() { waitsForAnswer ? begin() : pass() }

  /// Calls `resume` when the limit allows another request, now or later. If the exchange is
  /// cancelled before that, `resume` is not called.
  package func sendAgain(_ resume: @escaping () -> Void) {
    if !tell(.again(resume: resume)) { resume() }
  }

  package static func == (one: SendingReport, other: SendingReport) -> Bool { one === other }
}
