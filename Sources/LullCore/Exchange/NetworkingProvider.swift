/// What a service needs from the network: start one exchange, report once, allow cancelling.
///
/// `start` is called on the home thread with the final request and must return at once. The provider
/// calls `completion` exactly once, from any thread; the answer is delivered on a later turn, so
/// calling it inside `start` is fine. Redirects, TLS, time-outs and pooling are the provider's own
/// business: the core sees the final response. (NET-01, NET-02, NET-06, NET-07)
public protocol NetworkingProvider: AnyObject {
  func start(_ request: HTTPRequest, completion: NetworkCompletion) -> any NetworkTransfer
}

/// One exchange a provider has started.
///
/// Cancelling is a request, not a promise: whatever the provider reports afterwards is ignored.
/// (NET-03, CXL-07)
public protocol NetworkTransfer: AnyObject {
  func cancel()
  var metrics: TransferMetrics { get }
  /// Goes on reading a body whose taker has asked for a pause; else does nothing, as the default. Not
  /// to be called by what takes the body while it does so.
  func resume()
}

extension NetworkTransfer {
  public func resume() {}
}

/// Byte counts of a transfer; a total that is nil, zero or negative is unknown. (NET-04)
public struct TransferMetrics: Sendable, Equatable {
  public var sent: Int
  public var toSend: Int?
  public var received: Int
  public var toReceive: Int?

  public init(sent: Int = 0, toSend: Int? = nil, received: Int = 0, toReceive: Int? = nil) {
    self.sent = sent
    self.toSend = toSend
    self.received = received
    self.toReceive = toReceive
  }
}

/// What a provider reports: a response, an error, or both together (LOAD-11).
public struct NetworkResult: Sendable {
  public var response: HTTPResponse?
  /// The decoded body; nil when there was none at all (ERR-08).
  public var body: [UInt8]?
  public var error: TransportError?
  /// What a script that stood in for the network has made of the failure, besides; its cause, status and
  /// entity come first.
  package var requestError: RequestError?

  public init(response: HTTPResponse? = nil, body: [UInt8]? = nil, error: TransportError? = nil) {
    self.response = response
    self.body = body
    self.error = error
  }
}

/// The one-shot report channel handed to `NetworkingProvider.start`.
///
/// It may be called on any thread. The second and later calls are ignored.
public struct NetworkCompletion: Sendable {
  private let inbox: Inbox
  let token: UInt64

  package init(inbox: Inbox, token: UInt64) {
    self.inbox = inbox
    self.token = token
  }

  public func callAsFunction(_ result: NetworkResult) { self(ArrivedResult(result)) }

  package func callAsFunction(_ report: ArrivedResult) { inbox.post(token, .network(report)) }
}
