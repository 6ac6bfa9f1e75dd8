extension APIOwner {
  static let configuration = APIOwner.object(
    "Configuration", .configuration, receiver: "config",
    "What a settings function changes; valid only inside it.",
    "Its values are those that earlier entries have set. Using it later raises.",
    swift: "Configuration",
    entries: [
      .property(
        "headers", "Headers", "Headers of each request; a table can be assigned.", writable: true,
        swift: "Configuration.headers", rules: "REQ-05 MUT-06"),
      .property(
        "expiration_time", "number", "How long data is up to date, in seconds.", writable: true,
        swift: "Configuration.expirationTime", rules: "LOAD-20 CFG-15"),
      .property(
        "retry_time", "number", "How long after an error no load is needed, in seconds.",
        writable: true, swift: "Configuration.retryTime", rules: "LOAD-23 CFG-15"),
      .property(
        "progress_reporting_interval", "number", "How often progress is looked at, in seconds.",
        writable: true, swift: "Configuration.progressReportingInterval", rules: "PRG-24"),
      .property(
        "timeout", "number", "How long a whole exchange may take, in seconds.", writable: true,
        swift: "TransferLimits.timeout"),
      .property(
        "connect_timeout", "number", "How long connecting may take, in seconds.", writable: true,
        swift: "TransferLimits.connectTimeout"),
      .property(
        "max_body_size", "integer", "How large a decoded response body may be, in bytes.",
        writable: true, swift: "TransferLimits.maxBodySize"),
      .property(
        "connections_per_host", "integer", "How many connections to one host.", writable: true,
        swift: "TransferLimits.connectionsPerHost"),
      .property(
        "retry", "RetrySettings|integer|boolean|nil",
        "When a failed request is sent again; reads as a read-only table, nil for never.",
        writable: true, swift: "Configuration.retry"),
      .property(
        "rate_limit", "RateLimitSettings|false|nil",
        "How many requests may be sent in a span of time; reads as a read-only table.",
        writable: true, swift: "Configuration.rateLimit"),
      .property(
        "concurrency", "integer|false|nil", "How many requests may be under way at once.",
        writable: true, swift: "Configuration.concurrency"),
      .property(
        "pipeline", "Pipeline", "The stages a response goes through.",
        swift: "Configuration.pipeline"),
      .property(
        "auth", "Auth|false|nil", "What proves who sends the requests.", writable: true,
        swift: "Configuration.auth"),
      .method(
        "mutate_requests",
        "(mutation: Mutation): Configuration",
        "Adds a function that edits each request before it is sent.",
        """
        It runs once for each request, after headers and the request's own mutation, and must \
        answer at once. If it raises, the request fails with kind `script_error` and is not sent.
        """,
        example: """
          api:configure("/**", function(config)
            config:mutate_requests(function(http) http.headers["X-Sent"] = lull.now() end)
          end)
          assert(user:load():await())
          """,
        swift: "Configuration.mutateRequests(_:)", rules: "MUT-01 MUT-02 MUT-03 MUT-04 MUT-08"),
      .method(
        "decorate_requests",
        "(decorator: Decorator): Configuration",
        "Adds a function that may add hooks to each request, wrap it in a chain, or replace it.",
        """
        It gets the request before it is started and returns the one to send; the caller gets \
        what the last decorator returned. A request that is not passed on never starts. It must \
        answer at once; if it raises or returns no request, the request fails and is not sent. It \
        does not run for `repeated()`.
        """,
        example: """
          api:configure("/**", function(config)
            config:decorate_requests(function(resource, request)
              return request:on_failure(function(err) print(err.http_status) end)  --> 404
            end)
          end)
          api("/users/9"):load():await()
          """,
        swift: "Configuration.decorateRequests(_:)",
        rules: "DEC-01 DEC-02 DEC-04 DEC-05 DEC-06 DEC-12 DEC-14"),
    ] + networkProperties)
}
