import CCompression

/// How the body of an answer can be coded on its way, as `Content-Encoding` names it.
enum ContentCoding: String, Sendable {
  case gzip
  case deflate
  case brotli = "br"
  case zstd

  /// More of them in a row are refused: each multiplies what a few bytes can become.
  static let maxCount = 5

  /// What a `Content-Encoding` header says.
  enum Codings: Equatable {
    /// In the order in which they were applied; none if the body is plain.
    case known([ContentCoding])
    /// One that nobody here can undo.
    case unknown(String)
    case tooMany
  }

  static func codings(_ header: String) -> Codings {
    var codings: [ContentCoding] = []
    for part in header.utf8.split(separator: UInt8(ascii: ",")) {
      let name = String(Substring(part)).filter { $0 != " " && $0 != "\t" }.lowercased()
      switch name {
      case "", "identity", "none": continue
      case "x-gzip": codings.append(.gzip)
      default:
        guard let coding = ContentCoding(rawValue: name) else { return .unknown(name) }
        codings.append(coding)
      }
      if codings.count > maxCount { return .tooMany }
    }
    return .known(codings)
  }

  /// What a stream that follows the end of one begins with, if the coding knows such a thing.
  /// (RFC 1952, 2.2; RFC 8878, 3.1)
  var followers: [[UInt8]] {
    switch self {
    case .gzip: [[0x1F, 0x8B]]
    case .zstd:
      [[0x28, 0xB5, 0x2F, 0xFD]] + (UInt8(0x50)...0x5F).map { [$0, 0x2A, 0x4D, 0x18] }
    case .deflate, .brotli: []
    }
  }

  /// Bytes at the beginning that are needed to know the format.
  var prefixSize: Int { self == .deflate ? 2 : 0 }

  /// By `deflate` some servers mean what zlib writes, which is right, others the same without its
  /// head. (RFC 9110, 8.4.1.2)
  func format(of prefix: [UInt8]) -> ccompression_format {
    switch self {
    case .gzip: CCOMPRESSION_GZIP
    case .brotli: CCOMPRESSION_BROTLI
    case .zstd: CCOMPRESSION_ZSTD
    case .deflate: ContentCoding.isZlib(prefix) ? CCOMPRESSION_ZLIB : CCOMPRESSION_DEFLATE
    }
  }

  /// Whether a head of zlib begins with these two bytes. (RFC 1950, 2.2)
  private static func isZlib(_ head: [UInt8]) -> Bool {
    guard head.count == 2 else { return false }
    return head[0] & 0x0F == 8 && head[0] >> 4 <= 7 && (Int(head[0]) << 8 | Int(head[1])) % 31 == 0
  }
}
