import CCompression

/// Undoes one content coding, piece by piece, and knows whether the coded stream has come to its end.
///
/// Several gzip members or zstd frames in a row are one body. Anything else behind the end is left out
/// and counted.
final class ContentDecoder {
  private enum Stage {
    /// Of the head as many bytes as are here, too few to begin.
    case fresh([UInt8])
    case inside
    /// Behind an end; the bytes may begin one more stream.
    case ended([UInt8])
    /// Behind the end of the last one.
    case over
  }

  /// What is decoded at a time.
  private static let pieceSize = 32 << 10

  let coding: ContentCoding
  /// Bytes that stood behind the end.
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

  /// Whether nothing is missing. A body without a single byte is an empty one.
  var isWhole: Bool {
    switch stage {
    case .fresh(let bytes), .ended(let bytes): bytes.isEmpty
    case .inside: false
    case .over: true
    }
  }

  typealias Taking = (UnsafeBufferPointer<UInt8>) throws(DecodingFailure) -> Void

  /// Gives what `bytes` hold to `next`, in pieces that are valid during its call.
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
      // A text of the library's owner, written once.
      throw .unavailable(coding, reason: String(cString: problem))
    }
    stream = ccompression_open(format)
    guard stream != nil else { throw .noMemory }
    stage = .inside
    try feed(prefix, next)
  }

  /// Looks whether one more stream begins behind the end of one.
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
        // What fills the output may not be all that there is.
        if room == 0 { continue }
        if rest.isEmpty { return }
        if isStuck { throw .invalid(coding) }
      case CCOMPRESSION_NO_MEMORY: throw .noMemory
      default: throw .invalid(coding)
      }
    }
  }
}

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

/// Undoes all codings of a body, the last applied first.
///
/// Nothing is kept between pieces but the state of the codings. Bytes between two codings are bounded
/// as those of the body are: they cost as much work, though no memory.
final class BodyDecoder {
  private let decoders: [ContentDecoder]
  private let maxSize: Int
  /// Bytes that came out of each but the last.
  private var sizes: [Int]

  /// - Parameters:
  ///   - codings: in the order in which they were applied.
  ///   - maxSize: of what lies between two codings.
  init(_ codings: [ContentCoding], maxSize: Int) {
    decoders = codings.reversed().map { ContentDecoder($0) }
    sizes = Array(repeating: 0, count: codings.count)
    self.maxSize = maxSize
  }

  /// Gives what `bytes` hold to `next`, in pieces that are valid during its call.
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

  /// The coding of which something is missing; nil if nothing is.
  var unfinished: ContentCoding? { decoders.first { !$0.isWhole }?.coding }

  /// Bytes behind the end of the body, and the coding they are not of; nil if there are none.
  var surplus: (coding: ContentCoding, count: Int)? {
    decoders.first { $0.surplus > 0 }.map { ($0.coding, $0.surplus) }
  }
}

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

/// Why a coded body is not what it says.
enum DecodingFailure: Error, Equatable {
  /// It is not of its coding.
  case invalid(ContentCoding)
  /// It ends before its coding does.
  case cut(ContentCoding)
  /// The library is missing.
  case unavailable(ContentCoding, reason: String)
  /// Between two codings it is larger than a body may be.
  case tooLarge
  case noMemory
  /// By whoever takes what is decoded.
  case refused
}
