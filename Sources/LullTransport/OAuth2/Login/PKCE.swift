import LullCore

/// What shows that who redeems a code is who has asked for it. (RFC 7636)
struct PKCE: Sendable {
  /// 43 letters, of 32 random bytes.
  let verifier: String
  /// By S256; nil without a way to make a digest.
  let challenge: String?

  init() { self.init(verifier: PKCE.randomText()) }

  init(verifier: String) {
    self.verifier = verifier
    challenge = Digest.sha256.of(verifier).map { PKCE.text($0) }
  }

  /// 256 bits from the system's random numbers, for URLs.
  static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    return text((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.encode(bytes, alphabet: .url, isPadded: false), as: UTF8.self)
  }
}
