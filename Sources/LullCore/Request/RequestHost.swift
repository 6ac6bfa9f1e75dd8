/// Who mirrors the model elsewhere, as far as requests go.
///
/// What it has to note of a request it notes in that one's `hostMark`, which the model only keeps.
package protocol RequestHost: PumpHost {
  /// A request was made that calls what is the host's: `maker` has come with the mutation, the decision
  /// of a chain, or is the delegate. Comes before anybody else sees the request; a repetition is made
  /// by its own.
  func requestMade(_ request: Request, by maker: AnyObject)
  /// A request has begun, or has ended before it could.
  func requestStarted(_ request: Request)
  /// When a request in flight has begun, in Unix seconds, if this one notes it.
  func beginning(of request: Request) -> Double?
  /// Its hooks have been delivered: nothing more will happen by itself.
  func requestSettled(_ request: Request)
  /// Keeps what the response holds of the host's until the request has settled.
  func hold(_ response: Response, for request: Request)
}

extension RequestHost {
  package func requestMade(_ request: Request, by maker: AnyObject) {}
  package func requestStarted(_ request: Request) {}
  package func beginning(of request: Request) -> Double? { nil }
  package func requestSettled(_ request: Request) {}
  package func hold(_ response: Response, for request: Request) {}
}

class RequestHostSlot: HostSlot {
  final let requestHost: any RequestHost

  init(requestHost: any RequestHost) {
    self.requestHost = requestHost
    super.init(pumpHost: requestHost)
  }
}

extension Pump {
  /// The host, as requests know it.
  final var requestHost: (any RequestHost)? {
    // `attach` makes no other slot.
    hostSlot.map { unsafeDowncast($0, to: RequestHostSlot.self).requestHost }
  }
}
