import CLullBridge
import LullCore

extension Method {
  static let requestMethods: [Method] = [
    .getter(.request, "state") { call throws(Misuse) in
      call.return(.string(try call.request.state.rawValue))
    },
    .getter(.request, "response") { call throws(Misuse) in
      let request = try call.request
      request.mark.isHandled = true
      let service = request.resource?.service
      call.return(request.response.map { call.values.of($0, service: service) } ?? .nil)
    },
    .getter(.request, "progress") { call throws(Misuse) in
      call.return(.number(try call.request.progress))
    },
    .getter(.request, "resource") { call throws(Misuse) in
      call.return(try call.request.resource.map { call.values.of($0) } ?? .nil)
    },
    .getter(.request, "method") { call throws(Misuse) in
      call.return(try call.request.method.map { .string($0.rawValue) } ?? .nil)
    },
    .getter(.request, "url") { call throws(Misuse) in
      call.return(try call.request.url.map { .string($0) } ?? .nil)
    },
    .getter(.request, "attempts") { call throws(Misuse) in
      call.return(.attempts(try call.request.attempts))
    },
    .method(.request, "on_completion", "f") { call throws(Misuse) in
      try call.addHook("on_completion") { request, hook in
        request.mark.isHandled = true
        request.onCompletion { hook.run($0) }
      }
    },
    .method(.request, "on_success", "f") { call throws(Misuse) in
      try call.addHook("on_success") { request, hook in request.onSuccess { hook.run($0) } }
    },
    .method(.request, "on_new_data", "f") { call throws(Misuse) in
      try call.addHook("on_new_data") { request, hook in request.onNewData { hook.run($0) } }
    },
    .method(.request, "on_not_modified", "f") { call throws(Misuse) in
      try call.addHook("on_not_modified") { request, hook in
        request.onNotModified { hook.run() }
      }
    },
    .method(.request, "on_failure", "f") { call throws(Misuse) in
      try call.addHook("on_failure") { request, hook in
        request.mark.isHandled = true
        request.onFailure { hook.run($0) }
      }
    },
    .method(.request, "on_progress", "f") { call throws(Misuse) in
      try call.addHook("on_progress") { request, hook in
        request.onProgress { hook.run(.number($0)) }
      }
    },
    .method(.request, "start") { call throws(Misuse) in
      try call.request.start()
      call.returnSelf()
    },
    .method(.request, "cancel") { call throws(Misuse) in
      let request = try call.request
      // A request that never started has hooks to run all the same.
      if !request.isCompleted { call.requests.track(request) }
      request.cancel()
      call.returnSelf()
    },
    .method(.request, "repeated") { call throws(Misuse) in
      call.return(call.values.of(try call.request.repeated()))
    },
    .method(.request, "chained", "f") { call throws(Misuse) in
      // The chain decides on what comes of it.
      try call.request.mark.isHandled = true
      try LuaChain.add(call)
    },
    .method(.request, "await") { call throws(Misuse) in
      try awaitRequest(call, try call.request)
    },
    .method(.request, "__tostring") { call throws(Misuse) in
      call.return(.string(try call.request.luaText))
    },
  ]
}

extension Request {
  /// What `tostring` says of it.
  var luaText: String {
    let state = state.rawValue.split(separator: "_").joined(separator: " ")
    let name =
      if let target = resource?.displayName ?? url.map(LogText.url) {
        "\(method ?? "?") \(target)"
      } else {
        displayName
      }
    return "Request(\(name) \(state))"
  }
}

extension Method {
  /// `request:await()`: the entity, or nil and the error.
  static func awaitRequest(_ call: Call, _ request: Request) throws(Misuse) {
    request.mark.isHandled = true
    if request.lifecycle.hooksDelivered {
      for value in call.values.awaited(request) { call.return(value) }
      return
    }
    guard !request.isForsaken || request.isCompleted else {
      throw .message(request.forsakenText)
    }
    try call.waits.wait(call, for: request.displayName, Awaited(requests: [request])) {
      completion in
      // Unsafe, since a request that tells who waits is there.
      let waiter = request.addWaiter {
        [unowned scriptValues = call.values, unowned(unsafe) request] _ in
        // The coroutine goes on when all hooks have run and nothing holds the request any more.
        let values = scriptValues.awaited(request)
        request.pump.enqueueAfterPhase { completion(values, false) }
      }
      return { request.leave(waiter, isSparingObserved: false) }
    }
  }
}
