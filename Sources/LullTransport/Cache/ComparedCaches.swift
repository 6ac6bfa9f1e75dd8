import LullCore

extension FileEntityCache: ComparedCache {
  package var fingerprint: Int { "file \(options)".hashValue }
}

extension SharedEntityCache: ComparedCache {
  package var fingerprint: Int {
    var hasher = Hasher()
    var plain = options
    plain.secret = nil
    hasher.combine("shared \(plain)")
    hasher.combine(options.secret)
    return hasher.finalize()
  }
}
