import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ServiceTests {
  @Test(
    arguments: [
      ("http://foo.bar", "http://foo.bar/"), ("http://foo.bar/", "http://foo.bar/"),
      ("http://foo.bar/baz", "http://foo.bar/baz/"),
      ("http://foo.bar/baz/", "http://foo.bar/baz/"),
      ("http://foo.bar/?you=x", "http://foo.bar/?you=x"),
      ("http://foo.bar/baz?you=x", "http://foo.bar/baz/?you=x"), ("not a URL", nil), ("", nil),
    ] as [(String, String?)])
  func `SVC-01 SVC-02 SVC-05 the base URL gets one slash at the end of its path, or is none`(
    base: String, expected: String?
  ) {
    withHarness { harness in
      #expect(harness.makeService(base: base).baseURL?.text == expected)
    }
  }

  @Test(arguments: [
    ("https://foo.bar", "baz", "https://foo.bar/baz"),
    ("https://foo.bar", "/baz/fez", "https://foo.bar/baz/fez"),
    ("https://foo.bar", "baz/fez/", "https://foo.bar/baz/fez/"),
    ("https://foo.bar/v1", "baz", "https://foo.bar/v1/baz"),
    ("https://foo.bar/v1", "./baz", "https://foo.bar/v1/./baz"),
    ("https://foo.bar/v1", "baz/.", "https://foo.bar/v1/baz/."),
    ("https://foo.bar/v1", "http://other.host", "https://foo.bar/v1/http://other.host"),
    ("https://foo.bar/v1", "//x", "https://foo.bar/v1//x"),
    ("https://foo.bar/v1", "?foo=bar", "https://foo.bar/v1/%3Ffoo=bar"),
    ("https://foo.bar/v1", "é%20", "https://foo.bar/v1/%C3%A9%2520"),
    ("https://foo.bar/?a=b&x=y", "baz/fez/", "https://foo.bar/baz/fez/?a=b&x=y"),
  ])
  func `SVC-08 to SVC-12 a path is appended to the base, whatever it looks like`(
    base: String, path: String, expected: String
  ) {
    withHarness(base: base) { harness in
      let resource = harness.service.resource(path)
      #expect(resource.url.text == expected)
      #expect(resource.service === harness.service, "SVC-07")
    }
  }

  @Test(arguments: [
    ("http://fraz.bot/", "/bar", "http://fraz.bot/bar"),
    ("http://fraz.bot", "bar", "http://fraz.bot/bar"),
    ("http://fraz.bot", "./a?b&c", "http://fraz.bot/./a%3Fb&c"),
  ])
  func `SVC-13 to SVC-15 another base takes the place of the service's`(
    base: String, path: String, expected: String
  ) {
    withHarness { harness in
      #expect(harness.service.resource(baseURL: base, path: path).url.text == expected)
    }
  }

  @Test func `SVC-06 SVC-16 SVC-17 absolute URLs are taken as they are`() {
    withHarness { harness in
      let service = harness.service
      for url in ["https://other.host/x?b=1&a=2", "./foo", "ftp://a/b"] {
        #expect(service.resource(absoluteURL: url).url.text == url)
      }
    }
  }

  @Test(arguments: [nil, "not a URL"])
  func `SVC-04 SVC-05 without a base only absolute URLs load`(base: String?) {
    withHarness(base: base) { harness in
      let service = harness.service
      let invalid = service.resource("/x").load()
      harness.provider.stub("GET", "http://a.test/x", .text("data"))
      let valid = service.resource(absoluteURL: "http://a.test/x")
      valid.load()
      harness.settle()
      #expect(invalid.response?.error?.cause?.kind == "invalid_url")
      #expect(valid.text == "data")
      #expect(harness.provider.requests.map(\.url) == ["http://a.test/x"])
    }
  }

  // MARK: Invalid resources

  @Test(arguments: [nil, "", "\0", "http://[oops", "a b", "http://a b/"] as [String?])
  func `SVC-18 to SVC-21 what is no URL gives a resource whose requests fail`(source: String?) {
    withHarness { harness in
      let journal = Journal()
      let resource = harness.service.resource(absoluteURL: source)
      #expect(resource.url.text == ":")
      let isEchoed = source.map { resource.displayName.contains($0) } ?? true
      #expect(isEchoed)
      let recorder = resource.recorded()
      let request = resource.load()
      #expect(request.state == .completed)
      #expect(request.progress == 1)
      request.onSuccess { _ in journal("success") }
      request.onFailure { error in
        journal("\(error.userMessage), \(error.httpStatusCode.map { "\($0)" } ?? "no status")")
        guard case .invalidURL(let echoed) = error.cause else {
          Issue.record("cause \(error.cause?.kind ?? "nil")")
          return
        }
        #expect(echoed == source)
      }
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == ["Cannot send request with invalid URL, no status"])
      #expect(recorder.take() == ["requested L", "error E"])
      #expect(harness.provider.requests.isEmpty)
    }
  }

  @Test func `SVC-22 missing URLs share one resource; unparsable ones are fresh, and logged`() {
    withHarness { harness in
      let service = harness.service
      let log = Journal()
      harness.pump.log.enabled = [.network]
      harness.pump.log.messageHandler = { log("\($0): \($1)") }
      let missing = service.resource(absoluteURL: nil)
      #expect(service.resource(absoluteURL: nil) === missing)
      #expect(log.take() == [])
      #expect(service.resource(absoluteURL: "a b") !== service.resource(absoluteURL: "a b"))
      #expect(log.take().count == 2)
      #expect(service.table.count == 0)
    }
  }

  @Test func `SVC-22 SVC-28 the missing resource keeps its observers and state unheld`() {
    withHarness { harness in
      let service = harness.service
      let recorder = EventRecorder()
      service.resource(absoluteURL: nil).addObserver(recorder)
      service.resource(absoluteURL: nil).load()
      harness.settle()
      #expect(recorder.take() == ["observerAdded", "requested L", "error E"])
      #expect(service.resource(absoluteURL: nil).latestError != nil)
    }
  }

  @Test func `SVC-23 an invalid resource has the built-in configuration and no decorators`() {
    withHarness { harness in
      let journal = Journal()
      harness.service.configure { configuration in
        configuration.expirationTime = 7
        configuration.decorateRequests { (_, request) throws(RequestError) in
          journal("decorated")
          return request
        }
      }
      let resource = harness.service.resource(absoluteURL: nil)
      resource.load()
      harness.settle()
      #expect(resource.configuration.expirationTime == 30)
      #expect(journal.take() == [])
    }
  }

  // MARK: Identity

  @Test func `SVC-24 to SVC-27 one object for one URL of one service`() {
    withHarness { harness in
      let service = harness.service
      let resource = service.resource("/foo/bar")
      #expect(service.resource("foo/bar") === resource)
      #expect(service.resource(absoluteURL: "https://api.test/v1/foo/bar") === resource)
      #expect(service.resource(baseURL: "https://api.test", path: "v1/foo/bar") === resource)
      #expect(harness.makeService(base: "https://api.test/v1").resource("/foo/bar") !== resource)
      let one = service.resource(absoluteURL: "https://api.test/x?a=1&b=2")
      let other = service.resource(absoluteURL: "https://api.test/x?b=2&a=1")
      #expect(one !== other)
    }
  }

  @Test func `SVC-26 URLs that only look alike are different resources`() {
    withHarness { harness in
      let composed = harness.service.resource(absoluteURL: "https://a.test/\u{E9}")
      let decomposed = harness.service.resource(absoluteURL: "https://a.test/e\u{301}")
      #expect(composed !== decomposed)
      #expect(harness.service.table.count == 2)
    }
  }

  @Test func `an absolute URL goes on the wire percent-encoded, and only there`() {
    withHarness { harness in
      let resource = harness.service.resource(absoluteURL: "https://a.test/é?q=ü%20+")
      let request = resource.request("GET")
      #expect(harness.provider.requests.map(\.url) == ["https://a.test/%C3%A9?q=%C3%BC%20+"])
      #expect(request.url == "https://a.test/%C3%A9?q=%C3%BC%20+")
      #expect(resource.url.text == "https://a.test/é?q=ü%20+")
    }
  }

  @Test(arguments: [
    ("https://a.test/x?%zz\"<>", "https://a.test/x?%zz\"<>"),
    ("https://bücher.test/ü", "https://xn--bcher-kva.test/%C3%BC"), ("./é", "./%C3%A9"),
  ])
  func `percent-encoding for the wire leaves ASCII alone`(url: String, expected: String) {
    #expect(ResourceURL(absolute: url)?.percentEncoded == expected)
  }

  // MARK: Memory

  @Test func `SVC-28 SVC-30 state outlives the resource's users until a flush`() {
    withHarness { harness in
      weak let first = harness.loaded("/a")
      #expect(first == nil)
      #expect(harness.service.resource("/a").text == "data")
      let retained = harness.loaded("/b")
      harness.service.flushUnusedResources()
      #expect(harness.service.resource("/a").latestData == nil)
      #expect(harness.service.resource("/b") === retained)
      #expect(retained.text == "data")
    }
  }

  @Test func `SVC-34 navigating runs no configuration`() {
    withHarness { harness in
      harness.service.configure(
        .predicate { (_) throws(RequestError) in
          Issue.record("a predicate ran")
          return true
        }
      ) { _ in Issue.record("a block ran") }
      let resource = harness.service.resource("/a")
      _ = harness.service.resource(at: resource.url.child("b"))
      _ = harness.service.resource(at: resource.url.withParams([("a", "b")]))
    }
  }

  @Test(
    arguments: [
      ([.json, .text], true, true), ([.json], true, false), ([.text], false, true),
      ([], false, false),
    ] as [([StandardTransformer], Bool, Bool)])
  func `SVC-35 TRF-33 any subset of the standard parsers may be chosen`(
    parsers: [StandardTransformer], jsonFails: Bool, textFails: Bool
  ) {
    withHarness { harness in
      let service = harness.makeService(
        base: "https://api.test", standardTransformers: parsers)
      harness.provider.stub(
        "GET", "https://api.test/json", .bytes([0xD8], type: "application/json"))
      harness.provider.stub(
        "GET", "https://api.test/text", .bytes([0xD8], type: "text/plain; charset=utf-8"))
      let json = service.resource("/json")
      let text = service.resource("/text")
      json.load()
      text.load()
      harness.settle()
      #expect((json.latestError != nil) == jsonFails)
      #expect((text.latestError != nil) == textFails)
      for resource in [json, text] where resource.latestError == nil {
        #expect(resource.latestData?.content.typeName == "data")
      }
    }
  }

  @Test func `SVC-36 NET-05 any provider may be given; it alone is asked`() {
    withHarness { harness in
      let other = StubProvider()
      other.stub("GET", "https://other.test/a", .text("from the other"))
      let service = Service(baseURL: "https://other.test", networking: other, pump: harness.pump)
      let resource = service.resource("/a")
      resource.load()
      harness.settle()
      #expect(resource.text == "from the other")
      #expect(harness.provider.requests.isEmpty)
    }
  }

  @Test func `NET-01 NET-03 NET-04 a provider gets the final request, and is asked to cancel`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.service.configure { configuration in
        configuration.headers["X-A"] = "1"
        configuration.mutateRequests { (http) throws(RequestError) in http.method = "PUT" }
      }
      harness.stub("PUT", "/a", .text("late"))
      let request = harness.service.resource("/a").request("GET")
      #expect(harness.provider.requests.map(\.method) == ["PUT"])
      #expect(harness.provider.requests.first?.headers["x-a"] == "1")
      harness.provider.metrics = RequestTransferMetrics(
        responseBytesReceived: 10, responseBytesTotal: 10)
      #expect(request.progress > 0)
      request.cancel()
      #expect(harness.provider.cancelledCount == 1)
      harness.provider.releaseCancelled()
      harness.settle()
      #expect(request.response?.error?.cause?.kind == "request_cancelled")
    }
  }
}
