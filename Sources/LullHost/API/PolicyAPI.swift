import LullCore

extension APIOwner {
  static let retrySettings = APIOwner.table(
    "RetrySettings", "The setting `retry`: when a failed request is sent again.",
    """
    Each attempt may take the whole `timeout`. The wait before a retry is a random time below a \
    bound ("full jitter"). The bound is `backoff.base` for the first retry and doubles for each \
    further retry, up to `backoff.max`. If the response has `Retry-After`, in seconds or as a \
    date, the wait is exactly that time. If that time is longer than `backoff.max`, the request is \
    not sent again, because an earlier retry would fail. Cancelling the request ends the wait at \
    once.
    """,
    swift: "RetryPolicy",
    entries: RetryPolicy.fields.map(\.entry))

  static let backoffSettings = APIOwner.table(
    "BackoffSettings",
    """
    The field `backoff` of the setting `retry`: how long to wait before a request is sent again.
    """,
    swift: "Backoff",
    entries: Backoff.fields.map(\.entry))

  static let rateLimitSettings = APIOwner.table(
    "RateLimitSettings",
    "The setting `rate_limit`: the maximum number of requests in any span of `per` seconds.",
    """
    All requests of a span may be sent at once; `{ requests = 1, per = 0.1 }` spaces requests \
    evenly. Each request that is sent takes a slot, including retries, repeats with new \
    credentials and redirects. A slot is released `per` seconds after the last byte of its request \
    was sent, so that the server does not receive more requests even over a slow connection; see \
    also `strict`. Waiting requests are sent in order, and leave the queue when they are \
    cancelled. The limit belongs to the configuration entry that sets it: all resources and \
    methods that the entry applies to share it.

    With `shared`, the limit applies to all processes of this user on this machine together: they \
    never send more than `requests` in any span of `per` seconds. The requests are counted in the \
    file `lull/limits.db` in `$XDG_STATE_HOME` or `~/.local/state`. If a process ends before it \
    has sent its requests, their slots are given back. If limits that are counted together differ \
    in `requests` or `per`, all of them apply. If the file cannot be used, there is a warning, and \
    the limit applies to each process alone. Not available in the sandbox.
    """,
    swift: "RateLimit",
    entries: RateLimitFields.all.map(\.entry))

  static let requestAttempt = APIOwner.table(
    "RequestAttempt", "An element of `request.attempts`.", swift: "RequestAttempt",
    entries: [
      .field(
        "number", "integer",
        "The number of the attempt, starting at 1.",
        swift: "RequestAttempt.number"),
      .field(
        "started", "number", "When the attempt was sent, in seconds since 1970.",
        swift: "RequestAttempt.started"),
      .field(
        "delay", "number",
        """
        How long the attempt waited before it was sent, in seconds: for limits, for credentials, \
        or after the previous attempt.
        """,
        swift: "RequestAttempt.delay"),
      .field(
        "elapsed", "number?",
        "How long the attempt took, in seconds; nil while the attempt is in progress.",
        swift: "RequestAttempt.elapsed"),
      .field(
        "status", "integer?", "The HTTP status of the response to the attempt.",
        swift: "RequestAttempt.Outcome.status(_:)"),
      .field("http_status", "integer?", "The same as `status`."),
      .field(
        "error", "string?", "The kind of failure, if there was no response, as `CauseKind`.",
        swift: "RequestAttempt.Outcome.failure(_:)"),
    ])
}
