/// The stage of the provider chain that puts credentials on requests.
///
/// It is asked anew for each attempt, once limits let it pass. Home thread only.
package protocol AuthStage: AnyObject {
  /// Puts credentials on `request`; calls `proceed` exactly once, inside this call if they are at
  /// hand, else on a later turn. A failure ends the request without sending it.
  ///
  /// - Returns: what stops waiting for the credentials, if the request is cancelled before
  ///   `proceed` was called; `proceed` is not called after that. nil: nothing is to be stopped.
  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)?

  /// What of its settings is not in the identity of its auth, as a number in this process.
  var fingerprint: Int { get }

  /// The statuses after which it may have something better: 401 alone, unless it says otherwise.
  var renewableStatuses: Set<Int> { get }

  /// Whether what runs now does so in order to get the credentials: requests that it makes go
  /// without them.
  var isAtWork: Bool { get }

  /// The same for requests of an environment, which has what is got and kept for it for itself; nil of one that
  /// gets and keeps nothing. The same for each environment's name.
  func auth(keptApart environment: String) -> Auth?

  /// The server has answered what was sent with one of these. True: other credentials can be had, so the
  /// request is authorized and sent once more; false: the answer stands. Asked at most once per request
  /// between two retries.
  func canRenew(
    after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
  ) -> Bool
}

extension AuthStage {
  package var renewableStatuses: Set<Int> { [401] }

  package var isAtWork: Bool { false }

  package func auth(keptApart environment: String) -> Auth? { nil }

  package func canRenew(
    after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
  ) -> Bool { false }
}

/// A request with its credentials on it.
package struct AuthorizedRequest {
  package var http: HTTPRequest
  /// Which credentials these are, by the stage's own count: those of a rejected request may have
  /// been renewed already.
  package var generation: Int

  package init(_ http: HTTPRequest, generation: Int = 0) {
    self.http = http
    self.generation = generation
  }
}

/// What a stage may use to get credentials.
package struct AuthContext {
  /// The service's own: what is sent here passes no policy.
  package let networking: any NetworkingProvider
  package let pump: Pump
  /// The service whose request it is; nil of none.
  package let owner: AnyObject?

  package init(networking: any NetworkingProvider, pump: Pump, owner: AnyObject? = nil) {
    self.networking = networking
    self.pump = pump
    self.owner = owner
  }
}
