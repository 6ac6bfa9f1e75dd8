import CCrypto
import LullCore

/// Makes bytes that only those can read or make who know one secret, for a place that others can look into and
/// write to: AES-256-GCM, with a key made of the secret by HKDF. (RFC 5869, NIST SP 800-38D)
///
/// A seal is for one purpose, and what is sealed under one name is nothing under another. It does not hide how
/// long the bytes are, nor that an old text is put back in the place of a new one. The secret should be random:
/// one that can be guessed can be tried.
struct Seal: Sendable {
  /// The form of what is sealed.
  private static let version: UInt8 = 1
  private static let headCount = 1 + Int(CCRYPTO_NONCE_SIZE)
  private static let tagCount = Int(CCRYPTO_TAG_SIZE)

  private let key: [UInt8]

  /// nil without a library for digests.
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

  /// As much of HKDF with SHA-256 as a key is long: one block.
  static func key(of secret: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8]? {
    guard let random = Digest.sha256.hmac(key: salt, secret) else { return nil }
    return Digest.sha256.hmac(key: random, info + [1])
  }

  /// nil without a library for ciphers.
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
      // Written as far as the count says, which is all of the room.
      isDone =
        ccrypto_seal(
          key, nonce, beside, beside.count, bytes, bytes.count, room.baseAddress) == 1
      count = isDone ? bytes.count + Seal.tagCount : 0
    }
    return isDone ? sealed : nil
  }

  /// nil of what has not been sealed by this secret, for this purpose and under this name.
  func open(_ sealed: [UInt8], as name: String) -> [UInt8]? {
    guard sealed.count >= Seal.headCount + Seal.tagCount, sealed.first == Seal.version else {
      return nil
    }
    let nonce = Array(sealed[1..<Seal.headCount])
    let rest = Array(sealed[Seal.headCount...])
    let beside = Array(name.utf8)
    var isDone = false
    let bytes = [UInt8](unsafeUninitializedCapacity: rest.count) { room, count in
      // Written up to the tag, and no more than the room.
      isDone =
        ccrypto_unseal(
          key, nonce, beside, beside.count, rest, rest.count, room.baseAddress) == 1
      count = isDone ? rest.count - Seal.tagCount : 0
    }
    return isDone ? bytes : nil
  }
}
