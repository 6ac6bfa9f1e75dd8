import CLullBridge
import LullCore

extension APIOwner {
  static let request = APIOwner.object(
    .request, receiver: "request",
    """
    An exchange with a server, or a replacement for an exchange; has a response when it is \
    completed.
    """,
    """
    Hooks may be added at any time, before or after completion; each method that adds a hook \
    returns the request. Hooks run in the order in which they were added, never inside the call \
    that adds them, and may wait. If a hook raises an error, the error is reported and the next \
    hook runs.
    """,
    swift: "Request",
    groups: [requestState, requestHooks, requestControl],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string(try call.request.luaText))
      }
    ])

  private static let requestState: [APIEntry] = [
    .property(
      "state", "RequestState",
      "The state of the request; the state never goes back.", swift: "Request.state",
      rules: "HOOK-14"
    ) { call throws(Misuse) in
      call.return(.string(try call.request.state.rawValue))
    },
    .property(
      "response", "Response?", "The response; nil until the request is completed.",
      swift: "Request.response", rules: "HOOK-07"
    ) { call throws(Misuse) in
      let request = try call.request
      request.mark.isHandled = true
      let service = request.resource?.service
      call.return(request.response.map { call.values.of($0, service: service) } ?? .nil)
    },
    .property(
      "progress", "number",
      "The progress from 0 to 1; a progress of 1 does not mean that the request is completed.",
      swift: "Request.progress", rules: "PRG-01 PRG-02 PRG-18 PRG-30"
    ) { call throws(Misuse) in
      call.return(.number(try call.request.progress))
    },
    .property(
      "resource", "Resource?",
      "The resource that made the request; nil for hard-wired and custom requests.",
      swift: "Request.resource"
    ) { call throws(Misuse) in
      call.return(try call.request.resource.map { call.values.of($0) } ?? .nil)
    },
    .property(
      "method", "string?", "The HTTP method that the request is sent with, after mutations.",
      swift: "Request.method", rules: "CFG-17"
    ) { call throws(Misuse) in
      call.return(try call.request.method.map { .string($0.rawValue) } ?? .nil)
    },
    .property("url", "string?", "The URL that the request is sent to.", swift: "Request.url") {
      call throws(Misuse) in
      call.return(try call.request.url.map { .string($0) } ?? .nil)
    },
    .property(
      "attempts", "RequestAttempt[]",
      "The attempts to send the request; the latest attempt is last.",
      """
      Attempts are recorded only for requests whose configuration has `retry`, `rate_limit`, \
      `concurrency` or `auth`. The list is empty for other requests, and before the first attempt \
      is sent. Hooks and observers see one request, however often it is sent.
      """,
      example: """
        local flaky = lull.service{
          base_url = "https://api.example.com", retry = { times = 2, backoff = { base = 0 } },
          networking = function() return { status = 503 } end,
        }
        local request = flaky("/a"):load()
        local _, err = request:await()
        print(#request.attempts, request.attempts[3].status)  --> 3 503
        print(err)
        --> Service unavailable (GET https://api.example.com/a → 503, after 3 attempts)
        """,
      swift: "Request.attempts"
    ) { call throws(Misuse) in
      call.return(.attempts(try call.request.attempts))
    },
  ]

  private static let requestHooks: [APIEntry] = [
    .method(
      "on_completion", "(hook: fun(response: Response)): Request",
      "Calls a function with the response, whatever the outcome.",
      "Called exactly once if the request completes, cancellation included.",
      example: """
        user:load():on_completion(function(response) print(response.is_success) end)  --> true
        """,
      swift: "Request.onCompletion(_:)", rules: "HOOK-01 HOOK-05 HOOK-06 HOOK-07 HOOK-08 HOOK-09"
    ) { call throws(Misuse) in
      try call.addHook("on_completion") { request, hook in
        request.mark.isHandled = true
        request.onCompletion { hook.run($0) }
      }
    },
    .method(
      "on_success", "(hook: fun(entity: Entity)): Request",
      "Calls a function with the entity of any success, a 304 included.",
      example: """
        user:load():on_success(function(entity) print(entity.content.name) end)  --> Ann
        """,
      swift: "Request.onSuccess(_:)", rules: "HOOK-01 HOOK-15"
    ) { call throws(Misuse) in
      try call.addHook("on_success") { request, hook in request.onSuccess { hook.run($0) } }
    },
    .method(
      "on_new_data", "(hook: fun(entity: Entity)): Request",
      "Calls a function with the entity of a success that brought new data.",
      "The data is from the server, or from a cache that was read while the resource had no data.",
      swift: "Request.onNewData(_:)", rules: "HOOK-01 HOOK-02 CACHE-38"
    ) { call throws(Misuse) in
      try call.addHook("on_new_data") { request, hook in request.onNewData { hook.run($0) } }
    },
    .method(
      "on_not_modified", "(hook: fun()): Request",
      "Calls a function when the server reports that the data is still current.",
      swift: "Request.onNotModified(_:)", rules: "HOOK-01 HOOK-03 NM-01"
    ) { call throws(Misuse) in
      try call.addHook("on_not_modified") { request, hook in
        request.onNotModified { hook.run() }
      }
    },
    .method(
      "on_failure", "(hook: fun(error: RequestError)): Request",
      "Calls a function with the error of a failure; a cancellation counts as a failure.",
      example: """
        api("/users/9"):load():on_failure(function(err) print(err) end)
        --> Not found (GET https://api.example.com/v1/users/9 → 404)
        """,
      swift: "Request.onFailure(_:)", rules: "HOOK-01 HOOK-04 HOOK-16"
    ) { call throws(Misuse) in
      try call.addHook("on_failure") { request, hook in
        request.mark.isHandled = true
        request.onFailure { hook.run($0) }
      }
    },
    .method(
      "on_progress", "(hook: fun(fraction: number)): Request",
      """
      Calls a function with the progress of the request; the last call, with 1, precedes the \
      completion hooks.
      """,
      """
      The progress is checked every `progress_reporting_interval`; the function is called only if \
      the progress has changed.
      """,
      example: """
        user:load():on_progress(function(fraction) print(fraction) end):await()  --> 1.0
        """,
      swift: "Request.onProgress(_:)", rules: "HOOK-12 HOOK-13 PRG-24 PRG-26 PRG-28"
    ) { call throws(Misuse) in
      try call.addHook("on_progress") { request, hook in
        request.onProgress { hook.run(.number($0)) }
      }
    },
  ]

  private static let requestControl: [APIEntry] = [
    .method(
      "await", "(): Entity?, RequestError?",
      "Waits for the request and returns its entity, or nil and the error.",
      """
      Suspends the running Lull coroutine, also from inside a coroutine of the script. In the main \
      chunk of a stock interpreter, this method runs the event loop meanwhile. The caller resumes \
      after all hooks have run. Raises an error in functions that must return at once, where Lua \
      cannot yield, and for a request that the caller is part of (`this would wait for itself`). \
      This method does not start the request. If several coroutines wait and one of them is \
      cancelled, the others keep waiting; when the last waiting coroutine is cancelled, the \
      request is cancelled too. `assert(request:await())` raises the error, whose text describes \
      the failure.
      """,
      example: """
        local entity, err = api("/users/9"):load():await()
        print(entity, err.http_status)             --> nil 404
        """,
      swift: "Request.entity()", rules: "WAIT-08"
    ) { call throws(Misuse) in
      try awaitRequest(call, try call.request)
    },
    .method(
      "start", "(): Request",
      "Starts a request that was not started; does nothing for other requests.",
      "Requests that `load`, `request`, `get` and similar methods return are already started.",
      example: """
        local again = user:get():repeated()
        print(again.state, again:start().state)    --> not_started in_progress
        """,
      swift: "Request.start()", rules: "REP-01 REP-02 REP-11 REP-12"
    ) { call throws(Misuse) in
      try call.request.start()
      call.returnSelf()
    },
    .method(
      "cancel", "(): Request",
      "Cancels the request: it is completed at once with a cancellation error.",
      """
      Hooks and observers are notified on the next turn. Data, error and invalidation of the \
      resource stay. A completed request is unchanged; a request that was not started will never \
      start.
      """,
      example: """
        local request = user:load():cancel()
        print(request.state, request.response.error.cause.kind)  --> completed request_cancelled
        """,
      swift: "Request.cancel()", rules: "CXL-01 CXL-03 CXL-04 CXL-06 CXL-10 CXL-11 CXL-12 CXL-13"
    ) { call throws(Misuse) in
      let request = try call.request
      // The hooks of a request that never started still have to run.
      if !request.isCompleted { call.requests.track(request) }
      request.cancel()
      call.returnSelf()
    },
    .method(
      "repeated", "(): Request", "A copy of the request, which is not started.",
      """
      Headers and mutations are evaluated again, in this call; hooks and decorators are not \
      carried over. The copy updates no resource unless it is passed to `load_using`. For a \
      hard-wired request, this method returns the request itself.
      """,
      example: """
        local first = user:get()
        local second = first:repeated():start()
        print(assert(second:await()).content.name) --> Ann
        """,
      swift: "Request.repeated()", rules: "REP-01 REP-05 REP-06 REP-08 REP-09 REP-10 DEC-12"
    ) { call throws(Misuse) in
      call.return(call.values.of(try call.request.repeated()))
    },
    .method(
      "chained", "(fn: fun(response: Response): Request|Response|nil): Request",
      "Makes a new request whose result depends on the response of this request.",
      """
      The function is called once, on success or failure. It returns nothing to keep the response, \
      a Response to use instead, or a Request, which is started and whose response is used. The \
      function may wait; an error in it fails the chain with kind `script_error`. The chain is \
      started if this request is started. Cancelling the chain cancels the request that it \
      currently waits for, unless another chain that is not cancelled also waits for that request. \
      Cancelling that request does not cancel the chain.
      """,
      example: """
        local request = api("/users/9"):get():chained(function(response)
          if response.http_status == 404 then return api("/users/7"):get() end
        end)
        print(assert(request:await()).content.name)          --> Ann
        """,
      swift: "Request.chained(whenCompleted:)",
      rules: "CHN-01 CHN-02 CHN-03 CHN-08 CHN-09 CHN-10 CHN-11 CHN-13 CHN-14"
    ) { call throws(Misuse) in
      // The chain handles the request's outcome, so a failure is not reported as unhandled.
      try call.request.mark.isHandled = true
      try LuaChain.add(call)
    },
  ]

  static let requestStates = APIOwner.words(
    "RequestState", "The state of a request.", swift: "RequestState",
    entries: [
      .word(
        "not_started", "The request is not sent until `start()` is called.",
        swift: "RequestState.notStarted"),
      .word(
        "in_progress", "The request is started, but has no response yet.",
        swift: "RequestState.inProgress"),
      .word(
        "completed", "The request has its response; its hooks run on the next turn.",
        swift: "RequestState.completed"),
    ])
}

