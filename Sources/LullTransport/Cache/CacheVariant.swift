import LullCore

/// Which of the entries at one place is wanted: what a server has made of a URL may depend on headers of
/// the request, which its `Vary` names. (RFC 9111, section 4.1)
enum CacheVariant: Sendable {
  /// One that answers requests with these headers.
  case answering(Headers)
  /// The one that the file knows by that digest.
  case known([UInt8])

  /// How the file knows the entity's: by a digest, since headers of requests are nobody's business; empty
  /// of what depends on none. nil if there is no way to make a digest.
  static func of(_ entity: Entity) -> [UInt8]? {
    guard let variant = entity.exchange?.variant else { return [] }
    return digest(of: variant)
  }

  private static func digest(of variant: Variant) -> [UInt8]? {
    Digest.sha256.of("variant\n" + variant.text)
  }

  /// Whether the entry is the one.
  ///
  /// - Parameter headers: those of the answer, as they are stored.
  func isOne(_ digest: [UInt8], headers: @autoclosure () -> [UInt8]) -> Bool {
    switch self {
    case .known(let known): return known == digest
    case .answering(let request):
      guard !digest.isEmpty else { return true }
      let variant = Variant(of: StoredEntity.headers(of: headers()), to: request)
      return variant.flatMap(CacheVariant.digest) == digest && variant?.answers(request) == true
    }
  }

  /// What it is of an answer with these headers; nil where nobody asks for it.
  func variant(of answer: Headers) -> Variant? {
    guard case .answering(let request) = self else { return nil }
    return Variant(of: answer, to: request)
  }
}
