import CLullBridge
import LullCore

extension Method {
  static let nextResourceIndex = index(.iterator, "next")

  static let serviceMethods: [Method] = [
    .getter(.service, "base_url") { call throws(Misuse) in
      let service = try call.service
      call.return(service.baseURL.map { .string($0.text) } ?? .nil)
    },
    .getter(.service, "name") { call throws(Misuse) in
      call.return(try call.service.name.map { .string($0) } ?? .nil)
    },
    .method(.service, "__index", "v") { call throws(Misuse) in try serviceFunction(call) },
    .method(.service, "resource", "s") { call throws(Misuse) in
      call.lead(to: try call.resource(below: call.service))
    },
    .method(.service, "__call", "s") { call throws(Misuse) in
      call.lead(to: try call.resource(below: call.service))
    },
    .method(.service, "resource_at", "L") { call throws(Misuse) in
      let service = try call.service
      call.lead(to: service.resource(absoluteURL: try call.optionalLink(1)?.urlText))
    },
    .method(.service, "resource_under", "ss") { call throws(Misuse) in
      let service = try call.service
      let base = call.raw(1).urlText ?? ""
      call.noteQuery(inPath: call.raw(2))
      let resource = call.raw(2).withBytes {
        service.resource(baseURL: base, pathBytes: $0)
      }
      call.lead(to: resource ?? service.resource(baseURL: base, path: ""))
    },
    .method(.service, "configure", "*") { call throws(Misuse) in
      try ConfigureArguments(call).register(call)
      call.returnSelf()
    },
    .method(.service, "transform", "*") { call throws(Misuse) in
      try TransformArguments(call).register(call)
      call.returnSelf()
    },
    .method(.service, "configuration_for", "vS") { call throws(Misuse) in
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
      let method = try MethodReader.method(call.optionalString(2) ?? "GET")
      let settings = resource.configuration(for: method)
      let headers = call.values.of(
        HeadersBox(read: { settings.headers }, write: nil), .headers)
      call.return(
        .readOnly(
          Setting.all.compactMap { setting in
            if setting.name == "headers" { return (setting.name, headers) }
            return setting.value(settings).map { (setting.name, $0) }
          }))
    },
    .method(.service, "invalidate_configuration") { call throws(Misuse) in
      try call.service.invalidateConfiguration()
      call.returnSelf()
    },
    .method(.service, "wipe_resources", "V") { call throws(Misuse) in
      let service = try call.service
      let pattern = try call.functions.pattern(call, 1, service: service, raising: true)
      do throws(RequestError) {
        try service.wipeResources(matching: pattern ?? .all)
      } catch {
        throw call.functions.raised(error)
      }
      call.returnSelf()
    },
    .method(.service, "invalidate_resources", "V") { call throws(Misuse) in
      let service = try call.service
      let pattern = try call.functions.pattern(call, 1, service: service, raising: true)
      do throws(RequestError) {
        try service.invalidateResources(matching: pattern ?? .all)
      } catch {
        throw call.functions.raised(error)
      }
      call.returnSelf()
    },
    .method(.service, "resources") { call throws(Misuse) in
      let service = try call.service
      let iterator = ResourceIterator(service)
      call.return(
        .method(
          index: Method.nextResourceIndex,
          handle: call.handles.insert(iterator, kind: .iterator),
          service: call.handles.handle(of: service)))
    },
    .method(.iterator, "next", "*") { call throws(Misuse) in
      let resource = try call.selfObject(.iterator, as: ResourceIterator.self).next()
      call.return(resource.map { call.values.of($0) } ?? .nil)
    },
    .method(.service, "flush_unused_resources") { call throws(Misuse) in
      try call.service.flushUnusedResources()
      call.returnSelf()
    },
    .getter(.service, "is_offline") { call throws(Misuse) in
      call.return(.bool(try call.service.isOffline))
    },
    .setter(.service, "is_offline") { call throws(Misuse) in
      try call.service.isOffline = call.raw(1).flag("is_offline")
    },
    .getter(.service, "cached_resource_count_limit") { call throws(Misuse) in
      call.return(.int(Int64(try call.service.cachedResourceCountLimit)))
    },
    .setter(.service, "cached_resource_count_limit") { call throws(Misuse) in
      let value = call.raw(1)
      guard value.kind == Int32(LULL_INTEGER), value.integer >= 0 else {
        throw .message(
          "'cached_resource_count_limit' must be a whole number, 0 or more, got "
            + value.described)
      }
      try call.service.cachedResourceCountLimit = Int(value.integer)
    },
    .getter(.service, "cached_resource_byte_limit") { call throws(Misuse) in
      call.return(.int(Int64(try call.service.cachedResourceByteLimit)))
    },
    .setter(.service, "cached_resource_byte_limit") { call throws(Misuse) in
      let value = call.raw(1)
      guard value.kind == Int32(LULL_INTEGER), value.integer >= 0 else {
        throw .message(
          "'cached_resource_byte_limit' must be a whole number of bytes, 0 or more, got "
            + value.described)
      }
      try call.service.cachedResourceByteLimit = Int(value.integer)
    },
    .method(.service, "__tostring") { call throws(Misuse) in
      let service = try call.service
      let name = service.name ?? service.baseURL.map { LogText.url($0.text) } ?? "no base URL"
      call.return(.string("Service(\(name))"))
    },
  ]
}

/// `configure([pattern,] settings_or_function [, options])`, taken apart.
private struct ConfigureArguments {
  let pattern: ConfigurationPattern?
  let apply: ConfigurationBlock
  /// A table says the same of every resource; a function may not.
  var isConstant = false
  var methods: Set<RequestMethod>?
  var description: String?

  init(_ call: Call) throws(Misuse) {
    let service = try call.service
    guard call.count > 1 else {
      throw .argument(1, "settings expected: a table or a function")
    }
    // Alone, the argument is the settings; two functions or a function and a table are a predicate
    // and its settings.
    let settingsPosition = call.count == 2 ? 1 : 2
    pattern = settingsPosition == 2 ? try call.functions.pattern(call, 1, service: service) : nil
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
      let id = try call.kept.keep(call.state, index, anchoredTo: service)
      apply = call.functions.configurationBlock(id, service: service)
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
