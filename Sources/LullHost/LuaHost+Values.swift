import CLullBridge
import LullCore
import LullTransport

extension LuaHost {
  // MARK: Hooks

  /// Keeps the hook with the request: with its userdata while it has not been delivered, else until
  /// its own delivery.
  func addHook(
    _ call: Call, _ name: String,
    _ attach: (Request, @escaping ([LuaValue]) -> Void) -> Void
  ) throws(Misuse) {
    let request = try call.request
    let id = try kept.keep(call.state, call.index(1))
    let isLate = request.lifecycle.hooksDelivered
    if isLate {
      _ = kept.pin(id)
    } else if lull_value_anchor_to_object(bridge.pointer, request.hostHandle, id, id) != 0 {
      throw .message("not enough memory")
    }
    attach(request) { [unowned self, unowned request] arguments in
      // A hook that waits may outlive everybody else's interest in its request.
      let request = request
      let context = RunContext(purpose: name) { [unowned self] outcome in
        if case .failed(let failure) = outcome {
          report(
            failure, in: kept.named("\(name) hook", id) + " of \(request.description)",
            request: RequestFacts(request))
        }
      }
      coroutines.start(Callable(id: id), arguments, context)
    }
    // Whether the hook applied or not: this one is delivered after it.
    if isLate { request.onCompletion { [unowned self] _ in kept.unpin(id) } }
    call.returnSelf()
  }

  // MARK: What scripts hand over

  func contentType(ofOption value: lull_value, _ name: String) throws(Misuse) -> String {
    guard let text = value.string else {
      throw .message("'\(name)' must be a string, got \(value.typeName)")
    }
    try value.requireText("'\(name)'")
    return text
  }

  /// The value of an option that becomes a header `content-type`.
  func headerValue(ofOption value: lull_value, _ name: String) throws(Misuse) -> String {
    let text = try contentType(ofOption: value, name)
    guard Headers.isValue(text.utf8) else {
      throw .message("'\(name)' must not contain line breaks or zero bytes")
    }
    return text
  }

  /// Header values of a script: a string, number or secret sets, a list sends several, `false` removes
  /// and keeps off what would be sent by itself.
  ///
  /// - Parameter allowsSecrets: whether these are headers of a request.
  func setHeader(
    _ name: String, _ value: lull_value, _ state: OpaquePointer?, _ index: Int32,
    in headers: inout Headers, allowsSecrets: Bool = false
  ) throws(Misuse) {
    if let problem = Headers.problem(name, EmptyCollection()) { throw .message(problem) }
    switch Int(value.kind) {
    case Int(LULL_NIL): headers.remove(name)
    case Int(LULL_BOOLEAN) where value.integer == 0: headers.omit(name)
    case Int(LULL_TABLE):
      headers.remove(name)
      var values: [(position: Int64, text: [UInt8], secret: SecretText?)] = []
      try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
        let secret = allowsSecrets ? self.secret(element) : nil
        let masked = secret.map { Array($0.masked.utf8) }
        guard key.kind == Int32(LULL_INTEGER), let text = masked ?? element.textBytes
        else { throw .message("header '\(name)' must be a string or a list of strings") }
        values.append((key.integer, text, secret))
      }
      guard !values.isEmpty else {
        throw .message("header '\(name)' must be a string or a list of strings, got an empty table")
      }
      for value in values.sorted(by: { $0.position < $1.position }) {
        try LuaHost.checkHeaderValue(value.text, name)
        if let secret = value.secret {
          headers.add(name, secret)
        } else {
          headers.add(name, bytes: value.text)
        }
      }
    case Int(LULL_OBJECT):
      guard allowsSecrets, let secret = secret(value) else { fallthrough }
      try LuaHost.checkHeaderValue(Array(secret.masked.utf8), name)
      headers.remove(name)
      headers.add(name, secret)
    default:
      guard let text = value.textBytes else {
        throw .message(
          "header '\(name)' must be a string or a list of strings, got "
            + value.typeName)
      }
      try LuaHost.checkHeaderValue(text, name)
      headers.set(name, bytes: text)
    }
  }

  private static func checkHeaderValue(_ bytes: [UInt8], _ name: String) throws(Misuse) {
    if let problem = Headers.problem(name, bytes) { throw .message(problem) }
  }

  func setHeaders(
    _ table: Int32, _ state: OpaquePointer?, in headers: inout Headers,
    allowsSecrets: Bool = false
  ) throws(Misuse) {
    var result = headers
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      guard let name = key.string else {
        throw .message("header names must be strings, got \(key.typeName)")
      }
      try setHeader(
        name, value, state, LuaTable.visitedIndex(in: state), in: &result,
        allowsSecrets: allowsSecrets)
    }
    headers = result
  }

  // MARK: Networking answers

  static let answerKeys = ["status", "headers", "body", "json", "text"]

  /// What a `networking` function returned or gave to `complete`: a table, or nil and an error, or
  /// both.
  func networkResult(
    _ first: lull_value, _ second: lull_value, _ state: OpaquePointer?, _ index: Int32,
    url: String
  ) throws(Misuse) -> NetworkResult {
    var result = NetworkResult()
    if first.kind == Int32(LULL_TABLE) {
      result = try networkResult(table: index, state, url: url)
    } else if first.kind != Int32(LULL_NIL) {
      throw .message(
        "a networking function answers with a table { status =, headers =, body = }, got "
          + first.typeName)
    }
    if let box = handles.object(second, .error, as: ErrorBox.self) {
      result.error = LuaHost.networkResult(box.error).error
      result.requestError = box.error
    } else if let text = second.text {
      result.error = TransportError(.network, text)
    } else if result.response == nil {
      throw .message("a networking function must answer with a table or an error")
    }
    return result
  }

  func networkResult(table: Int32, _ state: OpaquePointer?, url: String) throws(Misuse)
    -> NetworkResult
  {
    var status = 200
    var headers = Headers()
    var body: [UInt8]?
    var defaultType: String?
    try forEachOption(of: table, in: state, known: LuaHost.answerKeys) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch name {
      case "status":
        guard value.kind == Int32(LULL_INTEGER), (100...999).contains(value.integer) else {
          throw .message(
            "'status' must be an HTTP status, such as 200, got \(value.described)")
        }
        status = Int(value.integer)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else { throw .message("'headers' must be a table") }
        try setHeaders(index, state, in: &headers)
      case "json":
        switch encodeJSON(state, index) {
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
      response: HTTPResponse(status: status, headers: headers, url: url), body: body)
  }

  /// An error of Lull's as it is; to policies it is one of the network.
  static func networkResult(_ error: RequestError) -> NetworkResult {
    var result = NetworkResult(error: TransportError(.network, error.userMessage))
    if case .transport(let transport) = error.cause { result.error = transport }
    result.requestError = error
    return result
  }
}

extension LuaHost {
  /// `lull.demo()`: the sample API, started once.
  func demoURL() throws(TransportError) -> String {
    if let demo { return demo.url }
    // Whoever only looks does not start it.
    if isInspecting { return "http://127.0.0.1" }
    guard let path = DemoServer.find() else {
      throw TransportError(
        .connection,
        "the sample API, lull-demo, was not found beside lull, beside lull.so or on the PATH; "
          + "set LULL_DEMO to where it is")
    }
    let server = try DemoServer(path: path)
    demo = server
    return server.url
  }
}
