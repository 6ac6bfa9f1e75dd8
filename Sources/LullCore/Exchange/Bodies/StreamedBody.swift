package import LullSystem

/// A request body that is read while it is sent, so that it need not fit into memory.
///
/// A body is immutable. Its files are inspected once, when the request is made. If a file has
/// changed since then, reading the body fails. Each `BodyReader` starts from the beginning, also
/// after a redirect and before a retry.
public final class StreamedBody: Sendable, Equatable {
  /// A piece of the body. The pieces are sent one after the other.
  package enum Piece: Sendable {
    case bytes([UInt8])
    case file(UploadFile, FileStamp)
    /// A secret. Only the mask of the secret is stored in the body until the body is sent.
    case secret(SecretText, shown: [UInt8])
  }

  /// The value from which the body was made. Used in logs and messages.
  package enum Source: Sendable {
    case file(UploadFile)
    case form(MultipartForm)
    /// Bytes in memory that a `SendGate` holds back.
    case bytes
  }

  package let source: Source
  package let pieces: [Piece]
  /// The size of all pieces together, in bytes. For a secret, the length of its mask is counted.
  public let byteCount: Int

  /// The largest body that may be read into memory, in bytes.
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

  /// Makes a body from a file in its current state.
  ///
  /// - Throws: `fileUnavailable` if the file can't be read.
  public convenience init(_ file: UploadFile) throws(TransportError) {
    self.init(.file(file), [.file(file, try file.look())])
  }

  /// Makes a body from bytes that a `SendGate` holds back. The bytes are read only when the gate is
  /// open.
  package convenience init(heldBack bytes: [UInt8]) {
    self.init(.bytes, [.bytes(bytes)])
  }

  /// Makes the body of a form from its files in their current state. Also returns the value of the
  /// `Content-Type` header of the request.
  ///
  /// - Throws: `fileUnavailable` if a file can't be read.
  package static func form(
    _ form: MultipartForm
  ) throws(TransportError) -> (body: StreamedBody, contentType: String) {
    let boundary = MultipartForm.makeBoundary()
    let body = StreamedBody(.form(form), try form.pieces(boundary))
    return (body, MultipartForm.contentType(boundary))
  }

  /// Whether the body contains files. Sending files may take long.
  package var hasFiles: Bool {
    switch source {
    case .file: true
    case .form(let form): form.hasFiles
    case .bytes: false
    }
  }

  /// The secrets in the body.
  package var secretTexts: [SecretText] {
    pieces.compactMap { piece in
      if case .secret(let text, shown: _) = piece { text } else { nil }
    }
  }

  /// Returns the body with its secrets resolved by `text`. The result must not be stored.
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

  /// Returns the body with all bytes except secrets replaced by the result of `literal`. If
  /// `literal` doesn't change the content of a file, the file itself stays in the body and is read
  /// again when the body is sent.
  ///
  /// - Throws: For a file, the errors of `bytes()`.
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

  /// A short description for logs and messages: the name and the size, never the content.
  package var summary: String {
    switch source {
    case .file(let file): "file \(file.shown), \(byteCount) bytes"
    case .form(let form): "multipart form of \(form.summary), \(byteCount) bytes"
    case .bytes: "\(byteCount) bytes"
    }
  }

  /// Reads the whole body into memory, for networking that can't send a body in chunks.
  ///
  /// - Throws: `fileUnavailable` if a file can't be read any more or has changed, or if the body is
  ///   larger than 100 MB.
  public func bytes() throws(TransportError) -> [UInt8] {
    guard byteCount <= StreamedBody.largestInMemory else {
      throw .final(
        .fileUnavailable,
        "the body (\(summary)) is larger than the limit of "
          + "\(StreamedBody.largestInMemory >> 20) MB in memory")
    }
    guard MemoryLedger.allows(byteCount) else {
      throw .final(.fileUnavailable, "the memory limit leaves no room for the body, \(summary)")
    }
    let reader = try BodyReader(self)
    let all = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      count = reader.read(into: UnsafeMutableRawBufferPointer(buffer)) ?? 0
    }
    if let failure = reader.failure { throw failure }
    return all
  }
}

/// The body of a request.
public enum RequestPayload: Sendable, Equatable {
  /// Bytes in memory. An empty array is a body of zero bytes.
  case bytes([UInt8])
  /// A body that is read while it is sent.
  case streamed(StreamedBody)

  /// The size of the body in bytes: the value of `Content-Length`.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .streamed(let body): body.byteCount
    }
  }

  /// Returns a reader for a streamed body, or nil for bytes in memory.
  package func reader() throws(TransportError) -> BodyReader? {
    if case .streamed(let body) = self { try BodyReader(body) } else { nil }
  }
}

/// Holds back the body of a request until sending is allowed. For example, a refresh token is held
/// back until its use has been recorded. (TOK-160)
///
/// The connection is made and the request headers are sent first. While the gate is closed, no byte
/// of the body is sent. When curl requests the first byte, the gate calls `ask` once. An open gate
/// stays open, also for redirects and retries. Only `CurlProvider` supports gates; other providers
/// send the body without asking. Home thread only.
// Unchecked: TransferOptions is Sendable, but the gate is used on the home thread only.
package final class SendGate: @unchecked Sendable, Equatable {
  package private(set) var isOpen = false
  /// The function passed to the initializer. It is cleared when it is called, because it is called
  /// only once.
  private var ask: ((SendGate) -> Void)?
  private var resume: (() -> Void)?

  /// Makes a closed gate.
  ///
  /// - Parameter ask: Called when curl requests the first byte of the body. The call comes from
  ///   inside curl, where nothing may be started or cancelled, so call `open` on a later turn.
  package init(_ ask: @escaping (SendGate) -> Void) {
    self.ask = ask
  }

  /// Whether the gate is open, so that the body may be sent. If it is closed, `resume` is called
  /// when it opens.
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
