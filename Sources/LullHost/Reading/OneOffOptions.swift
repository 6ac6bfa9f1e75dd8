import CLullBridge
import LullCore

/// The options of a request that is sent without a service. These are the options of every request
/// (`{ headers =, timeout =, mutate = }`), the options `query =` and `auth =`, and the fields of a
/// request body, including `file =` and `multipart =`. (ONE-04 to ONE-06)
struct OneOffOptions {
  static let ownKeys = ["query", "auth", "file", "multipart"]

  let edit: AdHocMutation?
  let body: Result<RequestBody, RequestBodyFailure>?
  private let query: QueryChange?
  private let auth: Setting.Change?

  /// Reads the options from a table.
  ///
  /// - Parameter service: the temporary service of the request.
  init(_ call: Call, table: Int32, service: Service) throws(Misuse) {
    var query: QueryChange?
    var auth: Setting.Change?
    var fields = BodyFields()
    let options = try RequestOptions(
      call, table: table, besides: OneOffOptions.ownKeys + RequestBodyReader.keys,
      ofServices: Setting.names
    ) { name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch name {
      case "query":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'query' must be a table of parameters, got \(value.described)")
        }
        query = try QueryChange(call, table: index)
      case "auth":
        let given = GivenSetting(
          name: name, value: value, index: index, call: call, service: service)
        auth = try Setting.named(name)?.change(given)
      case "file":
        try fields.read(name) { () throws(Misuse) in
          .success(.file(try OneOffOptions.file(call, value)))
        }
      case "multipart":
        try fields.read(name) { () throws(Misuse) in
          .success(.multipart(try OneOffOptions.form(call, value, index)))
        }
      default:
        try call.reading.bodies.read(name, value, index, call.state, into: &fields)
      }
    }
    edit = options.edit(call.callbacks, timeout: options.timeout)
    body = try fields.body()
    self.query = query
    self.auth = auth
  }

  /// Returns the resource to request: `resource` with the query of these options added to its URL.
  func asked(_ resource: Resource) -> Resource {
    if let query, !query.isEmpty { query.applied(to: resource) } else { resource }
  }

  /// Applies the option `auth` as the configuration of the temporary service.
  func configure(_ service: Service, from place: SourcePlace?) {
    guard let auth else { return }
    service.configure(
      nil, requestMethods: nil, description: "one request", source: place, isConstant: true,
      configurer: auth)
  }

  private static func file(_ call: Call, _ value: lull_value) throws(Misuse) -> UploadFile {
    if let box = call.handles.object(value, .file, as: FileBox.self) { return box.file }
    try call.permissions.refuseInSandbox("file")
    guard value.kind == Int32(LULL_STRING), let path = value.bytes, !path.isEmpty,
      !path.contains(0)
    else {
      throw .message("'file' must be the name of a file, or lull.file, got \(value.described)")
    }
    return UploadFile(ByteString(path), name: nil, contentType: nil)
  }

  private static func form(
    _ call: Call, _ value: lull_value, _ index: Int32
  ) throws(Misuse) -> MultipartForm {
    if let box = call.handles.object(value, .multipart, as: MultipartBox.self) { return box.form }
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'multipart' must be a table, or lull.multipart, got \(value.described)")
    }
    return try call.reading.multipart.form(table: index, in: call.state)
  }
}
