import CLullBridge
import LullCore

extension APIOwner {
  static let lull = APIOwner.module(
    "lull", "The table that `require \"lull\"` returns.",
    """
    Misuse raises an error at the caller's line. External failures, such as those of the network, \
    never raise errors: they become the state of a resource, are passed to hooks, or are returned \
    as `nil, err`. Unknown keys in any table of options raise an error that names the nearest \
    known key. Durations are in seconds, timestamps in seconds since 1970, sizes in bytes. A \
    string that is not UTF-8 stays unchanged in bodies, contents and header values. Where only \
    text is possible, such a string raises an error or fails the request, and messages show its \
    bytes as escapes (`caf\\xE9`).
    """,
    groups: [
      moduleMakers, moduleOneOffs, moduleRequests, moduleBodies, moduleConcurrency, moduleScripting,
      moduleRunning, moduleSecrets, moduleShare, moduleDigests, moduleValues,
    ])

  private static let moduleMakers: [APIEntry] = [
    .function(
      "service",
      """
      (base_url: string): Service
      (options: ServiceOptions): Service
      """,
      "Makes a service: a web API with its resources, configuration and networking.",
      """
      Sends nothing. A base URL that is not valid is ignored, with a warning in the log. Without a \
      base URL, every resource made from a path is invalid and its requests fail.
      """,
      example: """
        local github = lull.service{ base_url = "https://api.github.com", expiration_time = 300 }
        print(github.base_url)                     --> https://api.github.com/
        """,
      swift: "Service.init(baseURL:name:on:standardTransformers:networking:isolation:)",
      rules: "SVC-01 SVC-04 SVC-05 SVC-35 SVC-36"
    ) { call throws(Misuse) in try makeService(call) },
    .function(
      "entity", "(fields: EntityFields): Entity",
      "Makes an entity, which can be changed until the entity becomes the data of a resource.",
      """
      A string as content is text if it is valid UTF-8, else bytes. The default timestamp is now.
      """,
      example: """
        local draft = lull.entity{ content = { name = "Dee" }, content_type = "application/json" }
        user:override_local_data(draft)
        print(user.content.name)                   --> Dee
        """,
      swift: "Entity.init(content:contentType:charset:headers:)", rules: "ENT-11 ENT-12"
    ) { call throws(Misuse) in try makeEntity(call) },
    .function(
      "error", "(error: string|ErrorFields): RequestError",
      """
      Makes a request error, to raise in a transformer or to return from a networking function.
      """,
      """
      A string argument is the message. The default message is the text of the cause, else the \
      phrase of the status, else "Request failed". Making an error does not raise it; \
      `error(lull.error{…})` does.
      """,
      example: """
        local err = lull.error{ http_status = 404 }
        print(err.user_message)                    --> Not found
        """,
      swift: "RequestError.init(userMessage:httpStatusCode:entity:cause:timestamp:)",
      rules: "ERR-01 ERR-02 TRF-14"
    ) { call throws(Misuse) in try makeError(call) },
    .function(
      "regex", "(pattern: string, options?: \"i\"): Regex",
      "Compiles a regular expression (PCRE2 syntax) for use as a URL pattern.",
      """
      The only option is `"i"`, which ignores letter case. The expression may match anywhere in \
      the URL. A search that takes more than a million steps fails the request.
      """,
      example: """
        api:configure(lull.regex("/USERS/[0-9]+$", "i"), { expiration_time = 300 })
        print(api:configuration_for(user).expiration_time)   --> 300.0
        """,
      swift: "ConfigurationPattern.regex(_:source:)", rules: "PAT-19 PAT-20 PAT-21 PAT-43"
    ) { call throws(Misuse) in try makeRegex(call) },
    .function(
      "status", "(resources: Resource|Resource[], options?: StatusOptions): Status",
      "The combined state of several resources, and a way to retry those that failed.",
      """
      Use a status to display several resources as one, as with Siesta's `ResourceStatusOverlay`. \
      This call observes nothing and loads nothing; `status:changes()` and `status:await()` wait \
      for changes.
      """,
      example: """
        local status = lull.status{ user, api("/users/8") }
        print(status.state)                        --> none
        lull.all{ user:load(), api("/users/8"):load() }
        print(status.state, status.has_all_data)   --> success true
        """,
      swift: "ResourceStatus.init(_:displayPriority:)", rules: "STA-120"
    ) { call throws(Misuse) in try makeStatus(call) },
  ]

