import LullCore
import LullTesting
import Testing

/// The pages of a list, as Swift programs go through them; which page comes next is what scripts have too.
@Suite(.timeLimit(.minutes(20)))
struct PagesTests {
  private static let list = "https://api.test/v1/list"

  private static func walk(_ pages: Pages) async throws -> [String] {
    var found: [String] = []
    for try await page in pages { found.append(page.resource.url.text.replacing(list, with: "")) }
    return found
  }

  @Test func `SWF-14 pages are loaded as the loop asks for them, by what their content says`()
    throws
  {
    try Lull.test { test in
      let api = test.service("https://api.test/v1")
      test.network.stub("GET", PagesTests.list, .json(#"{"next": "/v1/list?p=2", "n": 1}"#))
      test.network.stub("GET", PagesTests.list + "?p=2", .json(#"{"next": null, "n": 2}"#))
      var numbers: [Int?] = []
      for try await page in api.resource("/list").pages() {
        numbers.append(page.jsonDict["n"]?.int)
        #expect(test.network.requests.count == numbers.count)
      }
      #expect(numbers == [1, 2])
      let again = try await PagesTests.walk(api.resource("/list").pages())
      #expect(again == ["", "?p=2"])
      #expect(test.network.requests.count == 2, "what is fresh is not loaded again")
    }
  }

  @Test func `SWF-14 a cursor, a number and a function lead to the next page as well`() throws {
    try Lull.test { test in
      let list = test.service("https://api.test/v1").resource("/list")
      test.network.stub("GET", PagesTests.list, .json(#"{"cursor": "c2"}"#))
      test.network.stub("GET", PagesTests.list + "?c=c2", .json(#"{"cursor": ""}"#))
      let cursors = try await PagesTests.walk(
        list.pages(.cursor(parameter: "c", field: "cursor")))
      #expect(cursors == ["", "?c=c2"])
      test.network.stub(
        "GET", PagesTests.list + "?k=1", .json(#"{"data": [{"id": 1}, {"id": "x"}], "more": true}"#)
      )
      test.network.stub(
        "GET", PagesTests.list + "?k=1&after=x", .json(#"{"data": [{"id": 3}], "more": false}"#))
      let last = PageRule.cursor(parameter: "after", field: "id", items: "data", more: "more")
      let elements = try await PagesTests.walk(list.withParam("k", "1").pages(last))
      #expect(elements == ["?k=1", "?k=1&after=x"])
      for (number, items) in [(1, "[1]"), (2, "[2]"), (3, "[]")] {
        test.network.stub("GET", PagesTests.list + "?p=\(number)", .json("{\"items\": \(items)}"))
      }
      let numbers = try await PagesTests.walk(
        list.pages(.numbered(parameter: "p", items: "items")))
      #expect(numbers == ["?p=1", "?p=2"])
      let asked = try await PagesTests.walk(
        list.pages(
          .function({ page in page.resource.url.query == nil ? list.withParam("p", "1") : nil })))
      #expect(asked == ["", "?p=1"])
    }
  }

  @Test func `SWF-15 what is wrong with the way to the next page is an error, and the end`() throws
  {
    try Lull.test { test in
      let list = test.service("https://api.test/v1").resource("/list")
      test.network.stub("GET", PagesTests.list, .json(#"{"next": "https://else.test/x"}"#))
      var pages = list.pages().makeAsyncIterator()
      let first = try await pages.next()
      #expect(first != nil)
      let error = await #expect(throws: RequestError.self) { _ = try await pages.next() }
      #expect(error?.userMessage.contains("'allowsOtherOrigins'") == true)
      #expect(error?.url == PagesTests.list)
      let last = try await pages.next()
      #expect(last == nil)
    }
  }
}
