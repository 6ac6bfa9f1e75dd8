import LullCore

/// The answer to a digest challenge, for one request. (RFC 7616, 3.4)
final class DigestSignature: RequestSignature {
  private let session: DigestSession
  private let user: SecretText
  private let password: SecretText
  /// Of the body, if it has been made already.
  private let bodyDigest: [UInt8]?

  init(_ session: DigestSession, user: SecretText, password: SecretText, bodyDigest: [UInt8]?) {
    self.session = session
    self.user = user
    self.password = password
    self.bodyDigest = bodyDigest
  }

  var secrets: [SecretText] { [user, password] }

  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError) {
    let (number, nonce) = session.next()
    let answer = try DigestAnswer(
      session.challenge, user: text(user), password: text(password),
      method: request.method.rawValue,
      uri: request.target, number: number, nonce: nonce,
      bodyDigest: session.challenge.protection == .all ? try bodyDigest(of: request) : nil)
    request.headers.set("authorization", bytes: answer.header)
  }

  /// A redirect may have taken the body away.
  private func bodyDigest(of request: HTTPRequest) throws(TransportError) -> [UInt8] {
    if let bodyDigest, request.payload != nil { return bodyDigest }
    return try session.challenge.algorithm.of(request.payload)
  }
}
