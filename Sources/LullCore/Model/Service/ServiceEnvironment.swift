/// The values that a service needs about its environment in an API file, for example `staging` or
/// `prod`.
///
/// Home thread only.
package final class ServiceEnvironment {
  package let name: String
  /// Whether requests with methods other than GET, HEAD and OPTIONS fail until the user has
  /// confirmed writes to this environment.
  package let confirmsWrites: Bool
  /// Whether writes to this environment have been confirmed.
  package var isConfirmed = false

  package init(_ name: String, confirmsWrites: Bool = false) {
    self.name = name
    self.confirmsWrites = confirmsWrites
  }

  /// Returns whether a request needs a confirmation of writes that is missing.
  ///
  /// - Parameter isSafe: Whether the request changes nothing on the server.
  package func needsConfirmation(isSafe: Bool) -> Bool {
    confirmsWrites && !isConfirmed && !isSafe
  }

  /// Returns the error of a request that was not sent because writes have not been confirmed.
  /// (ENV-14)
  func refusal(_ method: RequestMethod, _ url: String) -> TransportError {
    .final(
      .unconfirmed,
      "\(method) \(LogText.url(url)) was not sent: confirm writes to the environment '\(name)' "
        + "with lull --yes or api:confirm_writes()")
  }
}
