extension APIOwner {
  static let resource = APIOwner.object(
    .resource, receiver: "resource",
    "One URL of a service, and what was last heard from it.",
    """
    State changes only through loads, overrides, caches and `wipe`, and observers hear of each \
    change. `==` compares: the same URL is the same object. `tostring` shows L while loading, D \
    with data, E with an error.
    """,
    swift: "Resource",
    entries: resourceState + contentAccessors(of: "Resource") + resourceLoading + resourceRequests
      + resourceDownloads + resourceIterators + resourceStreams + resourceLocalState
      + resourceNavigation + resourceObserving)

  private static let resourceState: [APIEntry] = [
    .property(
      "service", "Service", "The service it belongs to.", swift: "Resource.service", rules: "SVC-07"
    ),
    .property(
      "url", "string", "Its absolute URL; `\":\"` if it is invalid.", swift: "Resource.url",
      rules: "SVC-21"),
    .property(
      "latest_data", "Entity?", "The last data: an entity, or nil.",
      """
      It outlives later errors. Reading it for the first time starts the look into a cache, if \
      one is configured.
      """,
      swift: "Resource.latestData", rules: "STA-01 STA-05 STA-06 STA-15"),
    .property(
      "latest_error", "RequestError?",
      "The error of the last load, nil once anything newer succeeded.",
      swift: "Resource.latestError", rules: "STA-06 STA-07"),
    .property(
      "timestamp", "number", "When data or error last changed, the later of the two; 0 if never.",
      swift: "Resource.timestamp", rules: "STA-08"),
    .property(
      "is_loading", "boolean", "Whether a load is in progress.", swift: "Resource.isLoading",
      rules: "STA-04 STA-10"),
    .property(
      "is_requesting", "boolean", "Whether any request of it is in progress, loads included.",
      swift: "Resource.isRequesting", rules: "STA-03"),
    .property(
      "is_up_to_date", "boolean",
      "Whether `load_if_needed` would start nothing, loads in progress aside.",
      swift: "Resource.isUpToDate", rules: "LOAD-24 LOAD-25"),
    .property(
      "load_requests", "Request[]", "Loads in progress, in the order they began.",
      swift: "Resource.loadRequests", rules: "STA-13"),
    .property(
      "all_requests", "Request[]", "All requests in progress, in the order they began.",
      swift: "Resource.allRequests", rules: "STA-03 STA-12"),
  ]

  private static let resourceLoading: [APIEntry] = [
    .method(
      "load", "(): Request", "Sends a GET whose outcome becomes the resource's state.",
      """
      Always goes to the network, even while another load runs. In this call the request is built \
      and started and observers hear `requested`; then exactly one of `new_data`, `not_modified`, \
      `error`, `request_cancelled`; then the hooks of the returned request. Data with an `ETag` \
      or `Last-Modified` makes it conditional; a 304 keeps the data and renews its timestamp.
      """,
      example: """
        local entity, err = user:load():await()
        print(entity.content.name, user.is_up_to_date)       --> Ann true
        """,
      swift: "Resource.load()", rules: "LOAD-01 LOAD-02 LOAD-03 LOAD-07 STA-04 STA-11 STA-14"),
    .method(
      "load_if_needed", "(): Request?",
      "Loads unless data is fresh; returns the request to wait for, or nil if up to date.",
      """
      While a load is in progress it returns that one and starts none. Up to date is what is not \
      invalidated and whose age is at most `expiration_time`, or `retry_time` after an error. \
      With a cache configured the first call looks there first.
      """,
      example: """
        assert(user:load_if_needed():await())
        print(user:load_if_needed())               --> nil
        """,
      swift: "Resource.loadIfNeeded()", rules: "LOAD-15 LOAD-16 LOAD-24 LOAD-27 LOAD-29 LOAD-31"),
    .method(
      "fetch", "(): Entity?, RequestError?",
      "Gives the entity, loaded if that is needed; or nil and the error.",
      """
      Fresh data comes at once, without a request. Otherwise it waits for the load that \
      `load_if_needed` returns: of several calls at a time one request goes out. While the last \
      error is younger than `retry_time`, it is that error. Offline, data of any age is fresh. \
      If the data comes from a stream that is followed, it waits for its first data.
      """,
      example: """
        print(assert(user:fetch()).content.name)   --> Ann
        print(user:fetch() == user.latest_data)    --> true
        print(select(2, api("/users/9"):fetch()).http_status)  --> 404
        """,
      swift: "Resource.fresh(_:)", rules: "LOAD-120 LOAD-121"),
    .method(
      "explain", "(method?: string): string",
      "Says which settings apply, which line has set each, and what `load_if_needed` would do now.",
      """
      A text for people, not for programs. Settings are those of requests with that method, GET \
      unless given; configure functions run once more for it. Credentials are not shown. It asks \
      caches if nobody has yet, and never the network.
      """,
      example: """
        assert(user:load():await())
        print(user:explain():match("would +([^:]+)"))        --> load nothing
        """,
      swift: "Resource.explanation(for:)", rules: "EXP-04 EXP-06"),
    .method(
      "load_using", "(request: Request): Request",
      """
      Makes any request a load of this resource: its outcome becomes the state. Returns the \
      request.
      """,
      """
      Observers hear `requested` in this call. A completed request is applied one turn later; one \
      not started is not started by this.
      """,
      example: """
        local users = api("/users")
        assert(users:load_using(users:post{ json = { name = "Cid" } }):await())
        print(users.content.id)                    --> 9
        """,
      swift: "Resource.load(using:)", rules: "LOAD-32 LOAD-34 LOAD-35 LOAD-36 LOAD-37"),
    .method(
      "cancel_load_if_unobserved", "(delay?: number, callback?: fun()): Resource",
      """
      Cancels the loads in progress if nobody observes the resource; after a delay, if one is \
      given.
      """,
      """
      Without a delay it happens now and there is no callback. With one, the callback runs after \
      the attempt, whether or not anything was cancelled, and may wait; until then the timer \
      keeps the script alive. Other requests are left alone.
      """,
      example: """
        local request = user:load()
        user:cancel_load_if_unobserved()
        print(request.state)                       --> completed
        """,
      swift: "Resource.cancelLoadIfUnobserved(afterDelay:then:)",
      rules: "CAN-01 CAN-02 CAN-04 CAN-07 CAN-09 CAN-10"),
  ]

