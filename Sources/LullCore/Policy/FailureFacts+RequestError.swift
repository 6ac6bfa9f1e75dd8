extension RequestError {
  private var isGraphQL: Bool { if case .graphQL? = cause { true } else { false } }

  /// The facts of this error, for `--errors json`. This property is in an extension, because
  /// `FailureFacts` belongs to a lower layer than the retry policy.
  package var facts: FailureFacts {
    let isStatus = httpStatusCode.map { $0 >= 400 } ?? false && !isGraphQL
    var facts = FailureFacts(isStatus ? "http_status" : cause?.kind ?? "failed")
    facts.method = method?.rawValue
    facts.url = url.map { LogText.url($0) }
    facts.status = httpStatusCode
    facts.isRetryable = RetryPolicy().mayRetry(self)
    facts.retryAfter = entity.flatMap { RetryAfter.delay(in: $0.headers, now: timestamp) }
    if method == .query, let advice = adviceForQuery { facts.fix = advice }
    if case .transport(let error)? = cause, error.kind == .tls,
      let advice = error.message.split(separator: "; ").dropFirst().last
    {
      facts.fix = String(advice)
    }
    return facts
  }
}
