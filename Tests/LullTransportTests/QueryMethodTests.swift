import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// RFC 10008, the HTTP QUERY method, section by section, against a server of this suite.
  @Suite struct QueryMethodTests {
    private typealias Asked = QueryServer.Asked
    private typealias Answer = QueryServer.Answer

    private let harness: TransportHarness
    private let folder: CacheFolderFixture

    init() throws {
      harness = try TransportHarness()
      folder = try #require(CacheFolderFixture())
    }

    private func server(
      _ answer: @escaping @Sendable (Asked, Int) -> Answer
    ) throws -> QueryServer {
      try #require(QueryServer(answer))
    }

    /// A service of the server, as another program on this machine would have it if `isCached`.
    private func service(_ server: QueryServer, isCached: Bool = false) -> Service {
      let service = Service(
        baseURL: server.url, networking: harness.provider, pump: harness.loop.pump)
      guard isCached else { return service }
      var options = FileEntityCache.Options()
      options.path = folder.path
      let cache = FileEntityCache(options)
      service.configure { $0.pipeline[.parsing].cacheUsing(cache) }
      return service
    }

    private func query(
      _ service: Service, _ text: String = #"{"a":1}"#, type: String = "application/json",
      headers: RequestHeaders = [:], method: RequestMethod? = nil
    ) throws -> Resource {
      try service.resource("/search").query(
        .data(Array(text.utf8), contentType: type), headers: headers, method: method)
    }

    private func settle(_ request: Request?) {
      harness.turn { request?.isCompleted ?? true }
      harness.turn { !harness.loop.pump.ending.isHeld }
    }

    private func load(_ resource: Resource) { settle(resource.load()) }

    private func loadIfNeeded(_ resource: Resource) { settle(resource.loadIfNeeded()) }

    // MARK: Section 2

    @Test func `RFC 10008 2: every query is sent with a content type, also without content`() throws
    {
      let server = try server { asked, _ in
        .json("1", asked.headers["content-type"] == nil ? [("X-Missing", "1")] : [])
      }
      defer { server.stop() }
      let resource = service(server).resource("/search")
      for body: RequestBody in [
        .json(Array("{}".utf8)), .text("a"), .text(""), .form([(name: "a", value: "1")]),
        .data([], contentType: "application/sql"),
      ] {
        load(try resource.query(body))
      }
      #expect(
        server.requests.map { $0.headers["content-type"] } == [
          "application/json", "text/plain; charset=utf-8", "text/plain; charset=utf-8",
          "application/x-www-form-urlencoded", "application/sql",
        ])
      #expect(server.requests.map(\.method) == Array(repeating: "QUERY", count: 5))
      #expect(server.requests.map(\.body) == ["{}", "a", "", "a=1", ""])
      #expect(server.requests.map { $0.headers["content-length"] } == ["2", "1", "0", "3", "0"])
    }

    @Test func `RFC 10008 2: the URL's query component is part of the target`() throws {
      let server = try server { asked, _ in .text(asked.path) }
      defer { server.stop() }
      let service = service(server)
      let one = try service.resource("/search").withParam("lang", "en").query(json: ["a": 1])
      let two = try service.resource("/search").withParam("lang", "de").query(json: ["a": 1])
      #expect(one !== two)
      load(one)
      load(two)
      #expect(one.text == "/search?lang=en")
      #expect(two.text == "/search?lang=de")
      #expect(server.requests.map(\.path) == ["/search?lang=en", "/search?lang=de"])
    }

    @Test(arguments: ["QUERY", "POST"] as [RequestMethod])
    func `RFC 10008 2: a query is safe and idempotent, so it is repeated after a lost connection`(
      method: RequestMethod
    ) throws {
      let server = try server { _, count in
        count < 2 ? Answer(isLost: true) : count == 2 ? .status(503) : .json(#"{"n":1}"#)
      }
      defer { server.stop() }
      let service = service(server)
      service.configure {
        var retry = RetryPolicy()
        retry.times = 3
        retry.backoff.base = 0.01
        $0.retry = retry
      }
      let search = try query(service, method: method)
      load(search)
      #expect(search.jsonDict["n"] == .int(1))
      #expect(server.requests.count == 4)
      #expect(Set(server.requests.map { $0.method + $0.body }) == ["\(method){\"a\":1}"])
    }

    @Test func `RFC 10008 2: a query changes nothing, so it makes nothing stale`() throws {
      let server = try server { _, _ in
        .json("1", [("Location", "/list"), ("Content-Location", "/list")])
      }
      defer { server.stop() }
      let service = service(server)
      let others = [
        service.resource("/list"), service.resource("/search"), try query(service, "[]"),
      ]
      others.forEach(load)
      load(try query(service))
      load(try query(service, method: .post))
      #expect(others.map(\.isUpToDate) == [true, true, true])
    }

    // MARK: Section 2.1

    @Test(arguments: [400, 406, 415, 422])
    func `RFC 10008 2.1: a server's rejection of a query is an error with its status`(
      status: Int
    ) throws {
      let server = try server { _, _ in
        .status(status, [("Content-Type", "text/plain")], "no table")
      }
      defer { server.stop() }
      let search = try query(service(server), "SELECT 1 FROM x", type: "application/sql")
      load(search)
      let error = try #require(search.latestError)
      #expect(error.httpStatusCode == status)
      #expect(error.entity?.text == "no table")
      #expect(!error.userMessage.contains("accepts"), "\(error.userMessage)")
      #expect(error.facts.isRetryable == false)
      #expect(error.facts.fix == nil)
      // A rejected query is not sent again by itself.
      #expect(server.requests.count == 1)
    }

    @Test(
      arguments: [
        (
          415, "Accept-Query", "\"application/jsonpath\", application/sql;charset=\"UTF-8\"",
          "application/jsonpath, application/sql;charset=\"UTF-8\""
        ),
        (400, "Accept-Query", "application/json", "application/json"),
        (
          415, "Accept", "application/x-www-form-urlencoded, application/sql",
          "application/x-www-form-urlencoded, application/sql"
        ),
      ])
    func `QUERY-72 RFC 10008 2.1, A.3: the error of a wrong media type names those accepted`(
      status: Int, field: String, value: String, named: String
    ) throws {
      let server = try server { _, _ in .status(status, [(field, value)]) }
      defer { server.stop() }
      let search = try query(service(server), "x", type: "text/csv")
      load(search)
      let advice = "for queries of this URL, the server accepts the content type \(named)"
      #expect(search.latestError?.userMessage.hasSuffix(": " + advice) ?? false)
      #expect(search.latestError?.facts.fix == advice)
    }

    // MARK: Sections 2.2 to 2.4

    @Test
    func
      `RFC 10008 2.3: Content-Location names the result, which is loaded by GET only on request`()
      throws
    {
      let server = try server { asked, _ in
        asked.method == "GET"
          ? .json(#"{"n":17}"#)
          : .json(#"{"n":17}"#, [("Content-Location", "/contacts/stored-results/17")])
      }
      defer { server.stop() }
      let search = try query(service(server))
      load(search)
      #expect(server.requests.count == 1)
      let entity = try #require(search.latestData)
      let result = try #require(search.equivalent(of: entity))
      #expect(result.query == nil)
      #expect(result.url.text == server.url + "/contacts/stored-results/17")
      load(result)
      #expect(result.jsonDict["n"] == .int(17))
      #expect(server.requests.last?.method == "GET")
      #expect(server.requests.last?.body == "")
      #expect(server.requests.last?.headers["content-type"] == nil)
    }

    @Test func `RFC 10008 2.4: Location names the query itself, and is not followed`() throws {
      let server = try server { asked, _ in
        asked.path == "/search"
          ? .text("1", [("Location", "/contacts/stored-queries/42")]) : .text("2")
      }
      defer { server.stop() }
      let search = try query(service(server))
      load(search)
      #expect(server.requests.map(\.path) == ["/search"])
      let location = try #require(search.latestData?.headers["location"])
      let stored = search.relative(location)
      #expect(stored.query == nil)
      load(stored)
      #expect(stored.text == "2")
      #expect(server.requests.last?.method == "GET")
    }

    // MARK: Section 2.5

    @Test(
      arguments: [301, 302, 307, 308, 303], ["QUERY", "POST"] as [RequestMethod])
    func `QUERY-11 RFC 10008 2.5: a redirect repeats the query, and 303 gets the result`(
      status: Int, method: RequestMethod
    ) throws {
      let server = try server { asked, _ in
        asked.path == "/search"
          ? .status(status, [("Location", "/moved?x=1")])
          : .json(#"{"by":"\#(asked.method)"}"#, [("ETag", "\"m\"")])
      }
      defer { server.stop() }
      let search = try query(service(server), method: method)
      load(search)
      let expected = status == 303 ? "GET" : method.rawValue
      #expect(search.jsonDict["by"] == .string(expected))
      #expect(search.url.text == server.url + "/search")
      let last = try #require(server.requests.last)
      #expect(last.path == "/moved?x=1")
      #expect(last.body == (status == 303 ? "" : #"{"a":1}"#))
      #expect(last.headers["content-type"] == (status == 303 ? nil : "application/json"))
      // The next load asks the original URL again.
      load(search)
      #expect(server.requests.map(\.path) == ["/search", "/moved?x=1", "/search", "/moved?x=1"])
      #expect(server.requests[2].method == method.rawValue)
    }

    @Test func `QUERY-22 RFC 10008 2.5, 4: content is sent to another origin without credentials`()
      throws
    {
      let other = try server { _, _ in .json("1") }
      defer { other.stop() }
      let target = other.url + "/found"
      let server = try server { _, _ in .status(307, [("Location", target)]) }
      defer { server.stop() }
      let search = try query(
        service(server), headers: ["Authorization": "Bearer t", "Accept": "application/json"])
      load(search)
      let sent = try #require(other.requests.first)
      #expect(sent.method == "QUERY")
      #expect(sent.body == #"{"a":1}"#)
      #expect(sent.headers["content-type"] == "application/json")
      #expect(sent.headers["authorization"] == nil)
    }

    // MARK: Section 2.6

    @Test(
      arguments: [
        ("ETag", "\"42-1\"", "if-none-match"),
        ("Last-Modified", "Sun, 17 Nov 2024 16:12:01 GMT", "if-modified-since"),
      ])
    func `QUERY-12 RFC 10008 2.6, A.5: a conditional query, whose 304 confirms its data`(
      validator: String, value: String, condition: String
    ) throws {
      let server = try server { asked, _ in
        asked.headers[condition] == value && asked.body == #"{"a":1}"#
          ? .status(304) : .json(asked.body, [(validator, value)])
      }
      defer { server.stop() }
      let service = service(server)
      let search = try query(service)
      load(search)
      let other = try query(service, #"{"a":2}"#)
      load(other)
      #expect(server.requests.last?.headers[condition] == nil)
      search.invalidate()
      load(search)
      #expect(server.requests.last?.headers[condition] == value)
      #expect(server.requests.last?.body == #"{"a":1}"#)
      #expect(search.isUpToDate)
      #expect(search.jsonDict["a"] == .int(1))
      // The validator of one query, sent with another one, is the server's to judge.
      load(other)
      #expect(other.jsonDict["a"] == .int(2))
    }

    @Test func `RFC 10008 2.6: a failed precondition is an error that leaves the data`() throws {
      let server = try server { asked, _ in
        asked.headers["if-match"] == nil ? .json("1", [("ETag", "\"v\"")]) : .status(412)
      }
      defer { server.stop() }
      let search = try query(service(server))
      load(search)
      let request = search.request(.query) { $0.headers["If-Match"] = "\"w\"" }
      settle(request)
      #expect(server.requests.last?.body == #"{"a":1}"#)
      #expect(request.response?.error?.httpStatusCode == 412)
      #expect(search.latestData != nil)
      #expect(search.latestError == nil)
    }

    // MARK: Section 2.7

    /// What a second program asks that shares the cache, after the first has asked `{"a":1}` with
    /// these headers: whether the server was asked again.
    private func isAskedAgain(
      _ text: String = #"{"a":1}"#, type: String = "application/json",
      headers: RequestHeaders = [:],
      method: RequestMethod? = nil, first: RequestHeaders = [:],
      configured: RequestHeaders = [:]
    ) throws -> Bool {
      let server = try server { _, count in .text("\(count)") }
      defer { server.stop() }
      loadIfNeeded(try query(service(server, isCached: true), headers: first))
      let second = service(server, isCached: true)
      second.configure {
        for (name, value) in configured.pairs { $0.headers[name] = value }
      }
      let search = try query(second, text, type: type, headers: headers, method: method)
      loadIfNeeded(search)
      let count = server.requests.count
      #expect(search.text == "\(count - 1)")
      return count == 2
    }

    @Test func `RFC 10008 2.7: the cache key has the content, its type and other metadata`() throws
    {
      #expect(try !isAskedAgain())
      #expect(try isAskedAgain(#"{"a":2}"#))
      #expect(try isAskedAgain(type: "application/vnd.api+json"))
      #expect(try isAskedAgain(type: "application/json;profile=x"))
      #expect(try isAskedAgain(method: .post))
    }

    @Test(
      arguments: [
        ("Content-Encoding", "gzip"), ("Content-Language", "de"), ("Content-Location", "/a"),
      ])
    func `QUERY-70 RFC 10008 2.7: headers that describe the content are part of the key`(
      name: String, value: String
    ) throws {
      let headers = RequestHeaders([(name, value)])
      #expect(try isAskedAgain(headers: headers))
      #expect(try isAskedAgain(first: headers))
      #expect(try isAskedAgain(configured: headers))
      #expect(try !isAskedAgain(headers: headers, first: headers))
      #expect(try !isAskedAgain(headers: ["Accept": "*/*"]))
    }

    @Test func `QUERY-04 RFC 10008 2.7: differences without a meaning are removed, by format`()
      throws
    {
      #expect(try !isAskedAgain(" { \"a\" : 1.0 }"))
      #expect(try !isAskedAgain(type: "Application/JSON"))
      #expect(try isAskedAgain("{\"a\":1}\n", type: "text/plain"))
      let server = try server { asked, _ in .json("1") }
      defer { server.stop() }
      // The request itself is not changed.
      let search = try query(service(server), " { \"b\" : 1.0, \"a\":2 }")
      load(search)
      #expect(server.requests.first?.body == " { \"b\" : 1.0, \"a\":2 }")
    }

    @Test func `QUERY-71 RFC 10008 2.7: with no-transform, content is compared as it is written`()
      throws
    {
      let exact: RequestHeaders = ["Cache-Control": "max-age=5, No-Transform"]
      #expect(try !isAskedAgain(headers: exact, first: exact))
      #expect(try isAskedAgain(#"{"a":1.0}"#, headers: exact, first: exact))
      #expect(try isAskedAgain(type: "Application/JSON", headers: exact, first: exact))
      #expect(try isAskedAgain(#"{"a":1.0}"#, configured: exact))
      #expect(try !isAskedAgain(#"{"a":1.0}"#, headers: ["Cache-Control": "max-age=5"]))
    }

    @Test func `RFC 10008 2.7: a response is fresh as its headers say, for its own query`() throws {
      let server = try server { asked, _ in .json(asked.body, [("Cache-Control", "max-age=600")]) }
      defer { server.stop() }
      let service = service(server)
      service.configure { $0.expirationTime = .http }
      let search = try query(service)
      load(search)
      loadIfNeeded(search)
      loadIfNeeded(try query(service, #"{"a": 1e0}"#))
      #expect(server.requests.count == 1)
      loadIfNeeded(try query(service, "[]"))
      loadIfNeeded(service.resource("/search"))
      #expect(server.requests.map(\.method) == ["QUERY", "QUERY", "GET"])
    }

    // MARK: Section 2.8

    @Test func `RFC 10008 2.8: a part of a result is not cached, and confirms nothing else`() throws
    {
      let server = try server { asked, _ in
        asked.headers["range"] == nil
          ? Answer(headers: [("Content-Type", "text/plain"), ("ETag", "\"v\"")], body: "abcdef")
          : .status(
            206,
            [("Content-Type", "text/plain"), ("Content-Range", "bytes 0-2/6"), ("ETag", "\"v\"")],
            "abc")
      }
      defer { server.stop() }
      let part = try query(service(server, isCached: true), headers: ["Range": "bytes=0-2"])
      load(part)
      #expect(part.text == "abc")
      let whole = try query(service(server, isCached: true))
      loadIfNeeded(whole)
      #expect(whole.text == "abcdef")
      #expect(server.requests.count == 2)
      #expect(server.requests.last?.headers["if-none-match"] == nil)
    }

    // MARK: Section 3

    @Test(
      arguments: [
        (
          #""application/jsonpath", application/sql;charset="UTF-8""#,
          ["application/jsonpath", #"application/sql;charset="UTF-8""#]
        ),
        // A string and a token are the same.
        (#""Application/SQL""#, ["application/sql"]), ("Application/SQL", ["application/sql"]),
        ("application/sql ; charset=utf-8", nil),
        ("application/sql; charset=utf-8 ,\t*/*", [#"application/sql;charset="utf-8""#, "*/*"]),
        ("text/*", ["text/*"]), (#""3gpp/x";v="1;2""#, [#"3gpp/x;v="1;2""#]),
        (#""a\"b\\c""#, [#"a"b\c"#]),
        // An invalid field is ignored as a whole.
        ("application/sql,", nil), ("application/sql;charset", nil), ("3gpp/x", nil),
        (#""application/sql"#, nil), ("(a/b c/d)", nil), ("a/b c/d", nil), (#""\a""#, nil),
        ("", nil), ("application/sql;Charset=x", nil), ("\"ä\"", nil), ("a/b;v=1", nil),
      ] as [(String, [String]?)])
    func `QUERY-72 RFC 10008 3: Accept-Query is a list of structured fields`(
      value: String, ranges: [String]?
    ) {
      #expect(AcceptQuery(Headers([("Accept-Query", value)]))?.ranges == ranges, "\(value)")
    }

    @Test func `QUERY-72 RFC 10008 3: the explanation lists the types, of several lines too`()
      throws
    {
      let server = try server { asked, count in
        .json("1", [("Accept-Query", count == 0 ? "a/b" : "a/b;"), ("Accept-Query", "\"c/d\"")])
      }
      defer { server.stop() }
      let search = try query(service(server))
      load(search)
      #expect(search.explanation().description.contains("a/b, c/d"))
      load(search)
      #expect(
        search.explanation().description.contains(
          "unknown, because the server's Accept-Query is not a valid list"))
      #expect(AcceptQuery(Headers()) == nil)
    }

    // MARK: Section 4

    @Test func `QUERY-22 RFC 10008 4: logs and keys have no content`() throws {
      let server = try server { _, _ in .json("1") }
      defer { server.stop() }
      harness.loop.pump.log.enabled = Log.Category.detailed
      let service = service(server, isCached: true)
      let search = try query(service, #"{"patient":"Mustermann"}"#)
      load(search)
      #expect(server.requests.count == 1)
      #expect(!harness.log.isEmpty)
      #expect(!harness.log.joined().contains("Mustermann"))
      // Another service finds the entry, so it is in the file.
      loadIfNeeded(try query(self.service(server, isCached: true), #"{"patient":"Mustermann"}"#))
      #expect(server.requests.count == 1)
      let entries = try CacheInspection(path: folder.path).entries(url: server.url + "/search")
      #expect(entries.count == 1)
      for entry in entries { #expect(!entry.place.address.contains("Mustermann")) }
    }

    // MARK: Appendix A.2

    @Test(
      arguments: [
        ("GET, HEAD, POST", #"set query_method to "POST" (Swift: queryMethod)"#),
        ("GET, HEAD", "for this URL, the server allows only GET, HEAD"),
        ("", "for this URL, the server allows no method"),
      ])
    func `QUERY-73 RFC 10008 A.2: a server without QUERY says what it allows`(
      allowed: String, advice: String
    ) throws {
      let server = try server { asked, _ in
        .status(asked.method == "OPTIONS" ? 200 : 405, [("Allow", allowed)])
      }
      defer { server.stop() }
      let search = try query(service(server))
      load(search)
      #expect(search.latestError?.userMessage.hasSuffix(advice) ?? false)
      #expect(search.latestError?.facts.fix?.hasSuffix(advice) ?? false)
      let options = search.request(.options)
      settle(options)
      #expect(options.response?.entity?.headers["allow"] == allowed)
    }
  }
}
