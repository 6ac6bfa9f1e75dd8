import CCompression

/// Decodes one content coding piece by piece, and knows whether the coded stream is complete.
///
/// Several gzip members or zstd frames in a row are one body. Other bytes after the end are ignored
/// and counted.
final class ContentDecoder {
  private enum Stage {
    /// The bytes received so far, which are too few to recognise the format.
    case fresh([UInt8])
    case inside
    /// The decoder is after the end of a stream. These bytes, received since then, may begin
    /// another stream.
    case ended([UInt8])
    /// The decoder is after the end of the last stream. Further bytes are ignored.
    case over
  }

  /// The maximum size of one decoded piece, in bytes.
  private static let pieceSize = 32 << 10

  let coding: ContentCoding
  /// The number of ignored bytes after the end of the coded stream.
  private(set) var surplus = 0
  private var stage = Stage.fresh([])
  private var stream: OpaquePointer?
  private let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceSize)

  init(_ coding: ContentCoding) {
    self.coding = coding
  }

  deinit {
    ccompression_close(stream)
    output.deallocate()
  }

  /// Whether the stream is complete. A body without bytes is complete and empty.
  var isWhole: Bool {
    switch stage {
    case .fresh(let bytes), .ended(let bytes): bytes.isEmpty
    case .inside: false
    case .over: true
    }
  }

  typealias Taking = (UnsafeBufferPointer<UInt8>) throws(DecodingFailure) -> Void

  /// Decodes `bytes` and passes the result to `next`, in pieces that are valid only during that
  /// call.
  func take(_ bytes: UnsafeBufferPointer<UInt8>, _ next: Taking) throws(DecodingFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch stage {
      case .fresh(let prefix): try begin(prefix, &rest, next)
      case .inside: try read(&rest, next)
      case .ended(let prefix): try goOn(prefix, &rest, next)
      case .over:
        surplus += rest.count
        return
      }
    }
  }

  private typealias Rest = Slice<UnsafeBufferPointer<UInt8>>

  private func begin(_ prefix: [UInt8], _ rest: inout Rest, _ next: Taking)
    throws(DecodingFailure)
  {
    let taken = rest.prefix(coding.prefixSize - prefix.count)
    let prefix = prefix + taken
    rest = rest.dropFirst(taken.count)
    guard prefix.count == coding.prefixSize else {
      stage = .fresh(prefix)
      return
    }
    let format = coding.format(of: prefix)
    if let problem = ccompression_load(format) {
      // The text is a constant of the library, so it is valid after the call.
      throw .unavailable(coding, reason: String(cString: problem))
    }
    stream = ccompression_open(format)
    guard stream != nil else { throw .noMemory }
    stage = .inside
    try feed(prefix, next)
  }

  /// Checks whether another stream begins after the end of a stream, and decodes its beginning.
  private func goOn(_ prefix: [UInt8], _ rest: inout Rest, _ next: Taking)
    throws(DecodingFailure)
  {
    var prefix = prefix
    while let byte = rest.popFirst() {
      prefix.append(byte)
      guard let follower = coding.followers.first(where: { $0.starts(with: prefix) }) else {
        stage = .over
        surplus += prefix.count
        return
      }
      guard follower.count == prefix.count else { continue }
      guard ccompression_restart(stream) else { throw .noMemory }
      stage = .inside
      return try feed(prefix, next)
    }
    stage = .ended(prefix)
  }

  private func feed(_ bytes: [UInt8], _ next: Taking) throws(DecodingFailure) {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBufferPointer { buffer throws(DecodingFailure) in
      var rest = buffer[...]
      try read(&rest, next)
    }
  }

  /// Decodes until all of `rest` is used or the stream ends.
  private func read(_ rest: inout Rest, _ next: Taking) throws(DecodingFailure) {
    while true {
      let input = UnsafeBufferPointer(rebasing: rest)
      var unread = input.count
      var room = output.count
      let result = ccompression_read(
        stream, input.baseAddress, &unread, output.baseAddress, &room)
      let written = output.count - room
      let isStuck = written == 0 && unread == input.count
      rest = rest.dropFirst(input.count - unread)
      if written > 0 { try next(UnsafeBufferPointer(rebasing: output[..<written])) }
      switch result {
      case CCOMPRESSION_ENDED:
        stage = .ended([])
        return
      case CCOMPRESSION_GOES_ON:
        // If the output buffer is full, there may be more decoded bytes.
        if room == 0 { continue }
        if rest.isEmpty { return }
        if isStuck { throw .invalid(coding) }
      case CCOMPRESSION_NO_MEMORY: throw .noMemory
      default: throw .invalid(coding)
      }
    }
  }
}

/// The codings of a response body, as `Content-Encoding` names them.
enum ContentCoding: String, Sendable {
  case gzip
  case deflate
  case brotli = "br"
  case zstd

  /// The maximum number of codings for one body: each multiplies the possible size.
  static let maxCount = 5

  /// The parsed value of a `Content-Encoding` header.
  enum Codings: Equatable {
    /// The codings in the order in which they were applied; empty if the body is not coded.
    case known([ContentCoding])
    /// A coding that is not supported.
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

  /// The first bytes of a stream that may follow another stream; empty if the coding has no such
  /// streams. (RFC 1952, 2.2; RFC 8878, 3.1)
  var followers: [[UInt8]] {
    switch self {
    case .gzip: [[0x1F, 0x8B]]
    case .zstd:
      [[0x28, 0xB5, 0x2F, 0xFD]] + (UInt8(0x50)...0x5F).map { [$0, 0x2A, 0x4D, 0x18] }
    case .deflate, .brotli: []
    }
  }

