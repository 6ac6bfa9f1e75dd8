import CCrypto
package import LullCore

/// By the system's library. Any thread.
extension Digest {
  private var kind: Int32 {
    switch self {
    case .md5: Int32(CCRYPTO_MD5)
    case .sha1: Int32(CCRYPTO_SHA1)
    case .sha224: Int32(CCRYPTO_SHA224)
    case .sha256: Int32(CCRYPTO_SHA256)
    case .sha384: Int32(CCRYPTO_SHA384)
    case .sha512: Int32(CCRYPTO_SHA512)
    }
  }

  /// nil if there is no way to make one: the library is missing, or does not do it.
  package func of(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    Digest.made { ccrypto_digest(kind, bytes.baseAddress, bytes.count, $0) }
  }

  func of(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { of($0) }
  }

  /// What only who has the key can make of the bytes (RFC 2104); nil as above.
  package func hmac(
    key: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> [UInt8]? {
    Digest.made {
      ccrypto_hmac(kind, key.baseAddress, key.count, bytes.baseAddress, bytes.count, $0)
    }
  }

  private static func made(_ make: (UnsafeMutablePointer<UInt8>) -> Int) -> [UInt8]? {
    var size = 0
    let digest = [UInt8](unsafeUninitializedCapacity: Int(CCRYPTO_MAX_SIZE)) { buffer, count in
      // There is room for the longest; as many bytes are written as it says.
      if let start = buffer.baseAddress { size = make(start) }
      count = size
    }
    return size > 0 ? digest : nil
  }
}
