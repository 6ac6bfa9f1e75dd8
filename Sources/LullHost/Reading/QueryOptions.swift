import CLullBridge
import LullCore

/// The options of `resource:query{…}`: the fields of a body, `headers` and `method`. (QUERY-01)
struct QueryOptions {
  private static let keys = RequestBodyReader.keys + ["headers", "method"]

  let body: Result<RequestBody, RequestBodyFailure>
  private(set) var headers = RequestHeaders()
  private(set) var method: RequestMethod?

  init(_ call: Call, table: Int32) throws(Misuse) {
    var fields = BodyFields()
    var headers = RequestHeaders()
    var method: RequestMethod?
    try call.reading.options.forEach(
      of: table, in: call.state, known: QueryOptions.keys
    ) { name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch name {
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'headers' must be a table, got \(value.described)")
        }
        try call.reading.headers.edits(table: index, in: call.state, allowsSecrets: true)
          .apply(to: &headers)
      case "method":
        guard let given = value.string.flatMap({ RequestMethod(rawValue: $0) }),
          given == .query || given == .post
        else { throw .message("'method' must be \"QUERY\" or \"POST\", got \(value.described)") }
        method = given
      default: try call.reading.bodies.read(name, value, index, call.state, into: &fields)
      }
    }
    guard let body = try fields.body() else {
      throw .message("a query needs one of 'json', 'form', 'text', 'data'")
    }
    (self.body, self.headers, self.method) = (body, headers, method)
  }

  /// Returns the resource for the query of a resource's URL with this body. Content that can't be
  /// encoded raises an error, because a query is identified by its encoded content.
  func query(of resource: Resource) throws(Misuse) -> Resource {
    do throws(RequestError) {
      return try resource.query(try content(), headers: headers, method: method)
    } catch {
      // A value that JSON can't represent is described by the cause alone.
      let cause = error.cause.map(\.message).flatMap { $0 == error.userMessage ? nil : $0 }
      throw .message(
        cause.map { "the content of a query cannot be encoded: \($0)" } ?? error.userMessage)
    }
  }

  private func content() throws(RequestError) -> RequestBody {
    switch body {
    case .success(let body): return body
    case .failure(let failure):
      throw RequestError(httpStatusCode: nil, entity: nil, cause: failure.cause, timestamp: 0)
    }
  }
}
