/// What somebody hears of the model who mirrors it elsewhere: a script's host, or who keeps a ledger of
/// requests. A pump has one at most, and lets go of it when it closes. Home thread only.
package protocol ModelHost: PipelineHost {
  /// Whether what happens to the resources of that service is told to this host, where there are
  /// several.
  func mirrors(_ service: any ResourceOwner) -> Bool
  /// Where all requests of the pump are listed that are in flight; nil if this host has no such list.
  var ledger: RequestLedger? { get }
  /// What functions of scripts wait for that have this request wait.
  func requestsAwaited(byScriptsOf request: Request) -> [Request]
  /// Data or error of a resource is another one now.
  func resourceStateChanged(_ resource: Resource)
  /// The service has forgotten a resource: nobody will ask for its content any more.
  func recordForgotten(_ record: ResourceRecord, of service: any ResourceOwner)
  /// Tells observers of an event from the place `first` of a snapshot on, at least that one, as many
  /// as are held for the host to tell and still there; the place of the first one not told.
  func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int
}

extension ModelHost {
  package func mirrors(_ service: any ResourceOwner) -> Bool { false }
  package var ledger: RequestLedger? { nil }
  package func requestsAwaited(byScriptsOf request: Request) -> [Request] { [] }
  package func resourceStateChanged(_ resource: Resource) {}
  package func recordForgotten(_ record: ResourceRecord, of service: any ResourceOwner) {}
  package func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    observations[first].observer?.resourceChanged(resource, event: event)
    return first + 1
  }
}

private final class ModelHostSlot: PipelineHostSlot {
  let modelHost: any ModelHost

  init(_ host: any ModelHost) {
    modelHost = host
    super.init(pipelineHost: host)
  }
}

extension Pump {
  /// Tells this host of what happens from now on, until the pump closes; in place of an earlier one.
  package func attach(_ host: any ModelHost) { hostSlot = ModelHostSlot(host) }

  /// The host, as resources know it.
  final var modelHost: (any ModelHost)? {
    // `attach` makes no other slot.
    hostSlot.map { unsafeDowncast($0, to: ModelHostSlot.self).modelHost }
  }
}
