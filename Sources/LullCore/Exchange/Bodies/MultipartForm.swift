/// A form whose values may be files: `multipart/form-data` (RFC 7578), its parts in their order. Lua:
/// `lull.multipart{…}`.
public struct MultipartForm: Sendable, Equatable {
  /// One field of the form.
  public struct Part: Sendable, Equatable {
    /// What a field is sent with.
    public enum Value: Sendable, Equatable {
      /// Text or anything else that is in memory.
      case bytes([UInt8])
      /// Read while the form is sent.
      case file(UploadFile)
      /// Masked until it is sent.
      case secret(SecretText)
    }

    /// Of the field; several may have the same.
    public var name: String
    /// What is sent under that name.
    public var value: Value
    /// nil: none is said, which means text; of a file its own.
    public var contentType: String?
    /// What the receiver is told that it is called; nil: it is no file; of a file its own.
    public var fileName: ByteString?

    /// A value in memory.
    public init(
      _ name: String, _ bytes: [UInt8], contentType: String? = nil, fileName: String? = nil
    ) {
      self.name = name
      value = .bytes(bytes)
      self.contentType = contentType
      self.fileName = fileName.map { ByteString($0) }
    }

    /// A value that is text, in UTF-8.
    public init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    /// A credential, which becomes text only where the form is sent.
    public init(
      _ name: String, _ secret: SecretText, contentType: String? = nil, fileName: String? = nil
    ) {
      self.name = name
      value = .secret(secret)
      self.contentType = contentType
      self.fileName = fileName.map { ByteString($0) }
    }

    /// A file, with the type and the name that it says itself.
    public init(_ name: String, _ file: UploadFile) {
      self.name = name
      value = .file(file)
      contentType = file.contentType
      fileName = file.name
    }
  }

  /// In the order in which they are sent.
  public var parts: [Part]

  /// A form of these; the boundary between them is chosen when it is sent.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Whether something of it is read from the disk.
  package var hasFiles: Bool {
    parts.contains { part in
      if case .file = part.value { true } else { false }
    }
  }

  /// Whether something of it is a secret.
  package var hasSecrets: Bool {
    parts.contains { part in
      if case .secret = part.value { true } else { false }
    }
  }

  /// What parts are called, and which are files; nothing of what is in them.
  package var summary: String {
    parts.map { part in
      if case .file(let file) = part.value {
        "\(part.name) (file \(file.shown))"
      } else {
        part.name
      }
    }.joined(separator: ", ")
  }

  /// What stands between parts: nobody is likely to have it in one. (RFC 2046, 5.1.1)
  static func makeBoundary() -> String {
    "lull-" + Hexadecimal.random()
  }

  /// What a request with that boundary is said to be.
  static func contentType(_ boundary: String) -> String {
    "multipart/form-data; boundary=\(boundary)"
  }

  /// As it is sent: what is in memory in one piece, up to the next file or secret.
  func pieces(_ boundary: String) throws(TransportError) -> [StreamedBody.Piece] {
    var pieces: [StreamedBody.Piece] = []
    var bytes: [UInt8] = []
    for part in parts {
      bytes += "--\(boundary)\r\n".utf8
      bytes += part.head
      switch part.value {
      case .bytes(let value): bytes += value
      case .file(let file):
        pieces.append(.bytes(bytes))
        bytes = []
        pieces.append(.file(file, try file.look()))
      case .secret(let text):
        pieces.append(.bytes(bytes))
        bytes = []
        pieces.append(.secret(text, shown: Array(text.masked.utf8)))
      }
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    return pieces + [.bytes(bytes)]
  }
}

extension MultipartForm.Part {
  fileprivate var head: [UInt8] {
    var head = Array("content-disposition: form-data; name=\"".utf8)
    head += MultipartForm.Part.escaped(name.utf8)
    if let fileName {
      head += "\"; filename=\"".utf8
      head += MultipartForm.Part.escaped(fileName.bytes)
    }
    head += "\"\r\n".utf8
    if let contentType { head += "content-type: \(contentType)\r\n".utf8 }
    return head + "\r\n".utf8
  }

  /// As browsers write names: what would end them, or the line, percent-encoded. (RFC 7578, 2; HTML,
  /// multipart/form-data encoding algorithm)
  private static func escaped(_ name: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in name {
      if byte < 32 || byte == 127 || byte == UInt8(ascii: "\"") {
        result.append(UInt8(ascii: "%"))
        result += Hexadecimal.text([byte]).uppercased().utf8
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
