import CLullBridge
import LullCore

/// Reads request bodies.
///
/// - A table is one of `{ json = v }`, `{ form = {…} }`, `{ text = s, encoding = }` and `{ data =
///   s, content_type = }`.
/// - The results of `lull.file` and `lull.multipart` are read while they are sent.
///
/// Any other value raises an error. If a value can't be encoded as the requested type, the request
/// fails instead.
struct RequestBodyReader {
  static let keys = ["json", "form", "text", "data", "content_type", "encoding"]

  private let handles: ObjectHandles
  private let options: OptionReader
  private let json: JSONReader

  init(_ handles: ObjectHandles, _ options: OptionReader, _ json: JSONReader) {
    self.handles = handles
    self.options = options
    self.json = json
  }

  /// Reads the body in the argument at a position of a call. Returns nil if the argument is nil.
  func body(_ call: Call, _ position: Int) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>?
  {
    let value = call.raw(position)
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_TABLE): return try body(table: call.index(position), in: call.state)
    default:
      guard let body = streamed(value) else {
        throw .argument(
          position, "table, lull.file or lull.multipart expected, got \(value.typeName)")
      }
      return .success(body)
    }
  }

  /// Returns the request body for a file or a multipart form. The file or form is read while the
  /// request is sent. Returns nil for any other value.
  func streamed(_ value: lull_value) -> RequestBody? {
    if let box = handles.object(value, .file, as: FileBox.self) { return .file(box.file) }
    return handles.object(value, .multipart, as: MultipartBox.self).map { .multipart($0.form) }
  }

  private func body(table: Int32, in state: OpaquePointer?) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>
  {
    guard let body = try optionalBody(table: table, in: state) else { throw BodyFields.none }
    return body
  }

  /// Reads the body that the fields of a table define. Returns nil if the table has none of them.
  func optionalBody(table: Int32, in state: OpaquePointer?) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>?
  {
    var fields = BodyFields()
    try options.forEach(of: table, in: state, known: RequestBodyReader.keys) {
      name, value throws(Misuse) in
      try read(name, value, LuaTable.visitedIndex(in: state), state, into: &fields)
    }
    return try fields.body()
  }

  /// Reads one field of a table that defines a body. Its name is one of `keys`.
  func read(
    _ name: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?,
    into fields: inout BodyFields
  ) throws(Misuse) {
    switch name {
    case "content_type": fields.contentType = try value.headerText(name)
    case "encoding": fields.encoding = try value.text(name)
    default:
      try fields.read(name) { () throws(Misuse) in try body(name, value, index, state) }
    }
  }

  private func body(_ name: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?)
    throws(Misuse) -> Result<RequestBody, RequestBodyFailure>
  {
    switch name {
    case "json":
      switch json.body(of: state, index) {
      case .success(let body): return .success(body)
      case .failure(let problem):
        return .failure(RequestBodyFailure(cause: .invalidJSONObject(path: problem.text)))
      }
    case "form": return try form(value, index, state)
    default:
      guard let bytes = value.bytes else {
        throw .message("'\(name)' must be a string, got \(value.typeName)")
      }
      if name == "data" { return .success(.data(bytes, contentType: "application/octet-stream")) }
      guard value.isValidUTF8 else {
        return .failure(
          RequestBodyFailure(
            cause: .unencodableText(encoding: "utf-8", text: ByteString(bytes))))
      }
      return .success(.text(value.string ?? ""))
    }
  }

  private func form(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) throws(Misuse)
    -> Result<RequestBody, RequestBodyFailure>
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'form' must be a table, got \(value.typeName)")
    }
    var pairs: [(name: String, value: SecretText)] = []
    var hasSecrets = false
    var failure: RequestBodyFailure?
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard let name = key.text else {
        throw .message("form names must be strings, got \(key.typeName)")
      }
      for part in [key, element]
      where part.kind == Int32(LULL_STRING) && !part.isValidUTF8 {
        failure = RequestBodyFailure(
          cause: .notURLEncodable(string: ByteString(part.bytes ?? [])))
      }
      if let secret = handles.secret(element) {
        hasSecrets = true
        return pairs.append((name, secret))
      }
      guard let text = element.text ?? element.bool.map({ "\($0)" }) else {
        throw .message(
          "form value '\(name)' must be a string, number, boolean or secret, got "
            + element.typeName
            + (element.kind == Int32(LULL_OBJECT) ? " (lull.multipart is a form with files)" : ""))
      }
      pairs.append((name, SecretText(text)))
    }
    if let failure { return .failure(failure) }
    if hasSecrets { return .success(.form(secrets: pairs)) }
    return .success(.form(pairs.map { (name: $0.name, value: $0.value.masked) }))
  }
}
