import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Settings of a Swift program with values that they cannot have.
@Suite(.timeLimit(.minutes(20)))
struct SettingCheckTests {
  /// What becomes of a request by such a configuration: the cause, and what was sent.
  private func outcome(
    _ change: @escaping (inout Configuration) -> Void,
    _ body: (Harness) -> Void = { _ in }
  ) -> (cause: RequestError.Cause?, message: String?, sent: Int) {
    let harness = Harness()
    harness.stub("GET", "/a", .text("data"))
    harness.service.configure("/a", configurer: change)
    body(harness)
    let request = harness.service.resource("/a").load()
    harness.settle()
    let error = request.response?.error
    let sent = harness.provider.requests.count
    harness.finish()
    return (error?.cause, error?.userMessage, sent)
  }

  static let wrong:
    [(name: String, rest: String, change: @Sendable (inout Configuration) -> Void)] = [
      ("expirationTime", "a number of seconds, 0 or more, got -1.0", { $0.expirationTime = -1 }),
      (
        "expirationTime", "a number of seconds, 0 or more, got nan",
        { $0.expirationTime = .seconds(.nan) }
      ),
      ("retryTime", "a number of seconds, 0 or more, got -0.5", { $0.retryTime = -0.5 }),
      (
        "progressReportingInterval", "a number of seconds, 0 or more, got nan",
        { $0.progressReportingInterval = .nan }
      ),
      ("limits.timeout", "a number of seconds, 0 or more, got -1.0", { $0.limits.timeout = -1 }),
      ("limits.timeout", "a number of seconds, 0 or more, got nan", { $0.limits.timeout = .nan }),
      (
        "limits.connectTimeout", "a number of seconds, 0 or more, got -inf",
        { $0.limits.connectTimeout = -.infinity }
      ),
      ("limits.maxBodySize", "a whole number, 0 or more, got -1", { $0.limits.maxBodySize = -1 }),
      (
        "limits.connectionsPerHost", "a whole number, 1 or more, got 0",
        { $0.limits.connectionsPerHost = 0 }
      ),
      (
        "firstByteTimeout", "a number of seconds above 0, got 0.0",
        { $0.setOptions { $0.firstByteTimeout = 0 } }
      ),
      (
        "idleTimeout", "a number of seconds above 0, got nan",
        { $0.setOptions { $0.idleTimeout = .nan } }
      ),
      (
        "redirects", "a whole number from 0 to 100, got -1",
        { $0.setOptions { $0.redirects = .follow(atMost: -1) } }
      ),
      ("retry.times", "a whole number, 0 or more, got -1", { $0.changeRetry { $0.times = -1 } }),
      (
        "retry.statuses", "a status (100 to 599), got 42",
        { $0.changeRetry { $0.statuses = [42] } }
      ),
      (
        "retry.backoff.base", "a number of seconds, 0 or more, got nan",
        { $0.changeRetry { $0.backoff.base = .nan } }
      ),
      (
        "retry.backoff.max", "a number of seconds, 0 or more, got -2.0",
        { $0.changeRetry { $0.backoff.max = -2 } }
      ),
      (
        "rateLimit.requests", "a whole number, 1 or more, got 0",
        { $0.rateLimit = RateLimit(requests: 0, per: 0) }
      ),
      (
        "rateLimit.per", "a number of seconds, more than 0, got 0.0",
        { $0.rateLimit = RateLimit(requests: 1, per: 0) }
      ),
      (
        "rateLimit.per", "a number of seconds, more than 0, got inf",
        { $0.rateLimit = RateLimit(requests: 1, per: .infinity, scope: .named("a")) }
      ),
      (
        "rateLimit.free", "a status (100 to 599), got 0",
        { $0.rateLimit = RateLimit(requests: 1, per: 1, free: [0]) }
      ),
      ("concurrency", "a whole number, 1 or more, got 0", { $0.concurrency = 0 }),
    ]

  @Test(arguments: 0..<SettingCheckTests.wrong.count)
  func `SWF-56 a number that a setting cannot have fails the request unsent`(index: Int) throws {
    let (name, rest, change) = SettingCheckTests.wrong[index]
    let outcome = outcome(change)
    guard case .invalidSetting(let setting, let message)? = outcome.cause else {
      Issue.record("\(name): \(String(describing: outcome.cause))")
      return
    }
    #expect(setting == name)
    #expect(message == "'\(name)' must be \(rest) (configuration block 2 (/a))")
    #expect(outcome.message == message)
    #expect(outcome.cause?.kind == "invalid_setting")
    #expect(outcome.sent == 0)
  }

