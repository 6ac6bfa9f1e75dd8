import CLullBridge
import LullCore

extension APIOwner {
  static let resource = APIOwner.object(
    .resource, receiver: "resource",
    "One URL of a service, or one query of a URL, with the last data and the last error.",
    """
    State changes only through loads, overrides, caches and `wipe`, and observers are notified of \
    each change. In one service, the same URL and query is the same object, so `==` compares \
    resources. \
    `tostring` shows L while loading, D with data, E with an error.
    """,
    swift: "Resource",
    groups: [
      resourceState, resourceContent, resourceLoading, resourceRequests, resourceDownloads,
      resourceIterators, resourceStreams, resourceLocalState, resourceNavigation, resourceQueries,
      resourceObserving,
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string("Resource(\(try call.resource.shownDescription))"))
      }
    ])

  private static let resourceState: [APIEntry] = [
    .property(
      "service", "Service", "The service that the resource belongs to.", swift: "Resource.service",
      rules: "SVC-07"
    ) { call throws(Misuse) in
      call.return(call.values.of(try call.resource.service))
    },
    .property(
      "url", "string", "The absolute URL; `\":\"` if the URL is invalid.", swift: "Resource.url",
      rules: "SVC-21"
    ) { call throws(Misuse) in
      call.return(.string(try call.resource.url.text))
    },
    .property(
      "method", "string",
      "The HTTP method of the resource's loads: `GET`, or the method of the query.",
      swift: "ResourceQuery.method", rules: "QUERY-07"
    ) { call throws(Misuse) in
      call.return(.string(try call.resource.readMethod.rawValue))
    },
    .property(
      "body", "string?",
      "The body that loads of the resource send; nil if the loads are GET requests.",
      """
      If several calls of `query` return this resource, the bytes are those that the first call \
      passed. Secrets are masked.
      """,
      swift: "ResourceQuery.body", rules: "QUERY-01"
    ) { call throws(Misuse) in
      call.return(try call.resource.query.map { .bytes($0.body) } ?? .nil)
    },
    .property(
      "content_type", "string?", "The media type of `body`; nil if the resource has no body.",
      swift: "ResourceQuery.contentType", rules: "QUERY-01"
    ) { call throws(Misuse) in
      call.return(try call.resource.query.map { .string($0.contentType) } ?? .nil)
    },
    .property(
      "latest_data", "Entity?", "The latest data: an entity, or nil.",
      """
      Later errors do not remove the data. Reading this property for the first time starts a read \
      of the cache, if a cache is configured.
      """,
      swift: "Resource.latestData", rules: "STA-01 STA-05 STA-06 STA-15"
    ) { call throws(Misuse) in
      let resource = try call.resource
      call.return(
        resource.latestData.map { call.values.of($0, service: resource.service) } ?? .nil)
    },
    .property(
      "latest_error", "RequestError?",
      "The error of the last load; nil after a newer success.",
      swift: "Resource.latestError", rules: "STA-06 STA-07"
    ) { call throws(Misuse) in
      let resource = try call.resource
      call.reporter.unhandled.errorSeen(of: resource)
      call.return(
        resource.latestError.map { call.values.of($0, service: resource.service) } ?? .nil)
    },
    .property(
      "timestamp", "number",
      "When the data or the error last changed, in seconds since 1970; 0 if never.",
      swift: "Resource.timestamp", rules: "STA-08"
    ) { call throws(Misuse) in
      call.return(.number(try call.resource.timestamp))
    },
    .property(
      "is_loading", "boolean", "Whether a load is in progress.", swift: "Resource.isLoading",
      rules: "STA-04 STA-10"
    ) { call throws(Misuse) in
      call.return(.bool(try call.resource.isLoading))
    },
    .property(
      "is_requesting", "boolean",
      "Whether any request of the resource is in progress, including loads.",
      swift: "Resource.isRequesting", rules: "STA-03"
    ) { call throws(Misuse) in
      call.return(.bool(try call.resource.isRequesting))
    },
    .property(
      "is_up_to_date", "boolean",
      "Whether the resource needs no load; loads that are already in progress do not count.",
      swift: "Resource.isUpToDate", rules: "LOAD-24 LOAD-25"
    ) { call throws(Misuse) in
      call.return(.bool(try call.resource.isUpToDate))
    },
    .property(
      "load_requests", "Request[]", "Loads in progress, in the order they started.",
      swift: "Resource.loadRequests", rules: "STA-13"
    ) { call throws(Misuse) in
      call.return(.list(try call.resource.loadRequests.map { call.values.of($0) }))
    },
    .property(
      "all_requests", "Request[]", "All requests in progress, in the order they started.",
      swift: "Resource.allRequests", rules: "STA-03 STA-12"
    ) { call throws(Misuse) in
      call.return(.list(try call.resource.allRequests.map { call.values.of($0) }))
    },
  ]

  static let resourceContent = contentAccessors(
    of: "Resource",
    content: { call throws(Misuse) in
      let resource = try call.resource
      let content = call.values.content(of: resource)
      if case .nil = content { call.coroutines.nilContents.note(resource, readIn: call.state) }
      call.return(content)
    },
    text: { call throws(Misuse) in
      call.return(.string(try call.resource.text))
    },
    dictionary: { call throws(Misuse) in
      let resource = try call.resource
      let isDict = resource.latestData?.content.isDictionary ?? false
      call.return(isDict ? call.values.content(of: resource) : .map([]))
    },
    array: { call throws(Misuse) in
      let resource = try call.resource
      let isArray = resource.latestData?.content.isArray ?? false
      call.return(isArray ? call.values.content(of: resource) : .list([]))
    },
    document: { call throws(Misuse) in
      call.return(call.values.document(try call.resource.latestData?.content))
    },
    typed: { call throws(Misuse) in
      let resource = try call.resource
      guard let content = resource.latestData?.content else {
        return call.return(call.count > 1 ? .stack(2) : .nil)
      }
      let fits = call.isNil(1) || content.luaTypeName == call.raw(1).typeName
      call.return(fits ? call.values.content(of: resource) : .stack(2))
    })

  private static let resourceLoading: [APIEntry] = [
    .method(
      "load", "(): Request",
      "Sends a GET, or the query, whose outcome becomes the resource's state.",
      """
      Always goes to the network, even while another load runs. In this call, the request is built \
      and started, and observers get `requested`. Later, observers get exactly one of `new_data`, \
      `not_modified`, `error` and `request_cancelled`, and then the hooks of the returned request \
      run. If the data has an `ETag` or `Last-Modified`, the request is conditional; a 304 keeps \
      the data and renews the data's timestamp.
      """,
      example: """
        local entity, err = user:load():await()
        print(entity.content.name, user.is_up_to_date)       --> Ann true
        """,
      swift: "Resource.load()", rules: "LOAD-01 LOAD-02 LOAD-03 LOAD-07 STA-04 STA-11 STA-14"
    ) { call throws(Misuse) in
      let resource = try call.resource
      call.return(call.values.of(resource.load(), loading: resource))
    },
    .method(
      "load_if_needed", "(): Request?",
      """
      Loads the resource unless its data is fresh; returns the request to wait for, or nil if no \
      load is needed.
      """,
      """
      While a load is in progress, this method returns that load and starts no other. Data is up \
      to date if it is not invalidated and its age is at most `expiration_time`. After an error, \
      no load is needed until `retry_time` has passed. If a cache is configured, the first call \
      reads the cache before it loads.
      """,
      example: """
        assert(user:load_if_needed():await())
        print(user:load_if_needed())               --> nil
        """,
      swift: "Resource.loadIfNeeded()", rules: "LOAD-15 LOAD-16 LOAD-24 LOAD-27 LOAD-29 LOAD-31"
    ) { call throws(Misuse) in
      let resource = try call.resource
      switch resource.neededLoad() {
      case .load(let request): call.return(call.values.of(request, loading: resource))
      case .none(let time):
        if let time { call.answersAlike(until: time) }
        call.return(.nil)
      }
    },
    .method(
      "fetch", "(): Entity?, RequestError?",
      "Returns the entity, which is loaded first if needed; or nil and the error.",
      """
      Fresh data is returned at once, without a request. Otherwise, the method waits for the load \
      that `load_if_needed` returns: several calls at a time send one request. While the last \
      error is younger than `retry_time`, that error is returned. Offline, data of any age is \
      fresh. If the resource follows a stream, the method waits for the first data of the stream.
      """,
      example: """
        print(assert(user:fetch()).content.name)   --> Ann
        print(user:fetch() == user.latest_data)    --> true
        print(select(2, api("/users/9"):fetch()).http_status)  --> 404
        """,
      swift: "Resource.fresh(_:)", rules: "LOAD-120 LOAD-121"
    ) { call throws(Misuse) in try fetch(call, try call.resource) },
    .method(
      "explain", "(method?: string): string",
      """
      Returns a text with the settings that apply, the line that set each, and what \
      `load_if_needed` would do now.
      """,
      """
      The text is for people, not for programs. It shows the settings of requests with `method`, \
      by default the method of loads; settings functions run once for this. Credentials are not \
      shown. Caches that were not read before are read, but no request is sent.
      """,
      example: """
        assert(user:load():await())
        print(user:explain():match("would +([^:]+)"))        --> load nothing
        """,
      swift: "Resource.explanation(for:)", rules: "EXP-04 EXP-06"
    ) { call throws(Misuse) in
      let resource = try call.resource
      var method: RequestMethod?
      if let name = call.optionalString(1) { method = try MethodReader.method(name) }
      if resource.service.isRunningBlocks {
        throw .message(
          "explain inside a configuration function would run that function again: call it elsewhere"
        )
      }
      let text = ResourceExplanation.text(call.sources, resource, method: method)
      if call.session.isOpen { call.session.explanation = text }
      call.return(.string(text))
    },
    .method(
      "load_using", "(request: Request): Request",
      """
      Makes any request a load of this resource: the outcome of the request becomes the resource's \
      state. Returns the request.
      """,
      """
      Observers get `requested` in this call. The outcome of a request that is already completed \
      is applied one turn later. This method does not start the request.
      """,
      example: """
        local users = api("/users")
        assert(users:load_using(users:post{ json = { name = "Cid" } }):await())
        print(users.content.id)                    --> 9
        """,
      swift: "Resource.load(using:)", rules: "LOAD-32 LOAD-34 LOAD-35 LOAD-36 LOAD-37"
    ) { call throws(Misuse) in
      guard let request = call.object(1, .request, as: Request.self) else {
        throw .argument(1, "Request expected, got \(call.raw(1).typeName)")
      }
      let resource = try call.resource
      if request.state == .notStarted {
        // Until the request is started, the resource's list may hold the only reference to it. So
        // the request's userdata is kept alive until the request has completed.
        let stored = try call.stored.storedValue(call.state, call.index(1), for: resource.service)
        request.onCompletion { _ in withExtendedLifetime(stored) {} }
      }
      call.return(call.values.of(resource.load(using: request), loading: resource))
    },
    .method(
      "cancel_load_if_unobserved", "(delay?: number, callback?: fun()): Resource",
      """
      Cancels the loads in progress if the resource is not observed, optionally after a delay.
      """,
      """
      Without a delay, the loads are cancelled in this call, and the callback is not used. With a \
      delay, the callback runs when the delay has passed, whether or not a load was cancelled, and \
      may wait; the delay keeps the script alive. Requests that are not loads are not cancelled.
      """,
      example: """
        local request = user:load()
        user:cancel_load_if_unobserved()
        print(request.state)                       --> completed
        """,
      swift: "Resource.cancelLoadIfUnobserved(afterDelay:then:)",
      rules: "CAN-01 CAN-02 CAN-04 CAN-07 CAN-09 CAN-10"
    ) { call throws(Misuse) in
      try call.cancelLoadIfUnobserved()
      call.returnSelf()
    },
  ]

  private static let resourceRequests: [APIEntry] = [
    .method(
      "request", "(method: string, body?: RequestBody, options?: MutationOrOptions): Request",
      "Sends a request that does not change the state of the resource.",
      """
      The request is built in this call, in this order: headers of the configuration, type and \
      bytes of the body, headers and timeout of the options, the function `mutate` of the options, \
      configured mutations, decorators. Then the request is added to `all_requests` and started. \
      Observers get no events. If the body cannot be encoded, the returned request has already \
      failed and is not sent. The method may be any HTTP token, in any letter case. A function in \
      place of the options is used as `mutate`. Pass nil to send no body.
      """,
      example: """
        local request = user:request("PUT", { json = { id = 7, name = "Anna" } }, function(http)
          http.headers["If-Match"] = user.latest_data and user.latest_data.etag
        end)
        print(assert(request:await()).content.name)          --> Anna
        """,
      swift: "Resource.request(_:body:requestMutation:)",
      rules: "REQ-01 REQ-09 REQ-24 REQ-26 MUT-01 STA-02 DYN-01"
    ) { call throws(Misuse) in
      guard let method = RequestMethod(rawValue: call.string(1)) else {
        throw .argument(1, "'\(call.string(1))' is not an HTTP method")
      }
      try call.sendRequest(method, body: 2)
    },
    named(
      "get", "Sends a GET request; otherwise like `request`."
    ) { call throws(Misuse) in
      try call.sendRequest(.get, body: 1)
    },
    named(
      "post", "Sends a POST request; otherwise like `request`.",
      example: """
        local created = assert(api("/users"):post{ json = { name = "Cid" } }:await())
        print(created.http_status, created.content.id)       --> 201 9
        """
    ) { call throws(Misuse) in
      try call.sendRequest(.post, body: 1)
    },
    named(
      "put", "Sends a PUT request; otherwise like `request`."
    ) { call throws(Misuse) in
      try call.sendRequest(.put, body: 1)
    },
    named(
      "patch", "Sends a PATCH request; otherwise like `request`."
    ) { call throws(Misuse) in
      try call.sendRequest(.patch, body: 1)
    },
    named(
      "delete", "Sends a DELETE request; otherwise like `request`.",
      example: """
        print(assert(user:delete():await()).http_status)     --> 204
        """
    ) { call throws(Misuse) in
      try call.sendRequest(.delete, body: 1)
    },
    named(
      "head", "Sends a HEAD request; otherwise like `request`."
    ) { call throws(Misuse) in
      try call.sendRequest(.head, body: 1)
    },
    named(
      "options", "Sends an OPTIONS request; otherwise like `request`.",
      example: """
        print(assert(user:options():await()):header("allow"))    --> GET, PUT, PATCH
        """
    ) { call throws(Misuse) in
      try call.sendRequest(.options, body: 1)
    },
  ]

  private static func named(
    _ name: StaticString, _ summary: String, example: String = "",
    body: @escaping APIEntry.Body
  ) -> APIEntry {
    .method(
      name, "(body?: RequestBody, options?: MutationOrOptions): Request", summary,
      example: example, swift: "Resource.request(_:body:requestMutation:)", rules: "REQ-02",
      body: body)
  }

  private static let resourceLocalState: [APIEntry] = [
    .method(
      "override_local_data", "(entity: Entity): Resource",
      "Makes an entity the latest data, without network or pipeline.",
      """
      Observers get `new_data` with the source `local_override`. The error and an invalidation are \
      cleared, and the resource's cache entries are removed. A load in flight continues, and its \
      data will replace the entity. The entity keeps its timestamp.
      """,
      swift: "Resource.overrideLocalData(with:)", rules: "OVR-01 OVR-03 OVR-04 OVR-05 OVR-06 OVR-12"
    ) { call throws(Misuse) in
      guard let box = call.object(1, .entity, as: EntityBox.self) else {
        throw .argument(1, "Entity expected, got \(call.raw(1).typeName)")
      }
      try call.resource.overrideLocalData(with: box.settled)
      call.returnSelf()
    },
    .method(
      "override_local_content", "(content: any): Resource",
      "Replaces the content of the latest data and keeps its headers.",
      """
      Like `override_local_data`, but the timestamp is set to the current time. If the resource \
      has no data, an entity with the Content-Type `application/binary` is made. The next load is \
      unconditional.
      """,
      example: """
        user:override_local_content{ id = 7, name = "Ann (edited)" }
        print(user.content.name, user.is_up_to_date)         --> Ann (edited) true
        """,
      swift: "Resource.overrideLocalContent(with:)", rules: "OVR-07 OVR-08 OVR-09 OVR-10"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let content = try call.stored.content(call.raw(1), call.state, call.index(1))
      resource.overrideLocalContent(with: content)
      call.returnSelf()
    },
    .method(
      "invalidate", "(): Resource", "Makes the next `load_if_needed` load, however fresh the data.",
      """
      Sends nothing, notifies no observers, and keeps data, error and timestamps. A load that is \
      already in flight does not end the invalidation; the next load does. Cache entries of the \
      resource become stale too, also for other processes.
      """,
      example: """
        assert(user:load():await())
        user:invalidate()
        print(user.is_up_to_date, user.content.name)         --> false Ann
        """,
      swift: "Resource.invalidate()", rules: "INV-01 INV-02 INV-03 INV-05 INV-07 INV-59"
    ) { call throws(Misuse) in
      try call.resource.invalidate()
      call.returnSelf()
    },
    .method(
      "wipe", "(): Resource",
      "Removes the data and the error, and cancels every request of the resource.",
      """
      Observers stay. They get `new_data` with the source `wipe` in this call, and \
      `request_cancelled` for cancelled loads on the next turn. Cache entries stay, so a \
      configured cache may fill the resource again.
      """,
      swift: "Resource.wipe()", rules: "WIPE-01 WIPE-02 WIPE-03 WIPE-06 WIPE-07 WIPE-08"
    ) { call throws(Misuse) in
      try call.resource.wipe()
      call.returnSelf()
    },
  ]
}

