import CLullBridge
import LullCore
import LullLuaSource

extension APIOwner {
  static let service = APIOwner.object(
    .service, receiver: "service",
    "A web API: a base URL, configuration by URL pattern, and the resources in memory.",
    """
    In one service, the same URL always returns the same resource; services do not share \
    resources.
    """,
    swift: "Service",
    groups: [serviceResources, serviceConfiguration, serviceMemory],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let service = try call.service
        let name = service.name ?? service.baseURL.map { LogText.url($0.text) } ?? "no base URL"
        call.return(.string("Service(\(name))"))
      }
    ])

  private static let serviceResources: [APIEntry] = [
    .property(
      "base_url", "string?",
      "The base URL, whose path ends in one slash; nil if the service has no base URL.",
      swift: "Service.baseURL", rules: "SVC-01 SVC-02 SVC-04 SVC-05"
    ) { call throws(Misuse) in
      let service = try call.service
      call.return(service.baseURL.map { .string($0.text) } ?? .nil)
    },
    .property(
      "name", "string?", "The name that the service was made with, for logs and `tostring`.",
      swift: "Service.name"
    ) { call throws(Misuse) in
      call.return(try call.service.name.map { .string($0) } ?? .nil)
    },
    .method(
      "resource", "(path: string): Resource", "The resource at a path below the base URL.",
      """
      The base URL and the path are joined with one slash. All of `path` counts as path: `?` and \
      bytes that are not UTF-8 are escaped. The segments `.` and `..` are sent unchanged; a path \
      that leads above the base URL is logged when it is requested. Sends nothing and runs no \
      settings function. Without a base URL, the result is an invalid resource, whose requests \
      fail.
      """,
      example: """
        print(api:resource("users/7") == api:resource("/users/7"))   --> true
        """,
      swift: "Service.resource(_:)",
      rules: "SVC-07 SVC-08 SVC-09 SVC-10 SVC-11 SVC-24 SVC-34 SVC-39"
    ) { call throws(Misuse) in
      call.lead(to: try call.resource(below: call.service))
    },
    .operation(
      "__call", "(path: string): Resource", shown: "service(path)",
      "The same as `service:resource(path)`.",
      example: """
        print(api("/users/7") == user)             --> true
        """
    ) { call throws(Misuse) in
      call.lead(to: try call.resource(below: call.service))
    },
    .operation(
      "__index", "(name: string): fun(api: Service, ...: any): any", shown: "service.<function>",
      "Your own method: one of the `functions` that the service was made with.",
      example: """
        local shop = lull.service{ base_url = "https://shop.example", functions = {
          product = function(self, id) return self("/products"):child(id) end,
        } }
        print(shop:product(7).url)                 --> https://shop.example/products/7
        """, rules: "SVC-120"
    ) { call throws(Misuse) in try serviceFunction(call) },
    .method(
      "resource_at", "(url?: string): Resource",
      "The resource with exactly the given absolute URL.",
      """
      The service's base URL is ignored. An empty path becomes `/`, and an international host name \
      is converted: `http://bücher.example` becomes `http://xn--bcher-kva.example/`. nil, null and \
      an invalid URL return an invalid resource; no error is raised.
      """,
      example: """
        print(api:resource_at("https://other.example.com/x").url)  --> https://other.example.com/x
        """,
      swift: "Service.resource(absoluteURL:)", rules: "SVC-16 SVC-17 SVC-18 SVC-19 SVC-22 SVC-40",
      arguments: "L"
    ) { call throws(Misuse) in
      let service = try call.service
      call.lead(to: service.resource(absoluteURL: try call.optionalLink(1)?.urlText))
    },
    .method(
      "resource_under", "(base_url: string, path: string): Resource",
      "The resource at a path below a base URL other than that of the service.",
      example: """
        print(api:resource_under("https://a.test", "b").url)     --> https://a.test/b
        """,
      swift: "Service.resource(baseURL:path:)", rules: "SVC-13 SVC-14 SVC-15"
    ) { call throws(Misuse) in
      let service = try call.service
      let base = call.raw(1).urlText ?? ""
      call.noteQuery(inPath: call.raw(2))
      let resource = call.raw(2).withBytes {
        service.resource(baseURL: base, pathBytes: $0)
      }
      call.lead(to: resource ?? service.resource(baseURL: base, path: ""))
    },
  ]

  private static let serviceConfiguration: [APIEntry] = [
    .method(
      "configure",
      """
      (settings: Settings|SettingsFunction): Service
      (pattern: Pattern?, settings: Settings|SettingsFunction, options?: ConfigureOptions): Service
      """,
      "Sets headers, times, limits and the pipeline for the resources that match a pattern.",
      """
      This call computes nothing. Each resource computes its configuration when the configuration \
      is needed, by running the matching entries in the order in which they were added; later \
      entries see and override the settings of earlier entries. If two functions, or a function \
      and a table, are passed, the first is a pattern function and the second has the settings for \
      the URLs that match. To set options for a function that applies to every resource, call \
      `configure(nil, fn, options)`. A settings function must return at once. If it raises an \
      error, the requests that it applies to fail with kind `script_error` and are not sent.

      If the service has a base URL, headers that are set without a pattern are sent only to the \
      origin of the base URL, except `Accept*`, `Content-*` and `User-Agent`: links and pages on \
      another origin are requested without these headers. To send headers to another origin, set \
      them with a pattern for that origin, such as `"https://files.example/**"`; \
      `resource:explain` shows which headers are not sent. A request to another origin with a \
      secret, also with a secret in `auth`, fails unless the `origins` of the secret include that \
      origin.
      """,
      example: """
        api:configure{ headers = { Accept = "application/json" } }
        api:configure("/users/*", { expiration_time = 300 })
        api:configure("/**", function(config) config.headers["X-Token"] = "secret" end,
          { methods = { "GET" }, description = "auth token" })
        print(api:configuration_for(user).headers["x-token"])    --> secret
        """,
      swift: "Service.configure(_:requestMethods:description:configurer:)",
      rules: "CFG-02 CFG-05 CFG-06 CFG-07 CFG-09 CFG-13 CFG-14", arguments: "*"
    ) { call throws(Misuse) in
      try ConfigureArguments(call).register(call)
      call.returnSelf()
    },
    .method(
      "transform",
      """
      (fn: Transformer, options?: TransformOptions): Service
      (pattern: Pattern?, fn: Transformer, options?: TransformOptions): Service
      """,
      "Adds a transformer to the pipeline: a function that turns content into other content.",
      """
      The function is called once per response with the content and the whole entity, and returns \
      the new content; if it returns nil, the request fails. The function may wait, and the \
      request then waits too. If the function raises a request error, this error becomes the \
      response; any other error fails the request with kind `script_error` and is reported. The \
      function replaces the existing transformers of its stage for matching URLs and methods, \
      unless `action` is `"append"`.
      """,
      example: """
        api:transform("/users/*", function(content) return content.name:upper() end)
        print(assert(user:load():await()).content) --> ANN
        """, swift: "Service.configureTransformer(…)",
      rules: "TRF-04 TRF-13 TRF-14 TRF-15 TRF-17 TRF-19 TRF-21 TRF-23", arguments: "*"
    ) { call throws(Misuse) in
      try TransformArguments(call).register(call)
      call.returnSelf()
    },
    .method(
      "configuration_for", "(resource: Resource|string, method?: string): Settings",
      "The settings that apply to a resource, for GET or another method: a read-only table.",
      """
      A string is a path below the base URL, as for `service:resource`, unless the string is a URL \
      with scheme and host.
      """,
      example: """
        print(api:configuration_for(user, "POST").timeout)   --> 60.0
        print(api:configuration_for("/users/7").timeout)     --> 60.0
        """, swift: "Resource.configuration(for:)", rules: "CFG-01 CFG-08 CFG-120"
    ) { call throws(Misuse) in
      let service = try call.service
      let resource: Resource
      if let given = call.object(1, .resource, as: Resource.self) {
        resource = given
      } else if call.raw(1).kind == Int32(LULL_STRING) {
        resource = call.resource(called: 1, of: service)
      } else {
        throw .argument(
          1, "Resource, path or URL expected, got \(call.raw(1).typeName)")
      }
      var method = resource.configuredMethod
      if let name = call.optionalString(2) { method = try MethodReader.method(name) }
      let settings = resource.configuration(for: method)
      let headers = call.values.of(
        HeadersBox(read: { settings.headers.lines }, write: nil), .headers)
      call.return(
        .readOnly(
          Setting.all.compactMap { setting in
            if setting.name == "headers" { return (setting.name, headers) }
            return setting.value(settings).map { (setting.name, $0) }
          }))
    },
    .method(
      "invalidate_configuration", "(): Service",
      "Makes every resource compute its configuration again when it next needs it.",
      """
      Call this if settings functions read variables that have changed. The call runs no settings \
      function.
      """,
      example: """
        local token = "old"
        api:configure(function(config) config.headers["X-Token"] = token end)
        token = "new"
        api:invalidate_configuration()
        print(api:configuration_for(user).headers["x-token"])    --> new
        """,
      swift: "Service.invalidateConfiguration()", rules: "CFG-11 CFG-12 CFG-13"
    ) { call throws(Misuse) in
      try call.service.invalidateConfiguration()
      call.returnSelf()
    },
  ]

  private static let serviceMemory: [APIEntry] = [
    .method(
      "wipe_resources", "(pattern?: Pattern): Service",
      "Wipes all resources in memory, or those that match a pattern.",
      "Unused resources are dropped first. An error in a pattern function is raised here.",
      example: """
        assert(user:load():await())
        api:wipe_resources("/users/*")
        print(user.latest_data)                    --> nil
        """,
      swift: "Service.wipeResources(matching:)", rules: "WIPE-09 WIPE-11 WIPE-14 PAT-22"
    ) { call throws(Misuse) in
      let service = try call.service
      let pattern = try call.callbacks.pattern(call, 1, service: service, raising: true)
      do throws(RequestError) {
        try service.wipeResources(matching: pattern ?? .all)
      } catch {
        throw call.callbacks.raised(error)
      }
      call.returnSelf()
    },
    .method(
      "invalidate_resources", "(pattern?: Pattern): Service",
      "Invalidates all resources in memory, or those that match a pattern.",
      """
      The data of the resources stays, and no request starts. The cache entries of the resources \
      become stale too. An error in a pattern function is raised here.
      """,
      swift: "Service.invalidateResources(matching:)", rules: "INV-01 INV-02 INV-59"
    ) { call throws(Misuse) in
      let service = try call.service
      let pattern = try call.callbacks.pattern(call, 1, service: service, raising: true)
      do throws(RequestError) {
        try service.invalidateResources(matching: pattern ?? .all)
      } catch {
        throw call.callbacks.raised(error)
      }
      call.returnSelf()
    },
    .method(
      "resources", "(): fun(): Resource?",
      "Iterates over the resources in memory.",
      "Iterating does not create or load anything, and does not count as use of a resource.",
      example: """
        for resource in api:resources() do print(resource) end   --> Resource(/users/7 [])
        """, rules: "SVC-28"
    ) { call throws(Misuse) in
      let service = try call.service
      let iterator = ResourceIterator(service)
      call.return(
        .method(
          index: APIOwner.nextResourceIndex,
          handle: call.handles.insert(iterator, kind: .iterator),
          service: call.handles.handle(of: service)))
    },
    .method(
      "flush_unused_resources", "(): Service",
      "Drops unused resources, after a full collection of Lua's garbage.",
      """
      A resource is in use if a script refers to it, or if it has an observer or a request in \
      flight.
      """,
      swift: "Service.flushUnusedResources()", rules: "SVC-30 SVC-33 WC-04 WC-05"
    ) { call throws(Misuse) in
      try call.service.flushUnusedResources()
      call.returnSelf()
    },
    .property(
      "cached_resource_count_limit", "integer",
      "The number of resources in memory above which unused ones are evicted; default 2048.",
      """
      The least recently used resources are evicted first; resources in use stay. Lowering the \
      limit evicts resources at once.
      """,
      swift: "Service.cachedResourceCountLimit", rules: "SVC-31 SVC-32 WC-07 WC-09"
    ) { call throws(Misuse) in
      call.return(.int(Int64(try call.service.cachedResourceCountLimit)))
    } set: { call throws(Misuse) in
      let value = call.raw(1)
      guard value.kind == Int32(LULL_INTEGER), value.integer >= 0 else {
        throw .message(
          "'cached_resource_count_limit' must be a whole number, 0 or more, got "
            + value.described)
      }
      try call.service.cachedResourceCountLimit = Int(value.integer)
    },
    .property(
      "cached_resource_byte_limit", "integer",
      """
      The number of bytes of all unused resources above which unused resources are evicted; \
      default 256 MB.
      """,
      swift: "Service.cachedResourceByteLimit", rules: "SVC-31"
    ) { call throws(Misuse) in
      call.return(.int(Int64(try call.service.cachedResourceByteLimit)))
    } set: { call throws(Misuse) in
      let value = call.raw(1)
      guard value.kind == Int32(LULL_INTEGER), value.integer >= 0 else {
        throw .message(
          "'cached_resource_byte_limit' must be a whole number of bytes, 0 or more, got "
            + value.described)
      }
      try call.service.cachedResourceByteLimit = Int(value.integer)
    },
    .property(
      "is_offline", "boolean",
      "Whether loads use only memory and caches, whatever the age of their data.",
      """
      Existing data counts as up to date and keeps its age. A load of data that is in no cache \
      fails with kind `offline` before it is sent, and so does every request that is not a load. A \
      `lull.cache.file()` also contains data that other processes have stored.
      """,
      example: """
        api:configure { pipeline = { parsing = { cache = lull.cache.memory() } } }
        assert(user:load():await())
        user:wipe()
        api.is_offline = true
        print(assert(user:load():await()).content.name)           --> Ann
        local _, problem = api("/users/8"):load():await()
        print(problem.cause.kind)                                 --> offline
        """,
      swift: "Service.isOffline", rules: "LOAD-01 CACHE-01"
    ) { call throws(Misuse) in
      call.return(.bool(try call.service.isOffline))
    } set: { call throws(Misuse) in
      try call.service.isOffline = call.raw(1).flag("is_offline")
    },
  ]
}

