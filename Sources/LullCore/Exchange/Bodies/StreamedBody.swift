package import LullSystem

/// A body that is read while it is sent, so that it need not fit into memory.
///
/// Immutable. Its files were looked at once, when the request was made: whoever reads it finds what was
/// there then, or an error. Each `BodyReader` begins anew, after a redirect or before a retry too.
public final class StreamedBody: Sendable, Equatable {
  /// What it is made of, one after the other.
  package enum Piece: Sendable {
    case bytes([UInt8])
    case file(UploadFile, FileStamp)
    /// Until it is sent only what is shown of it is here.
    case secret(SecretText, shown: [UInt8])
  }

  /// What it is, for who shows it.
  package enum Source: Sendable {
    case file(UploadFile)
    case form(MultipartForm)
    /// Bytes that are held back.
    case bytes
  }

  package let source: Source
  package let pieces: [Piece]
  /// Of all pieces together, as they are shown.
  public let byteCount: Int

  /// What may be read into memory of one, in bytes.
  package static let largestInMemory = 100 << 20

  private init(_ source: Source, _ pieces: [Piece]) {
    self.source = source
    self.pieces = pieces
    byteCount = pieces.reduce(0) { sum, piece in
      switch piece {
      case .bytes(let bytes), .secret(_, shown: let bytes): sum + bytes.count
      case .file(_, let stamp): sum + stamp.size
      }
    }
  }

  /// A file as it is now; fails with `fileUnavailable` if it cannot be read.
  ///
  /// - Throws: `fileUnavailable`.
  public convenience init(_ file: UploadFile) throws(TransportError) {
    self.init(.file(file), [.file(file, try file.look())])
  }

  /// Bytes that are read when they may be sent. (`SendGate`)
  package convenience init(heldBack bytes: [UInt8]) {
    self.init(.bytes, [.bytes(bytes)])
  }

  /// A form with its files as they are now, and what its request is said to be; fails with
  /// `fileUnavailable` if one of them cannot be read.
  package static func form(
    _ form: MultipartForm
  ) throws(TransportError) -> (body: StreamedBody, contentType: String) {
    let boundary = MultipartForm.makeBoundary()
    let body = StreamedBody(.form(form), try form.pieces(boundary))
    return (body, MultipartForm.contentType(boundary))
  }

  /// Whether something of it is read from the disk, so that it may take its time.
  package var hasFiles: Bool {
    switch source {
    case .file: true
    case .form(let form): form.hasFiles
    case .bytes: false
    }
  }

  /// Every text of it that is secret.
  package var secretTexts: [SecretText] {
    pieces.compactMap { piece in
      if case .secret(let text, shown: _) = piece { text } else { nil }
    }
  }

  /// The same with what its secrets stand for, not to be kept.
  package func resolved(
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError) -> StreamedBody {
    var pieces: [Piece] = []
    for piece in self.pieces {
      if case .secret(let secret, shown: _) = piece {
        pieces.append(.bytes(try text(secret)))
      } else {
        pieces.append(piece)
      }
    }
    return StreamedBody(source, pieces)
  }

  /// The same with other bytes in the place of those that are no secret; a file of which nothing is replaced is
  /// read once more when it is sent.
  ///
  /// - Throws: what `bytes` throws, of a file.
  package func replacing(
    _ literal: ([UInt8]) -> [UInt8]
  ) throws(TransportError) -> StreamedBody {
    var pieces: [Piece] = []
    for piece in self.pieces {
      switch piece {
      case .bytes(let bytes): pieces.append(.bytes(literal(bytes)))
      case .file:
        let bytes = try StreamedBody(source, [piece]).bytes()
        let made = literal(bytes)
        pieces.append(made == bytes ? piece : .bytes(made))
      case .secret: pieces.append(piece)
      }
    }
    return StreamedBody(source, pieces)
  }

  public static func == (one: StreamedBody, other: StreamedBody) -> Bool { one === other }

  /// In a few words, for logs and messages: what it is called and how large it is, never what is in it.
  package var summary: String {
    switch source {
    case .file(let file): "file \(file.shown), \(byteCount) bytes"
    case .form(let form): "multipart form of \(form.summary), \(byteCount) bytes"
    case .bytes: "\(byteCount) bytes"
    }
  }

  /// All of it, for who cannot send it piece by piece: networking of a script's own, for one.
  ///
  /// - Throws: `fileUnavailable` if a file cannot be read any more or has changed, or if it is more than may be read
  ///   into memory.
  public func bytes() throws(TransportError) -> [UInt8] {
    guard byteCount <= StreamedBody.largestInMemory else {
      throw .final(
        .fileUnavailable,
        "the body is \(summary): more than the \(StreamedBody.largestInMemory >> 20) MB that are read "
          + "into memory")
    }
    guard MemoryLedger.allows(byteCount) else {
      throw .final(.fileUnavailable, "the limit of memory has no room for the body, \(summary)")
    }
    let reader = try BodyReader(self)
    let all = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      count = reader.read(into: UnsafeMutableRawBufferPointer(buffer)) ?? 0
    }
    if let failure = reader.failure { throw failure }
    return all
  }
}

/// What follows the head of a request.
public enum RequestPayload: Sendable, Equatable {
  /// In memory; empty: a body of no bytes.
  case bytes([UInt8])
  /// Read from files and the like while it is sent.
  case streamed(StreamedBody)

  /// What `Content-Length` will say.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .streamed(let body): body.byteCount
    }
  }

  /// What reads it while it is sent; nil for bytes.
  package func reader() throws(TransportError) -> BodyReader? {
    if case .streamed(let body) = self { try BodyReader(body) } else { nil }
  }
}

/// Holds back the body of a request until it may be sent: a refresh token waits until its use is noted. (TOK-160)
///
/// The connection and the request's head come first. While the gate is closed, no byte of the body has been sent. The
/// gate asks once, when curl wants the first byte. Once it is open, it stays open, also for redirects and repetitions.
/// Only `CurlProvider` honours it: other providers send without asking. Home thread only.
// Unchecked: TransferOptions is Sendable, but the gate is used on the home thread only.
package final class SendGate: @unchecked Sendable, Equatable {
  package private(set) var isOpen = false
  /// Taken when it is called: a gate asks once.
  private var ask: ((SendGate) -> Void)?
  private var resume: (() -> Void)?

  /// - Parameter ask: Called inside curl, where nothing may be started or cancelled; call `open` on a later turn.
  package init(_ ask: @escaping (SendGate) -> Void) {
    self.ask = ask
  }

  /// Whether the body may be sent. If not, `resume` is called when the gate opens.
  package func letsPass(_ resume: @escaping () -> Void) -> Bool {
    guard !isOpen else { return true }
    self.resume = resume
    guard let ask else { return false }
    self.ask = nil
    ask(self)
    return false
  }

  package func open() {
    isOpen = true
    let resume = resume
    self.resume = nil
    resume?()
  }

  package static func == (one: SendGate, other: SendGate) -> Bool { one === other }
}
