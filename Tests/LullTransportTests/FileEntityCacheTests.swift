import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

/// Services that share a cache file, one after the other and at the same time.
@Suite(.timeLimit(.minutes(20)))
struct FileEntityCacheTests {
  private func fixture() throws -> CacheFolderFixture { try #require(CacheFolderFixture()) }

  @Test
  func `CACHE-01 CACHE-09 CACHE-14 CACHE-31 a later service finds what was loaded, with its age`()
    throws
  {
    let fixture = try fixture()
    let first = fixture.harness()
    let text = #"{"z":1,"a":[1.5,null,"ü\n"],"m":{"x":true}}"#
    _ = first.loaded("/a", .json(text, etag: "\"v1\""))
    let second = fixture.harness(now: 1010)
    #expect(second.content("/a") == text, "keys keep their order")
    let data = second.service.resource("/a").latestData
    #expect(data?.timestamp == 1000)
    #expect(data?.etag == "\"v1\"")
    #expect(data?.contentType == "application/json")
    #expect(data?.exchange?.status == 200)
    #expect(data?.exchange?.url == "https://api.test/v1/a")
    #expect(second.provider.requests.isEmpty)
  }

  @Test func `CACHE-28 bytes, text and JSON are kept as they are, what Swift has made is not`()
    throws
  {
    let fixture = try fixture()
    let first = fixture.harness(stage: .model)
    first.service.configure(.wildcard("/made", base: first.service.baseURL)) {
      $0.pipeline[.model].add(.appending(Made()))
    }
    _ = first.loaded("/bytes", .bytes([0, 255, 10], type: "application/octet-stream"))
    _ = first.loaded("/text", .text("grün", type: "text/plain; charset=utf-8"))
    _ = first.loaded("/lines", .text("{\"a\":1}\n2\n", type: "application/x-ndjson"))
    _ = first.loaded("/empty", .text(""))
    _ = first.loaded("/null", .json("null"))
    _ = first.loaded("/made", .text("x"))
    let second = fixture.harness(stage: .model)
    #expect(second.content("/bytes") == "[0, 255, 10]")
    #expect(second.content("/text") == "grün")
    #expect(second.content("/empty") == "")
    #expect(second.content("/null") == "null")
    #expect(second.content("/lines") == #"[{"a":1},2]"#)
    #expect(second.service.resource("/lines").text == "{\"a\":1}\n2\n")
    #expect(second.provider.requests.isEmpty)
    #expect(second.service.resource("/text").latestData?.charset == "utf-8")
    _ = second.content("/made")
    #expect(second.provider.requests.map(\.url) == ["https://api.test/v1/made"])
  }

  private struct Made: Sendable {}

  @Test(arguments: [("ETag", "if-none-match"), ("Last-Modified", "if-modified-since")])
  func `LOAD-03 CACHE-08 CACHE-19 stale entities are asked for with their validators`(
    header: String, condition: String
  ) throws {
    let fixture = try fixture()
    let first = fixture.harness()
    _ = first.loaded(
      "/a", .init(headers: [("Content-Type", "text/plain"), (header, "value")], body: "kept"))
    let second = fixture.harness(now: 5000)
    second.stub("GET", "/a", .init(status: 304))
    #expect(second.content("/a") == "kept")
    #expect(second.provider.requests.map { $0.headers[condition] } == ["value"])
    let third = fixture.harness(now: 5010)
    #expect(third.content("/a") == "kept", "it is as young as the 304 has made it")
    #expect(third.provider.requests.isEmpty)
  }

  @Test(arguments: [false, true])
  func `CACHE-40 a 304 about one entity leaves alone what another process has put in its place`(
    changesHeaders: Bool
  ) throws {
    let fixture = try fixture()
    let first = fixture.harness()
    if changesHeaders { first.service.configure { $0.expirationTime = .http } }
    let resource = first.loaded("/a", .json("1", etag: "\"v1\""))
    let other = fixture.harness(now: 1010)
    _ = other.loaded("/a", .json("2", etag: "\"v2\""))
    first.stub("GET", "/a", .init(status: 304, headers: [("ETag", "\"v1\""), ("X-New", "yes")]))
    first.advance(by: 100)
    resource.load()
    first.settle()
    #expect(first.provider.requests.last?.headers["if-none-match"] == "\"v1\"")
    #expect(resource.timestamp == 1100)
    let third = fixture.harness(now: 1020)
    #expect(third.content("/a") == "2")
    let data = third.service.resource("/a").latestData
    #expect(data?.timestamp == 1010)
    #expect(data?.etag == "\"v2\"")
    #expect(data?.headers["x-new"] == nil)
  }

  @Test func `AGE-04 CACHE-40 what the 304 is about gets its headers and its age`() throws {
    let fixture = try fixture()
    let first = fixture.harness()
    first.service.configure { $0.expirationTime = .http }
    let text = #"{"z":1,"a":"ü"}"#
    let resource = first.loaded("/a", .json(text, etag: "\"v1\""))
    let news = [("ETag", "\"v1\""), ("X-New", "yes"), ("Vary", "Accept-Language")]
    first.stub("GET", "/a", .init(status: 304, headers: news))
    for _ in 0..<2 {
      first.advance(by: 100)
      resource.load()
      first.settle()
    }
    let second = fixture.harness(now: 1210)
    #expect(second.content("/a") == text)
    let data = second.service.resource("/a").latestData
    #expect(data?.timestamp == 1200)
    #expect(data?.headers["x-new"] == "yes")
    #expect(data?.exchange?.variant != nil)
    #expect(fixture.countSetAside == 0)
    first.stub("GET", "/a", .init(status: 304, headers: [("Cache-Control", "no-store")]))
    resource.load()
    first.settle()
    let third = fixture.harness(now: 1220)
    third.stub("GET", "/a", .text("asked"))
    #expect(third.content("/a") == "asked")
  }

  @Test func `CACHE-15 stages, versions and names are apart`() throws {
    let fixture = try fixture()
    _ = fixture.harness().loaded("/a", .text("one"))
    let others = [
      fixture.harness(stage: .model), fixture.harness { $0.version = 2 },
      fixture.harness { $0.identity = "me" },
    ]
    for (number, other) in others.enumerated() {
      other.stub("GET", "/a", .text("other \(number)"))
      #expect(other.content("/a") == "other \(number)")
    }
    #expect(fixture.harness().content("/a") == "one")
    #expect(fixture.harness { $0.version = 2 }.content("/a") == "other 1")
  }

  @Test(arguments: [
    "Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "Proxy-Authorization", "X-Session",
    "X-Key", "X-Pwd", "Access-Key", "Signature", "X-User-Id", "X-Anything", "Accept-Token",
  ])
  func `CACHE-23 headers that are configured tell entries apart, as digests`(header: String) throws
  {
    let fixture = try fixture()
    func harness(_ value: String) -> Harness {
      let harness = fixture.harness()
      harness.service.configure { $0.headers[header] = value }
      return harness
    }
    _ = harness("hush-one").loaded("/a", .text("one"))
    _ = harness("hush-two").loaded("/a", .text("two"))
    #expect(harness("hush-one").content("/a") == "one")
    #expect(harness("hush-two").content("/a") == "two")
    for name in [""] + fixture.files {
      let bytes = try #require(contents(fixture.path + name))
      #expect(!String(decoding: bytes, as: UTF8.self).contains("hush"))
    }
  }

  @Test(arguments: [
    "Accept", "Accept-Language", "User-Agent", "Content-Type", "X-Request-ID", "traceparent",
    "Idempotency-Key", "Cache-Control", "If-None-Match", "If-Modified-Since", "If-Match",
    "If-Unmodified-Since", "If-Range", "Range",
  ])
  func `CACHE-23 headers that say nothing of who asks do not`(header: String) throws {
    let fixture = try fixture()
    for (value, expected) in [("one", "one"), ("two", "one")] {
      let harness = fixture.harness()
      harness.service.configure { $0.headers[header] = value }
      harness.stub("GET", "/a", .text(value))
      #expect(harness.content("/a") == expected)
    }
  }

  @Test(arguments: [
    (["no-store"], true), (["No-Store"], true), (["max-age=60 , NO-STORE"], true),
    (["max-age=60", "private, no-store"], true), (["private=\"a, b\", no-store"], true),
    (["no-store=\"x\""], true), (["x=\"a\\\", b\",no-store"], true), (["x=\"a, no-store"], true),
    (["no-cache, max-age=0"], false), (["private=\"no-store, x\""], false),
    (["x=\"a\\\", no-store\""], false), (["no-storex"], false), (["x=no-store"], false),
  ])
  func `CACHE-28 what says no-store is not written, in whatever way it says so`(
    values: [String], isForbidden: Bool
  ) throws {
    let fixture = try fixture()
    let headers = [("Content-Type", "text/plain")] + values.map { ("Cache-Control", $0) }
    let first = fixture.harness()
    _ = first.loaded("/a", .init(headers: headers, body: "kept"))
    let second = fixture.harness()
    second.stub("GET", "/a", .text("asked"))
    #expect(second.content("/a") == (isForbidden ? "asked" : "kept"))
  }

  @Test
  func `CACHE-20 CACHE-28 what is there goes when an answer, a 304 or a request says no-store`()
    throws
  {
    let forbidden = [("Content-Type", "text/plain"), ("Cache-Control", "no-store")]
    for way in ["answer", "304", "request", "304 to a request"] {
      let fixture = try fixture()
      _ = fixture.harness().loaded(
        "/a", .init(headers: [("Content-Type", "text/plain"), ("ETag", "1")], body: "hush"))
      let second = fixture.harness(now: 5000)
      var lines: [String] = []
      second.pump.log.enabled = [.cache]
      second.pump.log.messageHandler = { lines.append($1) }
      switch way {
      case "answer": second.stub("GET", "/a", .init(headers: forbidden, body: "new"))
      case "304": second.stub("GET", "/a", .init(status: 304, headers: forbidden))
      case "request":
        second.service.configure { $0.headers["Cache-Control"] = "no-store" }
        second.stub("GET", "/a", .text("new"))
      default:
        second.service.configure { $0.headers["Cache-Control"] = "no-store" }
        second.stub("GET", "/a", .init(status: 304))
      }
      #expect(second.content("/a") == (way.hasPrefix("304") ? "hush" : "new"))
      let verb = way.hasPrefix("304") ? "removed" : "not written"
      #expect(
        lines.contains { $0.hasSuffix("/a: \(verb) at parsing: Cache-Control: no-store") },
        "\(lines)")
      let third = fixture.harness(now: 5001)
      third.stub("GET", "/a", .text("asked"))
      #expect(third.content("/a") == "asked", "\(way)")
    }
  }

