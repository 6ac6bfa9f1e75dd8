import LullCore

extension APIOwner {
  static let retrySettings = APIOwner.table(
    "RetrySettings", "`retry`: when a request that failed is sent again.",
    """
    Each attempt has the whole `timeout` for itself. A wait is 0 to twice the one before, evenly \
    ("full jitter"), unless the answer has `Retry-After`, in seconds or as a date: then it is that. \
    A server that asks for more than `backoff.max` gets no further attempt, since sooner would be \
    no use. Cancelling the request ends the wait at once.
    """,
    swift: "RetryPolicy",
    entries: RetryPolicy.fields.map(\.entry))

  static let backoffSettings = APIOwner.table(
    "BackoffSettings", "`retry.backoff`: how long to wait before a request is sent again.",
    swift: "Backoff",
    entries: Backoff.fields.map(\.entry))

  static let rateLimitSettings = APIOwner.table(
    "RateLimitSettings", "`rate_limit`: at most so many requests in any span of so many seconds.",
    """
    They may go out all at once; `{ requests = 1, per = 0.1 }` spaces them evenly. Each request that \
    goes out takes a place: retries, repeats with new credentials and redirects too. A place is \
    released `per` seconds after the last byte of its request went out, so that a slow connection \
    cannot let more arrive at the server; see also `strict`. What has to wait is sent in order, and leaves the line when it is cancelled. The limit \
    belongs to the entry that sets it: all resources and methods the entry applies to share it. \
    With `shared` it holds over all processes of this user on this machine, and never lets more \
    than `requests` through in any span of `per` seconds: they count in `lull/limits.db` in \
    `$XDG_STATE_HOME` or `~/.local/state`. What was let through and not sent by a process that has \
    ended is given back; limits that differ in number or span all hold. Where the file cannot be \
    used, a warning says so, and the limit holds within the process. Not available in the sandbox.
    """,
    swift: "RateLimit",
    entries: RateLimitFields.all.map(\.entry))

  static let requestAttempt = APIOwner.table(
    "RequestAttempt", "An element of `request.attempts`.", swift: "RequestAttempt",
    entries: [
      .field("number", "integer", "Counted from 1.", swift: "RequestAttempt.number"),
      .field(
        "started", "number", "When it was sent; Unix epoch seconds.",
        swift: "RequestAttempt.started"),
      .field(
        "delay", "number",
        "How long it had waited, for limits, credentials, or since the last one; seconds.",
        swift: "RequestAttempt.delay"),
      .field(
        "elapsed", "number?", "How long it took, in seconds; nil while it is under way.",
        swift: "RequestAttempt.elapsed"),
      .field(
        "status", "integer?", "The HTTP status it was answered with.",
        swift: "RequestAttempt.Outcome.status(_:)"),
      .field("http_status", "integer?", "The same as `status`."),
      .field(
        "error", "string?", "The kind of failure, if there was no answer, as `CauseKind`.",
        swift: "RequestAttempt.Outcome.failure(_:)"),
    ])
}
