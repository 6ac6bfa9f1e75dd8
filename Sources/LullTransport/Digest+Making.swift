import CCrypto
public import LullCore

/// Computes digests with the system's libcrypto. Any thread.
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

  /// Returns the digest of `bytes`, or nil if the library is missing or does not support this
  /// digest.
  package func of(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    Digest.made { ccrypto_digest(kind, bytes.baseAddress, bytes.count, $0) }
  }

  package func of(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBufferPointer { of($0) } }

  func of(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { of($0) }
  }

  /// Returns the HMAC of `bytes` with `key` (RFC 2104), or nil if the library is missing or does
  /// not support this digest.
  package func hmac(
    key: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> [UInt8]? {
    Digest.made {
      ccrypto_hmac(kind, key.baseAddress, key.count, bytes.baseAddress, bytes.count, $0)
    }
  }

  /// Returns the HMAC of `bytes` with `key`, or nil if the library is missing or does not support
  /// this digest.
  func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]? {
    key.withUnsafeBufferPointer { key in
      bytes.withUnsafeBufferPointer { hmac(key: key, $0) }
    }
  }

  /// Derives 32 bytes from `bytes` and `salt` in `rounds` iterations (PBKDF2, RFC 8018, section
  /// 5.2). Returns nil if the library is missing or does not support this digest.
  func stretched(_ bytes: [UInt8], salt: [UInt8], rounds: Int32) -> [UInt8]? {
    Digest.made {
      ccrypto_stretch(kind, bytes, bytes.count, salt, salt.count, rounds, $0, 32)
    }
  }

  /// Returns the digest for a signature, or throws if the digest is not available.
  func required(of bytes: [UInt8]) throws(TransportError) -> [UInt8] {
    guard let made = of(bytes) else { throw isMissing }
    return made
  }

  /// Returns the HMAC for a signature, or throws if the digest is not available.
  func requiredHMAC(key: [UInt8], _ bytes: [UInt8]) throws(TransportError) -> [UInt8] {
    guard let made = hmac(key: key, bytes) else { throw isMissing }
    return made
  }

  /// The error for a digest that is not available.
  private var isMissing: TransportError {
    .final(.authFailed, "\(rawValue) is not available: it needs libcrypto.so.3 (libssl3)")
  }

  /// Returns the digest of a body as it is sent. Without a body, returns the digest of no bytes. If
  /// the body contains files, the call reads them, so make the call in the thread pool.
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
    // If an error occurs below, this releases the digest once.
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

  /// Returns the digest of a file's content, read in parts. Blocks.
  ///
  /// - Parameter isStopped: Called before each part. If it returns true, reading stops and the
  ///   result is an error.
  package func of(
    file: UploadFile, unless isStopped: () -> Bool = { false }
  ) -> Result<[UInt8], TransportError> {
    do throws(TransportError) {
      guard let digest = ccrypto_digest_begin(kind) else { throw isMissing }
      var made: [UInt8]?
      // If an error occurs below, this releases the digest once.
      defer { if made == nil { ccrypto_digest_end(digest, nil) } }
      let parts = try file.parts()
      while let part = try parts.next() {
        guard !isStopped() else {
          throw TransportError(.cancelled, "the digest is no longer needed")
        }
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
      // The buffer has room for the longest digest; `make` returns the number of bytes written.
      if let start = buffer.baseAddress { size = make(start) }
      count = size
    }
    return size > 0 ? digest : nil
  }
}

extension PersistedQueries {
  /// Automatic persisted queries, as in Apollo: version 1 with SHA-256.
  public static var sha256: PersistedQueries {
    PersistedQueries { text in Digest.sha256.of(text).map { Hexadecimal.text($0) } }
  }
}