  /// The number of bytes that are needed to recognise the format.
  var prefixSize: Int { self == .deflate ? 2 : 0 }

  /// Returns the format of a stream. For `deflate`, some servers correctly send the zlib format,
  /// and others send the same data without the zlib header. (RFC 9110, 8.4.1.2)
  func format(of prefix: [UInt8]) -> ccompression_format {
    switch self {
    case .gzip: CCOMPRESSION_GZIP
    case .brotli: CCOMPRESSION_BROTLI
    case .zstd: CCOMPRESSION_ZSTD
    case .deflate: ContentCoding.isZlib(prefix) ? CCOMPRESSION_ZLIB : CCOMPRESSION_DEFLATE
    }
  }

  /// Whether a zlib header begins with these two bytes. (RFC 1950, 2.2)
  private static func isZlib(_ head: [UInt8]) -> Bool {
    guard head.count == 2 else { return false }
    return head[0] & 0x0F == 8 && head[0] >> 4 <= 7 && (Int(head[0]) << 8 | Int(head[1])) % 31 == 0
  }
}

/// Decodes all codings of a body, the last applied first.
///
/// The body is decoded piece by piece, and only the state of the decoders stays in memory. The
/// bytes that pass from one decoder to the next have the same size limit as the body. They use no
/// memory, but decoding them takes time.
final class BodyDecoder {
  private let decoders: [ContentDecoder]
  private let maxSize: Int
  /// The number of bytes produced by each decoder except the last.
  private var sizes: [Int]

  /// - Parameters:
  ///   - codings: The codings in the order in which they were applied.
  ///   - maxSize: The maximum number of bytes that may pass from one decoder to the next.
  init(_ codings: [ContentCoding], maxSize: Int) {
    decoders = codings.reversed().map { ContentDecoder($0) }
    sizes = Array(repeating: 0, count: codings.count)
    self.maxSize = maxSize
  }

  /// Decodes `bytes` and passes the result to `next`, in pieces that are valid only during that
  /// call.
  func take(_ bytes: UnsafeBufferPointer<UInt8>, _ next: ContentDecoder.Taking)
    throws(DecodingFailure)
  {
    try take(bytes, at: 0, next)
  }

  private func take(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ next: ContentDecoder.Taking
  ) throws(DecodingFailure) {
    guard index < decoders.count else { return try next(bytes) }
    try decoders[index].take(bytes) { piece throws(DecodingFailure) in
      if index + 1 < decoders.count {
        sizes[index] += piece.count
        guard sizes[index] <= maxSize else { throw .tooLarge }
      }
      try take(piece, at: index + 1, next)
    }
  }

  /// The first coding whose stream is incomplete; nil if the body is complete.
  var unfinished: ContentCoding? { decoders.first { !$0.isWhole }?.coding }

  /// The number of bytes after the end of the body, and the coding that they follow; nil for none.
  var surplus: (coding: ContentCoding, count: Int)? {
    decoders.first { $0.surplus > 0 }.map { ($0.coding, $0.surplus) }
  }
}

/// Decodes complete coded bytes, for callers that inspect their content.
package enum CodedBytes {
  /// The result of decoding.
  package enum Content: Equatable {
    /// The bytes are not coded.
    case plain
    /// The content, as far as it could be decoded.
    case decoded([UInt8])
    /// The content cannot be decoded, for example because the coding is not supported or the
    /// content exceeds the limit. The text is the reason.
    case unknown(String)
  }

  /// - Parameters:
  ///   - codings: The codings as a `Content-Encoding` header lists them. If nil, gzip and zstd are
  ///     recognised by their first bytes.
  ///   - limit: The maximum number of decoded bytes.
  package static func content(
    of bytes: [UInt8], codedAs codings: String? = nil, limit: Int = 64 << 20
  ) -> Content {
    let known: [ContentCoding]
    switch codings.map({ ContentCoding.codings($0) }) {
    case nil: known = coding(of: bytes).map { [$0] } ?? []
    case .known(let codings)?: known = codings
    case .unknown(let name)?: return .unknown("encoded with '\(name)'")
    case .tooMany?: return .unknown("encoded too many times")
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
      return .unknown("encoded with '\(coding.rawValue)', whose library is missing")
    } catch .noMemory {
      return .unknown("too large for the available memory")
    } catch {
      // The bytes only look coded, or are truncated.
      return decoded.isEmpty ? .plain : .decoded(decoded)
    }
    return .decoded(decoded)
  }

  /// Whether the bytes begin like a gzip or zstd stream.
  package static func mayBeCoded(_ bytes: [UInt8]) -> Bool { coding(of: bytes) != nil }

  private static func coding(of bytes: [UInt8]) -> ContentCoding? {
    [ContentCoding.gzip, .zstd].first { coding in
      coding.followers.prefix(1).contains { bytes.starts(with: $0) }
    }
  }
}

/// The reason why a coded body cannot be decoded.
enum DecodingFailure: Error, Equatable {
  /// The bytes are not valid in this coding.
  case invalid(ContentCoding)
  /// The stream is truncated.
  case cut(ContentCoding)
  /// The library for this coding is missing.
  case unavailable(ContentCoding, reason: String)
  /// Too many bytes: the decoded bytes, or the bytes that pass from one decoder to the next, exceed
  /// the size limit.
  case tooLarge
  case noMemory
  /// The receiver of the decoded bytes has refused them.
  case refused
}