extension APIOwner {
  /// Implements `resource:fetch()`, which returns the entity, or nil and the error. If the entity
  /// is not fresh, it is loaded first. The Swift counterpart is `Resource.fresh`.
  private static func fetch(_ call: Call, _ resource: Resource) throws(Misuse) {
    if case .load(let request) = resource.neededLoad() {
      request.mark.loaded = resource
      return try awaitRequest(call, request)
    }
    if returnOutcome(of: resource, call) { return }
    // Without a load, an error or data, the resource must be following a stream that has not
    // delivered any data yet.
    try call.loop.wait(call, for: "the first data of \(resource.displayName)") { completion in
      let wait = FirstOutcome(resource, call.values) { completion($0, false) }
      return { wait.end() }
    }
  }

  private static func returnOutcome(of resource: Resource, _ call: Call) -> Bool {
    guard let values = FirstOutcome.values(of: resource, call.values) else { return false }
    if values.count > 1 { call.reporter.unhandled.errorSeen(of: resource) }
    for value in values { call.return(value) }
    return true
  }
}

/// Waits until a resource without a load in progress has data or an error.
private final class FirstOutcome {
  private let resource: Resource
  private var stop: (() -> Void)?
  private var isOver = false

  init(_ resource: Resource, _ values: ScriptValues, _ found: @escaping ([LuaValue]) -> Void) {
    self.resource = resource
    stop = resource.observe(while: { [weak self] in self?.isOver == false }) {
      [weak self, unowned values] _ in
      guard let self, !isOver, FirstOutcome.isThere(of: resource) else { return }
      end()
      resource.pump.enqueueAfterPhase {
        found(FirstOutcome.values(of: resource, values) ?? [.nil])
      }
    }
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    stop?()
    stop = nil
  }

  private static func isThere(of resource: Resource) -> Bool {
    resource.latestData != nil || resource.latestError != nil
  }

  /// Returns the results of `fetch`: the entity, or nil and the error. Returns nil if the resource
  /// has neither data nor an error.
  static func values(of resource: Resource, _ values: ScriptValues) -> [LuaValue]? {
    let service = resource.service
    if let error = resource.latestError, !error.isPartial,
      !service.isOffline || resource.latestData == nil
    {
      return [.nil, values.of(error, service: service)]
    }
    return resource.latestData.map { data in
      [values.of(data, service: service)]
        + (data.partialError.map { [values.of($0, service: service)] } ?? [])
    }
  }
}
