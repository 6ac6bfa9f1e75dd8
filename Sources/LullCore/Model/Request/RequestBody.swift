/// A request body with its content type. (REQ-06 to REQ-20)
public enum RequestBody: Sendable {
  /// Any bytes. Lua: `data`.
  case data([UInt8], contentType: String)
  /// JSON that is already encoded as UTF-8 text.
  case json([UInt8], contentType: String = "application/json")
  /// Text in the given encoding, which is added to the content type as its charset. If the encoding
  /// can't represent a character of the text, the request fails. (REQ-09) Lua: `text`.
  case text(String, contentType: String = "text/plain", encoding: String = "utf-8")
  /// Pairs of names and values, sent as `application/x-www-form-urlencoded`. Lua: `form`.
  case form([(name: String, value: String)])
  /// A body that contains secrets.
  case secret(SecretBody)
  /// The content of a file, which is read while it is sent.
  case file(UploadFile)
  /// A `multipart/form-data` form, whose values may be files.
  case multipart(MultipartForm)

  /// Returns a body that is a URL-encoded form whose values may contain secrets. (REQ-15 to REQ-20)
  public static func form(secrets pairs: [(name: String, value: SecretText)]) -> RequestBody {
    .secret(SecretBody(form: pairs))
  }

  /// Whether parts of the body are read from disk while it is sent.
  package var hasFiles: Bool {
    switch self {
    case .file: true
    case .multipart(let form): form.hasFiles
    default: false
    }
  }

  /// Returns a body with the same bytes and the given content type, if it is not nil. Text, forms
  /// and files keep their own content type.
  package func typed(_ contentType: String?) -> RequestBody {
    guard let contentType else { return self }
    return switch self {
    case .data(let bytes, _), .json(let bytes, _): .data(bytes, contentType: contentType)
    case .secret(let body): .secret(body.typed(contentType))
    case .text, .form, .file, .multipart: self
    }
  }

  /// Whether the body is read while it is sent. Such a body can't be the content of a query.
  package var isStreamed: Bool {
    switch self {
    case .file, .multipart: true
    default: false
    }
  }

  /// Encodes the body for sending. Throws if it can't be encoded. (REQ-09, REQ-19)
  package func encoded() throws(RequestBodyFailure) -> EncodedBody {
    switch self {
    case .data(let bytes, let contentType), .json(let bytes, let contentType):
      return .bytes(bytes, contentType)
    case .secret(let body): return .secret(body)
    case .file(let file): return .file(file)
    case .multipart(let form): return .multipart(form)
    case .text(let text, let contentType, let encoding):
      do throws(TextCodingError) {
        let name = TextCoding.canonicalName(encoding) ?? encoding.lowercased()
        let bytes = try TextCoding.encode(text, charset: encoding)
        return .bytes(bytes, "\(contentType); charset=\(name)")
      } catch {
        throw RequestBodyFailure(
          cause: .unencodableText(encoding: encoding, text: ByteString(text)))
      }
    case .form(let pairs):
      do throws(FormEncodingError) {
        let bytes = try FormEncoding.encode(
          pairs.map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) })
        return .bytes(bytes, FormEncoding.mediaType)
      } catch {
        throw RequestBodyFailure(cause: error.cause)
      }
    }
  }
}

/// The error of a body that can't be encoded. The request fails before it is sent.
package struct RequestBodyFailure: Error {
  package let cause: RequestError.Cause

  package init(cause: RequestError.Cause) {
    self.cause = cause
  }
}

extension RequestBody {
  /// Encodes an `Encodable` value as compact JSON. Members are in the order in which the type
  /// encodes them, and integers are exact.
  ///
  ///     api.resource("/notes").request("POST", body: try .json(encoding: note))
  ///
  /// - Throws: `EncodingError` with the coding path, for example for a number that JSON can't
  ///   represent, or the error thrown by an `encode(to:)`.
  public static func json(
    encoding value: some Encodable, contentType: String = "application/json"
  ) throws -> RequestBody {
    .json(try JSONDocument.text(encoding: value), contentType: contentType)
  }
}

extension RequestError.Cause {
  /// Creates the cause of a failure from the error that was thrown while the body was encoded.
  /// (REQ-13)
  package init(encoding error: any Error) {
    switch error {
    case EncodingError.invalidValue(_, let context):
      let path = CodingPathText.text(context.codingPath)
      self = .invalidJSONObject(
        path: path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)")
    case let error as JSONError: self = .invalidJSONObject(path: error.description)
    default: self = .custom(error)
    }
  }
}

/// An encoded body. It is encoded once for a request and its repetitions. Files are checked again
/// for each repetition.
package enum EncodedBody {
  case bytes([UInt8], _ contentType: String)
  case secret(SecretBody)
  case file(UploadFile)
  case multipart(MultipartForm)

  /// Sets the body and the content type of a request. Throws if a file can't be read.
  package func put(into http: inout HTTPRequest) throws(TransportError) {
    switch self {
    case .bytes(let bytes, let contentType):
      http.headers["content-type"] = contentType
      http.body = bytes
    case .secret(let body):
      http.headers["content-type"] = body.contentType
      http.body = body.template.masked
      http.secrets = SecretUses(url: http.secrets?.url, body: body.template)
    case .file(let file):
      http.stream(try StreamedBody(file))
      http.headers["content-type"] = file.contentType
    case .multipart(let form):
      let (body, contentType) = try StreamedBody.form(form)
      http.stream(body)
      http.headers["content-type"] = contentType
      if form.hasSecrets { http.secrets = SecretUses(url: http.secrets?.url) }
    }
  }
}

/// Bodies of type `application/x-www-form-urlencoded`. (REQ-15 to REQ-20)
package enum FormEncoding {
  static let mediaType = "application/x-www-form-urlencoded"

  /// Returns the escaped pairs, sorted by their escaped `name=value` text and joined with `&`. The
  /// order of `pairs` therefore does not change the body. Without pairs the body is empty. (REQ-16
  /// to REQ-18, REQ-20)
  package static func encode(
    _ pairs: [(name: [UInt8], value: [UInt8])]
  ) throws(FormEncodingError) -> [UInt8] {
    var parts: [[UInt8]] = []
    parts.reserveCapacity(pairs.count)
    var count = 0
    for (name, value) in pairs {
      var part: [UInt8] = []
      part.reserveCapacity(name.count + value.count + 1)
      try append(name, to: &part)
      part.append(UInt8(ascii: "="))
      try append(value, to: &part)
      count += part.count + 1
      parts.append(part)
    }
    parts.sort { $0.lexicographicallyPrecedes($1) }
    // This empty body is never sent, because the run ends when the memory limit is reached.
    guard MemoryLedger.allows(count) else { return [] }
    var body: [UInt8] = []
    body.reserveCapacity(count)
    for part in parts {
      if !body.isEmpty { body.append(UInt8(ascii: "&")) }
      body += part
    }
    return body
  }

  private static func append(
    _ text: [UInt8], to part: inout [UInt8]
  ) throws(FormEncodingError) {
    guard text.withUnsafeBufferPointer({ UTF8Validation.isValid($0) }) else {
      throw FormEncodingError(bytes: text)
    }
    ResourceURL.Escaping.append(text, to: &part, keeping: ResourceURL.Escaping.form)
  }
}

/// The error for a name or value of a form that is not UTF-8. The request fails with the cause
/// `not_url_encodable`. (REQ-19)
package struct FormEncodingError: Error, Equatable {
  /// The bytes of the invalid name or value.
  package let bytes: [UInt8]

  package var cause: RequestError.Cause { .notURLEncodable(string: ByteString(bytes)) }
}
