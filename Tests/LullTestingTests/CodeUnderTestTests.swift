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

/// Tests as a user writes them.
@Suite(.timeLimit(.minutes(10))) struct CodeUnderTestTests {
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
}
