import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct SecretRequestTests {
  private let key = SecretText(Secret(.environment("KEY")))

  private func sent(_ harness: Harness) throws -> HTTPRequest {
    try #require(harness.provider.requests.last)
  }

  private func kind(_ request: Request) -> String? { request.response?.error?.cause?.kind }

  @Test func `what is sent is masked and says what it means`() throws {
    try withHarness { harness in
      harness.service.configure { configuration in
        configuration.headers.add("X-Key", key)
        configuration.auth = .bearer(key)
      }
      let resource = harness.service.resource("/a").withParams([("k", .secret(key))])
      resource.request(
        "POST",
        body: .form(secrets: [(name: "p", value: key), (name: "a", value: SecretText("b c"))]))
      let http = try sent(harness)
      #expect(http.url == "https://api.test/v1/a?k=‹secret KEY›")
      #expect(http.body == Array("a=b%20c&p=‹secret KEY›".utf8))
      #expect(http.headers["authorization"] == "Bearer ‹secret KEY›")
      #expect(http.headers["x-key"] == "‹secret KEY›")
      #expect(
        http.secretPlaces.map(\.place)
          == ["the URL", "the header 'x-key'", "the header 'authorization'", "the body"])
      #expect(http.secrets?.origin == "https://api.test")
      harness.finish()
    }
  }

  @Test func `ordinary requests carry nothing`() throws {
    try withHarness { harness in
      harness.service.resource("/a").request(
        "POST", body: .form([(name: "p", value: "‹secret KEY›")]))
      let http = try sent(harness)
      #expect(http.secrets == nil)
      #expect(!http.hasSecrets)
      harness.finish()
    }
  }

  @Test func `a mutation that puts something else in their place has put them out`() throws {
    try withHarness { harness in
      let resource = harness.service.resource("/a").withParams([("k", .secret(key))])
      resource.request("POST", body: .form(secrets: [(name: "p", value: key)])) {
        http throws(RequestError) in
        http.url = "https://elsewhere.test/?k=1"
        http.body = Array("q=1".utf8)
      }
      let http = try sent(harness)
      #expect(http.secretPlaces.isEmpty)
      #expect(http.url == "https://elsewhere.test/?k=1")
      harness.finish()
    }
  }

  @Test func `a request to another origin fails before sending`() throws {
    withHarness { harness in
      harness.service.configure { $0.headers.add("X-Key", key) }
      let urls = [
        "http://api.test/v1", "https://api.test:8443/", "https://evil.test/",
        "https://api.test.evil/",
        "https://api.test@evil.test/",
      ]
      for url in urls {
        let request = harness.service.resource(absoluteURL: url).load()
        #expect(kind(request) == "secret_origin", "\(url)")
      }
      #expect(harness.provider.requests.isEmpty)
      harness.service.resource(absoluteURL: "https://API.test:443/x").load()
      #expect(harness.provider.requests.count == 1)
      harness.finish()
    }
  }

  @Test func `the origins that a secret names count too`() throws {
    withHarness { harness in
      let secret = Secret(.environment("KEY"), origins: ["https://other.test"])
      let nowhere = harness.makeService(base: nil)
      nowhere.configure { $0.auth = .header("X-Key", SecretText(secret)) }
      #expect(kind(nowhere.resource(absoluteURL: "https://third.test/").load()) == "secret_origin")
      #expect(harness.provider.requests.isEmpty)
      nowhere.resource(absoluteURL: "https://other.test/a").load()
      #expect(harness.provider.requests.count == 1)
      harness.finish()
    }
  }

  @Test func `auth gives way to a header of the request`() throws {
    try withHarness { harness in
      harness.service.configure { $0.auth = .bearer(key) }
      harness.service.resource("/a").request("GET") { http throws(RequestError) in
        http.headers["Authorization"] = "mine"
      }
      let http = try sent(harness)
      #expect(http.headers["authorization"] == "mine")
      #expect(!http.hasSecrets)
      harness.finish()
    }
  }

  @Test func `a resource is known by its mask`() throws {
    withHarness { harness in
      let base = harness.service.resource("/a")
      let one = base.withParams([("k", .secret(key)), ("b", .text("2"))])
      #expect(one === base.withParam("b", "2").withParams([("k", .secret(key))]))
      #expect(one.url.text == "https://api.test/v1/a?b=2&k=‹secret KEY›")
      #expect(one !== base.withParams([("k", "‹secret KEY›"), ("b", "2")]))
      // No text makes that resource.
      #expect(ResourceURL(absolute: one.url.text) == nil)
      #expect(one.child("c").url.text == "https://api.test/v1/a/c?b=2&k=‹secret KEY›")
      #expect(one.withParams([("k", nil), ("b", nil)] as [(String, String?)]) === base)
      #expect(one.withParam("k", "plain").url.text == "https://api.test/v1/a?b=2&k=plain")
      #expect(one.relative("?c=1").url.text == "https://api.test/v1/a?c=1")
      // The server tells what it was told.
      #expect(
        one.relative("/v1/b?k=plain&page=2").url.text
          == "https://api.test/v1/b?k=‹secret KEY›&page=2")
      #expect(one.relative("https://other.test/?k=1").url.text == "https://other.test/?k=1")
    }
  }

  @Test func `two secrets of one name are two resources`() throws {
    try withHarness { harness in
      let other = SecretText(Secret(.file("/k"), name: "KEY"))
      let one = harness.service.resource("/a").withParams([("k", .secret(key))])
      let two = harness.service.resource("/a").withParams([("k", .secret(other))])
      #expect(one !== two)
      #expect(one.url == two.url)
      two.load()
      let first = try sent(harness)
      #expect(first.secretPlaces.map(\.secret.source) == [.file("/k")])
      one.load()
      let second = try sent(harness)
      #expect(second.secretPlaces.map(\.secret.source) == [.environment("KEY")])
      harness.finish()
    }
  }

  @Test func `a repeated request sends them again`() throws {
    try withHarness { harness in
      let resource = harness.service.resource("/a").withParams([("k", .secret(key))])
      let request = resource.request("POST", body: .form(secrets: [(name: "p", value: key)]))
      let first = try sent(harness)
      request.repeated().start()
      #expect(harness.provider.requests.count == 2)
      let second = try sent(harness)
      #expect(second == first)
      harness.finish()
    }
  }

  @Test func `the log shows masks`() throws {
    withHarness { harness in
      var lines: [String] = []
      harness.pump.log.enabled = Set(Log.Category.allCases)
      harness.pump.log.messageHandler = { lines.append($1) }
      harness.service.configure { configuration in
        configuration.headers.add("Authorization", SecretText("token ") + key)
        configuration.headers["X-Auth-Token"] = "plain"
        configuration.auth = .header("X-Key", key)
      }
      harness.service.resource("/a").load()
      let text = lines.joined(separator: "\n")
      #expect(text.contains("authorization: token ‹secret KEY›"))
      #expect(text.contains("auth: x-key: ‹secret KEY›"))
      #expect(text.contains("x-auth-token: …"))
      #expect(!text.contains("plain"))
      harness.finish()
    }
  }

  @Test func `credentials are what is configured and what stands in the URL`() throws {
    withHarness { harness in
      harness.service.configure { configuration in
        configuration.headers["Accept"] = "a/b"
        configuration.headers["Cookie"] = "c"
        configuration.headers.add("X-Key", key)
        configuration.auth = .bearer(key)
      }
      let resource = harness.service.resource("/a").withParams([("k", .secret(key))])
      #expect(
        resource.credentials.map { "\($0.name) \($0.value.masked)" } == [
          "cookie c", "x-key ‹secret KEY›", "authorization Bearer ‹secret KEY›", "k ‹secret KEY›",
        ])
    }
  }
}
