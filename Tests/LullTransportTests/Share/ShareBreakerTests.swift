import Testing

@testable import LullTransport

/// When a server that could not be used is tried again.
@Suite(.timeLimit(.minutes(20)))
struct ShareBreakerTests {
  @Test func `SHR-05 each failure doubles the pause, half of which is left to chance`() {
    var breaker = ShareBreaker()
    #expect(breaker.allows(now: 0))
    #expect(breaker.fail(now: 10, chance: 0) == 0.125)
    #expect(!breaker.allows(now: 10.1))
    #expect(breaker.allows(now: 10.125))
    #expect(breaker.fail(now: 11, chance: 0) == 0.25)
    #expect(breaker.fail(now: 12, chance: 0.5) == 0.75)
    for _ in 0..<100 { _ = breaker.fail(now: 20, chance: 0.5) }
    #expect(breaker.fail(now: 20, chance: 0) == 15, "half a minute at most")
    breaker.succeed()
    #expect(breaker.allows(now: 20))
    #expect(breaker.fail(now: 20, chance: 0) == 0.125)
  }
}
