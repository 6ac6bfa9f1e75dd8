import CLullBridge
import LullCore

extension Method {
  static let moduleMethods: [Method] = [
    .function("service", "v") { call throws(Misuse) in try makeService(call) },
    .function("error", "v") { call throws(Misuse) in try makeError(call) },
    .function("entity", "t") { call throws(Misuse) in try makeEntity(call) },
    .function("spawn", "f*") { call throws(Misuse) in try call.tasks.spawn(call) },
    .function("sleep", "n") { call throws(Misuse) in try sleep(call) },
    .function("run", "F") { call throws(Misuse) in try run(call) },
    .function("now") { call throws(Misuse) in
      call.return(.number(call.pump.clock.now))
    },
    .function("stats") { call throws(Misuse) in
      call.return(.map(call.statistics.map { ($0.name, .int(Int64($0.count))) }))
    },
    .function("on_error", "F") { call throws(Misuse) in
      let handler = call.isNil(0) ? nil : try call.kept.keep(call.state, call.index(0))
      try call.reporter.setHandler(handler)
    },
    .function("regex", "sS") { call throws(Misuse) in try makeRegex(call) },
    .function("demo") { call throws(Misuse) in
      do throws(TransportError) {
        // Whoever only looks does not start it.
        let url = call.permissions.isOnlyLooking ? "http://127.0.0.1" : try call.sampleAPI.url()
        call.return(.string(url))
      } catch {
        throw .message(error.message)
      }
    },
    .function("repl") { call throws(Misuse) in try openSession(call) },
    .function("help", "V") { call throws(Misuse) in printHelp(call) },
    .function("testing.stub", "t") { call throws(Misuse) in try makeStub(call) },
    .function("os.exit", "VV") { call throws(Misuse) in try exit(call) },
  ]
}

extension Method {
  /// `lull.service(base_url)` or `lull.service{ base_url =, name =, networking =, … }`.
  private static func makeService(_ call: Call) throws(Misuse) {
    switch Int(call.raw(0).kind) {
    case Int(LULL_STRING):
      let service = Service(
        baseURL: call.raw(0).urlText, networking: call.environment.defaultNetworking(),
        pump: call.pump)
      call.return(call.values.of(service))
    case Int(LULL_TABLE): try makeService(call, table: call.index(0))
    default:
      throw .argument(
        1, "base URL or table of settings expected, got \(call.raw(0).typeName)")
    }
  }

  private static let serviceKeys = [
    "base_url", "name", "networking", "standard_transformers", "offline", "null", "functions",
  ]

  private static func makeService(_ call: Call, table: Int32) throws(Misuse) {
    var baseURL: String?
    var name: String?
    var networking: (provider: any NetworkingProvider, anchor: Int64)?
    var transformers = StandardTransformer.allCases
    var isOffline = false
    var omitsNulls = false
    var functions: [String: Int64] = [:]
    // A first look, for what the service is made of; settings need the service to exist.
    let known = serviceKeys + Setting.names
    try call.reading.options.forEach(of: table, in: call.state, known: known) {
      key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch key {
      case "base_url":
        guard let text = value.urlText else {
          throw .message("'base_url' must be a string, got \(value.typeName)")
        }
        baseURL = text
      case "name": name = try value.text(key)
      case "offline": isOffline = try value.flag(key)
      case "null": omitsNulls = try Method.omitsNulls(value)
      case "networking":
        guard value.kind == Int32(LULL_FUNCTION) else {
          throw .message("'networking' must be a function, got \(value.typeName)")
        }
        networking = try Method.networking(call, index)
      case "standard_transformers": transformers = try standardTransformers(call, value, index)
      case "functions": functions = try serviceFunctions(call, value, index)
      default: break
      }
    }
    let service = Service(
      baseURL: baseURL, name: name, standardTransformers: transformers,
      networking: networking?.provider ?? call.environment.defaultNetworking(),
      pump: call.pump)
    service.isOffline = isOffline
    service.omitsNulls = omitsNulls
    service.hostFunctions = functions
    let result = call.values.of(service)
    // Pinned while closures are anchored to its userdata, which nobody holds yet.
    var object = call.writer.encode(result)
    guard lull_object_pin(call.bridge.pointer, &object) == 0 else {
      call.handles.releaseUnclaimed(object.handle)
      throw .message("not enough memory")
    }
    defer { lull_object_unpin(call.bridge.pointer, service.hostHandle) }
    if let networking {
      call.kept.anchor(networking.anchor, from: service.hostHandle)
    }
    for function in functions.values { call.kept.anchor(function, from: service.hostHandle) }
    let changes = try Setting.changes(
      call, table: table, service: service, beside: serviceKeys)
    if !changes.isEmpty {
      service.configure(
        nil, requestMethods: nil, description: "lull.service", source: call.place, isConstant: true
      ) { (settings: inout Configuration) in
        for change in changes { change(&settings) }
      }
    }
    call.return(result)
  }