extension APIOwner {
  /// Implements `request:await()`, which returns the entity, or nil and the error.
  static func awaitRequest(_ call: Call, _ request: Request) throws(Misuse) {
    request.mark.isHandled = true
    if request.lifecycle.hooksDelivered {
      for value in call.values.awaited(request) { call.return(value) }
      return
    }
    guard !request.isAbandoned || request.isCompleted else {
      throw .message(request.abandonedText)
    }
    try call.loop.wait(call, for: request.displayName, Awaited(requests: [request])) {
      completion in
      // `unowned(unsafe)` is sufficient, because a request exists while it calls its waiters.
      let waiter = request.addWaiter {
        [unowned scriptValues = call.values, unowned(unsafe) request] _ in
        // The coroutine resumes when all hooks have run and nothing refers to the request any more.
        let values = scriptValues.awaited(request)
        request.pump.enqueueAfterPhase { completion(values, false) }
      }
      return { request.leave(waiter, isSparingObserved: false) }
    }
  }
}

extension Request {
  /// The text that Lua's `tostring` returns for the request.
  var luaText: String {
    let state = state.rawValue.split(separator: "_").joined(separator: " ")
    let name =
      if let resource, let method, resource.query?.method == method {
        // The name of a query contains its method.
        resource.displayName
      } else if let target = resource?.displayName ?? url.map(LogText.url) {
        "\(method ?? "?") \(target)"
      } else {
        displayName
      }
    return "Request(\(name) \(state))"
  }
}
