import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Whose requests limits take them for that processes share.
@Suite(.timeLimit(.minutes(20)))
struct LimitSenderTests {
  /// Says who asks as the test has it, and counts how often it was asked.
  private final class Source: LimitSource {
    private let memory: LoopLimits
    private(set) var lookUps = 0
    var sender: UInt8 = 1
    /// Names the requests' own credentials too.
    var seesCredentials = false

    init(_ pump: Pump) {
      memory = LoopLimits(pump)
      pump.limits = self
    }

    func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8] {
      lookUps += 1
      return [sender] + (seesCredentials ? memory.identity(of: credentials) : [])
    }

    func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog {
      memory.makeLog(of: limit, key)
    }
  }

  /// Puts another token on each request.
  private final class Renewing: AuthStage {
    private var count = 0

    func authorize(
      _ request: HTTPRequest, in context: AuthContext,
      proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
    ) -> (() -> Void)? {
      count += 1
      var http = request
      http.headers["authorization"] = "Bearer \(count)"
      proceed(.success(AuthorizedRequest(http)))
      return nil
    }
  }

  private let limit = RateLimit(requests: 2, per: 1000, scope: .processes)

  /// Sends so many, which are answered as far as they are let through; how many were.
  private func sent(_ count: Int, _ resources: [Resource], _ harness: Harness) -> Int {
    let before = harness.provider.requests.count
    for index in 0..<count {
      let resource = resources[index % resources.count]
      harness.provider.stub("GET", resource.url.text, .text("a"))
      resource.request("GET")
    }
    harness.settle()
    return harness.provider.requests.count - before
  }

  @Test func `LIM-50 credentials are looked up once for a configuration, and again a minute later`()
  {
    withHarness { harness in
      let source = Source(harness.pump)
      harness.configure(rate: RateLimit(requests: 1000, per: 1, scope: .processes))
      let resource = harness.service.resource("/a")
      #expect(sent(20, [resource], harness) == 20)
      #expect(source.lookUps == 1)
      harness.pass(59)
      #expect(sent(1, [resource], harness) == 1)
      #expect(source.lookUps == 1)
      harness.pass(2)
      #expect(sent(3, [resource], harness) == 3)
      #expect(source.lookUps == 2)
      harness.service.invalidateConfiguration()
      #expect(sent(3, [resource], harness) == 3)
      #expect(source.lookUps == 3)
    }
  }

  @Test func `LIM-50 what has changed counts as somebody else, within a minute or when it is said`()
  {
    withHarness { harness in
      let source = Source(harness.pump)
      harness.configure(rate: limit)
      let resource = harness.service.resource("/a")
      #expect(sent(2, [resource], harness) == 2)
      source.sender = 2
      harness.service.invalidateConfiguration()
      #expect(sent(2, [resource], harness) == 2)
      source.sender = 3
      harness.pass(60)
      #expect(sent(2, [resource], harness) == 2)
      source.sender = 2
      harness.pass(60)
      #expect(sent(1, [resource], harness) == 0, "its two count for longer")
      harness.service.resource("/a").allRequests.forEach { $0.cancel() }
      harness.settle()
    }
  }

  @Test func `LIM-50 tokens that are fetched and renewed count as their login`() {
    withHarness { harness in
      let source = Source(harness.pump)
      source.seesCredentials = true
      let auth = Auth(stage: Renewing(), identity: "login", shown: "login")
      harness.service.configure { [limit] in
        $0.auth = auth
        $0.rateLimit = limit
      }
      let resource = harness.service.resource("/a")
      #expect(sent(3, [resource], harness) == 2)
      #expect(
        harness.provider.requests.map { $0.headers["authorization"] } == ["Bearer 1", "Bearer 2"])
      harness.pass(61)
      #expect(sent(1, [resource], harness) == 0)
      harness.service.resource("/a").allRequests.forEach { $0.cancel() }
      harness.settle()
    }
  }

  @Test func `LIM-50 resources of one configuration may have each their own secrets in the URL`() {
    withHarness { harness in
      let source = Source(harness.pump)
      source.seesCredentials = true
      harness.configure(rate: limit)
      let list = harness.service.resource("/a")
      let mine = list.withParams([("key", .secret(SecretText(Secret(.literal("1"), name: "one"))))])
      let other = list.withParams([("key", .secret(SecretText(Secret(.literal("2"), name: "two"))))]
      )
      #expect(sent(4, [mine, other], harness) == 4)
      #expect(sent(2, [mine, other], harness) == 0)
      #expect(source.lookUps == 2)
      for resource in [mine, other] { resource.allRequests.forEach { $0.cancel() } }
      harness.settle()
    }
  }

  @Test func `LIM-51 LIM-02 a rule in memory holds for its span after the last who asked by it`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 1, per: 20, scope: .named("token")))
      let other = Service(
        baseURL: harness.service.baseURL, networking: harness.provider, pump: harness.pump)
      other.configure { $0.rateLimit = RateLimit(requests: 3, per: 5, scope: .named("token")) }
      let (slow, quick) = (harness.service.resource("/s"), other.resource("/q"))
      #expect(sent(1, [slow], harness) == 1)
      #expect(sent(2, [quick], harness) == 0, "both rules hold")
      harness.pass(19)
      #expect(harness.provider.requests.count == 1)
      // From here on nobody goes by the rule of one in twenty seconds.
      harness.pass(1.5)
      #expect(harness.provider.requests.count == 3)
      #expect(sent(1, [quick], harness) == 1)
      #expect(sent(1, [quick], harness) == 0, "three in five seconds")
      harness.pass(6)
      #expect(harness.provider.requests.count == 5)
      // Whoever comes back to it finds what was sent by the other one.
      #expect(sent(1, [slow], harness) == 0)
      harness.pass(18)
      #expect(harness.provider.requests.count == 5)
      harness.pass(1)
      #expect(harness.provider.requests.count == 6)
    }
  }
}
