import CLullBridge
package import LullCore
package import LullHost

/// A response of a mock, without the headers that the server adds when it is sent.
package struct MockAnswer {
  package var status: Int
  package var headers: Headers
  package var body: [UInt8]
  /// The delay before the response is sent, in seconds.
  package var delay: Double

  package init(status: Int, headers: Headers = Headers(), body: [UInt8] = [], delay: Double = 0) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delay = delay
  }

  /// The maximum delay in seconds: a day.
  private static let longestDelay = 86_400.0

  /// Reads the result of a `mock` function. nil if the function returned nil.
  package init?(returned results: RunResults, _ reading: ScriptReading) throws(Misuse) {
    if results[0].kind == Int32(LULL_NIL) { return nil }
    guard results[0].kind == Int32(LULL_TABLE) else {
      throw .message(
        "'mock' must return a table such as { status = 200, json = … }, or nil to use a "
          + "recorded response or an example, got \(results[0].described)")
    }
    try self.init(table: results.index(0), results.state, reading, status: 200)
  }

  /// Reads a response from a table. The table has the fields of a `networking` function's response,
  /// and also `json` and `delay`.
  ///
  /// - Parameters:
  ///   - status: The status if the table has none.
  ///   - other: Additional fields, whose values are passed to `take`.
  init(
    table: Int32, _ state: OpaquePointer?, _ reading: ScriptReading, status: Int,
    beside other: [String] = [], take: (lull_value) throws(Misuse) -> Void = { _ in }
  ) throws(Misuse) {
    var delay = 0.0
    var json: [UInt8]?
    let result = try reading.answers.result(
      table: table, state, url: "", status: status, beside: ["delay", "json", "close"] + other
    ) { name, value throws(Misuse) in
      switch name {
      case "delay": delay = try MockAnswer.delay(value)
      case "json":
        switch reading.json.text(of: state, LuaTable.visitedIndex(in: state)) {
        case .success(let bytes): json = bytes
        case .failure(let problem): throw .message("'json' cannot be encoded: \(problem.text)")
        }
      // A `close` function was already read together with the `body` function.
      case "close":
        throw .message(
          "'close' must be a function, and needs a 'body' function, got \(value.described)")
      default: try take(value)
      }
    }
    let response = result.response
    self.init(
      status: response?.status ?? status, headers: response?.headers ?? Headers(),
      body: result.body ?? [], delay: delay)
    guard (200...599).contains(self.status) else {
      throw .message(
        "'status' must be a final status, from 200 to 599, got \(self.status)")
    }
    if let json { put(json: json) }
  }

  private static func delay(_ value: lull_value) throws(Misuse) -> Double {
    guard let seconds = value.double, (0...longestDelay).contains(seconds) else {
      throw .message(
        "'delay' must be a number of seconds from 0 to 86400 (a day), got "
          + value.described)
    }
    return seconds
  }

  /// Returns the response that a call's client gets. For a GraphQL call, JSON content is the value of
  /// `data`, unless it is an object with `data` or `errors`. (GQL-50)
  package func response(of call: APICall) -> MockAnswer {
    guard call.graphQL != nil, let root = (try? JSONDocument(parsing: body))?.root,
      root["data"] == nil, root["errors"] == nil
    else { return self }
    var response = self
    response.body = Array("{\"data\":".utf8) + body + Array("}".utf8)
    return response
  }

  /// Sets a JSON body from a script, encoded deterministically. (REQ-14)
  package mutating func put(json bytes: [UInt8]) {
    body = bytes
    if headers["content-type"] == nil { headers["content-type"] = "application/json" }
  }
}

/// The result of a function that produces the body of a response piece by piece.
package enum MockPiece {
  case bytes([UInt8])
  case end
  /// The connection is closed in the middle of the body.
  case cut

  package init(returned results: RunResults) throws(Misuse) {
    if let bytes = results[0].bytes {
      self = .bytes(bytes)
    } else if results[0].kind == Int32(LULL_NIL) {
      self = results[1].kind == Int32(LULL_NIL) ? .end : .cut
    } else {
      throw .message(
        "'body' must return strings, and nil at the end of the body, got \(results[0].described)")
    }
  }
}
