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
/// Cancelling is only a request to stop: the core ignores everything that the provider reports
/// afterwards. (NET-03, CXL-07)
public protocol RequestNetworking: AnyObject {
  /// Ends the exchange as soon as possible. No caller waits for it. Called on the home thread.
  func cancel()
  /// The current byte counts, read while progress is reported. Called on the home thread.
  var transferMetrics: RequestTransferMetrics { get }
  /// Resumes reading a body after its consumer has requested a pause. Otherwise does nothing, like
  /// the default implementation. The consumer must not call it while it is receiving bytes.
  func resume()
}

extension RequestNetworking {
  public func resume() {}
}

/// Byte counts of a transfer. A total of nil, zero or less is unknown. (NET-04)
public struct RequestTransferMetrics: Sendable, Equatable {
  /// The bytes of the request body that have been sent.
  public var requestBytesSent: Int
  /// The expected size of the request body.
  public var requestBytesTotal: Int?
  /// The bytes of the response body that have arrived.
  public var responseBytesReceived: Int
  /// The announced size of the response body.
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

/// The report of a provider: a response, an error, or both (LOAD-11).
public struct NetworkResult: Sendable {
  /// The response of the server; nil without a response.
  public var response: HTTPResponse?
  /// The decoded body; nil if the response has no body (ERR-08).
  public var body: [UInt8]?
  /// Why there is no response, or only a part of it.
  public var error: TransportError?
  /// The error that a script has made of the failure, if the script replaces the network. The
  /// cause, status and entity of this error take precedence.
  package var requestError: RequestError?

  /// Makes a result: a response for success, or an error with or without a response for failure.
  public init(response: HTTPResponse? = nil, body: [UInt8]? = nil, error: TransportError? = nil) {
    self.response = response
    self.body = body
    self.error = error
  }
}

/// The function passed to `NetworkingProvider.startRequest`, which reports the result.
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

/// A signature that authenticates everything a request sends. It is computed each time the request
/// is sent.
///
/// After a redirect within the origin, the signature is computed for the next request. A redirect
/// to another origin drops the signature together with its header. Until the request is sent, that
/// header contains a mask.
package protocol RequestSignature: AnyObject, Sendable {
  /// The secrets used for signing. They are not sent.
  var secrets: [SecretText] { get }

  /// Signs a request that is being sent, in which every secret has been resolved. The result must
  /// not be stored.
  ///
  /// - Parameters:
  ///   - now: Unix epoch seconds.
  ///   - text: Resolves a secret.
  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError)
}

/// Receives a response body piece by piece, so that it need not fit into memory.
///
/// A sink is set in `TransferOptions`. Requests without a sink have no extra cost. For each attempt
/// with a status from 200 to 299, `begin` is called with the head, and then `take` for every
/// decoded piece. If `begin` is called again, the bytes of the earlier attempt are void. The body
/// in the result is then empty, and `maxBodySize` doesn't apply. For other statuses, the body
/// arrives in the result as usual. The functions are called on the provider's thread. Custom
/// networking need not support sinks.
package final class BodySink: Sendable, Equatable {
  /// How to continue after a piece.
  package enum Verdict: Sendable {
    /// The piece is accepted.
    case more
    /// The piece is accepted. Nothing more is read from the server before
    /// `RequestNetworking.resume`, but the rest of the same encoded piece is still delivered.
    /// Meanwhile `idleTimeout` is suspended.
    case pause
    /// The exchange ends with an error.
    case refuse
  }

  /// Called when the body of a response with this head begins. The head contains the URL. Returning
  /// false ends the exchange with an error.
  package let begin: @Sendable (HTTPResponse) -> Bool
  /// Receives the next bytes, which are valid during the call.
  package let take: @Sendable (UnsafeBufferPointer<UInt8>) -> Verdict

  /// Whether a success is returned unchanged, without passing the pipeline.
  package let isRaw: Bool
  /// Whether the sink would accept a body from the beginning again. If not, the exchange is not
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
