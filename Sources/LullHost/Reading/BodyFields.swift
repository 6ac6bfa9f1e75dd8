import LullCore

/// Collects the fields of a Lua table that define a request body. The fields may be added in any
/// order, because a Lua table has no order.
struct BodyFields {
  static let none = Misuse.message("a body needs one of 'json', 'form', 'text', 'data'")

  private var kind: String?
  private var made: Result<RequestBody, RequestBodyFailure>?
  var contentType: String?
  var encoding: String?

  /// Sets the body from one field, such as `json`. Throws if another field has already set it.
  mutating func read(
    _ name: String, _ body: () throws(Misuse) -> Result<RequestBody, RequestBodyFailure>
  ) throws(Misuse) {
    if let kind { throw .message("a body is either '\(kind)' or '\(name)', not both") }
    kind = name
    made = try body()
  }

  /// Returns the body that the fields define, or nil if no field defines a body.
  func body() throws(Misuse) -> Result<RequestBody, RequestBodyFailure>? {
    guard let made else {
      if contentType != nil || encoding != nil { throw BodyFields.none }
      return nil
    }
    if encoding != nil, kind != "text" { throw .message("'encoding' is for 'text' bodies") }
    if contentType != nil {
      if kind == "file" {
        throw .message("set the type of a file with lull.file(path, { type = … })")
      }
      if kind == "multipart" { throw .message("a multipart form sets its own 'content_type'") }
    }
    return made.map { body in
      switch body {
      case .json(let bytes, let type): .json(bytes, contentType: contentType ?? type)
      case .text(let text, let type, let name):
        .text(text, contentType: contentType ?? type, encoding: encoding ?? name)
      case .data(let bytes, let type): .data(bytes, contentType: contentType ?? type)
      case .secret(let body): .secret(body.typed(contentType))
      case .form, .file, .multipart: body
      }
    }
  }
}
