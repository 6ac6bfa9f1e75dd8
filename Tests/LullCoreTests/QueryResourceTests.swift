import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Resources that are read with a body. (RFC 10008)
@Suite(.timeLimit(.minutes(20)))
struct QueryResourceTests {
  private let tea = RequestBody.json(Array(#"{"term":"tea"}"#.utf8))

  private func query(
    _ harness: Harness, _ path: String = "/search", _ text: String = #"{"term":"tea"}"#,
    type: String = "application/json", method: RequestMethod? = nil
  ) throws -> Resource {
    try harness.service.resource(path).query(
      .data(Array(text.utf8), contentType: type), method: method)
  }

  @Test func `QUERY-01 a load sends the content by QUERY, and its answer is the data`() throws {
    try withHarness { harness in
      harness.stub("QUERY", "/search", .json(#"{"hits":2}"#, etag: "\"q1\""))
      let search = try query(harness)
      let recorder = search.recorded()
      let request = search.loadIfNeeded()
      harness.settle()
      #expect(request?.method == .query)
      #expect(search.jsonDict["hits"] == .int(2))
      #expect(search.isUpToDate)
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      let sent = try #require(harness.provider.requests.last)
      #expect(sent.method == "QUERY")
      #expect(sent.url == "https://api.test/v1/search")
      #expect(sent.body == Array(#"{"term":"tea"}"#.utf8))
      #expect(sent.headers["content-type"] == "application/json")
      #expect(search.query?.body == sent.body)
      #expect(search.query?.method == "QUERY")
      #expect(search.query?.contentType == "application/json")
      #expect(search.loadIfNeeded() == nil)
      // The URL's own resource is another one.
      #expect(harness.service.resource("/search").latestData == nil)
      #expect(harness.service.resource("/search").query == nil)
    }
  }

  @Test func `QUERY-02 SVC-24 equal content is the same object, and other content is not`() throws {
    try withHarness { harness in
      let first = try query(harness, "/search", #"{"a":1,"b":[1.0,"é"]}"#)
      let same = try query(
        harness, "/search", #" { "b" : [1e0, "\u00e9"], "a" : 0, "a":1.0 } "#,
        type: "Application/JSON")
      #expect(first === same)
      #expect(same.query?.body == Array(#"{"a":1,"b":[1.0,"é"]}"#.utf8))
      #expect(try query(harness, "/search", #"{"a":1,"b":["é",1]}"#) !== first)
      #expect(try query(harness, "/find", #"{"a":1,"b":[1.0,"é"]}"#) !== first)
      #expect(
        try query(
          harness, "/search", #"{"a":1,"b":[1,"é"]}"#, type: "application/json; charset=utf-8")
          !== first)
      #expect(try query(harness, "/search", #"{"a":1,"b":[1,"é"]}"#, method: .post) !== first)
      #expect(harness.service.resource("/search") !== first)
      // A query of a query is one of the same URL.
      #expect(try first.query(tea) === query(harness))
    }
  }

  @Test func `QUERY-02 a query is found again by its bytes only if everything is equal`() throws {
    try withHarness { harness in
      let resource = harness.service.resource("/search")
      func query(_ text: String, _ headers: RequestHeaders = [:], _ method: RequestMethod? = nil)
        throws -> Resource
      {
        try resource.query(
          .json(Array(text.utf8)), headers: headers, method: method)
      }
      // More than are remembered, each twice in each of two spellings.
      var held: [Resource] = []
      for number in 0..<1000 {
        let one = try query(#"{"n":\#(number),"a":1}"#)
        #expect(try query(#"{"n":\#(number),"a":1}"#) === one)
        #expect(try query(#"{"a":1, "n":\#(number)}"#) === one)
        #expect(try query(#"{"a":1, "n":\#(number)}"#) === one)
        held.append(one)
      }
      #expect(Set(held.map(ObjectIdentifier.init)).count == 1000)
      for (number, known) in held.enumerated() {
        #expect(try query(#"{"n":\#(number),"a":1}"#) === known)
      }
      let one = held[0]
      let text = #"{"n":0,"a":1}"#
      #expect(try query(text) === one)
      #expect(try query(text, [:], .query) === one)
      #expect(try query(text, [:], .post) !== one)
      #expect(try harness.service.resource("/other").query(.json(Array(text.utf8))) !== one)
      #expect(
        try resource.query(.data(Array(text.utf8), contentType: "application/vnd.x+json")) !== one)
      #expect(throws: RequestError.self) { _ = try query(text, ["X-A": "1"]) }
      // The configuration decides about the method.
      harness.service.configure { $0.queryMethod = .post }
      #expect(try query(text).query?.method == .post)
      #expect(try query(text, [:], .query) === one)
    }
  }

  @Test func `QUERY-02 QUERY-10 a query that was forgotten is not found again by its bytes`() throws
  {
    try withHarness { harness in
      harness.stub("QUERY", "/search", .json(#"{"n":1}"#), .json(#"{"n":2}"#))
      let leakCheck = LeakCheck()
      do {
        let search = try query(harness)
        leakCheck.watch(search.record)
        search.load()
        harness.settle()
        #expect(try query(harness).jsonDict["n"] == .int(1))
      }
      // Unused, but still in memory.
      #expect(try query(harness).jsonDict["n"] == .int(1))
      harness.service.flushUnusedResources()
      #expect(leakCheck.leaks.isEmpty)
      #expect(try query(harness).latestData == nil)
      harness.service.cachedResourceCountLimit = 0
      #expect(try query(harness).latestData == nil)
    }
  }

  @Test func `QUERY-75 in a memory cache, queries with other headers have entries of their own`()
    throws
  {
    try withHarness { harness in
      let cache = MemoryEntityCache()
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      harness.stub("POST", "/", .json(#"{"n":1}"#), .json(#"{"n":2}"#))
      func read(_ operation: String) throws -> JSONValue? {
        let resource = try harness.service.resource("/").query(
          json: ["TableName": "t"], headers: ["X-Amz-Target": operation],
          method: .post)
        resource.loadIfNeeded()
        harness.settle()
        return resource.jsonDict["n"]
      }
      let found = try ["One", "Two", "One", "Two"].map(read)
      #expect(found == [.int(1), .int(2), .int(1), .int(2)])
      #expect(harness.provider.requests.count == 2)
    }
  }

  @Test func `QUERY-05 content that is not JSON is compared byte by byte`() throws {
    try withHarness { harness in
      let sql = try query(harness, "/db", "SELECT 1", type: "application/sql")
      #expect(try query(harness, "/db", "SELECT 1", type: "application/SQL") === sql)
      #expect(try query(harness, "/db", "SELECT  1", type: "application/sql") !== sql)
      let broken = try query(harness, "/db", #"{"a":1"#)
      #expect(try query(harness, "/db", #"{"a":1"#) === broken)
      #expect(try query(harness, "/db", #"{"a": 1"#) !== broken)
      let form = try harness.service.resource("/db").query(
        .form([(name: "b", value: "2"), (name: "a", value: "1")]))
      #expect(
        try harness.service.resource("/db").query(
          .form([(name: "a", value: "1"), (name: "b", value: "2")])) === form)
      #expect(form.query?.body == Array("a=1&b=2".utf8))
    }
  }

  @Test func `QUERY-06 headers are sent, and other headers are refused while the query is held`()
    throws
  {
    try withHarness { harness in
      harness.stub("QUERY", "/search", .json("{}"))
      let resource = harness.service.resource("/search")
      let headers = RequestHeaders([("X-Scope", "all"), ("Accept", "application/json")])
      var search: Resource? = try resource.query(tea, headers: headers)
      search?.load()
      harness.settle()
      #expect(harness.provider.requests.last?.headers["x-scope"] == "all")
      // The order of headers does not matter.
      let swapped = RequestHeaders([("accept", "application/json"), ("x-scope", "all")])
      #expect(try resource.query(tea, headers: swapped) === search)
      for other in [RequestHeaders(), RequestHeaders([("X-Scope", "mine")])] {
        let error = #expect(throws: RequestError.self) {
          _ = try resource.query(tea, headers: other)
        }
        #expect(error?.userMessage.contains("in use with other headers") ?? false)
      }
      // Once nothing holds it, other headers are possible.
      search = nil
      let plain = try resource.query(tea)
      plain.load()
      harness.settle()
      #expect(harness.provider.requests.last?.headers["x-scope"] == nil)
    }
  }

  @Test func `QUERY-07 POST is used if the configuration, a pattern or the call says so`() throws {
    try withHarness { harness in
      harness.stub("POST", "/search", .json(#"{"hits":1}"#))
      harness.service.configure("/search") { $0.queryMethod = .post }
      let search = try query(harness)
      #expect(search.query?.method == .post)
      search.load()
      harness.settle()
      #expect(search.jsonDict["hits"] == .int(1))
      #expect(harness.provider.requests.last?.method == .post)
      #expect(harness.provider.requests.last?.isSafe ?? false)
      #expect(try query(harness, "/other").query?.method == .query)
      #expect(try query(harness, "/other", method: .post).query?.method == .post)
      let error = #expect(throws: RequestError.self) { _ = try query(harness, method: .put) }
      #expect(error?.userMessage == "the method of a query is QUERY or POST, not PUT")
    }
  }

  @Test func `QUERY-07 another request of a query with its method and a body is not declared safe`()
    throws
  {
    try withHarness { harness in
      harness.stub("POST", "/search", .json(#"{"hits":1}"#))
      let search = try query(harness, method: .post)
      search.load()
      harness.settle()
      search.request(.post, body: .json(Array("{}".utf8)))
      harness.settle()
      #expect(harness.provider.requests.last?.isSafe == false)
      #expect(search.isUpToDate == false)
      search.request(.post) { $0.body = Array(#"{"delete":1}"#.utf8) }
      harness.settle()
      #expect(harness.provider.requests.last?.isSafe == false)
      // Without a body, it is the request of the query.
      search.request(.post)
      harness.settle()
      #expect(harness.provider.requests.last?.body == search.query?.body)
      #expect(harness.provider.requests.last?.isSafe ?? false)
    }
  }

  @Test(arguments: ["QUERY", "POST"] as [RequestMethod])
  func `QUERY-08 a query has the settings of GET and those that name QUERY, never those of POST`(
    method: RequestMethod
  ) throws {
    try withHarness { harness in
      harness.stub(method, "/search", .json("{}"))
      let service = harness.service
      service.configure { $0.headers["X-All"] = "1" }
      service.configure(requestMethods: [.get]) { $0.expirationTime = 5 }
      service.configure(requestMethods: [.query]) { $0.headers["X-Query"] = "1" }
      service.configure(requestMethods: [.post]) { $0.headers["X-Post"] = "1" }
      let search = try query(harness, method: method)
      search.load()
      harness.settle()
      let headers = harness.provider.requests.last?.headers
      #expect(headers?["x-all"] == "1")
      #expect(headers?["x-query"] == "1")
      #expect(headers?["x-post"] == nil)
      #expect(search.isUpToDate)
      harness.advance(by: 6)
      #expect(!search.isUpToDate)
    }
  }

  @Test func `QUERY-07 QUERY-20 a safe POST invalidates nothing and needs no confirmation`() throws
  {
    try withHarness { harness in
      harness.stub("POST", "/search", .json("{}"))
      let list = harness.loaded("/search", .json("[]"))
      let environment = ServiceEnvironment("prod", confirmsWrites: true)
      let service = harness.makeService(base: "https://api.test/v1")
      #expect(service.enter(environment, baseURL: nil))
      let search = try query(harness, method: .post)
      search.load()
      let confirmed = try service.resource("/search").query(tea, method: .post)
      let request = confirmed.load()
      harness.settle()
      #expect(list.isUpToDate)
      #expect(request.response?.isSuccess ?? false)
      let write = service.resource("/search").request(.post, body: tea)
      harness.settle()
      #expect(write.response?.error?.cause?.kind == "unconfirmed")
    }
  }

  @Test(arguments: [405, 501])
  func `QUERY-07 a server that does not support QUERY makes an error that names the setting`(
    status: Int
  ) throws {
    try withHarness { harness in
      harness.stub("QUERY", "/search", .init(status: status))
      harness.stub("GET", "/search", .init(status: status))
      let search = try query(harness)
      search.load()
      harness.service.resource("/search").load()
      harness.settle()
      let message = try #require(search.latestError?.userMessage)
      #expect(message.hasSuffix(#"set query_method to "POST" (Swift: queryMethod)"#))
      #expect(search.latestError?.facts.fix?.contains("query_method") ?? false)
      let other = try #require(harness.service.resource("/search").latestError)
      #expect(!other.userMessage.contains("query_method"))
      #expect(other.facts.fix == nil)
    }
  }

  @Test func `QUERY-12 ETag and 304 belong to the query`() throws {
    try withHarness { harness in
      harness.stub(
        "QUERY", "/search", .json(#"{"n":1}"#, etag: "\"e1\""), .init(status: 304))
      harness.stub("GET", "/search", .json(#"{"n":0}"#, etag: "\"e0\""))
      let list = harness.service.resource("/search")
      list.load()
      let search = try query(harness)
      search.load()
      harness.settle()
      let other = try query(harness, "/search", #"{"term":"ale"}"#)
      search.load()
      harness.settle()
      #expect(harness.provider.requests.last?.headers["if-none-match"] == "\"e1\"")
      #expect(search.jsonDict["n"] == .int(1))
      // Another query of the URL has no condition, so a 304 can't confirm it.
      other.load()
      harness.settle()
      #expect(harness.provider.requests.last?.headers["if-none-match"] == nil)
      #expect(other.latestError?.cause?.kind == "no_local_data_for_304")
      // Nor does the 304 to another request of the same object.
      harness.stub("GET", "/search", .init(status: 304))
      let request = search.request(.get) { $0.headers["If-None-Match"] = "\"e0\"" }
      harness.settle()
      #expect(request.response?.error?.cause?.kind == "no_local_data_for_304")
    }
  }

  @Test func `QUERY-20 AGE-07 a write to the URL makes its queries stale, in memory and in caches`()
    throws
  {
    try withHarness { harness in
      let cache = MemoryEntityCache()
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      harness.stub("QUERY", "/search", .json(#"{"n":1}"#))
      harness.stub("QUERY", "/other", .json(#"{"n":1}"#))
      harness.stub("PUT", "/search", .init(status: 204))
      let search = try query(harness)
      let elsewhere = try query(harness, "/other")
      search.load()
      elsewhere.load()
      var forgotten: Resource? = try query(harness, "/search", #"{"term":"ale"}"#)
      forgotten?.load()
      harness.settle()
      forgotten = nil
      harness.service.flushUnusedResources()
      harness.service.resource("/search").request(.put, body: tea)
      harness.settle()
      #expect(!search.isUpToDate)
      #expect(elsewhere.isUpToDate)
      #expect(search.latestData != nil)
      let found = try query(harness, "/search", #"{"term":"ale"}"#)
      _ = found.latestData
      harness.settle()
      #expect(found.jsonDict["n"] == .int(1))
      #expect(!found.isUpToDate)
      // Invalidating the URL's own resource leaves its queries alone.
      search.load()
      harness.settle()
      harness.service.resource("/search").invalidate()
      #expect(search.isUpToDate)
      // Patterns match the URL.
      harness.service.invalidateResources(matching: "/search")
      #expect(!search.isUpToDate)
    }
  }

  @Test func `QUERY-16 entries of different queries never mix in a cache`() throws {
    try withHarness { harness in
      let cache = MemoryEntityCache()
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      harness.stub("QUERY", "/search", .json(#"{"n":1}"#), .json(#"{"n":2}"#))
      harness.stub("GET", "/search", .json(#"{"n":0}"#))
      for resource in [
        try query(harness), try query(harness, "/search", #"{"term":"ale"}"#),
        harness.service.resource("/search"),
      ] {
        resource.load()
        harness.settle()
      }
      harness.service.flushUnusedResources()
      for (resource, number) in [
        (try query(harness, "/search", #"{ "term" : "ale" }"#), 2), (try query(harness), 1),
        (harness.service.resource("/search"), 0),
      ] {
        _ = resource.latestData
        harness.settle()
        #expect(resource.jsonDict["n"] == .int(number))
      }
      #expect(harness.provider.requests.count == 3)
    }
  }

  private static let searchURL = "https://api.test/v1/search"

  private static func contents(_ pages: Pages) async throws -> [String] {
    var found: [String] = []
    for try await page in pages {
      #expect(page.resource.url.text == searchURL)
      found.append(String(decoding: page.resource.query?.body ?? [], as: UTF8.self))
    }
    return found
  }

  /// A cache as programs write them, with keys by URL.
  private final class URLCache: EntityCache {
    var entities: [String: Entity] = [:]
    let distinguishesQueries: Bool

    init(distinguishesQueries: Bool) { self.distinguishesQueries = distinguishesQueries }

    func key(for resource: Resource, at stage: PipelineStageKey) -> String? {
      resource.url.text
        + (distinguishesQueries ? resource.query.map { "\($0.identity.text)" } ?? "" : "")
    }

    func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
      completion(entities[key])
    }

    func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
      entities[key] = entity
      completion()
    }

    func removeEntity(forKey key: String, completion: @escaping () -> Void) {
      entities[key] = nil
      completion()
    }
  }

  @Test(arguments: [false, true])
  func `QUERY-16 a program's cache stores queries only if its keys distinguish them`(
    distinguishes: Bool
  ) throws {
    try withHarness { harness in
      let cache = URLCache(distinguishesQueries: distinguishes)
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      harness.stub("QUERY", "/search", .json("1"), .json("2"))
      _ = harness.loaded("/search", .json("0"))
      for text in ["{}", "[]"] {
        try query(harness, "/search", text).load()
        harness.settle()
      }
      #expect(cache.entities.count == (distinguishes ? 3 : 1))
      guard case .json(let document)? = cache.entities["https://api.test/v1/search"]?.content else {
        Issue.record("there is no entry of the URL")
        return
      }
      #expect(document.root.int == 0)
    }
  }

  @Test func `QUERY-18 the parameter of the next page of a query is set in its content`() throws {
    try Lull.test { test in
      let resource = test.service("https://api.test/v1").resource("/search")
      let url = QueryResourceTests.searchURL
      test.network.stub(
        "QUERY", url, .json(#"{"rows":[1,2],"next":"b"}"#), .json(#"{"rows":[3],"next":null}"#),
        .json(#"{"rows":[1,2]}"#), .json(#"{"rows":[3]}"#), .json(#"{"rows":[]}"#),
        .json(#"{"rows":[1,2],"next":7}"#), .json(#"{"rows":[3],"next":null}"#),
        .json(#"{"rows":[1,2],"next":7}"#), .json(#"{"rows":[3],"next":null}"#))
      let cursor = PageRule.cursor(parameter: "page.after", field: "next")
      let search = try resource.query(.json(Array(#"{"term":"tea","page":{"size":2}}"#.utf8)))
      let cursors = try await QueryResourceTests.contents(search.pages(cursor))
      #expect(
        cursors == [
          #"{"term":"tea","page":{"size":2}}"#, #"{"term":"tea","page":{"size":2,"after":"b"}}"#,
        ])
      let form = try resource.query(
        .form([(name: "term", value: "tea"), (name: "from", value: "0")]))
      let forms = try await QueryResourceTests.contents(
        form.pages(.offset(parameter: "from", items: "rows")))
      #expect(forms == ["from=0&term=tea", "from=2&term=tea"])
      // A number stays a number: by the present value, or by the page.
      for text in [#"{"after":0,"term":"ale"}"#, #"{"term":"gin"}"#] {
        let numbered = try resource.query(.json(Array(text.utf8)))
        let numbers = try await QueryResourceTests.contents(
          numbered.pages(.cursor(parameter: "after", field: "next")))
        #expect(numbers.first == text)
        #expect(numbers.last?.contains(#""after":7"#) ?? false, "\(numbers)")
        #expect(numbers.count == 2)
      }
    }
  }

  @Test(
    arguments: [
      ("SELECT 1", "application/sql", "use json or form"),
      (#"{"id":12345678901234567890123}"#, "application/json", "more digits"),
      ("[1]", "application/json", "cannot be set"),
    ])
  func `QUERY-18 content in which the parameter can't be set is an error`(
    text: String, type: String, message: String
  ) throws {
    try Lull.test { test in
      let resource = test.service("https://api.test/v1").resource("/search")
      test.network.stub("QUERY", QueryResourceTests.searchURL, .json(#"{"rows":[1],"next":"b"}"#))
      let search = try resource.query(.data(Array(text.utf8), contentType: type))
      var count = 0
      do {
        for try await _ in search.pages(.cursor(parameter: "after", field: "next")) { count += 1 }
        Issue.record("there was no error")
      } catch {
        #expect("\(error)".contains(message), "\(error)")
      }
      #expect(count == 1)
    }
  }

  private struct Search: Encodable {
    var term: String
    var page = 1
  }

  @Test func `QUERY-01 QUERY-02 typed forms make the same queries`() throws {
    try withHarness { harness in
      let resource = harness.service.resource("/search")
      let search = try resource.query(json: ["term": "tea", "page": 1])
      #expect(try resource.query(json: Search(term: "tea")) === search)
      #expect(search.query?.contentType == "application/json")
      #expect(
        try resource.query(form: ["b": "2", "a": "1"]).query?.body == Array("a=1&b=2".utf8))
      let error = #expect(throws: RequestError.self) {
        _ = try resource.query(json: ["x": .double(.nan)])
      }
      #expect(error?.cause?.kind == "invalid_json_object")
      #expect(throws: RequestError.self) { _ = try resource.query(json: [Double.nan]) }
    }
  }

  @Test func `QUERY-14 Content-Location names a GET resource, which is not loaded`() throws {
    try withHarness { harness in
      harness.stub(
        "QUERY", "/search",
        .init(
          status: 200,
          headers: [("Content-Type", "application/json"), ("Content-Location", "search/17")],
          body: "{}"))
      let search = try query(harness)
      search.load()
      harness.settle()
      let data = try #require(search.latestData)
      let equivalent = try #require(search.equivalent(of: data))
      #expect(equivalent.url.text == "https://api.test/v1/search/17")
      #expect(equivalent.query == nil)
      #expect(equivalent.latestData == nil)
      #expect(harness.provider.requests.count == 1)
      var plain = data
      plain.headers = Headers()
      #expect(search.equivalent(of: plain) == nil)
    }
  }

  @Test func `QUERY-01 a file, a multipart form and content that can't be encoded are refused`() {
    withHarness { harness in
      let resource = harness.service.resource("/search")
      for body in [
        RequestBody.file(UploadFile("/dev/null")), .multipart(MultipartForm([])),
        .text("é", encoding: "us-ascii"),
      ] {
        #expect(throws: RequestError.self) { _ = try resource.query(body) }
      }
      #expect(harness.service.table.count == 1)
    }
  }

  @Test func `QUERY-01 a query of an invalid URL is invalid`() throws {
    try withHarness { harness in
      let search = try harness.service.resource(absoluteURL: nil).query(tea)
      search.load()
      harness.settle()
      #expect(search.latestError?.cause?.kind == "invalid_url")
    }
  }

  @Test func `QUERY-03 QUERY-06 a Content-Type among the headers is that of the content`() throws {
    try withHarness { harness in
      let resource = harness.service.resource("/search")
      let headers = RequestHeaders([("Content-Type", "application/vnd.api+json"), ("X-A", "1")])
      let search = try resource.query(.json(Array(#"{"a":1.0}"#.utf8)), headers: headers)
      #expect(search.query?.contentType == "application/vnd.api+json")
      let same = try resource.query(
        .data(Array(#"{"a":1}"#.utf8), contentType: "application/vnd.api+json"),
        headers: RequestHeaders([("X-A", "1")]))
      #expect(same === search)
    }
  }

  @Test func `QUERY-05 bytes that look like a canonical form are other content`() throws {
    try withHarness { harness in
      let valid = try query(harness, "/search", #"{"a":1}"#)
      #expect(try query(harness, "/search", #"{"a":1,}"#) !== valid)
      #expect(try query(harness, "/search", #"{"a":1,}"#).query?.identity != valid.query?.identity)
    }
  }

  @Test func `QUERY-20 a write through a query makes the other queries of the URL stale`() throws {
    try withHarness { harness in
      harness.stub("QUERY", "/search", .json("1"))
      harness.stub("PUT", "/search", .init(status: 204))
      let (one, two) = (try query(harness, "/search", "{}"), try query(harness, "/search", "[]"))
      one.load()
      two.load()
      harness.settle()
      one.request(.put, body: tea)
      harness.settle()
      #expect(!one.isUpToDate)
      #expect(!two.isUpToDate)
    }
  }

  @Test func `QUERY-10 SVC-31 queries count as resources, and unused ones are evicted`() throws {
    try withHarness { harness in
      harness.service.cachedResourceCountLimit = 10
      for number in 0..<100 { _ = try query(harness, "/search", "\(number)") }
      #expect(harness.service.table.count <= 10)
      harness.service.flushUnusedResources()
      #expect(harness.service.table.count == 0)
    }
  }

  @Test func `QUERY-21 an explanation shows the content and the media types that are accepted`()
    throws
  {
    try withHarness { harness in
      harness.stub(
        "QUERY", "/search",
        .init(status: 200, headers: [("Accept-Query", "\"application/json\", application/sql")]))
      let search = try query(harness)
      search.load()
      harness.settle()
      let text = search.explanation().description
      #expect(
        text.hasPrefix(
          "QUERY https://api.test/v1/search\napplication/json, 14 bytes: {\"term\":\"tea\"}"))
      #expect(text.contains("queries accepted"))
      #expect(text.contains("application/json, application/sql"))
      #expect(search.description.contains("is QUERY {\"term\":\"tea\"}"))
      let login = try query(harness, "/search", #"{"user":"ann","password":"hunter2"}"#)
      for text in [
        login.description, login.shownDescription, login.shortDescription,
        login.explanation().description,
      ] {
        #expect(!text.contains("hunter2"), "\(text)")
      }
      #expect(!login.shortDescription.contains("ann"), "logs show no content")
    }
  }
}