extension APIOwner {
  /// The iterator returned by `service:resources()`.
  static let iteratorFunctions = APIOwner.unseen(
    .iterator,
    hidden: [
      .hidden("next") { call throws(Misuse) in
        let resource = try call.selfObject(.iterator, as: ResourceIterator.self).next()
        call.return(resource.map { call.values.of($0) } ?? .nil)
      }
    ])

  /// Stores the functions from a service's table of functions, and returns their IDs, keyed by
  /// function name. The caller must anchor the functions.
  static func serviceFunctions(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> [String: Int64]
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'functions' must be a table of functions by name, got \(value.typeName)")
    }
    var functions: [String: Int64] = [:]
    try LuaTable(index, in: call.state).forEachField { key, field throws(Misuse) in
      guard key.kind == Int32(LULL_STRING), let name = key.string, LuaToken.isName(name) else {
        throw .message("'functions' must have names as keys, got \(key.described)")
      }
      guard field.kind == Int32(LULL_FUNCTION) else {
        throw .message("'functions.\(name)' must be a function, got \(field.typeName)")
      }
      guard !isMember(name), !name.hasPrefix("__") else {
        throw .message("'functions.\(name)' is a name that every service has: choose another one")
      }
      functions[name] = try call.stored.keep(call.state, LuaTable.visitedIndex(in: call.state))
    }
    return functions
  }

  private static func isMember(_ name: String) -> Bool {
    APIOwner.service.entries.contains { $0.name == name }
  }

  /// Returns the service's custom function to the script. The first argument is the name of the
  /// function. Throws if the service has no such function.
  static func serviceFunction(_ call: Call) throws(Misuse) {
    let service = try call.service
    let key = call.raw(1)
    guard key.kind == Int32(LULL_STRING), let name = key.string else {
      throw .message("a Service has no field of type \(key.typeName)")
    }
    if let function = service.hostFunctions[name] { return call.return(.ref(function)) }
    let suggestion = FieldSuggestion(library: call.bridge.library)
    let code = suggestion.code(for: name, of: .service, and: service.hostFunctions.keys.sorted())
    let hint = code.map { " (did you mean '\($0)'?)" } ?? ""
    throw .message("a Service has no field '\(LogText.part(name, limit: 60))'\(hint)")
  }

  static let nextResourceIndex = LuaLibrary.index(.iterator, "next")
}

