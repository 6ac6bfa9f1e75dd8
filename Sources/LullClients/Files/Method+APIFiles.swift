import CLullBridge
import LullCore
import LullHost

extension Method {
  private static func api(_ call: Call) throws(Misuse) -> APIFile {
    try call.selfObject(.api, as: APIFile.self)
  }

  private static func calls(_ call: Call) throws(Misuse) -> APIFile {
    try call.selfObject(.apiCalls, as: APICallsBox.self).api
  }

  private static func declared(_ call: Call) throws(Misuse) -> APICallBox {
    try call.selfObject(.apiCall, as: APICallBox.self)
  }

  static let apiFiles: [Method] = [
    .function("api", "s") { call throws(Misuse) in try call.returnAPI() },
    .getter(.api, "name") { call throws(Misuse) in call.return(.string(try api(call).name)) },
    .getter(.api, "path") { call throws(Misuse) in call.return(.string(try api(call).path)) },
    .getter(.api, "environment") { call throws(Misuse) in
      call.return(try api(call).environment.map { .string($0.name) } ?? .nil)
    },
    .getter(.api, "environments") { call throws(Misuse) in
      call.return(.list(try api(call).environments.map { .string($0) }))
    },
    .method(.api, "confirm_writes") { call throws(Misuse) in
      try api(call).environment?.isConfirmed = true
      call.returnSelf()
    },
    .getter(.api, "description") { call throws(Misuse) in
      call.return(try api(call).description.map { .string($0) } ?? .nil)
    },
    .getter(.api, "service") { call throws(Misuse) in
      call.return(call.values.of(try api(call).service))
    },
    .getter(.api, "calls") { call throws(Misuse) in
      let api = try api(call)
      call.return(call.values.of(APICallsBox(api), .apiCalls, service: api.service))
    },
    .method(.api, "__call", "s") { call throws(Misuse) in
      call.lead(to: call.resource(below: try api(call).service))
    },
    .method(.api, "resource", "s") { call throws(Misuse) in
      call.lead(to: call.resource(below: try api(call).service))
    },
    .method(.api, "__tostring") { call throws(Misuse) in
      let api = try api(call)
      call.return(.string("API(\(api.fullName), \(api.callNames.count) calls)"))
    },

    .method(.apiCalls, "__index", "v") { call throws(Misuse) in
      let api = try calls(call)
      let name = call.raw(1).text ?? ""
      guard let declared = try call.asked({ () throws(APIFileProblem) in try api.call(name) })
      else {
        throw .message(api.unknownCall(name))
      }
      call.return(call.values.of(APICallBox(declared, of: api), .apiCall, service: api.service))
    },
    .method(.apiCalls, "__pairs") { call throws(Misuse) in
      let api = try calls(call)
      let all = try call.asked { () throws(APIFileProblem) in try api.calls }
      call.return(.globalNext)
      call.return(
        .map(
          all.map {
            let box = APICallBox($0, of: api)
            return ($0.name, call.values.of(box, .apiCall, service: api.service))
          }))
      call.return(.nil)
    },
    .method(.apiCalls, "__tostring") { call throws(Misuse) in
      let names = try calls(call).callNames.joined(separator: ", ")
      call.return(.string("APICalls(\(names))"))
    },

    .getter(.apiCall, "name") { call throws(Misuse) in
      call.return(.string(try declared(call).call.name))
    },
    .getter(.apiCall, "method") { call throws(Misuse) in
      call.return(.string(try declared(call).call.method.rawValue))
    },
    .getter(.apiCall, "path") { call throws(Misuse) in
      call.return(.string(try declared(call).call.path))
    },
    .getter(.apiCall, "description") { call throws(Misuse) in
      call.return(try declared(call).call.description.map { .string($0) } ?? .nil)
    },
    .getter(.apiCall, "params") { call throws(Misuse) in
      call.return(
        .list(
          try declared(call).call.parameters.map { parameter in
            .map([
              ("name", .string(parameter.name)), ("type", .string(parameter.typeName)),
              ("place", .string(parameter.place.rawValue)),
              ("required", .bool(parameter.isRequired)),
              ("description", parameter.description.map { .string($0) } ?? .nil),
            ])
          }))
    },
    .method(.apiCall, "__call", "T") { call throws(Misuse) in
      let request = try call.declaredRequest()
      // A load that is not asked for conditionally always begins.
      guard let started = request.start() else { return call.return(.nil) }
      call.return(call.values.of(started))
    },
    .method(.apiCall, "resource", "T") { call throws(Misuse) in
      call.return(call.values.of(try call.declaredRequest().resource))
    },
    .method(.apiCall, "pages", "T") { call throws(Misuse) in
      let box = try declared(call)
      guard let options = box.call.pages else {
        throw .message("call '\(box.call.name)' does not come in pages: it declares no 'pages'")
      }
      LuaPages.iterate(try call.declaredRequest().resource, options, call)
    },
    .method(.apiCall, "__tostring") { call throws(Misuse) in
      let box = try declared(call)
      call.return(.string("APICall(\(box.api.name).\(box.call.name))"))
    },
  ]
}

extension Call {
  /// `lull.api(name_or_path)`
  fileprivate func returnAPI() throws(Misuse) {
    try permissions.refuseInSandbox("lull.api")
    let api = try asked { () throws(APIFileProblem) in
      try part(APIFiles.self).api(string(0))
    }
    `return`(
      .object(
        handle: api.hostHandle, kind: HandleKind.api.rawValue,
        service: handles.handle(of: api.service), anchor: 0))
  }

  /// What is asked of an API file; what is wrong with that is raised.
  fileprivate func asked<Value>(
    _ body: () throws(APIFileProblem) -> Value
  ) throws(Misuse) -> Value {
    do throws(APIFileProblem) {
      return try body()
    } catch {
      switch error {
      case .missing(let text): throw .message(text)
      case .syntax(let message, _, _): throw .value(.string(message))
      case .failed(let problem): throw .value(values.reraised(problem.failure))
      case .module(let place, let result):
        throw .value(.string("\(place): \(APIFileProblem.text(ofModule: result))"))
      case .declaration(let place, let text): throw .value(.string("\(place): \(text)"))
      }
    }
  }

  /// The request that the declared call makes of the table at position 1.
  fileprivate func declaredRequest() throws(Misuse) -> CallRequest {
    let declared = try selfObject(.apiCall, as: APICallBox.self)
    var given: [String: CallValue] = [:]
    let reader = ParameterValueReader(handles: handles, json: reading.json)
    if !isNil(1) {
      try LuaTable(index(1), in: state).forEachField { key, value throws(Misuse) in
        guard let name = key.string else {
          throw .message("parameter names must be strings, got \(key.typeName)")
        }
        guard let parameter = declared.call.parameters.first(where: { $0.name == name }) else {
          throw .message(declared.call.unknown(name).message)
        }
        given[name] = try reader.value(
          value, LuaTable.visitedIndex(in: state), state, for: parameter)
      }
    }
    do throws(APICall.Misfit) {
      let values = try declared.call.complete(given)
      let request = try declared.call.request(of: declared.api.service, values)
      if let onUse = part(APIFiles.self).onUse {
        onUse(
          DeclaredUse(
            api: declared.api, call: declared.call, given: Set(given.keys), values: values,
            url: request.resource.url.text))
      }
      return request
    } catch {
      throw .message(error.message)
    }
  }
}
