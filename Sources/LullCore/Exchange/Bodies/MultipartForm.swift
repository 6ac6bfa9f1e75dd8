/// A `multipart/form-data` form. The values of its fields may be files (RFC 7578). The parts are
/// sent in the given order. Lua: `lull.multipart{…}`.
public struct MultipartForm: Sendable, Equatable {
  /// One field of the form.
  public struct Part: Sendable, Equatable {
    /// The value of a field.
    public enum Value: Sendable, Equatable {
      /// Text or other bytes in memory.
      case bytes([UInt8])
      /// The content of a file, which is read while the form is sent.
      case file(UploadFile)
      /// A credential, masked until it is sent.
      case secret(SecretText)
    }

    /// The name of the field. Several fields may have the same name.
    public var name: String
    /// The value of the field.
    public var value: Value
    /// The content type of the part. If nil, no content type is sent, which means text. For a file,
    /// the initial value is the content type of the file.
    public var contentType: String?
    /// The file name sent to the receiver. If nil, the receiver does not treat the part as a file.
    /// For a file, the initial value is the name of the file.
    public var fileName: ByteString?

    /// Makes a field with a value in memory.
    public init(
      _ name: String, _ bytes: [UInt8], contentType: String? = nil, fileName: String? = nil
    ) {
      self.name = name
      value = .bytes(bytes)
      self.contentType = contentType
      self.fileName = fileName.map { ByteString($0) }
    }

    /// Makes a field with a text value, in UTF-8.
    public init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    /// Makes a field with a credential. The credential is resolved only when the form is sent.
    public init(
      _ name: String, _ secret: SecretText, contentType: String? = nil, fileName: String? = nil
    ) {
      self.name = name
      value = .secret(secret)
      self.contentType = contentType
      self.fileName = fileName.map { ByteString($0) }
    }

    /// Makes a field with a file. The content type and the file name are those of `file`.
    public init(_ name: String, _ file: UploadFile) {
      self.name = name
      value = .file(file)
      contentType = file.contentType
      fileName = file.name
    }
  }

  /// The parts, in the order in which they are sent.
  public var parts: [Part]

  /// Makes a form of these parts. The boundary is chosen when the form is sent.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Whether the value of a part is a file.
  package var hasFiles: Bool {
    parts.contains { part in
      if case .file = part.value { true } else { false }
    }
  }

  /// Whether the value of a part is a secret.
  package var hasSecrets: Bool {
    parts.contains { part in
      if case .secret = part.value { true } else { false }
    }
  }

  /// The names of the fields, and for each field whether its value is a file. The values are not
  /// included.
  package var summary: String {
    parts.map { part in
      if case .file(let file) = part.value {
        "\(part.name) (file \(file.shown))"
      } else {
        part.name
      }
    }.joined(separator: ", ")
  }

  /// Makes a random boundary, which is unlikely to occur in a part. (RFC 2046, 5.1.1)
  static func makeBoundary() -> String {
    "lull-" + Hexadecimal.random()
  }

  /// The value of the `Content-Type` header of a form with this boundary.
  static func contentType(_ boundary: String) -> String {
    "multipart/form-data; boundary=\(boundary)"
  }

  /// The form as pieces of a body, in the order of sending. Consecutive bytes in memory are joined
  /// into one piece, which ends at the next file or secret.
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

  /// Escapes the name of a field or file as browsers do: quotation marks and control characters are
  /// percent-encoded. (RFC 7578, 2; HTML, multipart/form-data encoding algorithm)
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
