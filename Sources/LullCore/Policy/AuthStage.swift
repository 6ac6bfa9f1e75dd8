/// A stage of the provider chain that adds credentials to requests.
///
/// The stage is called for each attempt to send a request, after the limits have admitted the
/// attempt. Home thread only.
package protocol AuthStage: AnyObject {
  /// Adds credentials to `request` and calls `proceed` exactly once: inside this call if the
  /// credentials are available, otherwise in a later turn. If `proceed` is called with a failure,
  /// the request ends without being sent.
  ///
  /// - Returns: A function to call if the request is cancelled before `proceed` was called. The
  ///   function stops waiting for the credentials, and `proceed` is then never called. nil if there
  ///   is nothing to stop.
  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)?

  /// A hash of the settings that aren't part of the identity of the stage's `Auth`. The hash is
  /// valid only in this process.
  var fingerprint: Int { get }

  /// The response statuses after which the stage may obtain new credentials. The default is only
  /// 401.
  var renewableStatuses: Set<Int> { get }

  /// Whether the currently running code obtains the credentials of this stage. Requests that this
  /// code makes are sent without these credentials.
  var isAtWork: Bool { get }

  /// Returns the same authentication with credentials that are obtained and stored only for one
  /// environment. Calls with the same environment name return the same object. Returns nil if the
  /// stage neither obtains nor stores credentials.
  func auth(keptApart environment: String) -> Auth?

  /// Called when the server has responded with one of `renewableStatuses`. Returns whether new
  /// credentials are available. If so, the request is authorized and sent again; otherwise the
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
  /// The generation of the credentials, as counted by the stage. If a request is rejected, the
  /// stage compares generations to find out whether its credentials have already been renewed.
  package var generation: Int

  package init(_ http: HTTPRequest, generation: Int = 0) {
    self.http = http
    self.generation = generation
  }
}

/// The objects that a stage needs to obtain credentials.
package struct AuthContext {
  /// The networking of the service, without its policies. Limits, credentials and retries don't
  /// apply to requests that are sent through this networking.
  package let networking: any NetworkingProvider
  package let pump: Pump
  /// The service of the request; nil if the request has no service.
  package let owner: AnyObject?

  package init(networking: any NetworkingProvider, pump: Pump, owner: AnyObject? = nil) {
    self.networking = networking
    self.pump = pump
    self.owner = owner
  }
}
