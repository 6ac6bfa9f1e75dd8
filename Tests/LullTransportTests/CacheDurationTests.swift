import LullTransport
import Testing

/// Times of caches, which are seconds or durations.
@Suite(.timeLimit(.minutes(20))) struct CacheDurationTests {
  @Test func `SWF-162 the age of cache entries is seconds or a duration`() {
    var file = FileEntityCache.Options()
    file.maxAge = .seconds(60)
    #expect(file.maxAge == 60)
    file.maxAge = 61
    let read: Duration? = file.maxAge
    #expect(read == .seconds(61))
    file.maxAge = nil
    #expect(file.maxAge == nil)
    var shared = SharedEntityCache.Options()
    shared.maxAge = .milliseconds(500)
    #expect(shared.maxAge == 0.5)
  }
}