  @Test func `CACHE-28 no transformer and no other cache brings what says no-store to the disk`()
    throws
  {
    let fixture = try fixture()
    let memory = MemoryEntityCache()
    func harness() -> Harness {
      let harness = fixture.harness(stage: .model)
      harness.service.configure {
        $0.pipeline[.rawData].cacheUsing(memory)
        $0.pipeline[.decoding].add(
          FunctionTransformer(description: "bare") { _ in
            .success(Entity(content: .text("bare"), timestamp: 1000))
          })
      }
      return harness
    }
    _ = harness().loaded(
      "/a",
      .init(headers: [("Content-Type", "text/plain"), ("Cache-Control", "no-store")], body: "x"))
    // A hit in memory, which passes the same way.
    #expect(harness().content("/a") == "bare")
    let later = fixture.harness(stage: .model)
    later.stub("GET", "/a", .text("asked"))
    #expect(later.content("/a") == "asked")
  }

  @Test func `CACHE-23 the order of headers, which tables do not have, makes no difference`() throws
  {
    let fixture = try fixture()
    for (names, expected) in [(["X-A", "X-B"], "X-A"), (["X-B", "X-A"], "X-A")] {
      let harness = fixture.harness()
      harness.service.configure { for name in names { $0.headers[name] = name } }
      harness.stub("GET", "/a", .text(names[0]))
      #expect(harness.content("/a") == expected)
    }
  }

