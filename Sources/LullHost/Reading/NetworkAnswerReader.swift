package import CLullBridge
package import LullCore

/// Reads the responses that `networking` functions and stubs return.
///
/// This type is a class, so that a networking provider can hold it without holding the host. (The
/// host holds the services of the provider.) Home thread only.
package final class NetworkAnswerReader {
  static let keys = ["status", "http_status", "headers", "body", "json", "text"]
  static let statusTwice = Misuse.message(
    "'status' and 'http_status' mean the same: set only one of them")

  private let handles: ObjectHandles
  private let options: OptionReader
  private let headers: HeaderReader
  private let json: JSONReader

  init(
    _ handles: ObjectHandles, _ options: OptionReader, _ headers: HeaderReader, _ json: JSONReader
  ) {
    self.handles = handles
    self.options = options
    self.headers = headers
    self.json = json
  }

  /// Reads the results of a `networking` function, or the arguments of its `complete` function.
  /// They are a table, or nil and an error, or both a table and an error.
  func result(
    _ first: lull_value, _ second: lull_value, _ state: OpaquePointer?, _ index: Int32,
    url: String
  ) throws(Misuse) -> NetworkResult {
    var result = NetworkResult()
    if first.kind == Int32(LULL_TABLE) {
      result = try self.result(table: index, state, url: url)
    } else if first.kind != Int32(LULL_NIL) {
      throw .message(
        "a networking function must return a table { status =, headers =, body = }, got "
          + first.typeName)
    }
    if let box = handles.object(second, .error, as: ErrorBox.self) {
      result.error = NetworkResult(failing: box.error).error
      result.requestError = box.error
    } else if let text = second.text {
      result.error = TransportError(.network, text)
    } else if result.response == nil {
      throw .message("a networking function must return a table or an error")
    }
    return result
  }

  /// Reads a response from a table.
  ///
  /// - Parameters:
  ///   - others: the names of additional fields. A field with one of these names is passed to
  ///     `take`.
  ///   - status: the status code to use if the table has no status.
  package func result(
    table: Int32, _ state: OpaquePointer?, url: String, status: Int = 200,
    beside others: [String] = [],
    take: (String, lull_value) throws(Misuse) -> Void = { _, _ in }
  ) throws(Misuse) -> NetworkResult {
    var given: Int?
    var headers = Headers()
    var body: [UInt8]?
    var defaultType: String?
    try options.forEach(of: table, in: state, known: NetworkAnswerReader.keys + others) {
      name, value throws(Misuse) in
      if others.contains(name) { return try take(name, value) }
      let index = LuaTable.visitedIndex(in: state)
      switch name {
      case "status", "http_status":
        guard value.kind == Int32(LULL_INTEGER), (100...999).contains(value.integer) else {
          throw .message(
            "'\(name)' must be an HTTP status, such as 200, got \(value.described)")
        }
        guard given == nil else { throw NetworkAnswerReader.statusTwice }
        given = Int(value.integer)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else { throw .message("'headers' must be a table") }
        try self.headers.edits(table: index, in: state).apply(to: &headers)
      case "json":
        switch json.text(of: state, index) {
        case .success(let bytes): body = bytes
        case .failure(let problem): throw .message("'json' cannot be encoded: \(problem.text)")
        }
        defaultType = "application/json"
      default:
        guard let bytes = value.bytes else {
          throw .message("'\(name)' must be a string, got \(value.typeName)")
        }
        body = bytes
        if name == "text" { defaultType = "text/plain; charset=utf-8" }
      }
    }
    if let defaultType, headers["content-type"] == nil { headers["content-type"] = defaultType }
    return NetworkResult(
      response: HTTPResponse(status: given ?? status, headers: headers, url: url), body: body)
  }
}

extension NetworkResult {
  /// Creates the result of a failed request from a request error, without changing the error.
  /// Policies treat the result as a network error.
  init(failing error: RequestError) {
    self.init(error: TransportError(.network, error.userMessage))
    if case .transport(let transport) = error.cause { self.error = transport }
    requestError = error
  }
}
