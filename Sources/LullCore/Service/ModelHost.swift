/// What somebody hears of the model who mirrors it elsewhere: a script's host, or who keeps a ledger of
/// requests. A pump has one at most, which lets go when it closes.
///
/// What it has to note of a request it notes in that one's `hostMark`, which the model only keeps.
package protocol ModelHost: AnyObject {
  // MARK: Requests

  /// A request was made that calls what is the host's: `maker` has come with the mutation, the decision
  /// of a chain, or is the delegate. Comes before anybody else sees the request; a repetition is made
  /// by its own.
  func requestMade(_ request: Request, by maker: AnyObject)
  /// A request has begun, or has ended before it could.
  func requestStarted(_ request: Request)
  /// Its hooks have been delivered: nothing more will happen by itself.
  func requestSettled(_ request: Request)
  /// Keeps what the response holds of the host's until the request has settled.
  func hold(_ response: Response, for request: Request)
  /// Keeps what the response holds of the host's until the result is called; nil if it holds nothing.
  func hold(_ response: Response) -> (() -> Void)?

  // MARK: Resources

  /// Data or error of a resource is another one now.
  func resourceStateChanged(_ resource: Resource)
  /// Unused resources are about to be forgotten: lets go of what only garbage holds.
  func releaseGarbage()
  /// A body of that many bytes has arrived and is now kept by whoever keeps the response.
  func bodyArrived(byteCount: Int)
  /// The service has forgotten a resource: nobody will ask for its content any more.
  func recordForgotten(_ record: ResourceRecord, of service: Service)
  /// Tells observers of an event from the place `first` of a snapshot on, at least that one, as many
  /// as are held for the host to tell and still there; the place of the first one not told.
  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int
}

extension ModelHost {
  package func requestMade(_ request: Request, by maker: AnyObject) {}
  package func requestStarted(_ request: Request) {}
  package func requestSettled(_ request: Request) {}
  package func hold(_ response: Response, for request: Request) {}
  package func hold(_ response: Response) -> (() -> Void)? { nil }
  package func resourceStateChanged(_ resource: Resource) {}
  package func releaseGarbage() {}
  package func bodyArrived(byteCount: Int) {}
  package func recordForgotten(_ record: ResourceRecord, of service: Service) {}
  package func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    observations[first].observer?.resourceChanged(resource, event: event)
    return first + 1
  }
}
