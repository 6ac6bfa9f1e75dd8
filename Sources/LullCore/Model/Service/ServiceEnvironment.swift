/// One of the environments of an API file, such as `staging` and `prod`, as its service knows it.
///
/// Home thread only.
package final class ServiceEnvironment {
  package let name: String
  /// Whether requests that may change something fail until they have been confirmed.
  package let confirmsWrites: Bool
  /// Whether they have been confirmed.
  package var isConfirmed = false

  package init(_ name: String, confirmsWrites: Bool = false) {
    self.name = name
    self.confirmsWrites = confirmsWrites
  }

  /// Methods that change nothing.
  private static let reading: Set<RequestMethod> = ["GET", "HEAD", "OPTIONS"]

  /// Whether a request of that method needs a confirmation that is missing.
  package func holds(_ method: RequestMethod) -> Bool {
    confirmsWrites && !isConfirmed && !ServiceEnvironment.reading.contains(method)
  }

  /// The error of a request that was not sent because of that. (ENV-14)
  func refusal(_ method: RequestMethod, _ url: String) -> TransportError {
    .final(
      .unconfirmed,
      "\(method) \(LogText.url(url)) was not sent: confirm writes to the environment '\(name)' "
        + "with lull --yes or api:confirm_writes()")
  }
}
