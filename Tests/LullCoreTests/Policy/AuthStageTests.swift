import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct AuthStageTests {
  /// Puts a token on requests: at once, or when the test says so.
  private final class Stage: AuthStage {
    var tokens: [String]
    var isSlow = false
    var error: TransportError?
    private(set) var waiting: [(Result<AuthorizedRequest, TransportError>) -> Void] = []
    private(set) var requests: [HTTPRequest] = []
    private(set) var stopCount = 0
    private(set) var rejected: [Int] = []

    init(_ tokens: String...) {
      self.tokens = tokens
    }

    func authorize(
      _ request: HTTPRequest, in context: AuthContext,
      proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
    ) -> (() -> Void)? {
      if let error {
        proceed(.failure(error))
        return nil
      }
      requests.append(request)
      if !isSlow {
        proceed(.success(authorized(request)))
        return nil
      }
      waiting.append(proceed)
      return { [self] in stopCount += 1 }
    }

    func canRenew(
      after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
    ) -> Bool {
      rejected.append(request.generation)
      guard tokens.count > 1 else { return false }
      tokens.removeFirst()
      return true
    }

    func forget() { waiting = [] }

    private func authorized(_ request: HTTPRequest) -> AuthorizedRequest {
      var http = request
      http.headers["authorization"] = "Bearer \(tokens[0])"
      return AuthorizedRequest(http, generation: tokens.count)
    }
  }

  private func authorized(_ harness: Harness, _ stage: Stage) -> Resource {
    harness.service.configure { $0.authStage = stage }
    return harness.service.resource("/a")
  }

  private func sentTokens(_ harness: Harness) -> [String] {
    harness.provider.requests.map { $0.headers["authorization"] ?? "none" }
  }

  @Test func `credentials are put on what is sent, and nowhere else`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let request = authorized(harness, Stage("t")).load()
      harness.settle()
      #expect(sentTokens(harness) == ["Bearer t"])
      #expect((request as? NetworkRequest)?.httpRequest.headers["authorization"] == nil)
      #expect(request.outcome == "x")
    }
  }

  @Test func `a 401 renews the credentials once and sends the request again`() {
    withHarness { harness in
      harness.stub("POST", "/a", .init(status: 401), .text("x"))
      let stage = Stage("old", "new", "newest")
      let request = authorized(harness, stage).request("POST", body: .text("once"))
      harness.settle()
      #expect(sentTokens(harness) == ["Bearer old", "Bearer new"])
      #expect(request.attempts.map(\.outcome) == [.status(401), .status(200)])
      #expect(request.outcome == "x")
      #expect(stage.rejected == [3])
    }
  }

  @Test func `a second 401 stands, and one that cannot be renewed too`() {
    withHarness { harness in
      harness.stub("GET", "/a", .init(status: 401))
      let stage = Stage("old", "new", "newest")
      let resource = authorized(harness, stage)
      resource.load()
      harness.settle()
      #expect(sentTokens(harness) == ["Bearer old", "Bearer new"])
      #expect(resource.latestError?.httpStatusCode == 401)
      stage.tokens = ["only"]
      resource.load()
      harness.settle()
      #expect(harness.provider.requests.count == 3)
      #expect(resource.latestError?.httpStatusCode == 401)
    }
  }

  @Test
  func `renewing is no retry: the retries are all there still, each with credentials of its own`() {
    withHarness { harness in
      let busy = StubProvider.Answer(status: 503)
      harness.stub("GET", "/a", busy, .init(status: 401), busy, busy, .text("x"))
      harness.configure(retry: .steady)
      let stage = Stage("old", "new")
      let request = authorized(harness, stage).load()
      harness.pass(10)
      #expect(request.attempts.count == 5)
      #expect(stage.requests.count == 5)
      #expect(request.outcome == "x")
    }
  }

  @Test func `a request waits for credentials, holding its place, and is cancelled while it does`()
  {
    withHarness { harness in
      let stage = Stage("t")
      stage.isSlow = true
      harness.service.configure { $0.authStage = stage }
      harness.configure(rate: RateLimit(requests: 1, per: 10), concurrency: 1)
      let requests = harness.held("a", "b")
      harness.settle()
      #expect(harness.sentNames == "")
      #expect(stage.requests.map { String($0.url.suffix(1)) } == ["a"])
      requests[0].cancel()
      #expect(stage.stopCount == 1)
      harness.settle()
      #expect(stage.requests.map { String($0.url.suffix(1)) } == ["a", "b"], "nothing was sent")
      stage.waiting[0](.success(AuthorizedRequest(stage.requests[0])))
      #expect(harness.sentNames == "", "what comes too late is ignored")
      stage.waiting[1](.success(AuthorizedRequest(stage.requests[1])))
      #expect(harness.sentNames == "b")
      harness.provider.release()
      harness.settle()
      #expect(requests[1].outcome == "b")
      stage.forget()
    }
  }

  @Test func `without credentials a request fails without being sent, and leaves its place`() {
    withHarness { harness in
      let stage = Stage("t")
      stage.error = TransportError(.tls, "no token")
      harness.configure(rate: RateLimit(requests: 1, per: 10), concurrency: 1)
      let resource = authorized(harness, stage)
      resource.load()
      harness.settle()
      #expect(harness.provider.requests.isEmpty)
      #expect(resource.latestError?.userMessage == "no token")
      #expect(resource.latestError?.attempts.isEmpty == true)
      stage.error = nil
      harness.stub("GET", "/a", .text("x"))
      resource.load()
      harness.settle()
      #expect(resource.latestData?.text == "x")
    }
  }

  @Test func `credentials that cannot be had for a moment are a failure to try again`() {
    withHarness { harness in
      let stage = Stage("t")
      stage.error = TransportError(.connection, "the token server is away")
      harness.configure(retry: .steady)
      harness.stub("GET", "/a", .text("x"))
      let request = authorized(harness, stage).load()
      harness.pass(1)
      #expect(request.state == .inProgress)
      stage.error = nil
      harness.pass(1)
      #expect(request.outcome == "x")
      #expect(request.attempts.count == 1)
    }
  }

  @Test func `a stage is told what networking there is`() {
    withHarness { harness in
      final class Fetching: AuthStage {
        func authorize(
          _ request: HTTPRequest, in context: AuthContext,
          proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
        ) -> (() -> Void)? {
          let channel = context.pump.completion { result in
            var http = request
            http.headers["authorization"] = String(decoding: result.body ?? [], as: UTF8.self)
            proceed(.success(AuthorizedRequest(http)))
          }
          let token = HTTPRequest(method: "POST", url: "https://auth.test/token")
          let transfer = context.networking.startRequest(token, completion: channel)
          return {
            context.pump.discard(channel)
            transfer.cancel()
          }
        }
      }
      harness.provider.stub("POST", "https://auth.test/token", .text("fetched"))
      harness.stub("GET", "/a", .text("x"))
      harness.service.configure { $0.authStage = Fetching() }
      harness.service.resource("/a").load()
      harness.settle()
      #expect(sentTokens(harness) == ["none", "fetched"])
      harness.provider.holdsAnswers = true
      let request = harness.service.resource("/a").load()
      harness.settle()
      request.cancel()
      #expect(harness.provider.cancelledCount == 1)
    }
  }
}