  @Test
  func `CACHE-23 each value of a header that is a credential counts, and so do a client's files`()
    throws
  {
    let fixture = try fixture()
    func cookies(_ values: SecretText...) -> (inout Configuration) -> Void {
      { settings in for value in values { settings.headers.add("Cookie", value) } }
    }
    func files(_ certificate: String, _ key: String?) -> (inout Configuration) -> Void {
      {
        $0.setOptions {
          $0.connection.clientCertificate = certificate
          $0.connection.clientKey = key
        }
      }
    }
    let language = SecretText("lang=en")
    let settings: [(inout Configuration) -> Void] = [
      cookies(language), cookies(language, SecretText("session=ann")),
      cookies(language, SecretText("session=bob")),
      cookies(language, SecretText("session=") + SecretText(Secret(.literal("cleo")))),
      cookies(SecretText(Secret(.literal("dan"))), SecretText("session=ann")),
      files("ann.pem", nil), files("bob.pem", nil), files("ann.pem", "ann.key"),
      files("ann.pem", "bob.key"),
    ]
    func harness(_ number: Int) -> Harness {
      let harness = fixture.harness()
      harness.service.configure { settings[number](&$0) }
      return harness
    }
    for number in settings.indices {
      let harness = harness(number)
      harness.stub("GET", "/a", .text("\(number)"))
      #expect(harness.content("/a") == "\(number)")
    }
    for number in settings.indices {
      let harness = harness(number)
      #expect(harness.content("/a") == "\(number)")
      #expect(harness.provider.requests.isEmpty)
    }
  }

