extension APIOwner {
  static let lull = APIOwner.module(
    "lull", "What `require \"lull\"` gives.",
    """
    Misuse raises at the caller's line; failure of the outside world never raises: it is state, a \
    hook, or `nil, err`. Unknown keys in any options table raise and name the nearest known key. \
    Durations are seconds, timestamps are seconds since 1970, sizes are bytes. A string that is no \
    UTF-8 stays what it is in bodies, contents and header values; where only text can be it raises, or \
    fails the request, and messages spell it out (`caf\\xE9`).
    """,
    entries: moduleMakers + moduleOneOffs + moduleRequests + moduleBodies + moduleConcurrency
      + moduleScripting + moduleRunning + moduleSecrets + moduleShare + moduleDigests
      + moduleValues)

  private static let moduleMakers: [APIEntry] = [
    .function(
      "service",
      """
      (base_url: string): Service
      (options: ServiceOptions): Service
      """,
      "Makes a service: a web API with its resources, configuration and networking.",
      """
      Sends nothing. A base that is no URL counts as none and is logged as a warning; without a \
      base every resource of a path is invalid and its requests fail.
      """,
      example: """
        local github = lull.service{ base_url = "https://api.github.com", expiration_time = 300 }
        print(github.base_url)                     --> https://api.github.com/
        """,
      swift: "Service.init(baseURL:name:on:standardTransformers:networking:isolation:)",
      rules: "SVC-01 SVC-04 SVC-05 SVC-35 SVC-36"),
    .function(
      "entity", "(fields: EntityFields): Entity",
      "Makes an entity of your own, which can be changed until a resource has it.",
      """
      A string as content is text if it is valid UTF-8, else bytes. The timestamp is now unless \
      given.
      """,
      example: """
        local draft = lull.entity{ content = { name = "Dee" }, content_type = "application/json" }
        user:override_local_data(draft)
        print(user.content.name)                   --> Dee
        """,
      swift: "Entity.init(content:contentType:charset:headers:)", rules: "ENT-11 ENT-12"),
    .function(
      "error", "(error: string|ErrorFields): RequestError",
      """
      Makes a request error, to raise in a transformer or to answer with in a networking \
      function.
      """,
      """
      A string is the message. Without a message it is the status's phrase, the cause's text, or \
      "Request failed". Making one raises nothing; `error(lull.error{…})` does.
      """,
      example: """
        local err = lull.error{ http_status = 404 }
        print(err.user_message)                    --> Not found
        """,
      swift: "RequestError.init(userMessage:httpStatusCode:entity:cause:timestamp:)",
      rules: "ERR-01 ERR-02 TRF-14"),
    .function(
      "regex", "(pattern: string, options?: \"i\"): Regex",
      "Compiles a regular expression (PCRE2 syntax) for use as a URL pattern.",
      """
      The only option is `"i"`: ignore letter case. It matches if found anywhere in the URL. A search ends after a \
      million steps; the request then fails.
      """,
      example: """
        api:configure(lull.regex("/USERS/[0-9]+$", "i"), { expiration_time = 300 })
        print(api:configuration_for(user).expiration_time)   --> 300.0
        """,
      swift: "ConfigurationPattern.regex(_:source:)", rules: "PAT-19 PAT-20 PAT-21 PAT-43"),
    .function(
      "status", "(resources: Resource|Resource[], options?: StatusOptions): Status",
      "The combined state of several resources, and a way to retry those that failed.",
      """
      For one display of all of them, as Siesta's `ResourceStatusOverlay`. It observes nothing and loads \
      nothing; `status:changes()` and `status:await()` wait.
      """,
      example: """
        local status = lull.status{ user, api("/users/8") }
        print(status.state)                        --> none
        lull.all{ user:load(), api("/users/8"):load() }
        print(status.state, status.has_all_data)   --> success true
        """,
      swift: "ResourceStatus.init(_:displayPriority:)", rules: "STA-120"),
  ]

