import LullCore
import LullTestSupport
import LullTesting
import Testing

/// One session for many requests: whoever meets an expired token has it refreshed, once for all.
@Suite(.timeLimit(.minutes(20)))
struct TokenRefreshTests {
  private final class Session {
    var token = "old"
    private weak var refresh: Request?

    func refreshed(by resource: Resource) -> Request {
      if let refresh, !refresh.isCompleted { return refresh }
      let request = resource.request("POST").onSuccess { [self] in token = $0.text ?? "" }
      refresh = request
      return request
    }
  }

  private func configure(_ harness: Harness, _ session: Session) {
    harness.service.configure("/items/*") {
      $0.mutateRequests { (http) throws(RequestError) in http.headers["token"] = session.token }
      $0.decorateRequests { (resource, request) throws(RequestError) in
        let sent = session.token
        return request.chained { [unowned service = resource.service] response in
          guard response.error?.httpStatusCode == 401 else { return .useThisResponse }
          if session.token != sent { return .passTo(request.repeated()) }
          return .passTo(
            session.refreshed(by: service.resource("/token")).chained { token in
              token.isSuccess ? .passTo(request.repeated()) : .useResponse(response)
            })
        }
      }
    }
  }

  private func stub(_ harness: Harness, token: StubProvider.Answer, items: Int) {
    harness.stub("POST", "/token", token)
    for item in 0..<items {
      harness.stub("GET", "/items/\(item)", .init(status: 401), .text("item \(item)"))
    }
    harness.provider.holdsAnswers = true
  }

  private func releaseAll(_ harness: Harness) {
    while harness.provider.heldCount > 0 {
      harness.provider.release()
      harness.settle()
    }
  }

  private func count(_ harness: Harness, _ method: RequestMethod) -> Int {
    harness.provider.requests.filter { $0.method == method }.count
  }

  @Test
  func `DEC-01 CHN-11 CHN-19 30 loads with an expired token refresh it once and repeat once each`()
  {
    withHarness { harness in
      let session = Session()
      configure(harness, session)
      stub(harness, token: .text("new"), items: 30)
      let resources = (0..<30).map { harness.service.resource("/items/\($0)") }
      let recorders = resources.map { $0.recorded() }
      let loads = resources.map { $0.load() }
      releaseAll(harness)
      #expect(loads.map(\.outcome) == (0..<30).map { "item \($0)" })
      #expect(count(harness, "POST") == 1)
      #expect(count(harness, "GET") == 60)
      #expect(
        harness.provider.requests.suffix(30).map { $0.headers["token"] }
          == Array(repeating: "new", count: 30))
      for recorder in recorders {
        #expect(recorder.take() == ["requested L", "newData(network) D"])
      }
      #expect(resources.flatMap(\.allRequests).count == 0)
    }
  }

  @Test
  func `CHN-19 a 401 that comes after the refresh repeats with the new token, without another one`()
  {
    withHarness { harness in
      let session = Session()
      configure(harness, session)
      stub(harness, token: .text("new"), items: 2)
      let loads = (0..<2).map { harness.service.resource("/items/\($0)").load() }
      // The first item's answer, the token, the first item again.
      for index in [0, 1, 1] {
        harness.provider.release(index)
        harness.settle()
      }
      #expect(loads.map(\.outcome) == ["item 0", "in_progress"])
      releaseAll(harness)
      #expect(loads[1].outcome == "item 1")
      #expect(count(harness, "POST") == 1)
      #expect(count(harness, "GET") == 4)
    }
  }

  @Test func `CHN-19 a refresh that fails fails them all, without another try`() {
    withHarness { harness in
      let session = Session()
      configure(harness, session)
      stub(harness, token: .init(status: 500), items: 30)
      let resources = (0..<30).map { harness.service.resource("/items/\($0)") }
      let loads = resources.map { $0.load() }
      for _ in loads { harness.provider.release() }
      harness.settle()
      releaseAll(harness)
      #expect(loads.map(\.outcome) == Array(repeating: "Unauthorized", count: 30))
      #expect(count(harness, "POST") == 1)
      #expect(count(harness, "GET") == 30)
      #expect(
        resources.compactMap(\.latestError?.httpStatusCode) == Array(repeating: 401, count: 30))
    }
  }

  @Test
  func `CACHE-14 CACHE-18 of all that a load went through, what its data came from is cached`() {
    withHarness { harness in
      let session = Session()
      let journal = Journal()
      let cache = SpyCache(journal)
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      configure(harness, session)
      stub(harness, token: .text("new"), items: 2)
      let resources = (0..<2).map { harness.service.resource("/items/\($0)") }
      for resource in resources { resource.load() }
      releaseAll(harness)
      #expect(
        journal.take() == [
          "read model 0", "read model 1", "write model 0: item 0", "write model 1: item 1",
        ])
      harness.stub("GET", "/items/0", .init(status: 304))
      session.token = "other"
      harness.advance(by: 100)
      resources[0].load()
      releaseAll(harness)
      #expect(cache.entries["model 0"]?.timestamp == 1100, "CACHE-19")
      #expect(cache.entries["model 1"]?.timestamp == 1000)
    }
  }

  @Test func `CHN-14 loads that wait for one refresh are cancelled apart; only the last stops it`()
  {
    withHarness { harness in
      let session = Session()
      configure(harness, session)
      stub(harness, token: .text("new"), items: 3)
      let loads = (0..<3).map { harness.service.resource("/items/\($0)").load() }
      for _ in loads { harness.provider.release() }
      harness.settle()
      let token = harness.service.resource("/token")
      loads[0].cancel()
      loads[1].cancel()
      #expect(token.isRequesting)
      releaseAll(harness)
      #expect(loads.map(\.outcome) == ["Request cancelled", "Request cancelled", "item 2"])
      session.token = "expired"
      harness.stub("GET", "/items/0", .init(status: 401))
      let last = harness.service.resource("/items/0").load()
      harness.provider.release()
      harness.settle()
      #expect(token.isRequesting)
      last.cancel()
      #expect(!token.isRequesting)
    }
  }
}