  private static let resourceRequests: [APIEntry] = [
    .method(
      "request", "(method: string, body?: RequestBody, options?: MutationOrOptions): Request",
      "Sends a request that leaves the resource's state alone.",
      """
      In this call: headers of the configuration, the body's type and bytes, headers and timeout of \
      the options, their `mutate`, configured mutations, decorators; then it is listed and started. \
      Observers hear nothing. A body that cannot be encoded gives a request that has failed already \
      and is not sent. The method may be any HTTP token, in any letter case. A function in the place \
      of the options is their `mutate`; nil holds the body's place.
      """,
      example: """
        local request = user:request("PUT", { json = { id = 7, name = "Anna" } }, function(http)
          http.headers["If-Match"] = user.latest_data and user.latest_data.etag
        end)
        print(assert(request:await()).content.name)          --> Anna
        """,
      swift: "Resource.request(_:body:requestMutation:)",
      rules: "REQ-01 REQ-09 REQ-24 REQ-26 MUT-01 STA-02 DYN-01"),
    named("get", "GET"),
    named(
      "post", "POST",
      example: """
        local created = assert(api("/users"):post{ json = { name = "Cid" } }:await())
        print(created.http_status, created.content.id)       --> 201 9
        """),
    named("put", "PUT"),
    named("patch", "PATCH"),
    named(
      "delete", "DELETE",
      example: """
        print(assert(user:delete():await()).http_status)     --> 204
        """),
    named("head", "HEAD"),
    named(
      "options", "OPTIONS",
      example: """
        print(assert(user:options():await()):header("allow"))    --> GET, PUT, PATCH
        """),
  ]

  private static func named(_ name: String, _ method: String, example: String = "") -> APIEntry {
    .method(
      name, "(body?: RequestBody, options?: MutationOrOptions): Request",
      "Sends a \(method) request; otherwise as `request`.", example: example,
      swift: "Resource.request(_:body:requestMutation:)", rules: "REQ-02")
  }

  private static let resourceLocalState: [APIEntry] = [
    .method(
      "override_local_data", "(entity: Entity): Resource",
      "Makes an entity the latest data, without network or pipeline.",
      """
      Observers hear `new_data` with `local_override`. Clears the error and an invalidation; \
      removes the resource's cache entries. A load in flight goes on and will replace it. The \
      entity's own timestamp counts.
      """,
      swift: "Resource.overrideLocalData(with:)", rules: "OVR-01 OVR-03 OVR-04 OVR-05 OVR-06 OVR-12"
    ),
    .method(
      "override_local_content", "(content: any): Resource",
      "Replaces the content of the latest data and keeps its headers.",
      """
      As `override_local_data`, with the timestamp now; without data it makes an entity of type \
      `application/binary`. The next load is unconditional.
      """,
      example: """
        user:override_local_content{ id = 7, name = "Ann (edited)" }
        print(user.content.name, user.is_up_to_date)         --> Ann (edited) true
        """,
      swift: "Resource.overrideLocalContent(with:)", rules: "OVR-07 OVR-08 OVR-09 OVR-10"),
    .method(
      "invalidate", "(): Resource", "Makes the next `load_if_needed` load, however fresh the data.",
      """
      Sends nothing, tells nobody, keeps data, error and timestamps. A load in flight does not \
      end it; the next one does. What caches keep of the resource is stale too, also for other \
      processes.
      """,
      example: """
        assert(user:load():await())
        user:invalidate()
        print(user.is_up_to_date, user.content.name)         --> false Ann
        """,
      swift: "Resource.invalidate()", rules: "INV-01 INV-02 INV-03 INV-05 INV-07 INV-59"),
    .method(
      "wipe", "(): Resource", "Forgets data and error and cancels every request of the resource.",
      """
      Observers stay and hear `new_data` with `wipe` in this call; `request_cancelled` for loads \
      comes with the next turn. Cache entries stay, so that a configured cache may fill the \
      resource again.
      """,
      swift: "Resource.wipe()", rules: "WIPE-01 WIPE-02 WIPE-03 WIPE-06 WIPE-07 WIPE-08"),
  ]
}