  @Test func `CACHE-08 CACHE-31 what is dated ahead of now is asked for with its validator`() throws
  {
    let fixture = try fixture()
    _ = fixture.harness(now: 900_000).loaded("/a", .json("1", etag: "\"v1\""))
    let earlier = fixture.harness(now: 1000)
    earlier.stub("GET", "/a", .init(status: 304))
    #expect(earlier.content("/a") == "1")
    #expect(earlier.provider.requests.map { $0.headers["if-none-match"] } == ["\"v1\""])
    let next = fixture.harness(now: 1001)
    #expect(next.content("/a") == "1")
    #expect(next.provider.requests.isEmpty)
  }

  @Test func `CACHE-23 headers that are no credentials do not tell entries apart`() throws {
    let fixture = try fixture()
    _ = fixture.harness().loaded("/a", .text("one"))
    let second = fixture.harness()
    second.service.configure { $0.headers["Accept"] = "*/*" }
    #expect(second.content("/a") == "one")
  }

  @Test func `CACHE-20 CACHE-27 what an override has replaced is not found any more`() throws {
    let fixture = try fixture()
    let resource = fixture.harness().loaded("/a", .text("one"))
    resource.overrideLocalContent(with: .text("mine"))
    let second = fixture.harness()
    second.stub("GET", "/a", .text("two"))
    #expect(second.content("/a") == "two")
  }

  @Test func `CACHE-31 what is older than maxAge is not found and is gone`() throws {
    let fixture = try fixture()
    _ = fixture.harness().loaded("/a", .text("one"))
    let young = fixture.harness(now: 1050) { $0.maxAge = 60 }
    young.service.configure { $0.expirationTime = 1000 }
    #expect(young.content("/a") == "one")
    let old = fixture.harness(now: 1061) { $0.maxAge = 60 }
    old.service.isOffline = true
    #expect(old.content("/a") == nil)
    let unlimited = fixture.harness(now: 1062)
    unlimited.service.isOffline = true
    #expect(unlimited.content("/a") == nil)
  }

  @Test func `CACHE-31 an offline service finds what is there, whatever its age`() throws {
    let fixture = try fixture()
    _ = fixture.harness().loaded("/a", .text("one"))
    let later = fixture.harness(now: 1_000_000)
    later.service.isOffline = true
    #expect(later.content("/a") == "one")
    #expect(later.provider.requests.isEmpty)
  }

  @Test func `CACHE-22 in the pool of a loop, too, operations happen in the order asked`() throws {
    let fixture = try fixture()
    let loop = try EventLoop()
    defer { loop.close() }
    var options = FileEntityCache.Options()
    options.path = fixture.path
    let cache = FileEntityCache(options)
    let provider = StubProvider()
    let service = Service(baseURL: "https://api.test", networking: provider, pump: loop.pump)
    var read: [String] = []
    for number in 0..<200 {
      let resource = service.resource("/\(number % 20)")
      let key = try #require(cache.key(for: resource, at: .parsing))
      let entity = Entity(content: .text("\(number)"), timestamp: loop.now)
      cache.writeEntity(entity, forKey: key) {}
      if number % 3 == 0 { cache.removeEntity(forKey: key) {} }
      cache.readEntity(forKey: key) { entity in
        if case .text(let text)? = entity?.content { read.append(text) } else { read.append("-") }
      }
    }
    loop.turn { read.count == 200 }
    #expect(read == (0..<200).map { $0 % 3 == 0 ? "-" : "\($0)" })
  }
}

extension ResponseTransformer where Self == FunctionTransformer {
  /// Puts a value of Swift in place of any content.
  fileprivate static func appending(_ value: some Sendable) -> FunctionTransformer {
    FunctionTransformer(description: "made") { response in
      guard var entity = response.entity else { return response }
      entity.content = .value(value)
      return .success(entity, isNew: response.isNew)
    }
  }
}
