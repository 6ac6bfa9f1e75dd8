import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullTestRunner

/// The clock and the patterns of tests of scripts, by themselves.
@Suite(.timeLimit(.minutes(20)))
struct TestPartTests {
  @Test
  func `PRV-22 timers fire in order of time, then of scheduling, and not when they were cancelled`()
  {
    var random = SeededGenerator(seed: 21)
    let clock = HeldClock()
    var fired: [Int] = []
    var expected: [(due: Double, number: Int)] = []
    for number in 0..<5000 {
      let due = Double(random.below(500)) / 4
      let timer = clock.schedule(after: due) { fired.append(number) }
      if random.chance(2) {
        timer.cancel()
        timer.cancel()
      } else {
        expected.append((due, number))
      }
    }
    while clock.fireNext() {}
    expected.sort { ($0.due, $0.number) < ($1.due, $1.number) }
    #expect(fired == expected.map(\.number))
    #expect(clock.uptime == expected.last?.due)
  }

  @Test func `PRV-22 what never comes does not fire, and what is due at once does`() {
    let clock = HeldClock()
    var fired: [String] = []
    _ = clock.schedule(after: .infinity) { fired.append("never") }
    _ = clock.schedule(after: .nan) { fired.append("nan") }
    _ = clock.schedule(after: -5) { fired.append("past") }
    while clock.fireNext() {}
    #expect(fired == ["nan", "past"])
    #expect(clock.uptime == 0)
    clock.set(12)
    #expect(clock.now == 12)
  }

  @Test(arguments: [
    ("/users", "https://x.test/users", true),
    ("/users", "https://x.test/v1/users", true),
    ("/users", "https://x.test/users?page=2", true),
    ("/users", "https://x.test/users/7", false),
    ("/users", "https://x.test/myusers", false),
    ("/users?page=2", "https://x.test/v1/users?page=2", true),
    ("/users?page=2", "https://x.test/users", false),
    ("/users/*", "https://x.test/users/7", true),
    ("/users/*", "https://x.test/users/7/photo", false),
    ("/users/*/photo", "https://x.test/users/7/photo", true),
    ("/a*c", "https://x.test/abc", true),
    ("/a*c", "https://x.test/ab/c", false),
    ("/a**c", "https://x.test/ab/c", true),
    ("/**", "https://x.test", true),
    ("/", "https://x.test", true),
    ("/", "https://x.test?a=1", true),
    ("https://x.test/a", "https://x.test/a", true),
    ("https://x.test/a", "https://y.test/a", false),
    ("https://*.test/**", "https://y.test/a/b", true),
    ("/x.test/a", "https://x.test/a", false),
    ("/a*b*c", "https://x.test/aXbYbZc", true),
    ("/**a**b", "https://x.test/aab/ab/b", true),
  ])
  func `PRV-31 a pattern fits the end of a path, or a whole URL`(
    pattern: String, url: String, fits: Bool
  ) throws {
    #expect(try URLGlob(pattern).matches(url) == fits)
  }

  @Test func `PRV-31 a pattern that is made to take long does not`() throws {
    let glob = try URLGlob(String(repeating: "/*a**", count: 40) + "b")
    #expect(!glob.matches("https://x.test/" + String(repeating: "/aaaa", count: 400)))
  }
}
