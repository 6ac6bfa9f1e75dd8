import CLullBridge
import LullCore

extension Method {
  static let resourceMethods: [Method] =
    resourceState + resourceAccessors + resourceLoading + resourceObserving + resourceNavigation

  private static let resourceState: [Method] = [
    .getter(.resource, "service") { call throws(Misuse) in
      call.return(call.values.of(try call.resource.service))
    },
    .getter(.resource, "url") { call throws(Misuse) in
      call.return(.string(try call.resource.url.text))
    },
    .getter(.resource, "latest_data") { call throws(Misuse) in
      let resource = try call.resource
      call.return(
        resource.latestData.map { call.values.of($0, service: resource.service) } ?? .nil)
    },
    .getter(.resource, "latest_error") { call throws(Misuse) in
      let resource = try call.resource
      call.unhandled.errorSeen(of: resource)
      call.return(
        resource.latestError.map { call.values.of($0, service: resource.service) } ?? .nil)
    },
    .getter(.resource, "timestamp") { call throws(Misuse) in
      call.return(.number(try call.resource.timestamp))
    },
    .getter(.resource, "is_loading") { call throws(Misuse) in
      call.return(.bool(try call.resource.isLoading))
    },
    .getter(.resource, "is_requesting") { call throws(Misuse) in
      call.return(.bool(try call.resource.isRequesting))
    },
    .getter(.resource, "is_up_to_date") { call throws(Misuse) in
      call.return(.bool(try call.resource.isUpToDate))
    },
    .getter(.resource, "load_requests") { call throws(Misuse) in
      call.return(.list(try call.resource.loadRequests.map { call.values.of($0) }))
    },
    .getter(.resource, "all_requests") { call throws(Misuse) in
      call.return(.list(try call.resource.allRequests.map { call.values.of($0) }))
    },
    .method(.resource, "explain", "S") { call throws(Misuse) in
      let resource = try call.resource
      let method = try MethodReader.method(call.optionalString(1) ?? "GET")
      if resource.service.isRunningBlocks {
        throw .message(
          "explain inside a function of the configuration would run that function again: call it elsewhere"
        )
      }
      let text = ResourceExplanation.text(call.sources, resource, method: method)
      if call.session.isOpen { call.session.explanation = text }
      call.return(.string(text))
    },
    .method(.resource, "__tostring") { call throws(Misuse) in
      call.return(.string("Resource(\(try call.resource.shortDescription))"))
    },
  ]

  private static let resourceAccessors: [Method] = [
    .getter(.resource, "content") { call throws(Misuse) in
      let resource = try call.resource
      let content = call.values.content(of: resource)
      if case .nil = content { call.nilContents.note(resource, readIn: call.state) }
      call.return(content)
    },
    .getter(.resource, "document") { call throws(Misuse) in
      call.return(call.values.document(try call.resource.latestData?.content))
    },
    .getter(.resource, "text") { call throws(Misuse) in
      call.return(.string(try call.resource.text))
    },
    .getter(.resource, "json_dict") { call throws(Misuse) in
      let resource = try call.resource
      let isDict = resource.latestData?.content.isDictionary ?? false
      call.return(isDict ? call.values.content(of: resource) : .map([]))
    },
    .getter(.resource, "json_array") { call throws(Misuse) in
      let resource = try call.resource
      let isArray = resource.latestData?.content.isArray ?? false
      call.return(isArray ? call.values.content(of: resource) : .list([]))
    },
    .method(.resource, "typed_content", "V") { call throws(Misuse) in
      let resource = try call.resource
      guard let content = resource.latestData?.content else {
        return call.return(call.count > 1 ? .stack(2) : .nil)
      }
      let fits = call.isNil(1) || content.luaTypeName == call.raw(1).typeName
      call.return(fits ? call.values.content(of: resource) : .stack(2))
    },
  ]