  @Test func `SWF-56 the ends of what settings can be are not refused`() {
    let outcome = outcome {
      $0.expirationTime = .seconds(.infinity)
      $0.retryTime = 0
      $0.limits.timeout = .infinity
      $0.limits.maxBodySize = .max
      $0.limits.connectionsPerHost = 1
      $0.setOptions {
        $0.idleTimeout = .infinity
        $0.redirects = .follow(atMost: 0)
      }
      $0.changeRetry {
        $0.times = 0
        $0.backoff.max = .infinity
      }
      $0.rateLimit = RateLimit(requests: .max, per: 1e-3, free: [599])
      $0.concurrency = .max
    }
    #expect(outcome.cause == nil)
    #expect(outcome.sent == 1)
  }

  @Test func `SWF-56 what a block has set beside does not count, and others do`() {
    let outcome = outcome({
      $0.headers["X-Wrong"] = "1"
      $0.retryTime = -1
    }) { harness in
      harness.service.configure { $0.headers["X-Right"] = "1" }
      let headers = harness.service.resource("/a").configuration.headers
      #expect(headers["x-wrong"] == nil)
      #expect(headers["x-right"] == "1")
    }
    #expect(outcome.cause?.kind == "invalid_setting")
  }

  @Test func `SWF-56 what a mutation makes of a request is looked at too`() {
    for change: @Sendable (inout HTTPRequest) -> Void in [
      { $0.limits.timeout = .nan }, { $0.limits.connectionsPerHost = -1 },
      {
        $0.options = TransferOptions()
        $0.options?.idleTimeout = -1
      }, { $0.headers["a b"] = "c" },
    ] {
      let outcome = outcome { $0.mutateRequests { change(&$0) } }
      #expect(outcome.cause?.kind == "invalid_setting")
      #expect(outcome.sent == 0)
    }
    let harness = Harness()
    let request = harness.service.resource("/a").request("GET") { $0.limits.timeout = -1 }
    harness.settle()
    #expect(
      request.response?.error?.cause?.message
        == "'limits.timeout' must be a number of seconds, 0 or more, got -1.0")
    harness.finish()
  }

  @Test func `SWF-56 a service's limits below 0 fail its requests until they are set again`() {
    let harness = Harness()
    harness.stub("GET", "/a", .text("data"))
    func kind() -> String? {
      let request = harness.service.resource("/a").load()
      harness.settle()
      return request.response?.error?.cause?.kind
    }
    harness.service.cachedResourceCountLimit = -1
    #expect(kind() == "invalid_setting")
    harness.service.cachedResourceCountLimit = 0
    #expect(kind() == nil)
    harness.service.cachedResourceByteLimit = -1
    #expect(kind() == "invalid_setting")
    harness.service.cachedResourceByteLimit = 0
    #expect(kind() == nil)
    harness.finish()
  }

  @Test func `SWF-56 pages that cannot be counted so fail at the first step`() throws {
    try Lull.test { test in
      let list = test.service().resource("/list")
      for (name, rule, max) in [
        ("max", PageRule.automatic, 0), ("max", .automatic, -1),
        ("step", .numbered(parameter: "page", step: 0), nil),
        ("first", .numbered(parameter: "page", first: .max), nil),
        ("step", .numbered(parameter: "page", step: .min), nil),
      ] as [(String, PageRule, Int?)] {
        var pages = list.pages(rule, max: max).makeAsyncIterator()
        do throws(RequestError) {
          _ = try await pages.next()
          Issue.record("there is a page")
        } catch {
          #expect(error.cause?.kind == "invalid_setting")
          #expect(error.cause?.message.hasPrefix("'\(name)' must be a ") == true)
        }
        let next = try await pages.next()
        #expect(next?.entity == nil)
      }
    }
  }

  @Test func `SWF-56 a watch that cannot be timed so fails at its first step`() throws {
    try Lull.test { test in
      let job = test.service().resource("/job")
      for (name, every, timeout) in [
        ("every", 0, nil), ("every", .nan, nil), ("every", .infinity, nil), ("timeout", nil, -1),
        ("timeout", nil, .nan),
      ] as [(String, Double?, Double?)] {
        var watch = job.watch(every: every, timeout: timeout).makeAsyncIterator()
        do throws(RequestError) {
          _ = try await watch.next()
          Issue.record("there is something")
        } catch {
          #expect(error.cause?.kind == "invalid_setting")
          #expect(error.cause?.message.hasPrefix("'\(name)' must be a number of seconds") == true)
        }
        let next = try await watch.next()
        #expect(next?.content == nil)
      }
    }
  }

  // MARK: Headers

  @Test(arguments: [
    ("a b", "c", "'a b' is not a valid header name"), ("", "c", "'' is not a valid header name"),
    ("X:Y", "c", "'X:Y' is not a valid header name"), ("ü", "c", "'ü' is not a valid header name"),
    ("X-A", "b\r\nX-B: c", "header 'X-A' must not contain line breaks or zero bytes"),
    ("X-A", "\0", "header 'X-A' must not contain line breaks or zero bytes"),
  ])
  func `SWF-57 a header that HTTP does not allow fails the request unsent`(
    name: String, value: String, message: String
  ) {
    for change: @Sendable (inout Configuration) -> Void in [
      { $0.headers[name] = value }, { $0.headers.add(name, value) },
      { $0.headers = RequestHeaders([(name, value)]) },
    ] {
      let outcome = outcome(change)
      #expect(outcome.cause?.message == "\(message) (configuration block 2 (/a))")
      #expect(outcome.sent == 0)
    }
    let harness = Harness()
    let request = harness.service.resource("/a").request("GET") { $0.headers[name] = value }
    harness.settle()
    guard case .invalidSetting("headers", let text)? = request.response?.error?.cause else {
      Issue.record("\(String(describing: request.response?.error?.cause))")
      return
    }
    #expect(text == message)
    #expect(harness.provider.requests.isEmpty)
    harness.finish()
  }

  @Test func `SWF-57 one that is removed or set again does not fail it`() {
    let outcome = outcome {
      $0.headers["a b"] = "c"
      $0.headers.remove("A B")
      $0.headers["X-A"] = "b\n"
      $0.headers["x-a"] = "b"
      $0.headers["c d"] = "e"
      $0.headers["c d"] = nil
    }
    #expect(outcome.cause == nil)
    #expect(outcome.sent == 1)
    var headers = RequestHeaders([("a b", "c")])
    #expect(headers.problem != nil)
    #expect(headers.isEmpty)
    headers.remove("a b")
    #expect(headers.problem == nil)
  }

  // MARK: Foundation's types

  @Test(
    arguments: [
      ("0.1", 1, -1, false), ("-19.99", 1999, -2, true), ("100", 1, 2, false), ("1e2", 1, 2, false),
      ("-0.0", 0, 0, false), ("1e-128", 1, -128, false), ("1e+127", 1, 127, false),
      ("18446744073709551615", 18_446_744_073_709_551_615, 0, false),
      ("340282366920938463463374607431768211455", UInt128.max, 0, false),
      ("12345678901234567890123", 12_345_678_901_234_567_890_123, 0, false),
    ] as [(String, UInt128, Int, Bool)])
  func `COD-62 a decimal has the digits of the number`(
    digits: String, mantissa: UInt128, exponent: Int, isNegative: Bool
  ) throws {
    let parts = try #require(DecimalParts(digits)).encoded
    #expect(parts["exponent"]?.int == exponent)
    #expect(parts["isNegative"]?.bool == isNegative)
    var value: UInt128 = 0
    for word in (parts["mantissa"]?.array ?? []).reversed() {
      value = value << 16 | UInt128(word.int ?? 0)
    }
    #expect(value == mantissa)
    let length = parts["length"]?.int ?? -1
    #expect(mantissa >> (16 * length) == 0)
    #expect(length == 0 || mantissa >> (16 * (length - 1)) != 0)
  }

  @Test func `COD-71 digits of a decimal beyond 128 bits are cut off`() throws {
    let digits = "340282366920938463463374607431768211456"
    let parts = try #require(DecimalParts(digits)).encoded
    #expect(parts["exponent"]?.int == 1)
    let cut = try #require(DecimalParts("340282366920938463463374607431768211450")).encoded
    #expect(try parts.encode() == cut.encode())
    let fraction = try #require(DecimalParts("0." + digits)).encoded
    #expect(fraction["exponent"]?.int == -38)
  }

  @Test(arguments: ["1e-129", "1e300", "5e-324"])
  func `COD-62 a number beyond those of a decimal is not one`(digits: String) {
    #expect(DecimalParts(digits) == nil)
  }
}

extension Configuration {
  fileprivate mutating func changeRetry(_ change: (inout RetryPolicy) -> Void) {
    var policy = RetryPolicy()
    change(&policy)
    retry = policy
  }
}
