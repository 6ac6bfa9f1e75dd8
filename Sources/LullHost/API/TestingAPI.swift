import CLullBridge
import LullCore

extension APIOwner {
  static let testing = APIOwner.module(
    "lull.testing", "Functions for tests of scripts.",
    entries: [
      .function(
        "stub", "(answers: table<string, StubAnswer>): NetworkingFunction",
        "A networking function that responds from a table instead of the network.",
        """
        A key is a method and a path such as `"GET /users/7"`, or a method and a whole URL. A path \
        matches URLs that end with it; if several paths match, the longest path is used. A request \
        without a stub fails with kind `network`; the message names the request and the existing \
        stubs.
        """,
        example: """
          local fake = lull.service{ base_url = "https://x.test",
            networking = lull.testing.stub{ ["GET /a"] = { json = { n = 1 } } } }
          print(assert(fake("/a"):load():await()).content.n)     --> 1
          print(select(2, fake("/b"):load():await()).user_message)
          --> unstubbed request GET https://x.test/b; the stubs are: GET /a
          """
      ) { call throws(Misuse) in try makeStub(call) }
    ])

  static let stubAnswer = APIOwner.table(
    "StubAnswer", "One response of `lull.testing.stub`.",
    "The fields `json` and `text` set a Content-Type unless `headers` contains one.",
    entries: networkAnswer.entries)
}

extension APIOwner {
  /// The function that `lull.testing.stub` returns.
  static let stubFunctions = APIOwner.unseen(
    .stub,
    hidden: [
      // The function returned by `lull.testing.stub`, called like any networking function.
      .hidden("answer") { call throws(Misuse) in
        let stubs = try call.selfObject(.stub, as: StubAnswers.self)
        guard let box = call.object(1, .httpRequest, as: HTTPRequestBox.self) else {
          throw .argument(1, "HTTPRequest expected, got \(call.raw(1).typeName)")
        }
        let result = stubs.answer(method: box.http.method, url: box.http.url)
        if let error = result.error {
          let error = RequestError(
            userMessage: error.message, cause: .transport(error),
            timestamp: call.pump.clock.now)
          call.return(.nil)
          call.return(call.values.of(error, service: nil))
          return
        }
        var fields: [(String, LuaValue)] = [("status", .int(Int64(result.response?.status ?? 200)))]
        if let headers = result.response?.headers {
          let pairs = headers.bytePairs.map { (LuaValue.bytes($0.name), LuaValue.bytes($0.value)) }
          fields.append(("headers", .table(pairs)))
        }
        if let body = result.body { fields.append(("body", .bytes(body))) }
        call.return(.map(fields))
      }
    ])

  static let stubIndex = LuaLibrary.index(.stub, "answer")

  /// Implements `lull.testing.stub{ ["GET /users/7"] = { status =, headers =, json =, body = }, …
  /// }`.
  static func makeStub(_ call: Call) throws(Misuse) {
    let stubs = StubAnswers(log: call.pump.log)
    try LuaTable(call.index(0), in: call.state).forEachField { key, value throws(Misuse) in
      guard let name = key.string, let space = name.firstIndex(of: " ") else {
        throw .message(
          "a stub's key is a method and a path, such as \"GET /users/7\", got "
            + key.described)
      }
      guard value.kind == Int32(LULL_TABLE) else {
        throw .message("the stub '\(name)' must be a table, got \(value.typeName)")
      }
      let result = try call.reading.answers.result(
        table: LuaTable.visitedIndex(in: call.state), call.state, url: "")
      let path = name[name.index(after: space)...].drop { $0 == " " }
      guard !path.isEmpty else {
        throw .message(
          "a stub's key is a method and a path, such as \"GET /users/7\", got "
            + key.described)
      }
      stubs.add(
        method: try MethodReader.method(String(name[..<space])), path: String(path), result)
    }
    call.return(
      .method(
        index: APIOwner.stubIndex, handle: call.handles.insert(stubs, kind: .stub),
        service: 0))
  }
}
