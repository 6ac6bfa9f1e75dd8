/// Bytes that are coded as bodies are on their way: what they say, for who has to know.
package enum CodedBytes {
  /// What came of looking into them.
  package enum Content: Equatable {
    /// They are not coded.
    case plain
    /// As far as they could be read.
    case decoded([UInt8])
    /// In a coding that nobody here can undo, or they are more than is looked at: why, in words.
    case unknown(String)
  }

  /// - Parameters:
  ///   - codings: as `Content-Encoding` names them; nil: by what the bytes begin with, which gzip and zstd tell.
  ///   - limit: of what is decoded, in bytes.
  package static func content(
    of bytes: [UInt8], codedAs codings: String? = nil, limit: Int = 64 << 20
  ) -> Content {
    let known: [ContentCoding]
    switch codings.map({ ContentCoding.codings($0) }) {
    case nil: known = coding(of: bytes).map { [$0] } ?? []
    case .known(let codings)?: known = codings
    case .unknown(let name)?: return .unknown("coded as '\(name)'")
    case .tooMany?: return .unknown("coded too often")
    }
    guard !known.isEmpty, !bytes.isEmpty else { return .plain }
    let decoder = BodyDecoder(known, maxSize: limit)
    var decoded: [UInt8] = []
    do throws(DecodingFailure) {
      try bytes.withUnsafeBufferPointer { buffer throws(DecodingFailure) in
        try decoder.take(buffer) { piece throws(DecodingFailure) in
          guard decoded.count + piece.count <= limit else { throw .tooLarge }
          decoded += piece
        }
      }
    } catch .tooLarge {
      return .unknown("more than \(limit >> 20) MB when it is decoded")
    } catch .unavailable(let coding, _) {
      return .unknown("coded as '\(coding.rawValue)', whose library is missing")
    } catch .noMemory {
      return .unknown("more than there is memory for")
    } catch {
      // It only looks so, or it breaks off.
      return decoded.isEmpty ? .plain : .decoded(decoded)
    }
    return .decoded(decoded)
  }

  /// Whether they begin so.
  package static func mayBeCoded(_ bytes: [UInt8]) -> Bool { coding(of: bytes) != nil }

  private static func coding(of bytes: [UInt8]) -> ContentCoding? {
    [ContentCoding.gzip, .zstd].first { coding in
      coding.followers.prefix(1).contains { bytes.starts(with: $0) }
    }
  }
}
