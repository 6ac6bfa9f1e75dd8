import LullCore

/// What only those have who share entities: what it seals nobody else can read or make, nor find out whose it is.
struct SharedCacheSecret: Sendable {
  let seal: Seal
  private let key: [UInt8]

  /// nil without a library for digests.
  init?(_ secret: some Sequence<UInt8>) {
    let secret = Array(secret)
    let salt = Array("lull share 1".utf8)
    guard let seal = Seal(secret: secret, purpose: "entities"),
      let key = Seal.key(of: secret, salt: salt, info: Array("places of entities".utf8))
    else { return nil }
    self.seal = seal
    self.key = key
  }

  func digest(of text: [UInt8]) -> [UInt8]? { Digest.sha256.hmac(key: key, text) }
}
