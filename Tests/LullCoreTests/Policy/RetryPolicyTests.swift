import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct RetryPolicyTests {
  private func decide(
    _ policy: RetryPolicy, status: Int? = nil, retryAfter: String? = nil, date: String? = nil,
    error: TransportError? = nil, method: RequestMethod = "GET", hasKey: Bool = false,
    retries: Int = 0, random: Double = 0.5
  ) -> RetryPolicy.Decision {
    var result = NetworkResult(error: error)
    if let status {
      let headers = Headers(
        [("Retry-After", retryAfter), ("Date", date)].compactMap { name, value in
          value.map { (name, $0) }
        })
      result.response = HTTPResponse(status: status, headers: headers)
    }
    return policy.decision(
      after: result, method: method, isIdempotent: method.isIdempotent || hasKey, retries: retries,
      now: 784_111_777,
      random: { random })
  }

  @Test(
    arguments: [(429, true), (502, true), (503, true), (504, true)]
      + [200, 304, 400, 404, 408, 500, 501].map { ($0, false) }
  )
  func `the statuses of the list are tried again, and no others`(status: Int, isTriedAgain: Bool) {
    #expect(
      decide(RetryPolicy(), status: status) == (isTriedAgain ? .sendAgain(after: 0.25) : .keep))
  }

  @Test(arguments: TransportError.Kind.allCases)
  func `failures are tried again that may be over a moment later`(kind: TransportError.Kind) {
    let passing: Set<TransportError.Kind> = [.network, .timeout, .dns, .connection, .truncatedBody]
    let decision = decide(RetryPolicy(), error: TransportError(kind, "no"))
    #expect(decision == (passing.contains(kind) ? .sendAgain(after: 0.25) : .keep))
    var only = RetryPolicy()
    only.errors = [kind]
    #expect(decide(only, error: TransportError(kind, "no")) == .sendAgain(after: 0.25))
  }

  @Test func `LOAD-11 of a status and an error the error counts`() {
    let tls = TransportError(.tls, "no")
    #expect(decide(RetryPolicy(), status: 503, error: tls) == .keep)
    let cut = TransportError(.truncatedBody, "cut")
    #expect(decide(RetryPolicy(), status: 200, error: cut) == .sendAgain(after: 0.25))
  }

  @Test func `what is known to be of no use is not tried`() {
    var error = TransportError(.network, "unstubbed")
    error.isFinal = true
    #expect(decide(RetryPolicy(), error: error) == .keep)
  }

  @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH", "MKCOL"])
  func `RFC 9110 9.2.2: only idempotent methods are repeated, unless that is allowed`(
    method: RequestMethod
  ) {
    let isIdempotent = !["POST", "PATCH", "MKCOL"].contains(method)
    let decision = decide(RetryPolicy(), status: 503, method: method)
    #expect(
      decision
        == (isIdempotent
          ? .sendAgain(after: 0.25)
          : .giveUp(reason: "\(method) is not idempotent, and retry.unsafe is not set")))
    var any = RetryPolicy()
    any.isUnsafe = true
    #expect(decide(any, status: 503, method: method) == .sendAgain(after: 0.25))
    #expect(decide(RetryPolicy(), status: 200, method: method) == .keep)
  }

  @Test func `it is sent again as often as 'times' says`() {
    #expect(decide(RetryPolicy(), status: 503, retries: 2) == .sendAgain(after: 1))
    #expect(decide(RetryPolicy(), status: 503, retries: 3) == .keep)
    var none = RetryPolicy()
    none.times = 0
    #expect(decide(none, status: 503) == .keep)
  }

  @Test(arguments: [(1, 0.5), (2, 1), (3, 2), (4, 4), (7, 30), (2000, 30)] as [(Int, Double)])
  func `the wait doubles up to 'max'; with jitter it is a part of that`(retry: Int, ceiling: Double)
  {
    var backoff = Backoff()
    #expect(backoff.delay(beforeRetry: retry) { 0 } == 0)
    #expect(backoff.delay(beforeRetry: retry) { 0.75 } == ceiling * 0.75)
    for _ in 0..<100 {
      let delay = backoff.delay(beforeRetry: retry) { .random(in: 0..<1) }
      #expect(delay >= 0 && delay < ceiling)
    }
    backoff.hasJitter = false
    #expect(backoff.delay(beforeRetry: retry) { 0.75 } == ceiling)
    backoff.base = 0
    #expect(backoff.delay(beforeRetry: retry) { 0.75 } == 0)
    backoff.base = 100
    #expect(backoff.delay(beforeRetry: retry) { 0.75 } == 30)
  }

  @Test(
    arguments: [
      ("0", 0.25), ("7", 7), (" 30 ", 30), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
      ("Sunday, 06-Nov-94 08:49:40 GMT", 3), ("Sun, 06 Nov 1994 08:00:00 GMT", 0.25),
      ("soon", 0.25), ("-1", 0.25), ("1.5", 0.25), ("", 0.25),
    ] as [(String, Double)])
  func `RTY-01 RFC 9110 10.2.3: Retry-After takes the place of the computed wait`(
    value: String, delay: Double
  ) {
    #expect(decide(RetryPolicy(), status: 429, retryAfter: value) == .sendAgain(after: delay))
  }

  @Test func `RTY-02 a date is measured by the answer's own Date`() {
    // The server's clock is an hour behind.
    let date = "Sun, 06 Nov 1994 07:49:37 GMT"
    let later = "Sun, 06 Nov 1994 07:49:44 GMT"
    let decision = decide(RetryPolicy(), status: 503, retryAfter: later, date: date)
    #expect(decision == .sendAgain(after: 7))
    #expect(
      decide(RetryPolicy(), status: 503, retryAfter: date, date: later) == .sendAgain(after: 0.25))
    #expect(
      decide(RetryPolicy(), status: 503, retryAfter: "3", date: date) == .sendAgain(after: 3))
  }

  @Test(arguments: ["POST", "PATCH"] as [RequestMethod])
  func `RTY-03 what has not reached the server is repeated whatever its method`(
    method: RequestMethod
  ) {
    var error = TransportError(.connection, "refused")
    let reason = "\(method) is not idempotent, and retry.unsafe is not set"
    #expect(decide(RetryPolicy(), error: error, method: method) == .giveUp(reason: reason))
    error.isUnsent = true
    #expect(decide(RetryPolicy(), error: error, method: method) == .sendAgain(after: 0.25))
  }

  @Test func `RTY-04 a request with an Idempotency-Key is repeated whatever its method`() {
    #expect(
      decide(RetryPolicy(), status: 503, method: "POST", hasKey: true) == .sendAgain(after: 0.25))
    #expect(decide(RetryPolicy(), status: 400, method: "POST", hasKey: true) == .keep)
  }

  @Test func `a server that asks for more than 'max' gets no further attempt`() {
    let reason = "the server's Retry-After is 31 s, but retry.backoff.max is 30 s"
    #expect(decide(RetryPolicy(), status: 503, retryAfter: "31") == .giveUp(reason: reason))
    let date = "Sun, 06 Nov 1994 08:50:08 GMT"
    #expect(decide(RetryPolicy(), status: 503, retryAfter: date) == .giveUp(reason: reason))
    let digits = String(repeating: "9", count: 400)
    #expect(
      decide(RetryPolicy(), status: 503, retryAfter: digits)
        == .giveUp(
          reason: "the server's Retry-After is an eternity, but retry.backoff.max is 30 s"))
    var patient = RetryPolicy()
    patient.backoff.max = 60
    #expect(decide(patient, status: 503, retryAfter: "31") == .sendAgain(after: 31))
  }
}