  /// `null`: "nil" makes tables without nulls, "lull.null" is the default.
  private static func omitsNulls(_ value: lull_value) throws(Misuse) -> Bool {
    switch value.string {
    case "nil": return true
    case "lull.null": return false
    default: throw .message("'null' must be \"nil\" or \"lull.null\", got \(value.described)")
    }
  }

  private static func standardTransformers(_ call: Call, _ value: lull_value, _ index: Int32)
    throws(Misuse) -> [StandardTransformer]
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'standard_transformers' must be a list of \"json\" and \"text\"")
    }
    var chosen: [StandardTransformer] = []
    try LuaTable(index, in: call.state).forEachField { _, element throws(Misuse) in
      let name = element.text ?? ""
      guard let transformer = StandardTransformer(rawValue: name) else {
        throw .message(
          "'standard_transformers' must be a list of \"json\" and \"text\", got "
            + element.described)
      }
      chosen.append(transformer)
    }
    return StandardTransformer.allCases.filter { chosen.contains($0) }
  }

  /// `lull.error{ user_message =, http_status =, cause =, entity = }`, or with the message alone.
  private static func makeError(_ call: Call) throws(Misuse) {
    var message: String?
    var status: Int?
    var entity: Entity?
    var cause: RequestError.Cause?
    var causeMessage: String?
    if call.raw(0).kind == Int32(LULL_STRING) {
      message = try call.text(0, argument: 1)
    } else if call.raw(0).kind == Int32(LULL_TABLE) {
      let known = ["user_message", "http_status", "status", "cause", "entity"]
      try call.reading.options.forEach(of: call.index(0), in: call.state, known: known) {
        name, value throws(Misuse) in
        switch name {
        case "user_message": message = try value.text(name)
        case "http_status", "status":
          guard value.kind == Int32(LULL_INTEGER) else {
            throw .message("'\(name)' must be a whole number, got \(value.described)")
          }
          guard status == nil else { throw NetworkAnswerReader.statusTwice }
          status = Int(value.integer)
        case "entity":
          guard let box = call.handles.object(value, .entity, as: EntityBox.self) else {
            throw .message("'entity' must be an Entity, got \(value.typeName)")
          }
          entity = box.settled
        default:
          let index = LuaTable.visitedIndex(in: call.state)
          causeMessage = try Method.causeMessage(value, index, call)
          cause = .custom(
            ScriptCause(
              value: ForeignContent(
                id: try call.kept.keep(call.state, index), typeName: value.typeName),
              text: causeMessage ?? value.typeName))
        }
      }
    } else {
      throw .argument(
        1, "message or table expected, got \(call.raw(0).typeName)")
    }
    // Without a message of its own: the cause's, the status phrase, or a plain one (ERR-02).
    var error = RequestError(
      httpStatusCode: status, entity: entity, cause: nil, timestamp: call.pump.clock.now)
    error.cause = cause
    if let message = message ?? causeMessage { error.userMessage = message }
    call.return(call.values.of(error, service: nil))
  }

  /// What a cause says for itself: the text it is, the message it has. (ERR-02)
  private static func causeMessage(_ value: lull_value, _ index: Int32, _ call: Call) throws(Misuse)
    -> String?
  {
    if let text = value.text { return text }
    if let box = call.handles.object(value, .error, as: ErrorBox.self) {
      return box.error.userMessage
    }
    var message: String?
    if value.kind == Int32(LULL_TABLE) {
      try LuaTable(index, in: call.state).forEachField { key, field throws(Misuse) in
        if key.string == "message" { message = field.text }
      }
    }
    return message
  }

  /// `lull.entity{ content =, content_type =, headers =, timestamp = }`: one of the script's own.
  private static func makeEntity(_ call: Call) throws(Misuse) {
    var content = Content.bytes([])
    var contentType: String?
    var headers = Headers()
    var timestamp = call.pump.clock.now
    let known = ["content", "content_type", "headers", "timestamp"]
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: known) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch name {
      case "content": content = try call.kept.content(value, call.state, index)
      case "content_type": contentType = try value.headerText(name)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'headers' must be a table, got \(value.described)")
        }
        try call.reading.headers.setAll(index, call.state, in: &headers)
      default:
        guard let seconds = value.double else {
          throw .message("'timestamp' must be a number, got \(value.described)")
        }
        timestamp = seconds
      }
    }
    let entity = Entity(
      content: content, contentType: contentType, headers: headers, timestamp: timestamp)
    call.return(
      call.values.of(EntityBox(entity, isOwn: true), .entity, anchor: content.foreignID ?? 0))
  }

  /// `lull.regex(pattern[, "i"])`: Perl's syntax, by PCRE2.
  private static func makeRegex(_ call: Call) throws(Misuse) {
    let source = try call.text(0, argument: 1)
    let flags = call.optionalString(1) ?? ""
    guard flags.isEmpty || flags == "i" else {
      throw .argument(2, "the only option is \"i\", got '\(flags)'")
    }
    guard !call.permissions.isSandboxed || source.unicodeScalars.count <= 256 else {
      throw .argument(1, "longer than 256 characters, which the sandbox does not allow")
    }
    do throws(RegexBox.Unusable) {
      call.return(call.values.of(try RegexBox(source, flags: flags), .regex))
    } catch {
      throw .argument(1, "'\(source)' is not a regular expression: \(error.message)")
    }
  }

  /// `os.exit` in the command: the code, and the way out of Ctrl-C.
  private static func exit(_ call: Call) throws(Misuse) {
    let value = call.raw(0)
    let code: Int32
    switch Int(value.kind) {
    case Int(LULL_NIL): code = 0
    case Int(LULL_BOOLEAN): code = value.integer != 0 ? 0 : 1
    default:
      guard let number = value.double, let whole = Int64(exactly: number) else {
        throw .argument(1, "an exit code expected, got \(value.typeName)")
      }
      code = Int32(truncatingIfNeeded: whole)
    }
    try end(call, code: code)
  }

  /// Ends the script with that exit code; in somebody else's interpreter by Lua's own `os.exit`.
  static func end(_ call: Call, code: Int32) throws(Misuse) {
    guard call.environment.ownsProcess else {
      call.return(.int(Int64(code)))
      call.frame.pointee.outcome = Int32(LULL_EXIT)
      return
    }
    // Before that: nothing of the script runs after it, not even its error handler.
    if !call.loop.isInterrupted { call.unhandled.report(atEnd: true) }
    call.loop.exit(code)
    // Suspended for good: nothing after it runs, and no pcall sees an error.
    if Int(lull_wait_mode(call.bridge.pointer, call.state)) == Int(LULL_WAIT_YIELD) {
      try call.waits.wait(call, for: "the end") { _ in {} }
    } else {
      // Where nothing can be suspended an error unwinds; whoever catches it is interrupted in turn.
      lull_state_interrupt(call.state)
      throw .message("the script called os.exit")
    }
  }
}

/// A cause a script made up: any value of its own.
struct ScriptCause: Error, CustomStringConvertible {
  let value: ForeignContent
  let text: String
  var description: String { text }
}
