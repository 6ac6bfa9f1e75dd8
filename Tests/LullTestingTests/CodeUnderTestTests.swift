import LullCore
import LullTesting
import LullTransport
import Testing

/// The client of a program, which knows nothing of tests.
private struct Shop {
  private let api = Service(baseURL: "https://shop.test/v1")

  init() {
    api.configure("/items/**") { $0.expirationTime = 300 }
  }

  func price(of item: String) async throws -> Int? {
    let resource = api.resource("/items").child(item)
    if let request = resource.loadIfNeeded() { _ = try await request.entity() }
    return resource.jsonDict["price"]?.int
  }
}

/// What keeps services in a server.
private actor Catalogue {
  private let home: any ServiceHome
  private let api: Service
  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(home: any ServiceHome) {
    self.home = home
    api = Service(baseURL: "https://shop.test/v1", on: home)
    api.configure("/items/*") { $0.retry = RetryPolicy() }
  }

  func title(of item: Int) async throws -> String? {
    try await api.resource("/items").child("\(item)").fresh([String: String].self)["title"]
  }
}

/// Tests as a user writes them.
@Suite(.timeLimit(.minutes(20))) struct CodeUnderTestTests {
  @Test func `TEST-30 services that the code makes itself use the network of the test`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://shop.test/v1/items/tea", .json(#"{"price": 5}"#))
      let shop = Shop()
      let price1 = try await shop.price(of: "tea")
      #expect(price1 == 5)
      let price2 = try await shop.price(of: "tea")
      #expect(price2 == 5)
      #expect(test.network.requests.count == 1)
      await test.advance(by: 301)
      test.network.stub("GET", "https://shop.test/v1/items/tea", .json(#"{"price": 6}"#))
      let price3 = try await shop.price(of: "tea")
      #expect(price3 == 6)
    }
  }

  @Test func `TEST-31 an actor of a server uses the network and the clock of the test`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", "https://shop.test/v1/items/1", .json("{}", status: 503),
        .json(#"{"title": "Tea"}"#))
      let catalogue = Catalogue(home: test)
      async let one = catalogue.title(of: 1)
      async let other = catalogue.title(of: 1)
      await test.advance(by: 1)
      let titles = try await [one, other]
      #expect(titles == ["Tea", "Tea"])
      #expect(test.network.requests.count == 2)
    }
  }

  @Test func `TEST-31 the same actor lives on a home`() async throws {
    let home = try Home.start()
    let catalogue = Catalogue(home: home)
    await home.shutdown()
    await #expect(throws: RequestError.self) { try await catalogue.title(of: 1) }
  }
}
