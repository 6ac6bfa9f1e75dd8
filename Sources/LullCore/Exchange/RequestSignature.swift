/// What proves who sends a request by all that is sent: made from that, anew each time it goes out.
///
/// After a redirect within the origin it is made of the next request; to another one it does not go along,
/// as the header in which it stands. Until then that header has a mask.
package protocol RequestSignature: AnyObject, Sendable {
  /// What it is made with. None of that is sent.
  var secrets: [SecretText] { get }

  /// Puts it on what goes out now, in which every secret has its text; not to be kept.
  ///
  /// - Parameters:
  ///   - now: Unix epoch seconds.
  ///   - text: what a secret stands for.
  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError)
}