  static let status = APIOwner.object(
    .status, receiver: "status",
    "The combined state of several resources, computed whenever it is read: `lull.status{ … }`.",
    swift: "ResourceStatus",
    entries: [
      .property(
        "state", "StatusState", "By the first rule of `priority` that applies.",
        swift: "ResourceStatus.state", rules: "STA-120"),
      .property(
        "is_loading", "boolean", "Whether any of them is loading.",
        swift: "ResourceStatus.isLoading"),
      .property(
        "error", "RequestError?", "That of the first resource that has one.",
        swift: "ResourceStatus.latestError"),
      .property(
        "has_any_data", "boolean", "Whether any of them has data.",
        swift: "ResourceStatus.hasAnyData"),
      .property(
        "has_all_data", "boolean", "Whether all of them have data.",
        swift: "ResourceStatus.hasAllData"),
      .property(
        "resources", "Resource[]", "Those it is of, each once.", swift: "ResourceStatus.resources"),
      .property(
        "failed", "Resource[]", "Those whose last load has failed.",
        swift: "ResourceStatus.failedResources"),
      .method(
        "retry", "(): Request[]", "Loads those whose last load has failed, however recently.",
        "Gives the loads, in the order of the resources; one that is being loaded is not loaded twice.",
        example: """
          local status = lull.status{ user, api("/users/9") }
          user:load():await()
          api("/users/9"):load():await()
          print(status.state, status.error.http_status)        --> error 404
          print(#status:retry(), (status:await()))             --> 1 error
          """, swift: "ResourceStatus.retryFailedRequests()", rules: "STA-121"),
      .method(
        "await", "(): StatusState, RequestError?",
        "Waits until none of them is loading, and gives the state, and the error if there is one.",
        "Starts no load. Gives them at once if none is loading. May wait.", rules: "STA-122"),
      .method(
        "changes", "(): Changes",
        "An iterator for `for` that yields the state, and then each state that is another one.",
        "Otherwise as `resource:changes`.",
        example: """
          user:load()
          for state in lull.status{ user }:changes() do
            print(state)                           --> loading
            if state == "success" then break end   --> success
          end
          """, rules: "STA-122 OBS-122"),
    ])

  static let statusOptions = APIOwner.table(
    "StatusOptions", "Options of `lull.status`.",
    entries: [
      .field(
        "priority", "(\"loading\"|\"error\"|\"any_data\"|\"all_data\")[]?",
        "The rules for `state`, in their order; default `{ \"loading\", \"error\", \"any_data\" }`.",
        swift: "ResourceStatus.displayPriority", rules: "STA-120")
    ])

  static let statusStates = APIOwner.words(
    "StatusState", "States of several resources.", swift: "ResourceStatus.State",
    entries: [
      .word("loading", "Any of them is loading."),
      .word("error", "The last load of any of them has failed."),
      .word("success", "Any of them has data, or all, as `priority` says."),
      .word("none", "No rule applies: nothing has been loaded."),
    ])

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
      swift: "Response.success(_:isNew:)", rules: "CHN-02 HW-02"),
    .function(
      "failure", "(error: RequestError|string): Response",
      "Makes a failed response, for chains and hard-wired requests.",
      example: """
        local refused = lull.hard_wired_request(lull.failure("Not in this build"))
        print(select(2, refused:await()).user_message)       --> Not in this build
        """,
      swift: "Response.failure(_:)", rules: "CHN-02 HW-02"),
    .function(
      "failed_request", "(error: RequestError): Request",
      "A request that has failed from birth with that error, without network or pipeline.",
      """
      Its hooks run once, on a later turn. Cancelling it does nothing; `repeated()` gives it \
      back.
      """,
      example: """
        local refused = lull.failed_request(lull.error("Sign in first"))
        api:configure("/private/**", { decorate_requests = function() return refused end })
        print(select(2, api("/private/a"):load():await()).user_message)  --> Sign in first
        """,
      swift: "Resource.failedRequest(returning:)", rules: "HW-01 HW-03 HW-04 HW-05 REP-10"),
    .function(
      "hard_wired_request", "(response: Response): Request",
      "A request that has been answered from birth with that response.",
      """
      Its hooks run once, on a later turn. Cancelling it does nothing; `repeated()` gives it \
      back.
      """,
      example: """
        local request = lull.hard_wired_request(lull.success{ content = "ready" })
        print(assert(request:await()).text)        --> ready
        """,
      swift: "Resource.hardWiredRequest(returning:)", rules: "HW-02 HW-03 HW-04 HW-05 REP-10"),
    .function(
      "custom_request", "(functions: CustomRequest): Request",
      "A request with logic of your own in place of an exchange.",
      """
      It is not started: `start()`, a chain, or a decorator's return does that, and then `start` \
      is called once with `complete`. The first `complete(response)` ends the request, \
      untransformed; a later one is ignored and logged. What any of its functions raises fails \
      the request with kind `script_error`. `start` may wait; the other functions must answer at \
      once.
      """,
      example: """
        local job = lull.custom_request{
          description = "two steps",
          start = function(complete) lull.sleep(0.1) complete(lull.success{ content = "done" }) end,
        }
        print(assert(job:start():await()).text)    --> done
        """,
      swift: "Resource.prepareRequest(using:)", rules: "DEL-01 DEL-03 DEL-04 DEL-06 DEL-07 DEL-09"),
  ]
}