  private static let moduleRequests: [APIEntry] = [
    .function(
      "success",
      """
      (fields: SuccessFields): Response
      (entity: Entity, options?: { is_new?: boolean }): Response
      """,
      "Makes a successful response, for chains and hard-wired requests.",
      example: """
        local empty = lull.hard_wired_request(lull.success{ content = lull.array{} })
        print(#assert(empty:await()).content)      --> 0
        """,
      swift: "Response.success(_:isNew:)", rules: "CHN-02 HW-02"
    ) { call throws(Misuse) in try makeSuccess(call) },
    .function(
      "failure", "(error: RequestError|string): Response",
      "Makes a failed response, for chains and hard-wired requests.",
      example: """
        local refused = lull.hard_wired_request(lull.failure("Not in this build"))
        print(select(2, refused:await()).user_message)       --> Not in this build
        """,
      swift: "Response.failure(_:)", rules: "CHN-02 HW-02"
    ) { call throws(Misuse) in
      let error: RequestError
      if let box = call.object(0, .error, as: ErrorBox.self) {
        error = box.settled
      } else if let text = call.raw(0).text {
        try call.raw(0).requireText("the message")
        error = RequestError(userMessage: text, timestamp: call.pump.clock.now)
      } else {
        throw .argument(
          1, "RequestError or message expected, got \(call.raw(0).typeName)")
      }
      call.return(call.values.of(.failure(error), service: nil))
    },
    .function(
      "failed_request", "(error: RequestError): Request",
      "Makes a request that has already failed with the given error, without network or pipeline.",
      """
      The request's hooks run once, on a later turn. Cancelling the request does nothing, and its \
      method `repeated()` returns the same request.
      """,
      example: """
        local refused = lull.failed_request(lull.error("Sign in first"))
        api:configure("/private/**", { decorate_requests = function() return refused end })
        print(select(2, api("/private/a"):load():await()).user_message)  --> Sign in first
        """,
      swift: "Resource.failedRequest(returning:)", rules: "HW-01 HW-03 HW-04 HW-05 REP-10"
    ) { call throws(Misuse) in
      guard let box = call.object(0, .error, as: ErrorBox.self) else {
        throw .argument(
          1, "RequestError expected, such as lull.error{…}, got \(call.raw(0).typeName)")
      }
      call.return(call.values.of(FixedRequest(.failure(box.settled), pump: call.pump)))
    },
    .function(
      "hard_wired_request", "(response: Response): Request",
      "Makes a request that already has the given response.",
      """
      The request's hooks run once, on a later turn. Cancelling the request does nothing, and its \
      method `repeated()` returns the same request.
      """,
      example: """
        local request = lull.hard_wired_request(lull.success{ content = "ready" })
        print(assert(request:await()).text)        --> ready
        """,
      swift: "Resource.hardWiredRequest(returning:)", rules: "HW-02 HW-03 HW-04 HW-05 REP-10"
    ) { call throws(Misuse) in
      guard let box = call.object(0, .response, as: ResponseBox.self) else {
        throw .argument(
          1,
          "Response expected, such as lull.success{…} or lull.failure(…), got "
            + call.raw(0).typeName)
      }
      call.return(call.values.of(FixedRequest(box.settled, pump: call.pump)))
    },
    .function(
      "custom_request", "(functions: CustomRequest): Request",
      """
      Makes a request whose response comes from your own functions instead of an exchange with a \
      server.
      """,
      """
      The returned request is not started yet. It starts with its method `start()`, in a chain, or \
      when a decorator returns the request. The function `start` is then called once, with a \
      function `complete`. The first call of `complete(response)` completes the request, without a \
      pipeline; later calls are ignored and logged. An error in any of your functions fails the \
      request with kind `script_error`. `start` may wait; the other functions must return at once.
      """,
      example: """
        local job = lull.custom_request{
          description = "two steps",
          start = function(complete) lull.sleep(0.1) complete(lull.success{ content = "done" }) end,
        }
        print(assert(job:start():await()).text)    --> done
        """,
      swift: "Resource.prepareRequest(using:)", rules: "DEL-01 DEL-03 DEL-04 DEL-06 DEL-07 DEL-09"
    ) { call throws(Misuse) in
      let options = call.reading.options
      let functions = try LuaRequestDelegate.Functions(
        call.index(0), in: call.state, options, call.stored)
      let delegate = LuaRequestDelegate(functions, call.callbacks, call.loop, options)
      call.return(call.values.of(CustomRequest(delegate: delegate, pump: call.pump)))
    },
  ]
}

