/// The digest of what is secret, or of anything with a secret key, made when that is known: a signature.
package struct SecretDigest: Sendable, Hashable {
  package enum Input: Sendable, Hashable {
    case bytes([UInt8])
    case secret(SecretText)
  }

  package let kind: Digest
  /// nil of a plain digest.
  package let key: Input?
  package let message: Input
  /// Whether it is the bytes themselves, else hexadecimal digits.
  package let isRaw: Bool

  package init(_ kind: Digest, key: Input? = nil, _ message: Input, isRaw: Bool) {
    self.kind = kind
    self.key = key
    self.message = message
    self.isRaw = isRaw
  }

  /// What of it is secret: the key first.
  package var texts: [SecretText] {
    [key, message].compactMap { input in
      if case .secret(let text)? = input { text } else { nil }
    }
  }
}

/// Digests there are names for; the transport makes them.
package enum Digest: String, CaseIterable, Sendable {
  case md5, sha1, sha224, sha256, sha384, sha512
  case sha512of256 = "sha512-256"
}
