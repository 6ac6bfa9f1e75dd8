import CCrypto
import LullCore

/// Encrypts and authenticates bytes with one shared secret, so that they can be stored where others
/// can read and write: AES-256-GCM, with a key derived from the secret by HKDF. (RFC 5869, NIST SP
/// 800-38D)
///
/// A seal has one purpose, and bytes that are sealed under one name cannot be opened under another
/// name. A seal does not hide the length of the bytes, and does not detect that older sealed bytes
/// have replaced newer ones. The secret should be random, because a guessable secret can be found
/// by trying.
struct Seal: Sendable {
  /// The version of the format.
  private static let version: UInt8 = 1
  private static let headCount = 1 + Int(CCRYPTO_NONCE_SIZE)
  private static let tagCount = Int(CCRYPTO_TAG_SIZE)

  private let key: [UInt8]

  /// Derives the key for a purpose from the secret. Returns nil if the library for digests is
  /// missing.
  init?(secret: some Sequence<UInt8>, purpose: String) {
    let salt = Array("lull share 1".utf8)
    guard let key = Seal.key(of: Array(secret), salt: salt, info: Array(purpose.utf8)) else {
      return nil
    }
    self.key = key
  }

  init(key: [UInt8]) {
    precondition(key.count == Int(CCRYPTO_KEY_SIZE), "a key has 32 bytes; this is a bug in Lull")
    self.key = key
  }

  /// Derives a key of one SHA-256 block by HKDF.
  static func key(of secret: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
    guard let random = Digest.sha256.hmac(key: salt, secret) else { return nil }
    return Digest.sha256.hmac(key: random, info + [1])
  }

  /// Encrypts bytes under a name. Returns nil if the library for ciphers is missing.
  func seal(_ bytes: [UInt8], as name: String) -> [UInt8]? {
    var generator = SystemRandomNumberGenerator()
    let nonce = (0..<Int(CCRYPTO_NONCE_SIZE)).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
    return seal(bytes, as: name, nonce: nonce).map { [Seal.version] + nonce + $0 }
  }

  func seal(_ bytes: [UInt8], as name: String, nonce: [UInt8]) -> [UInt8]? {
    let beside = Array(name.utf8)
    var isDone = false
    let sealed = [UInt8](unsafeUninitializedCapacity: bytes.count + Seal.tagCount) { room, count in
      // If `ccrypto_seal` succeeded, it has written the whole buffer, `count` bytes.
      isDone =
        ccrypto_seal(
          key, nonce, beside, beside.count, bytes, bytes.count, room.baseAddress) == 1
      count = isDone ? bytes.count + Seal.tagCount : 0
    }
    return isDone ? sealed : nil
  }

  /// Decrypts sealed bytes. Returns nil if they were not sealed with this secret, for this purpose
  /// and under this name.
  func open(_ sealed: [UInt8], as name: String) -> [UInt8]? {
    guard sealed.count >= Seal.headCount + Seal.tagCount, sealed.first == Seal.version else {
      return nil
    }
    let nonce = Array(sealed[1..<Seal.headCount])
    let rest = Array(sealed[Seal.headCount...])
    let beside = Array(name.utf8)
    var isDone = false
    let bytes = [UInt8](unsafeUninitializedCapacity: rest.count) { room, count in
      // If `ccrypto_unseal` succeeded, it has written the plain text, which is shorter than the
      // buffer by the tag.
      isDone =
        ccrypto_unseal(
          key, nonce, beside, beside.count, rest, rest.count, room.baseAddress) == 1
      count = isDone ? rest.count - Seal.tagCount : 0
    }
    return isDone ? bytes : nil
  }
}
