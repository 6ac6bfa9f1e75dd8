import LullCore

extension APIOwner {
  static let retrySettings = APIOwner.table(
    "RetrySettings", "`retry`: when a failed request is sent again.",
    """
    Each attempt has the whole `timeout`. A wait is a random time from 0 to twice the previous one \
    ("full jitter"), unless the response has `Retry-After`, in seconds or as a date: then it is \
    that time. If the server asks for more than `backoff.max`, there is no further attempt, \
    because a retry before that time would fail. Cancelling the request ends the wait at once.
    """,
    swift: "RetryPolicy",
    entries: RetryPolicy.fields.map(\.entry))

  static let backoffSettings = APIOwner.table(
    "BackoffSettings", "`retry.backoff`: how long to wait before a request is sent again.",
    swift: "Backoff",
    entries: Backoff.fields.map(\.entry))

  static let rateLimitSettings = APIOwner.table(
    "RateLimitSettings",
    "`rate_limit`: the maximum number of requests in any span of `per` seconds.",
    """
    All of them may be sent at once; `{ requests = 1, per = 0.1 }` spaces them evenly. Each \
    request that is sent takes a slot, including retries, repeats with new credentials and \
    redirects. A slot is released `per` seconds after the last byte of its request was sent, so \
    that the server does not receive more requests even over a slow connection; see also `strict`. \
    Waiting requests are sent in order, and leave the queue when they are cancelled. The limit \
    belongs to the configuration entry that sets it: all resources and methods that the entry \
    applies to share it.

    With `shared` it applies to all processes of this user on this machine, and never allows more \
    than `requests` in any span of `per` seconds. They are counted in `lull/limits.db` in \
    `$XDG_STATE_HOME` or `~/.local/state`. Slots taken by a process that ended without sending \
    are given back. Shared limits that differ in number or span all apply. If the file cannot be \
    used, there is a warning, and the limit applies to each process alone. Not available in the \
    sandbox.
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
        "started", "number", "When it was sent, in seconds since 1970.",
        swift: "RequestAttempt.started"),
      .field(
        "delay", "number",
        """
        How long it waited before it was sent, in seconds: for limits, for credentials, or after \
        the previous attempt.
        """,
        swift: "RequestAttempt.delay"),
      .field(
        "elapsed", "number?", "How long it took, in seconds; nil while it is in progress.",
        swift: "RequestAttempt.elapsed"),
      .field(
        "status", "integer?", "The HTTP status of its response.",
        swift: "RequestAttempt.Outcome.status(_:)"),
      .field("http_status", "integer?", "The same as `status`."),
      .field(
        "error", "string?", "The kind of failure, if there was no response, as `CauseKind`.",
        swift: "RequestAttempt.Outcome.failure(_:)"),
    ])
}
