import CCrypto

/// Digests of texts, by the system's library.
enum SHA256 {
  /// nil if there is no way to make one: the library is missing.
  static func digest(of text: String) -> [UInt8]? {
    var text = text
    var digest = [UInt8](repeating: 0, count: Int(CCRYPTO_SHA256_SIZE))
    // Reads the one and writes the other, as long as it is.
    let isDone = text.withUTF8 { ccrypto_sha256($0.baseAddress, $0.count, &digest) }
    return isDone != 0 ? digest : nil
  }
}
