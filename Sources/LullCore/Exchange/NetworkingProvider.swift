/// What a service needs from the network: start one exchange, report once, allow cancelling.
///
/// `startRequest` is called on the home thread with the final request and must return at once. The provider
/// calls `completion` exactly once, from any thread; the answer is delivered on a later turn, so
/// calling it inside `startRequest` is fine. Redirects, TLS, time-outs and pooling are the provider's own
/// business: the core sees the final response. (NET-01, NET-02, NET-06, NET-07)
public protocol NetworkingProvider: AnyObject {
  /// Begins the exchange, and returns at once. Home thread.
  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
}

/// One exchange a provider has started.
///
/// Cancelling is a request, not a promise: whatever the provider reports afterwards is ignored.
/// (NET-03, CXL-07)
public protocol RequestNetworking: AnyObject {
  /// Ends it as soon as that can be; nobody waits for it. Home thread.
  func cancel()
  /// How far it is; asked for while somebody wants progress. Home thread.
  var transferMetrics: RequestTransferMetrics { get }
  /// Goes on reading a body whose taker has asked for a pause; else does nothing, as the default. Not
  /// to be called by what takes the body while it does so.
  func resume()
}

extension RequestNetworking {
  public func resume() {}
}

/// Byte counts of a transfer; a total that is nil, zero or negative is unknown. (NET-04)
public struct RequestTransferMetrics: Sendable, Equatable {
  /// Of the request's body.
  public var requestBytesSent: Int
  /// What the request's body will come to.
  public var requestBytesTotal: Int?
  /// Of the response's body.
  public var responseBytesReceived: Int
  /// What the response has announced.
  public var responseBytesTotal: Int?

  /// Nothing moved yet, and nothing known.
  public init(
    requestBytesSent: Int = 0, requestBytesTotal: Int? = nil, responseBytesReceived: Int = 0,
    responseBytesTotal: Int? = nil
  ) {
    self.requestBytesSent = requestBytesSent
    self.requestBytesTotal = requestBytesTotal
    self.responseBytesReceived = responseBytesReceived
    self.responseBytesTotal = responseBytesTotal
  }
}

/// What a provider reports: a response, an error, or both together (LOAD-11).
public struct NetworkResult: Sendable {
  /// What the server said; nil if it said nothing.
  public var response: HTTPResponse?
  /// The decoded body; nil when there was none at all (ERR-08).
  public var body: [UInt8]?
  /// Why there is no response, or not all of it.
  public var error: TransportError?
  /// What a script that stood in for the network has made of the failure, besides; its cause, status and
  /// entity come first.
  package var requestError: RequestError?

  /// A success with a response alone, a failure with an error, besides a response or not.
  public init(response: HTTPResponse? = nil, body: [UInt8]? = nil, error: TransportError? = nil) {
    self.response = response
    self.body = body
    self.error = error
  }
}

/// The one-shot report channel handed to `NetworkingProvider.startRequest`.
///
/// It may be called on any thread. The second and later calls are ignored.
public struct NetworkCompletion: Sendable {
  private let inbox: Inbox
  let token: UInt64

  package init(inbox: Inbox, token: UInt64) {
    self.inbox = inbox
    self.token = token
  }

  /// Reports how the exchange ended; from any thread, and more than once does nothing.
  public func callAsFunction(_ result: NetworkResult) { self(ArrivedResult(result)) }

  package func callAsFunction(_ report: ArrivedResult) { inbox.post(token, .network(report)) }
}

/// What proves who sends a request by all that is sent: made from that, anew each time it goes out.
///
/// After a redirect within the origin it is made of the next request; to another one it does not go along,
/// as the header in which it stands. Until then that header has a mask.
package protocol RequestSignature: AnyObject, Sendable {
  /// What it is made with. None of that is sent.
  var secrets: [SecretText] { get }

  /// Puts it on what goes out now, in which every secret has its text; not to be kept.
  ///
  /// - Parameters:
  ///   - now: Unix epoch seconds.
  ///   - text: what a secret stands for.
  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError)
}

/// Takes the body of an answer piece by piece, so that it need not fit into memory.
///
/// Named in `TransferOptions`; nil there, in all ordinary requests, costs nothing. Order of events, for
/// each attempt that is answered with a status from 200 to 299: `begin` with its head, then `take` for
/// every decoded piece. What was taken of an attempt before is void when `begin` is called again. The
/// body then reported is empty, and `maxBodySize` does not count. All other bodies come as they
/// always do. Called on the provider's thread; what stands in for the network need not know of it.
package final class BodySink: Sendable, Equatable {
  /// What becomes of a piece, and of what follows it.
  package enum Verdict: Sendable {
    /// It is taken.
    case more
    /// It is taken, and nothing more is read from the server before `RequestNetworking.resume`, but what
    /// the same piece holds in coded form still comes. Meanwhile no `idleTimeout` runs.
    case pause
    /// The exchange ends with an error.
    case refuse
  }

  /// A body begins, of an answer with that head, which has its URL; false ends the exchange with an
  /// error.
  package let begin: @Sendable (HTTPResponse) -> Bool
  /// The next bytes, valid during the call.
  package let take: @Sendable (UnsafeBufferPointer<UInt8>) -> Verdict

  /// Whether a success goes to whoever asked for it as it is, and does not pass the pipeline.
  package let isRaw: Bool
  /// Whether it would take a body from its beginning on; else the exchange is not repeated.
  package let mayBegin: @Sendable () -> Bool

  package init(
    isRaw: Bool = false,
    begin: @escaping @Sendable (_ head: HTTPResponse) -> Bool,
    take: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Verdict,
    mayBegin: @escaping @Sendable () -> Bool = { true }
  ) {
    self.isRaw = isRaw
    self.mayBegin = mayBegin
    self.begin = begin
    self.take = take
  }

  package static func == (one: BodySink, other: BodySink) -> Bool { one === other }
}