/// The arguments of `configure([pattern,] settings_or_function [, options])`.
private struct ConfigureArguments {
  let pattern: ConfigurationPattern?
  let apply: ConfigurationBlock
  /// Whether the settings are the same for every resource. True for a table, not for a function.
  var isConstant = false
  var methods: Set<RequestMethod>?
  var description: String?

  init(_ call: Call) throws(Misuse) {
    let service = try call.service
    guard call.count > 1 else {
      throw .argument(1, "settings expected: a table or a function")
    }
    // A single argument is the settings. Two functions, or a function and a table, are a predicate
    // and its settings.
    let settingsPosition = call.count == 2 ? 1 : 2
    pattern = settingsPosition == 2 ? try call.callbacks.pattern(call, 1, service: service) : nil
    let settings = call.raw(settingsPosition)
    let index = call.index(settingsPosition)
    switch Int(settings.kind) {
    case Int(LULL_TABLE):
      let changes = try Setting.changes(call, table: index, service: service)
      isConstant = true
      apply = { (configuration: inout Configuration) throws(RequestError) in
        for change in changes { change(&configuration) }
      }
    case Int(LULL_FUNCTION):
      let id = try call.stored.keep(call.state, index, anchoredTo: service)
      apply = call.callbacks.configurationBlock(id, service: service)
    default:
      throw .argument(
        settingsPosition,
        "settings expected: a table or a function, got \(settings.typeName)")
    }
    guard call.count > settingsPosition + 1 else { return }
    guard call.raw(settingsPosition + 1).kind == Int32(LULL_TABLE) else {
      throw .argument(
        settingsPosition + 1,
        "table expected, got \(call.raw(settingsPosition + 1).typeName)")
    }
    var methods: Set<RequestMethod>?
    var description: String?
    try call.reading.options.forEach(
      of: call.index(settingsPosition + 1), in: call.state, known: ["methods", "description"]
    ) { name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      if name == "methods" {
        methods = try MethodReader.methods(value, index, in: call.state)
      } else {
        description = try value.text(name)
      }
    }
    self.methods = methods
    self.description = description
  }

  func register(_ call: Call) throws(Misuse) {
    try call.service.configure(
      pattern, requestMethods: methods, description: description, source: call.place,
      isConstant: isConstant, configurer: apply)
  }
}
