import LullCore
import LullTesting
import Testing

/// Seconds and durations, which settings and functions take alike.
@Suite(.timeLimit(.minutes(20)))
struct DurationTests {
  @Test func `SWF-162 times of settings are seconds or durations`() {
    var settings = Configuration()
    settings.limits.timeout = 5
    #expect(settings.limits.timeout == 5)
    settings.limits.timeout = .milliseconds(1500)
    #expect(settings.limits.timeout == 1.5)
    settings.limits.connectTimeout = Duration.seconds(3)
    #expect(settings.limits.connectTimeout == 3)
    settings.retryTime = .seconds(2)
    settings.progressReportingInterval = .milliseconds(20)
    #expect([settings.retryTime, settings.progressReportingInterval] == [2, 0.02])
    settings.expirationTime = 7
    settings.expirationTime = .seconds(8)
    #expect(settings.expirationTime == .seconds(8))
    settings.expirationTime = Duration.seconds(9)
    #expect(settings.expirationTime == .seconds(9))
    settings.expirationTime = .milliseconds(10)
    #expect(settings.expirationTime == .seconds(0.01))
    settings.expirationTime = .http
    settings.setOptions {
      $0.idleTimeout = .seconds(4)
      $0.firstByteTimeout = 6
    }
    #expect(settings.options?.idleTimeout == 4 && settings.options?.firstByteTimeout == 6)
    settings.setOptions { $0.idleTimeout = nil }
    #expect(settings.options?.idleTimeout == nil)
    var backoff = Backoff()
    backoff.base = .milliseconds(250)
    backoff.max = Duration.seconds(60)
    #expect(backoff.base == 0.25 && backoff.max == 60)
    #expect(RateLimit(requests: 3, per: .seconds(60)) == RateLimit(requests: 3, per: 60))
    var limit = RateLimit(requests: 1, per: 1.5)
    limit.per = .seconds(2)
    #expect(limit.per == 2)
    var stream = StreamOptions()
    stream.timeout = .seconds(30)
    #expect(stream.timeout == 30)
    stream.timeout = nil
    #expect(stream.timeout == nil)
  }

  @Test func `SWF-162 a time is read as a duration where one is asked for`() {
    var limits = TransferLimits()
    limits.timeout = 1.5
    let read: Duration = limits.timeout
    #expect(read == .milliseconds(1500))
    let plain = limits.timeout
    #expect(plain == 1.5)
    // What a duration cannot hold is cut, and ends nothing.
    limits.timeout = .infinity
    let longest: Duration = limits.timeout
    #expect(longest > .seconds(1e17))
    limits.timeout = -.infinity
    let shortest: Duration = limits.timeout
    #expect(shortest < .seconds(-1e17))
    limits.timeout = .nan
    let none: Duration = limits.timeout
    #expect(none == .zero)
  }

  @Test func `SWF-162 functions take seconds or durations`() throws {
    try Lull.test { test in
      test.network.holdsAnswers = true
      let resource = test.service("https://api.test").resource("/a")
      resource.load()
      resource.cancelLoadIfUnobserved(afterDelay: .milliseconds(500))
      await test.advance(by: .milliseconds(400))
      #expect(resource.isLoading)
      await test.advance(by: 0.2)
      #expect(!resource.isLoading)
      resource.load()
      resource.cancelLoadIfUnobserved(afterDelay: 0.5)
      test.clock.advance(by: .seconds(1))
      await test.settle()
      #expect(!resource.isLoading)
    }
    try Lull.test(patience: .seconds(3)) { _ in }
    try Lull.test(patience: 3) { _ in }
  }

  @Test func `SWF-162 a watch takes seconds or durations`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("1"))
      let resource = test.service("https://api.test").resource("/a")
      let starts: [() -> ResourceWatch<Entity>] = [
        { resource.watch(timeout: .seconds(5)) },
        { resource.watch(every: .seconds(2), timeout: .seconds(5)) },
        { resource.watch(every: 2, timeout: 5) }, { resource.watch(timeout: 5) },
      ]
      for start in starts {
        let began = test.clock.uptime
        let watching = test.spawn {
          var count = 0
          for try await _ in start() { count += 1 }
          return (count, test.clock.uptime - began)
        }
        await test.advance(by: 10)
        let (count, lasted) = try await watching.value
        #expect(count == 1 && lasted == 5)
      }
      let numbers = test.spawn {
        for try await number in resource.watch(every: .seconds(1), of: Int.self) { return number }
        for try await number in resource.watch(every: 1, of: Int.self) { return number }
        for try await number in resource.watch(timeout: .seconds(1), of: Int.self) { return number }
        return 0
      }
      await test.advance(by: 3)
      #expect(try await numbers.value == 1)
    }
  }
}
