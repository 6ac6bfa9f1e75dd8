/// Where limits are counted that processes share. Home thread only.
package protocol LimitSource: AnyObject {
  /// Which count a limit is.
  ///
  /// - Parameters:
  ///   - origin: where the requests go to.
  ///   - pattern: of the block that sets the limit.
  ///   - credentials: what the requests carry.
  func key(
    of limit: RateLimit, origin: String, pattern: String,
    credentials: () -> [(name: String, value: SecretText)]
  ) -> LimitKey

  /// Somebody who asks for admissions of that count, in a line of its own.
  func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog
}
