/// A stage of the provider chain that adds credentials to requests.
///
/// It is called for each attempt, after the limits have admitted it. Home thread only.
package protocol AuthStage: AnyObject {
  /// Adds credentials to `request` and calls `proceed` exactly once: inside this call if they are
  /// available, otherwise on a later turn. A failure ends the request without sending it.
  ///
  /// - Returns: A function that stops waiting for the credentials if the request is cancelled
  ///   before `proceed` was called; `proceed` is not called after that. nil if there is nothing to
  ///   stop.
  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)?

  /// A hash, in this process, of the settings that aren't part of the identity of its auth.
  var fingerprint: Int { get }

  /// The statuses after which it may obtain new credentials; only 401 by default.
  var renewableStatuses: Set<Int> { get }

  /// Whether the current code runs in order to obtain the credentials. Requests that it makes are
  /// sent without them.
  var isAtWork: Bool { get }

  /// The same authentication for an environment, which obtains and stores its own credentials.
  /// Returns the same object for the same environment name; nil for a stage that obtains and stores
  /// nothing.
  func auth(keptApart environment: String) -> Auth?

  /// Called when the server has responded with one of these statuses. Returns true if new
  /// credentials are available, so that the request is authorized and sent again. With false, the
  /// response is final. Called at most once per request between two retries.
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

/// A request with its credentials.
package struct AuthorizedRequest {
  package var http: HTTPRequest
  /// The generation of the credentials, counted by the stage. The credentials of a rejected request
  /// may have been renewed already.
  package var generation: Int

  package init(_ http: HTTPRequest, generation: Int = 0) {
    self.http = http
    self.generation = generation
  }
}

/// The means for a stage to obtain credentials.
package struct AuthContext {
  /// The networking of the service. Requests sent through it pass no policy.
  package let networking: any NetworkingProvider
  package let pump: Pump
  /// The service of the request; nil without one.
  package let owner: AnyObject?

  package init(networking: any NetworkingProvider, pump: Pump, owner: AnyObject? = nil) {
    self.networking = networking
    self.pump = pump
    self.owner = owner
  }
}
