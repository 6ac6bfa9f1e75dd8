/// The networking of a service: starts an exchange, reports its result once, and can cancel it.
///
/// `startRequest` is called on the home thread with the final request and must return immediately.
/// The provider calls `completion` exactly once, on any thread. The result is delivered on a later
/// turn, so `completion` may be called inside `startRequest`. Redirects, TLS, timeouts and pooling
/// are up to the provider: the core receives the final response. (NET-01, NET-02, NET-06, NET-07)
public protocol NetworkingProvider: AnyObject {
  /// Starts the exchange and returns immediately. Called on the home thread.
  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
}

/// An exchange that a provider has started.
///
/// After the exchange is cancelled, the core ignores everything that the provider reports about it.
/// The provider should stop the exchange, but need not. (NET-03, CXL-07)
public protocol RequestNetworking: AnyObject {
  /// Cancels the exchange as soon as possible. No caller waits for the end of the exchange. Called
  /// on the home thread.
  func cancel()
  /// The current byte counts. The core reads this property while progress is reported. Called on
  /// the home thread.
  var transferMetrics: RequestTransferMetrics { get }
  /// Resumes reading a body after the consumer of the body has paused it with
  /// `BodySink.Verdict.pause`. Otherwise does nothing, like the default implementation. Must not be
  /// called while the consumer is receiving bytes.
  func resume()
}

extension RequestNetworking {
  public func resume() {}
}

/// The byte counts of a transfer. If a total is nil, zero or less, it is unknown. (NET-04)
public struct RequestTransferMetrics: Sendable, Equatable {
  /// The number of bytes of the request body that have been sent.
  public var requestBytesSent: Int
  /// The expected size of the request body, in bytes.
  public var requestBytesTotal: Int?
  /// The number of bytes of the response body that have arrived.
  public var responseBytesReceived: Int
  /// The announced size of the response body, in bytes.
  public var responseBytesTotal: Int?

  /// Makes byte counts. By default, counts are zero and totals are unknown.
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

/// The result that a provider reports for an exchange: a response, an error, or both (LOAD-11).
public struct NetworkResult: Sendable {
  /// The response of the server; nil if there is none.
  public var response: HTTPResponse?
  /// The decoded body; nil if the response has none (ERR-08).
  public var body: [UInt8]?
  /// Why there is no response, or only a partial one; nil after success.
  public var error: TransportError?
  /// The error that a script has made for a failure, if the script replaces the network. The cause,
  /// status and entity of this error take precedence over the other properties.
  package var requestError: RequestError?

  /// Makes a result. For success, give a response. For failure, give an error, and a response if
  /// one has arrived.
  public init(response: HTTPResponse? = nil, body: [UInt8]? = nil, error: TransportError? = nil) {
    self.response = response
    self.body = body
    self.error = error
  }
}

/// Reports the result of an exchange to the core. Passed to `NetworkingProvider.startRequest`.
///
/// It may be called on any thread. The second and later calls are ignored.
public struct NetworkCompletion: Sendable {
  private let inbox: Inbox
  let token: UInt64

  package init(inbox: Inbox, token: UInt64) {
    self.inbox = inbox
    self.token = token
  }

  /// Reports the result of the exchange. Further calls do nothing. Callable on any thread.
  public func callAsFunction(_ result: NetworkResult) { self(ArrivedResult(result)) }

  package func callAsFunction(_ report: ArrivedResult) { inbox.post(token, .network(report)) }
}

/// Signs a request: computes a signature that authenticates everything the request sends. The
/// signature is computed each time the request is sent.
///
/// After a redirect within the origin, the signature is computed again for the new request. After a
/// redirect to another origin, the signature is dropped together with its header. Until the request
/// is sent, this header contains a mask.
package protocol RequestSignature: AnyObject, Sendable {
  /// The secrets with which the request is signed. The secrets themselves are not sent.
  var secrets: [SecretText] { get }

  /// Adds the signature to a request that is being sent. All secrets in the request have been
  /// resolved. The result must not be stored.
  ///
  /// - Parameters:
  ///   - now: The current time in Unix epoch seconds.
  ///   - text: Resolves a secret.
  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError)
}

/// Receives a response body in chunks, so that the body need not fit into memory.
///
/// A sink is set in `TransferOptions`. Requests without a sink have no extra cost. For each attempt
/// with a status from 200 to 299, `begin` is called with the response headers, and then `take` with
/// every decoded chunk. If `begin` is called again, the bytes of the earlier attempt are void. The
/// body in the result is then empty, and `maxBodySize` doesn't apply. For other statuses, the body
/// arrives in the result as usual. The functions are called on the provider's thread. Custom
/// networking need not support sinks.
package final class BodySink: Sendable, Equatable {
  /// How the transfer continues after a chunk.
  package enum Verdict: Sendable {
    /// The chunk is accepted, and the transfer continues.
    case more
    /// The chunk is accepted, and the transfer pauses. Nothing more is read from the server until
    /// `RequestNetworking.resume` is called, but the rest of the bytes already received is still
    /// delivered. During the pause, `idleTimeout` is suspended.
    case pause
    /// The chunk is refused, and the exchange ends with an error.
    case refuse
  }

  /// Called when the body of a response begins. The argument contains the status, headers and URL
  /// of the response. Returning false ends the exchange with an error.
  package let begin: @Sendable (HTTPResponse) -> Bool
  /// Receives the next bytes of the body. The bytes are valid only during the call.
  package let take: @Sendable (UnsafeBufferPointer<UInt8>) -> Verdict

  /// Whether a successful response bypasses the pipeline and is returned unchanged.
  package let isRaw: Bool
  /// Whether the sink would accept a body again from the beginning. If not, the exchange is not
  /// retried.
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
