/// A stage of the provider chain that adds credentials to requests.
///
/// The stage is called for each attempt to send a request, after the limits have admitted the
/// attempt. Home thread only.
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

  /// A hash of the settings that aren't part of the identity of the stage's `Auth`. It is valid
  /// only in this process.
  var fingerprint: Int { get }

  /// The response statuses after which the stage may obtain new credentials; only 401 by default.
  var renewableStatuses: Set<Int> { get }

  /// Whether the code that is running now obtains the credentials of this stage. Requests that this
  /// code makes are sent without these credentials.
  var isAtWork: Bool { get }

  /// Returns the same authentication for one environment, with credentials that are obtained and
  /// stored only for that environment. Calls with the same environment name return the same object.
  /// Returns nil if the stage obtains and stores nothing.
  func auth(keptApart environment: String) -> Auth?

  /// Called when the server has responded with one of `renewableStatuses`. Returns true if new
  /// credentials are available. The request is then authorized and sent again. If the function
  /// returns false, the response is final. Called at most once per request between two retries.
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
  /// The generation of the credentials, counted by the stage. With this number, the stage
  /// recognizes that the credentials of a rejected request have already been renewed.
  package var generation: Int

  package init(_ http: HTTPRequest, generation: Int = 0) {
    self.http = http
    self.generation = generation
  }
}

/// The objects that a stage needs to obtain credentials.
package struct AuthContext {
  /// The networking of the service. Limits, credentials and retries don't apply to requests that
  /// are sent through it.
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
