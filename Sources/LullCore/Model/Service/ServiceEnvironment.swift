/// One of several environments that an API file is for, such as `staging` and `prod`, as its service knows it.
///
/// Home thread only.
package final class ServiceEnvironment {
  package let name: String
  /// Whether requests that may change something fail until somebody has said that they may go out.
  package let confirmsWrites: Bool
  /// Whether somebody has.
  package var isConfirmed = false

  package init(_ name: String, confirmsWrites: Bool = false) {
    self.name = name
    self.confirmsWrites = confirmsWrites
  }

  /// Those that change nothing, whoever asks.
  private static let reading: Set<RequestMethod> = ["GET", "HEAD", "OPTIONS"]

  /// Whether a request of that method needs a word that nobody has given.
  package func holds(_ method: RequestMethod) -> Bool {
    confirmsWrites && !isConfirmed && !ServiceEnvironment.reading.contains(method)
  }

  /// Why such a request has not been sent. (ENV-14)
  func refusal(_ method: RequestMethod, _ url: String) -> TransportError {
    .final(
      .unconfirmed,
      "\(method) \(LogText.url(url)) was not sent: writes to the environment '\(name)' are to be confirmed, by "
        + "lull --yes or api:confirm_writes()")
  }
}