  private static let resourceLoading: [Method] = [
    .method(.resource, "load") { call throws(Misuse) in
      let resource = try call.resource
      call.return(call.values.of(resource.load(), loading: resource))
    },
    .method(.resource, "load_if_needed") { call throws(Misuse) in
      let resource = try call.resource
      switch resource.neededLoad() {
      case .load(let request): call.return(call.values.of(request, loading: resource))
      case .none(let time):
        if let time { call.answersAlike(until: time) }
        call.return(.nil)
      }
    },
    .method(.resource, "load_using", "v") { call throws(Misuse) in
      guard let request = call.object(1, .request, as: Request.self) else {
        throw .argument(1, "Request expected, got \(call.raw(1).typeName)")
      }
      let resource = try call.resource
      if request.state == .notStarted {
        // The resource's list is all that may hold it until somebody starts it.
        let kept = try call.kept.kept(call.state, call.index(1), for: resource.service)
        request.onCompletion { _ in withExtendedLifetime(kept) {} }
      }
      call.return(call.values.of(resource.load(using: request), loading: resource))
    },
    .method(.resource, "request", "sVO") { call throws(Misuse) in
      guard let method = RequestMethod(rawValue: call.string(1)) else {
        throw .argument(1, "'\(call.string(1))' is not an HTTP method")
      }
      try call.sendRequest(method, body: 2)
    },
    .method(.resource, "get", "VO") { call throws(Misuse) in
      try call.sendRequest(.get, body: 1)
    },
    .method(.resource, "post", "VO") { call throws(Misuse) in
      try call.sendRequest(.post, body: 1)
    },
    .method(.resource, "put", "VO") { call throws(Misuse) in
      try call.sendRequest(.put, body: 1)
    },
    .method(.resource, "patch", "VO") { call throws(Misuse) in
      try call.sendRequest(.patch, body: 1)
    },
    .method(.resource, "delete", "VO") { call throws(Misuse) in
      try call.sendRequest(.delete, body: 1)
    },
    .method(.resource, "head", "VO") { call throws(Misuse) in
      try call.sendRequest(.head, body: 1)
    },
    .method(.resource, "options", "VO") { call throws(Misuse) in
      try call.sendRequest(.options, body: 1)
    },
    .method(.resource, "download", "sT") { call throws(Misuse) in try call.sendDownload() },
    .method(.resource, "cancel_load_if_unobserved", "NF") { call throws(Misuse) in
      try call.cancelLoadIfUnobserved()
      call.returnSelf()
    },
    .method(.resource, "override_local_data", "v") { call throws(Misuse) in
      guard let box = call.object(1, .entity, as: EntityBox.self) else {
        throw .argument(1, "Entity expected, got \(call.raw(1).typeName)")
      }
      try call.resource.overrideLocalData(with: box.settled)
      call.returnSelf()
    },
    .method(.resource, "override_local_content", "v") { call throws(Misuse) in
      let resource = try call.resource
      let content = try call.kept.content(call.raw(1), call.state, call.index(1))
      resource.overrideLocalContent(with: content)
      call.returnSelf()
    },
    .method(.resource, "invalidate") { call throws(Misuse) in
      try call.resource.invalidate()
      call.returnSelf()
    },
    .method(.resource, "wipe") { call throws(Misuse) in
      try call.resource.wipe()
      call.returnSelf()
    },
  ]

  private static let resourceObserving: [Method] = [
    .method(.resource, "add_observer", "oV") { call throws(Misuse) in
      let resource = try call.resource
      if call.isNil(2) {
        try call.observers.add(call, to: resource)
      } else {
        try call.observers.addOwned(call, to: resource)
      }
      call.returnSelf()
    },
    .method(.resource, "observe", "o") { call throws(Misuse) in
      let resource = try call.resource
      let observer = try call.observers.make(call, of: resource, anchored: true)
      resource.hold(observer, isToldByHost: observer.isToldInTurn)
      call.return(
        call.values.of(
          ObservationBox(observer, resource: resource), .observation, service: resource.service))
    },
    .method(.resource, "remove_observers", "V") { call throws(Misuse) in
      let resource = try call.resource
      guard !call.isNil(1) else { return call.returnSelf() }
      call.observers.remove(call, from: resource)
      call.returnSelf()
    },
  ]

  private static let resourceNavigation: [Method] = [
    .method(.resource, "child", "s") { call throws(Misuse) in
      let resource = try call.resource
      call.noteQuery(inPath: call.raw(1))
      let child = call.raw(1).withBytes { resource.child(pathBytes: $0) }
      call.lead(to: child ?? resource.child(""))
    },
    .method(.resource, "relative", "s") { call throws(Misuse) in
      let resource = try call.resource
      let target = call.raw(1).withBytes { resource.relative(hrefBytes: $0) }
      call.lead(to: target ?? resource.relative(""))
    },
    .method(.resource, "optional_relative", "L") { call throws(Misuse) in
      let resource = try call.resource
      let target = try call.optionalLink(1)?.withBytes { resource.relative(hrefBytes: $0) }
      if let target { call.lead(to: target) } else { call.return(.nil) }
    },
    .method(.resource, "with_param", "sV") { call throws(Misuse) in
      let resource = try call.resource
      if let secret = call.handles.secret(call.raw(2)) {
        let change = [(call.string(1), Optional(ParameterValue.secret(secret)))]
        return call.return(call.values.of(resource.withParams(change)))
      }
      let change = try RawParameter(call.raw(1), call.raw(2), called: call.string(1))
      call.return(call.values.of(resource.withParams(raw: [(change.name, change.value)])))
    },
    .method(.resource, "with_params", "t") { call throws(Misuse) in
      let resource = try call.resource
      let change = try QueryChange(call, table: call.index(1))
      call.return(call.values.of(change.applied(to: resource)))
    },
  ]
}

extension Content {
  var isDictionary: Bool {
    switch self {
    case .json(let document): document.root.kind == .object
    case .foreign(let foreign): foreign.typeName == "table"
    default: false
    }
  }

  var isArray: Bool {
    switch self {
    case .json(let document): document.root.kind == .array
    case .foreign(let foreign): foreign.typeName == "table"
    default: false
    }
  }

  /// What Lua's `type` says of it.
  var luaTypeName: String {
    switch self {
    case .bytes, .text, .value: "string"
    case .foreign(let foreign): foreign.typeName
    case .json(let document):
      switch document.root.kind {
      case .null: "lull.null"
      case .bool: "boolean"
      case .int, .double: "number"
      case .string: "string"
      case .array, .object: "table"
      }
    }
  }
}
