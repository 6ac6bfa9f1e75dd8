import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Who counts against a limit that goes beyond its block, on one event loop.
@Suite(.timeLimit(.minutes(20)))
struct LimitScopeTests {
  private func other(_ harness: Harness) -> Service {
    Service(
      baseURL: "https://other.test", networking: harness.provider, pump: harness.pump)
  }

  /// Answers whatever was sent or will be, so that nothing is left under way.
  private func finish(_ harness: Harness) {
    for _ in 0..<5 {
      harness.pass(10)
      while harness.provider.heldCount > 0 {
        harness.provider.release()
        harness.settle()
      }
    }
  }

  @Test(arguments: [-500_000.0, 86_400])
  func `LIM-11 a limit within one process goes on whatever the time is set to`(shift: Double) {
    for limit in [
      RateLimit(requests: 2, per: 10), RateLimit(requests: 2, per: 10, scope: .named("token")),
    ] {
      withHarness { harness in
        harness.configure(rate: limit)
        var times: [Double] = []
        defer { harness.provider.onStart = nil }
        harness.provider.onStart = { _ in
          times.append(harness.clock.uptime)
          harness.clock.set(harness.clock.now + shift)
        }
        _ = harness.held("a", "b", "c", "d", "e")
        finish(harness)
        #expect(times == [1000, 1000, 1010, 1010, 1020])
      }
    }
  }

  @Test func `LIM-12 services share a limit by its name, and each waits in its own order`() {
    withHarness { harness in
      let limit = RateLimit(requests: 2, per: 10, scope: .named("token"))
      harness.configure(rate: limit)
      let other = other(harness)
      other.configure { $0.rateLimit = limit }
      _ = harness.held("a")
      _ = other.resource("/b").request("GET")
      _ = other.resource("/c").request("GET")
      _ = harness.held("d", "e")
      #expect(harness.sentNames == "a b")
      harness.pass(10)
      #expect(harness.sentNames == "a b c d")
      harness.pass(10)
      #expect(harness.sentNames == "a b c d e")
      finish(harness)
    }
  }

  @Test
  func `LIM-13 without a name only requests to one origin share it, with the same credentials`() {
    withHarness { harness in
      let limit = RateLimit(requests: 1, per: 10, scope: .processes)
      harness.configure(rate: limit)
      let other = other(harness)
      other.configure { $0.rateLimit = limit }
      let somebody = Service(
        baseURL: harness.service.baseURL, networking: harness.provider, pump: harness.pump)
      somebody.configure {
        $0.rateLimit = limit
        $0.headers["x-token"] = "t"
      }
      let same = Service(
        baseURL: harness.service.baseURL, networking: harness.provider, pump: harness.pump)
      same.configure { $0.rateLimit = limit }
      _ = harness.held("a")
      _ = other.resource("/b").request("GET")
      _ = somebody.resource("/c").request("GET")
      _ = same.resource("/d").request("GET")
      #expect(harness.sentNames == "a b c")
      harness.pass(10)
      #expect(harness.sentNames == "a b c d")
      finish(harness)
    }
  }

  @Test func `LIM-14 rules that differ all hold over what is counted together`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 3, per: 10, scope: .named("token")))
      let other = other(harness)
      other.configure { $0.rateLimit = RateLimit(requests: 1, per: 2, scope: .named("token")) }
      _ = harness.held("a")
      _ = other.resource("/b").request("GET")
      _ = harness.held("c", "d")
      #expect(harness.sentNames == "a")
      harness.pass(2)
      #expect(harness.sentNames == "a b")
      harness.pass(2)
      #expect(harness.sentNames == "a b c")
      harness.pass(5.5)
      #expect(harness.sentNames == "a b c")
      harness.pass(1)
      #expect(harness.sentNames == "a b c d")
      finish(harness)
    }
  }

  @Test
  func `LIM-15 one that is cancelled while it waits makes room, and one let through gives back`() {
    withHarness { harness in
      let limit = RateLimit(requests: 1, per: 10, scope: .named("token"))
      harness.configure(rate: limit)
      let requests = harness.held("a", "b", "c")
      requests[1].cancel()
      harness.settle()
      harness.pass(10)
      #expect(harness.sentNames == "a c")
    }
  }

  @Test func `LIM-16 a limit that others could not find fails its requests, and says what to do`() {
    withHarness { harness in
      harness.service.configure(whenURLMatches: { _ in true }) {
        $0.rateLimit = RateLimit(requests: 1, per: 1, scope: .processes)
      }
      let request = harness.held("a")[0]
      harness.settle()
      #expect(request.response?.error?.userMessage.contains("name it (shared = \"name\")") ?? false)
      #expect(harness.sentNames == "")
    }
  }

  @Test func `LIM-17 what the server says lowers a limit, in one process as well`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 100, per: 60, learns: true))
      harness.stub(
        "GET", "/a",
        .init(
          status: 200, headers: [("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "30")],
          body: "a"))
      harness.service.resource("/a").request("GET")
      harness.settle()
      _ = harness.held("b", "c")
      #expect(harness.sentNames == "a b")
      harness.pass(29)
      #expect(harness.sentNames == "a b")
      harness.pass(1.1)
      #expect(harness.sentNames == "a b c")
    }
  }
}
