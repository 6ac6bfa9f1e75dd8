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
    case .sha512of256: Int32(CCRYPTO_SHA512_256)
    }
  }

  /// nil if there is no way to make one: the library is missing, or does not do it.
  package func of(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    Digest.made { ccrypto_digest(kind, bytes.baseAddress, bytes.count, $0) }
  }

  package func of(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBufferPointer { of($0) } }

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

  /// The same with both at hand.
  func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]? {
    key.withUnsafeBufferPointer { key in
      bytes.withUnsafeBufferPointer { hmac(key: key, $0) }
    }
  }

  /// 32 bytes that are others for each salt, and take `rounds` times as long to make (PBKDF2, RFC 8018, section
  /// 5.2); nil as above.
  func stretched(_ bytes: [UInt8], salt: [UInt8], rounds: Int32) -> [UInt8]? {
    Digest.made {
      ccrypto_stretch(kind, bytes, bytes.count, salt, salt.count, rounds, $0, 32)
    }
  }

  /// What is signed needs one.
  func required(of bytes: [UInt8]) throws(TransportError) -> [UInt8] {
    guard let made = of(bytes) else { throw isMissing }
    return made
  }

  /// The same with a key.
  func requiredHMAC(key: [UInt8], _ bytes: [UInt8]) throws(TransportError) -> [UInt8] {
    guard let made = hmac(key: key, bytes) else { throw isMissing }
    return made
  }

  /// Why nothing can be signed: there is no way to make one.
  private var isMissing: TransportError {
    .final(.authFailed, "there is no \(rawValue) here: it needs libcrypto.so.3 (libssl3)")
  }

  /// Of what a body is when it is sent; of none that of no bytes. Reads files: to be made in the pool
  /// then.
  func of(
    _ payload: RequestPayload?, unless isStopped: () -> Bool = { false }
  ) throws(TransportError) -> [UInt8] {
    switch payload {
    case nil, .bytes?:
      let bytes = if case .bytes(let bytes)? = payload { bytes } else { [UInt8]() }
      return try required(of: bytes)
    case .streamed(let body)?: return try of(BodyReader(body), unless: isStopped)
    }
  }

  private func of(
    _ reader: BodyReader, unless isStopped: () -> Bool
  ) throws(TransportError) -> [UInt8] {
    guard let digest = ccrypto_digest_begin(kind) else { throw isMissing }
    var made: [UInt8]?
    // Whatever happens below, this gives it back once.
    defer { if made == nil { ccrypto_digest_end(digest, nil) } }
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      guard !isStopped() else { throw TransportError(.cancelled, "the request was cancelled") }
      let count = buffer.withUnsafeMutableBytes { reader.read(into: $0) }
      guard let count else { throw reader.failure ?? isMissing }
      guard count > 0 else { break }
      guard ccrypto_digest_add(digest, buffer, count) == 1 else { throw isMissing }
    }
    let result = Digest.made { ccrypto_digest_end(digest, $0) } ?? []
    made = result
    guard !result.isEmpty else { throw isMissing }
    return result
  }

  /// Of a file's content, read part by part; blocks.
  ///
  /// - Parameter isStopped: whether to read no more; it fails then.
  package func of(
    file: UploadFile, unless isStopped: () -> Bool = { false }
  ) -> Result<[UInt8], TransportError> {
    do throws(TransportError) {
      guard let digest = ccrypto_digest_begin(kind) else { throw isMissing }
      var made: [UInt8]?
      // Whatever happens below, this gives it back once.
      defer { if made == nil { ccrypto_digest_end(digest, nil) } }
      let parts = try file.parts()
      while let part = try parts.next() {
        guard !isStopped() else { throw TransportError(.cancelled, "nobody waits for it any more") }
        guard ccrypto_digest_add(digest, part, part.count) == 1 else { throw isMissing }
      }
      let result = Digest.made { ccrypto_digest_end(digest, $0) } ?? []
      made = result
      guard !result.isEmpty else { throw isMissing }
      return .success(result)
    } catch {
      return .failure(error)
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
