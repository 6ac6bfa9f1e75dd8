import CLullBridge
import LullCore

extension Method {
  static let completeIndex = index(.completion, "complete")
  static let reportIndex = index(.completion, "report")
  static let stubIndex = index(.stub, "answer")

  static let networkingMethods: [Method] = [
    .method(.completion, "complete", "VV") { call throws(Misuse) in
      let answer = try call.selfObject(.completion, as: NetworkAnswer.self)
      if answer.isGiven {
        call.pump.log(.network, "\(LogText.url(answer.url)): a second answer was ignored")
        return
      }
      answer.complete(
        try call.reading.answers.result(
          call.raw(1), call.raw(2), call.state, call.index(1), url: answer.url))
    },
    // `report{ sent =, to_send =, received =, to_receive = }`: any of them, the others stay.
    .method(.completion, "report", "t") { call throws(Misuse) in
      let answer = try call.selfObject(.completion, as: NetworkAnswer.self)
      var metrics = answer.metrics
      try call.reading.options.forEach(
        of: call.index(1), in: call.state, known: ["sent", "to_send", "received", "to_receive"]
      ) { name, value throws(Misuse) in
        guard let count = value.wholeNumber else {
          throw .message("'\(name)' must be a number of bytes, got \(value.typeName)")
        }
        switch name {
        case "sent": metrics.requestBytesSent = count
        case "to_send": metrics.requestBytesTotal = count
        case "received": metrics.responseBytesReceived = count
        default: metrics.responseBytesTotal = count
        }
      }
      answer.metrics = metrics
    },
    // The function `lull.testing.stub` returns, called like any networking function.
    .method(.stub, "answer", "*") { call throws(Misuse) in
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
    },
  ]
}

extension Method {
  /// `lull.testing.stub{ ["GET /users/7"] = { status =, headers =, json =, body = }, … }`
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
        index: Method.stubIndex, handle: call.handles.insert(stubs, kind: .stub),
        service: 0))
  }

  /// The provider for `networking = fn`: stubs answer without a detour through Lua.
  static func networking(_ call: Call, _ index: Int32) throws(Misuse) -> (
    provider: any NetworkingProvider, anchor: Int64
  ) {
    let id = try call.kept.keep(call.state, index)
    var bound = lull_value()
    if lull_bound_object(call.state, index, &bound) != 0,
      let stubs = call.handles.object(bound, .stub, as: StubAnswers.self)
    {
      return (stubs, id)
    }
    let networking = LuaNetworking(
      id, call.callbacks, call.reading.answers, log: call.pump.log)
    return (networking, id)
  }
}
