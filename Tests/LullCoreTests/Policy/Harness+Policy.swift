import LullCore
import LullTestSupport
import LullTesting

extension Harness {
  /// Requests for `names`, whose answers wait to be released.
  func held(_ names: String..., method: RequestMethod = "GET") -> [Request] {
    provider.holdsAnswers = true
    return names.map { name in
      stub(method, "/" + name, .text(name))
      return service.resource("/" + name).request(method)
    }
  }

  /// The last path components of what was sent, in order.
  var sentNames: String {
    provider.requests.map { String($0.url.split(separator: "/").last ?? "") }
      .joined(separator: " ")
  }

  /// Lets time pass, timer by timer, delivering what comes of each.
  func pass(_ seconds: Double) {
    // By the uptime: some tests set the time meanwhile.
    let end = clock.uptime + seconds
    settle()
    while let due = clock.nextDue, due <= end {
      clock.advance(by: due - clock.uptime)
      settle()
    }
    clock.advance(by: end - clock.uptime)
    settle()
  }

  func configure(
    _ pattern: String? = nil, rate: RateLimit? = nil, concurrency: Int? = nil,
    retry: RetryPolicy? = nil
  ) {
    service.configure(pattern.map { .wildcard($0, base: service.baseURL) }) {
      if let rate { $0.rateLimit = rate }
      if let concurrency { $0.concurrency = concurrency }
      if let retry { $0.retry = retry }
    }
  }
}

extension RetryPolicy {
  /// A second before each retry.
  static var steady: RetryPolicy {
    var policy = RetryPolicy()
    policy.backoff.base = 1
    policy.backoff.max = 1
    policy.backoff.hasJitter = false
    return policy
  }
}
