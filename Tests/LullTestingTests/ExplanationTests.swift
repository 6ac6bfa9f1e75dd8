import LullCore
import LullTesting
import Testing

/// `Resource.explanation(for:)`, by what is public alone.
@Suite(.timeLimit(.minutes(20))) struct ExplanationTests {
  private static let file = "LullTestingTests/ExplanationTests.swift"

  @Test
  func
    `EXP-01 EXP-02 each setting has the file and line of the block that was the last to change it`()
    throws
  {
    try Lull.test { test in
      let api = test.service()
      let first = #line + 1
      api.configure {
        $0.expirationTime = 60
        $0.headers["X-Client"] = "mine"
        $0.limits.timeout = 5
      }
      let second = #line + 1
      api.configure("/users/*") { $0.expirationTime = 7 }
      let explanation = api.resource("/users/1").explanation()
      #expect(explanation.method == .get)
      #expect(explanation.url == "https://api.test/users/1")
      let time = try #require(explanation["expirationTime"])
      #expect(time.value == "7 s")
      #expect(time.source?.place?.file == Self.file)
      #expect(time.source?.place?.line == second)
      #expect(time.source?.pattern == "/users/*")
      #expect(time.source?.description == "\(Self.file):\(second)  (/users/*)")
      #expect(explanation["headers.x-client"]?.value == "mine")
      #expect(explanation["limits.timeout"]?.source?.place?.line == first)
      #expect(explanation["limits.timeout"]?.source?.pattern == nil)
      #expect(explanation["retryTime"]?.value == "1 s")
      #expect(explanation["retryTime"]?.source == nil, "nobody has set it")
      #expect(explanation["retry"] == nil, "what is not set is not listed")
      #expect(explanation["pipeline"]?.source?.place == nil, "the parsers are built in")
      #expect(explanation["pipeline"]?.source?.description == "built in")
      let other = api.resource("/other").explanation()
      #expect(other["expirationTime"]?.value == "60 s")
      #expect(other["expirationTime"]?.source?.place?.line == first)
    }
  }

  @Test func `EXP-01 each way to configure notes its caller`() throws {
    struct User: Decodable, Sendable { var id: Int }
    try Lull.test { test in
      let api = test.service()
      let start = #line
      api.configure(ConfigurationPattern.all) { $0.expirationTime = 1 }
      api.configure(whenURLMatches: { _ in true }) { $0.retryTime = 2 }
      api.configure(/users/) { $0.limits.timeout = 3 }
      api.configure("/**", file: "Mine/File.swift", line: 5) { $0.limits.connectTimeout = 4 }
      let place = { (name: String) in
        api.resource("/users/1").explanation()[name]?.source?.place
      }
      #expect(place("expirationTime")?.line == start + 1)
      #expect(place("retryTime")?.line == start + 2)
      #expect(place("limits.timeout")?.line == start + 3)
      #expect(place("limits.connectTimeout")?.description == "Mine/File.swift:5")
      for register in [
        { api.configureTransformer("/users/*", as: User.self) },
        { api.configureTransformer(.all, as: User.self) },
        { api.configureTransformer("/users/*") { (text: String, _) in text + "1" } },
        { api.configureTransformer(.all) { (text: String, _) in text + "2" } },
        { api.configureTransformer("/users/*") { (text: String, _) async in text + "3" } },
        { api.configureTransformer(.all) { (text: String, _) async in text + "4" } },
      ] {
        api.configure(file: "none", line: 0) { $0.pipeline.clear() }
        register()
        #expect(place("pipeline")?.file == Self.file)
      }
    }
  }

  @Test func `EXP-02 what a block has switched off is listed`() throws {
    try Lull.test { test in
      let api = test.service()
      api.configure {
        $0.retry = RetryPolicy()
        $0.setOptions { $0.connection.proxy = .none }
      }
      let line = #line + 1
      api.configure("/u/*") {
        $0.retry = nil
        $0.setOptions { $0.connection.proxy = .environment }
        $0.headers.omit("User-Agent")
      }
      let explanation = api.resource("/u/1").explanation()
      #expect(explanation["retry"]?.value == "nil")
      #expect(explanation["retry"]?.source?.place?.line == line)
      #expect(explanation["options.connection.proxy"]?.value == "from the environment")
      #expect(explanation["headers.user-agent"]?.value == "not sent")
      #expect(api.resource("/x").explanation()["options.connection.proxy"]?.value == "none")
    }
  }

  @Test func `EXP-02 every setting is told of in words, and each part of one that is changed`()
    throws
  {
    try Lull.test { test in
      let api = test.service()
      api.configure {
        $0.expirationTime = .http
        $0.retryTime = 0.5
        $0.retry = RetryPolicy()
        $0.rateLimit = RateLimit(
          requests: 60, per: 1, scope: .named("shop"), learns: true, free: [304])
        $0.concurrency = 4
        $0.auth = .bearer("abc")
        $0.setOptions {
          $0.connection.certificateAuthorities = "ca.pem"
          $0.connection.verifiesServer = false
          $0.connection.proxy = .url("http://ann:secret@proxy.test:3128")
          $0.connection.addresses = ["a.test:443": "127.0.0.1"]
          $0.connection.httpVersion = .http2
          $0.firstByteTimeout = 2
          $0.idleTimeout = .infinity
          $0.redirects = .followWithinOrigin
          $0.cookies = CookieJar()
          $0.allowsTruncatedBodies = true
          $0.recordsTimings = true
        }
        $0.mutateRequests { _ in }
        $0.decorateRequests { $1 }
        $0.decorateRequests { $1 }
      }
      let line = #line + 1
      api.configure {
        $0.retry?.backoff.max = 60
        $0.rateLimit?.free = [304, 404]
      }
      let explanation = api.resource("/a").explanation()
      let words = Dictionary(explanation.settings.map { ($0.name, $0.value) }) { $1 }
      let expected = [
        "expirationTime": "from response headers", "retryTime": "0.5 s",
        "progressReportingInterval": "0.05 s", "limits.timeout": "60 s",
        "limits.maxBodySize": "100 MB", "limits.connectionsPerHost": "32",
        "retry":
          "3 times on 429, 502, 503, 504, connection, dns, network, timeout, truncated_body, after 0.5 to "
          + "60 s or less",
        "rateLimit":
          "60 in 1 s, shared as 'shop', less if the server's headers say so, not counting 304, 404",
        "concurrency": "4", "auth": "authorization: ***",
        "options.connection.certificateAuthorities": "ca.pem",
        "options.connection.verifiesServer": "false",
        "options.connection.proxy": "http://proxy.test:3128",
        "options.connection.addresses": "a.test:443 = 127.0.0.1",
        "options.connection.httpVersion": "2", "options.firstByteTimeout": "2 s",
        "options.idleTimeout": "no limit", "options.redirects": "only within the origin",
        "options.cookies": "in memory", "options.allowsTruncatedBodies": "true",
        "options.recordsTimings": "true",
        "mutateRequests": "a function", "decorateRequests": "2 functions",
      ]
      for (name, value) in expected { #expect(words[name] == value, "\(name)") }
      #expect(explanation["retry"]?.source?.place?.line == line)
      #expect(explanation["rateLimit"]?.source?.place?.line == line)
    }
  }

  @Test func `EXP-03 it says what a load would do, and why`() async throws {
    try await Lull.test { test in
      test.network.stub(
        "GET", "https://api.test/a", .json("[1]", etag: "\"v1\""), .json("[2]", status: 503))
      let api = test.service()
      let resource = api.resource("/a")
      func load() throws -> ResourceExplanation.Load {
        try #require(resource.explanation().load)
      }
      #expect(try load().step == .load)
      #expect(try load().reason == .blank)
      #expect(try load().description == "load: there is neither data nor error")
      let request = resource.load()
      #expect(try load().step == .join)
      #expect(try load().description == "join the load in progress, started 0 s ago")
      _ = try await request.entity()
      let loaded = test.clock.now
      await test.advance(by: 3)
      #expect(try load().step == .nothing)
      #expect(try load().reason == .data(at: loaded, expirationTime: 30))
      #expect(try load().description == "load nothing: the data is 3 s old, and fresh for 30 s")
      #expect(try load().data?.jsonArray.count == 1)
      #expect(try load().lifetime == 30)
      #expect(try load().now == loaded + 3)
      resource.invalidate()
      #expect(try load().reason == .invalidated)
      #expect(try load().condition == "if-none-match: \"v1\"")
      #expect(
        try load().description
          == "load: it was invalidated; conditionally, with if-none-match: \"v1\"")
      _ = await resource.load().completed()
      #expect(try load().error?.httpStatusCode == 503)
      #expect(try load().reason == .error(at: loaded + 3, retryTime: 1))
      #expect(
        try load().description
          == "load nothing: the last error is 0 s old, and the retry time is 1 s")
    }
  }

  @Test func `EXP-03 it says why a load would fail`() throws {
    try Lull.test { test in
      let api = test.service()
      api.configure("/broken") { (_) throws(RequestError) in
        throw RequestError(userMessage: "no token", cause: .requestCancelled)
      }
      let line = #line - 3
      let broken = api.resource("/broken").explanation()
      #expect(broken.load?.step == .fail(.configuration))
      #expect(broken.failures.map(\.source.place?.line) == [line])
      #expect(broken.failures.first?.error.userMessage == "no token")
      #expect(broken.description.contains("\(Self.file):\(line)  (/broken): no token"))
      let shared = api.resource("/shared")
      api.configure(whenURLMatches: { $0.path == "/shared" }) {
        $0.rateLimit = RateLimit(requests: 1, per: 1, scope: .processes)
      }
      #expect(shared.explanation().failures.count == 1)
      let missing = api.resource(absoluteURL: nil).explanation()
      #expect(missing.load?.step == .fail(.noURL))
      #expect(missing.isInvalid && missing.settings.isEmpty)
      api.isOffline = true
      #expect(api.resource("/a").explanation().load?.step == .fail(.offline))
      #expect(test.network.requests.isEmpty, "nothing was asked for")
    }
  }

  @Test func `EXP-04 credentials are not shown`() throws {
    try Lull.test { test in
      let api = test.service("https://ann:hunter2@api.test")
      api.configure {
        $0.headers["Authorization"] = "Bearer abc123"
        $0.headers["X-Api-Key"] = "abc123"
        $0.auth = .bearer("abc123")
      }
      let resource = api.resource("/a").withParam("access_token", "abc123")
      let explanation = resource.explanation()
      #expect(explanation["headers.authorization"]?.value == "***")
      #expect(explanation["auth"]?.value == "authorization: ***")
      var shown = explanation.description + explanation.url
      for setting in explanation.settings { shown += "\(setting)" }
      #expect(!shown.contains("abc123"))
      #expect(!shown.contains("hunter2"))
    }
  }

  @Test func `EXP-05 a header that stays off at another origin says so`() throws {
    try Lull.test { test in
      let api = test.service()
      let line = #line + 1
      api.configure { $0.headers = ["Accept": "a/b", "X-Mine": "1"] }
      let outside = api.resource(absoluteURL: "https://other.test/x").explanation()
      #expect(outside["headers.accept"]?.isWithheld == false)
      #expect(outside["headers.x-mine"]?.isWithheld == true)
      #expect(
        outside["headers.x-mine"]?.value == "not sent to origins other than https://api.test")
      #expect(outside["headers.x-mine"]?.source?.place?.line == line)
      #expect(api.resource("/x").explanation()["headers.x-mine"]?.isWithheld == false)
    }
  }

  @Test func `EXP-06 CFG-16 it is about the method it is asked for`() throws {
    try Lull.test { test in
      let api = test.service()
      api.configure(requestMethods: [.get]) { $0.limits.timeout = 3 }
      api.configure(requestMethods: [.put]) { $0.limits.timeout = 9 }
      let resource = api.resource("/a")
      #expect(resource.explanation(for: .put)["limits.timeout"]?.value == "9 s")
      #expect(resource.explanation(for: .put).load == nil)
      #expect(resource.explanation(for: .put).description.hasPrefix("PUT https://api.test/a\n"))
      #expect(resource.explanation(for: "REPORT")["limits.timeout"]?.value == "3 s")
      #expect(resource.configuration(for: "REPORT").limits.timeout == 3)
      let line = #line + 1
      api.configure(requestMethods: ["REPORT"]) { $0.limits.timeout = 300 }
      let report = resource.explanation(for: "REPORT")
      #expect(report["limits.timeout"]?.value == "300 s")
      #expect(report["limits.timeout"]?.source?.place?.line == line)
      #expect(resource.configuration(for: "REPORT").limits.timeout == 300)
      #expect(resource.explanation(for: "PURGE")["limits.timeout"]?.value == "3 s")
    }
  }

  @Test func `EXP-07 it is a value of its moment, and a page for people`() async throws {
    let (explanation, line) = try await Lull.test { test in
      let api = test.service()
      let line = #line + 1
      api.configure("/a") { $0.expirationTime = 7 }
      let explanation = api.resource("/a").explanation()
      api.configure { $0.expirationTime = 9 }
      return (explanation, line)
    }
    let page = await Task.detached { explanation.description }.value
    #expect(page.hasPrefix("GET https://api.test/a\n\nSettings\n  expirationTime  "))
    #expect(
      page.split(separator: "\n").contains { row in
        row.hasPrefix("  expirationTime ") && row.contains(" 7 s ")
          && row.hasSuffix(" \(Self.file):\(line)  (/a)")
      })
    #expect(page.contains("\n  retryTime "))
    #expect(
      page.contains("\n\nloadIfNeeded\n  would         load: there is neither data nor error\n"))
  }
}
