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
