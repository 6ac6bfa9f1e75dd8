/// A request body with the content type it brings. (REQ-06 to REQ-20)
public enum RequestBody: Sendable {
  /// Any bytes. Lua: `data`.
  case data([UInt8], contentType: String)
  /// UTF-8 JSON text, already encoded.
  case json([UInt8], contentType: String = "application/json")
  /// Encoded into that charset, which the content type then names; the request fails where it has no
  /// place for a character. (REQ-09) Lua: `text`.
  case text(String, contentType: String = "text/plain", encoding: String = "utf-8")
  /// Percent-encoded pairs, `application/x-www-form-urlencoded`. Lua: `form`.
  case form([(name: String, value: String)])
  /// One with secrets in it.
  case secret(SecretBody)
  /// A file, read while it is sent.
  case file(UploadFile)
  /// A form whose values may be files.
  case multipart(MultipartForm)

  /// A form some of whose values hold secrets. (REQ-15 to REQ-20)
  public static func form(secrets pairs: [(name: String, value: SecretText)]) -> RequestBody {
    .secret(SecretBody(form: pairs))
  }

  /// Whether something of it is read from the disk while it is sent.
  package var hasFiles: Bool {
    switch self {
    case .file: true
    case .multipart(let form): form.hasFiles
    default: false
    }
  }

  /// What it is on the wire, or why that cannot be made. (REQ-09, REQ-19)
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
        return .bytes(bytes, "application/x-www-form-urlencoded")
      } catch {
        throw RequestBodyFailure(cause: error.cause)
      }
    }
  }
}

/// Why a body could not be made; the request fails before sending.
package struct RequestBodyFailure: Error {
  package let cause: RequestError.Cause

  package init(cause: RequestError.Cause) {
    self.cause = cause
  }
}