extension APIOwner {
  /// Implements `lull.service(base_url)` and `lull.service{ base_url =, name =, networking =, … }`.
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
    // The options that are needed to create the service are read first. The settings are read
    // later, because they need an existing service.
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
      case "null": omitsNulls = try APIOwner.omitsNulls(value)
      case "networking":
        guard value.kind == Int32(LULL_FUNCTION) else {
          throw .message("'networking' must be a function, got \(value.typeName)")
        }
        networking = try APIOwner.networking(call, index)
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
    // The userdata is pinned while closures are anchored to it, because nothing else refers to the
    // userdata yet.
    var object = call.bridge.encode(result)
    guard lull_object_pin(call.bridge.pointer, &object) == 0 else {
      call.handles.releaseUnclaimed(object.handle)
      throw .message("not enough memory")
    }
    defer { lull_object_unpin(call.bridge.pointer, service.hostHandle) }
    if let networking {
      call.stored.anchor(networking.anchor, from: service.hostHandle)
    }
    for function in functions.values { call.stored.anchor(function, from: service.hostHandle) }
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

  /// Returns whether tables omit nulls, according to the option `null`: `"nil"` omits them, and
  /// `"lull.null"`, the default, does not.
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

  /// Implements `lull.error{ user_message =, http_status =, cause =, entity = }` and
  /// `lull.error(message)`.
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
          causeMessage = try APIOwner.causeMessage(value, index, call)
          cause = .custom(
            ScriptCause(
              value: ForeignContent(
                id: try call.stored.keep(call.state, index), typeName: value.typeName),
              text: causeMessage ?? value.typeName))
        }
      }
    } else {
      throw .argument(
        1, "message or table expected, got \(call.raw(0).typeName)")
    }
    // The default message is the message of the cause. Without a message there, it is the status
    // phrase, and without a status, a generic text. (ERR-02)
    var error = RequestError(
      httpStatusCode: status, entity: entity, cause: nil, timestamp: call.pump.clock.now)
    error.cause = cause
    if let message = message ?? causeMessage { error.userMessage = message }
    call.return(call.values.of(error, service: nil))
  }

  /// Returns the message of a cause: a string itself, the user message of an error, or the
  /// `message` field of a table. (ERR-02)
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

  /// Implements `lull.entity{ content =, content_type =, headers =, timestamp = }`, which creates
  /// an entity that belongs to the script.
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
      case "content": content = try call.stored.content(value, call.state, index)
      case "content_type": contentType = try value.headerText(name)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'headers' must be a table, got \(value.described)")
        }
        try call.reading.headers.edits(table: index, in: call.state).apply(to: &headers)
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

  /// Implements `lull.regex(pattern[, "i"])`. The pattern has Perl syntax and is matched by PCRE2.
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

  private static let successKeys = ["content", "content_type", "headers", "is_new"]

  /// Implements `lull.success{ content =, content_type =, headers =, is_new = }` and
  /// `lull.success(entity[, { is_new = }])`.
  private static func makeSuccess(_ call: Call) throws(Misuse) {
    var isNew = true
    if let box = call.object(0, .entity, as: EntityBox.self) {
      if !call.isNil(1) {
        try call.reading.options.forEach(of: call.index(1), in: call.state, known: ["is_new"]) {
          name, value throws(Misuse) in
          isNew = try flag(value, name)
        }
      }
      return call.return(call.values.of(.success(box.settled, isNew: isNew), service: box.service))
    }
    guard call.raw(0).kind == Int32(LULL_TABLE) else {
      throw .argument(1, "Entity or table expected, got \(call.raw(0).typeName)")
    }
    guard call.isNil(1) else {
      throw .argument(2, "options belong in the first table; a second one is only for an Entity")
    }
    var entity = Entity(content: .bytes([]), timestamp: call.pump.clock.now)
    var contentType: String?
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: successKeys) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch name {
      case "content": entity.content = try call.stored.content(value, call.state, index)
      case "content_type": contentType = try value.headerText(name)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else { throw .message("'headers' must be a table") }
        try call.reading.headers.edits(table: index, in: call.state).apply(to: &entity.headers)
      default: isNew = try flag(value, name)
      }
    }
    if let contentType { entity.headers["content-type"] = contentType }
    call.return(call.values.of(.success(entity, isNew: isNew), service: nil))
  }

  private static func flag(_ value: lull_value, _ name: String) throws(Misuse) -> Bool {
    guard let flag = value.bool else {
      throw .message("'\(name)' must be true or false, got \(value.typeName)")
    }
    return flag
  }
}

/// The cause of an error that a script created, which may be any Lua value.
struct ScriptCause: Error, CustomStringConvertible {
  let value: ForeignContent
  let text: String
  var description: String { text }
}
