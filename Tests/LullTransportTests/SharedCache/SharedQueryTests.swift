import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// Queries in file caches and in caches that several hosts share. (QUERY-16, QUERY-20)
@Suite(.timeLimit(.minutes(20)))
struct SharedQueryTests {
  private static let url = "https://api.test/search"

  private func query(_ host: SharedCacheHost, _ text: String, _ method: RequestMethod = .query)
    throws -> Resource
  {
    try host.service.resource("/search").query(.json(Array(text.utf8)), method: method)
  }

  /// Loads a query if that is needed, and returns its content and whether a request was sent.
  private func answer(
    _ host: SharedCacheHost, _ text: String, _ method: RequestMethod = .query
  ) throws -> (text: String?, isSent: Bool) {
    let search = try query(host, text, method)
    let count = host.provider.requests.count
    let request = search.loadIfNeeded()
    host.loop.turn { request?.isCompleted ?? true }
    host.settle()
    return (SharedCacheHost.text(search.latestData), host.provider.requests.count > count)
  }

  @Test(arguments: [nil, "geheim"] as [String?])
  func `QUERY-16 hosts share the entries of equal queries, and no others`(secret: String?) throws {
    let server = try #require(RedisServer(""))
    func host() throws -> SharedCacheHost {
      try SharedCacheHost(server.url) { $0.secret = secret.map { SecretText($0) } }
    }
    let first = try host()
    first.provider.stub("QUERY", SharedQueryTests.url, .json("1"), .json("2"))
    first.provider.stub("POST", SharedQueryTests.url, .json("3"))
    first.loaded("/search", .json("0"))
    #expect(try answer(first, #"{"term":"tea","page":1}"#).isSent)
    #expect(try answer(first, #"{"term":"ale","page":1}"#).isSent)
    #expect(try answer(first, #"{"term":"tea","page":1}"#, .post).isSent)
    #expect(server.entities.count == 4)
    let second = try host()
    for (text, method, content) in [
      (#"{"page":1.0,"term":"\u0074ea"}"#, RequestMethod.query, "1"),
      (#"{"page":1,"term":"ale"}"#, .query, "2"), (#"{ "page":1, "term":"tea" }"#, .post, "3"),
    ] {
      let (found, isSent) = try answer(second, text, method)
      #expect(found == content)
      #expect(!isSent)
    }
    #expect(second.content("/search") == "0")
    second.provider.stub("QUERY", SharedQueryTests.url, .json("4"))
    #expect(try answer(second, #"{"term":"gin","page":1}"#) == ("4", true))
  }

  @Test(arguments: [nil, "geheim"] as [String?])
  func `QUERY-20 a write to the URL on one host makes its queries stale on the others`(
    secret: String?
  ) throws {
    let server = try #require(RedisServer(""))
    func host() throws -> SharedCacheHost {
      try SharedCacheHost(server.url) { $0.secret = secret.map { SecretText($0) } }
    }
    let first = try host()
    first.provider.stub("QUERY", SharedQueryTests.url, .json("1", etag: "\"v\""))
    #expect(try answer(first, "{}").isSent)
    #expect(try answer(first, "[]").isSent)
    // A host that has never seen the queries writes.
    let writer = try host()
    writer.provider.stub("PUT", SharedQueryTests.url, .init(status: 204))
    let put = writer.service.resource("/search").request("PUT")
    writer.loop.turn { put.isCompleted }
    writer.settle()
    let second = try host()
    second.provider.stub("QUERY", SharedQueryTests.url, .init(status: 304), .json("2"))
    #expect(try answer(second, "{}") == ("1", true))
    #expect(second.provider.requests.last?.headers["if-none-match"] == "\"v\"")
    #expect(try answer(second, "[]") == ("2", true))
    // What was confirmed or loaded since is fresh.
    let third = try host()
    #expect(try answer(third, "{}") == ("1", false))
    #expect(try answer(third, "[]") == ("2", false))
  }

  @Test func `QUERY-20 a write that the server could not be told of is reported later`() throws {
    let server = try #require(RedisServer(""))
    let first = try SharedCacheHost(server.url)
    first.provider.stub("QUERY", SharedQueryTests.url, .json("1"))
    #expect(try answer(first, "{}").isSent)
    let key = try #require(first.cache.key(for: first.service.resource("/search"), at: .parsing))
    let now = first.service.pump.clock.now
    // Read now: the server tells its ID itself.
    let process = try #require(server.processID)
    kill(process, SIGSTOP)
    first.cache.expireQueries(asOf: now, forKey: key) {}
    first.loop.turn { !first.loop.pump.ending.isHeld }
    kill(process, SIGCONT)
    // The next use of the server makes the change, once it is usable again.
    for number in 0..<200 where !server.marks.contains(where: { $0 > 0 }) {
      _ = first.content("/other/\(number)")
    }
    let second = try SharedCacheHost(server.url)
    second.provider.stub("QUERY", SharedQueryTests.url, .json("2"))
    #expect(try answer(second, "{}") == ("2", true))
  }

  /// 100,000 pairs of contents, in ten parts, and the addresses of their entries, which are the same in every
  /// process.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `QUERY-16 equal contents have one address in a cache, and others never do`(
    part: UInt64
  ) throws {
    let folder = try #require(CacheFolderFixture())
    let harness = Harness(base: "https://api.test")
    var options = FileEntityCache.Options()
    options.path = folder.path
    let cache = FileEntityCache(options)
    func address(_ text: String) throws -> String {
      let search = try harness.service.resource("/search").query(.json(Array(text.utf8)))
      return try #require(cache.key(for: search, at: .parsing)).place.address
    }
    harness.service.cachedResourceCountLimit = 4
    var random = SeededGenerator(seed: 4141 + part)
    var known: [String: String] = [:]
    for _ in 0..<10_000 {
      let (one, two) = (
        Int.random(in: 0..<300, using: &random), Int.random(in: 0..<300, using: &random)
      )
      let value = "\(one) \(two)"
      let text =
        Bool.random(using: &random)
        ? #"{"a":\#(one),"b":[\#(two)]}"# : #"{ "b" : [ \#(two).0 ], "a" : \#(one).00 }"#
      let found = try address(text)
      if let before = known[value] {
        #expect(before == found, "\(text)")
        if before != found { return }
      } else {
        known[value] = found
      }
    }
    #expect(Set(known.values).count == known.count)
    #expect(try address("[1]").hasPrefix("https://api.test/search QUERY "))
    #expect(try address("[1]").count == "https://api.test/search QUERY ".count + 64)
  }

  @Test func `QUERY-20 QUERY-16 a file knows the queries of a URL, and no other entries`() throws {
    let folder = try #require(CacheFolderFixture())
    let file = CacheFile(path: folder.path) { Issue.record("\($0)") }
    let digest = String(repeating: "a", count: 64)
    let queries = [
      "https://a.test/s", "https://a.test/s!", "https://a.test/s/x", "https://a.test/",
    ]
    .flatMap { url in ["", "QUERY \(digest)", "POST \(digest)"].map { (url, $0) } }
    for (url, query) in queries {
      let entity = Entity(
        content: .text("x"), headers: Headers([("Content-Type", "text/plain")]), timestamp: 100)
      _ = file.write(
        entity, at: CacheKey(url: url, query: query, stage: "parsing", version: 1), now: 100,
        maxSize: 1 << 20)
    }
    file.expireQueries(
      of: CacheKey(url: "https://a.test/s", stage: "parsing", version: 1), asOf: 200)
    for (url, query) in queries {
      let entity = file.read(
        CacheKey(url: url, query: query, stage: "parsing", version: 1), .answering(Headers()),
        now: 100, maxAge: nil)
      let isQuery = url == "https://a.test/s" && !query.isEmpty
      #expect(entity?.isOutdated == isQuery, "\(url) \(query)")
    }
  }
}

extension RedisServer {
  /// The times up to which queries are stale, one for each URL.
  fileprivate var marks: [Double] {
    say("--raw keys 'lull:*:q:*'").flatMap { say("--raw get '\($0)'") }.compactMap { Double($0) }
  }
}
