import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What only Swift programs write.
@Suite(.timeLimit(.minutes(20)))
struct SwiftNamesTests {
  private struct Address: URLConvertible {
    let urlText: String
  }

  @Test func `SVC-03 SWF-01 a URL is given by a string, a ResourceURL or a type of one's own`() {
    withHarness { harness in
      let service = harness.service
      let url = "https://api.test/v1/a".url
      #expect(service.resource(absoluteURL: url) === service.resource("/a"))
      let own = Address(urlText: "https://api.test/v1/a")
      #expect(service.resource(absoluteURL: own).url == url)
      #expect(service.resource(baseURL: own, path: "b").url.text == "https://api.test/v1/a/b")
      #expect(service.resource(absoluteURL: nil).url == ResourceURL.invalid)
      let other = Service(baseURL: own, networking: harness.provider, pump: harness.pump)
      #expect(other.baseURL?.text == "https://api.test/v1/a/")
      let none = Service(
        baseURL: Address(urlText: "no URL"), networking: harness.provider, pump: harness.pump)
      #expect(none.baseURL == nil)
      #expect("no URL".url == nil)
    }
  }

  @Test func `SWF-02 a pattern is a string, a resource, a regex literal or a predicate`() {
    withHarness { harness in
      let service = harness.service
      service.configure(/\/users\/[0-9]+$/) { $0.headers["a"] = "1" }
      service.configure(service.resource("/users/7")) { $0.headers["b"] = "1" }
      service.configure("/users/*") { $0.headers["c"] = "1" }
      service.configure(whenURLMatches: { $0.path.hasSuffix("7") }) { $0.headers["d"] = "1" }
      service.configure(.all) { $0.headers["e"] = "1" }
      func names(_ path: String) -> String {
        service.resource(path).configuration.headers.pairs.map(\.name).joined()
      }
      #expect(names("/users/7") == "abcde")
      #expect(names("/users/8") == "ace")
      #expect(names("/users/me") == "ce")
      #expect(names("/7") == "de")
    }
  }

  @Test func `SWF-03 a pattern of any kind wipes and invalidates`() {
    withHarness { harness in
      let service = harness.service
      let one = harness.loaded("/users/1")
      let two = harness.loaded("/users/2")
      service.invalidateResources(matching: /1$/)
      #expect([one.isUpToDate, two.isUpToDate] == [false, true])
      service.wipeResources(matching: one)
      #expect([one.latestData == nil, two.latestData == nil] == [true, false])
      service.wipeResources(withURLsMatching: { $0.path.hasSuffix("2") })
      #expect(two.latestData == nil)
    }
  }

  @Test func `SWF-04 headers are written as a dictionary, and a token as a literal`() {
    withHarness { harness in
      harness.service.configure {
        $0.headers = ["Accept": "text/plain", "X-Tag": "a", "x-tag": "b"]
        $0.auth = .bearer("t0ken")
      }
      harness.service.resource("/a").load()
      let headers = harness.provider.requests.first?.headers
      #expect(headers?["accept"] == "text/plain")
      #expect(headers?["x-tag"] == "a, b")
      #expect(headers?["authorization"] == "Bearer t0ken")
      harness.settle()
    }
  }

  @Test func `SWF-05 a resource tells its configuration, for GET and for other methods`() {
    withHarness { harness in
      harness.service.configure("/a", requestMethods: [.post]) { $0.retryTime = 7 }
      let resource = harness.service.resource("/a")
      #expect(resource.configuration.retryTime == 1)
      #expect(resource.configuration(for: .post).retryTime == 7)
      harness.service.configure { $0.expirationTime = 5 }
      #expect(resource.configuration.expirationTime == 5)
    }
  }

  @Test func `SWF-06 a standard parser is added to a pipeline, and another for types of its own`() {
    withHarness { harness in
      let service = harness.makeService(base: "https://api.test/v1", standardTransformers: [])
      service.configure("/json") { $0.pipeline.add(.json) }
      service.configure("/own") {
        $0.pipeline[.parsing].add(JSONResponseTransformer(), contentTypes: ["text/x-*"])
      }
      service.configure("/text") { $0.pipeline[.model].add(TextResponseTransformer()) }
      harness.stub("GET", "/json", .json(#"{"a": 1}"#))
      harness.stub(
        "GET", "/own", .text(#"{"a": 2}"#, type: "text/x-notes"), .text("{", type: "a/b"))
      harness.stub("GET", "/text", .bytes(Array("abc".utf8), type: "application/x-own"))
      let resources = ["/json", "/own", "/text"].map { service.resource($0) }
      for resource in resources { resource.load() }
      harness.settle()
      #expect(resources[0].jsonDict["a"]?.int == 1)
      #expect(resources[1].jsonDict["a"]?.int == 2)
      #expect(resources[2].text == "abc")
      resources[1].load()
      harness.settle()
      let bytes: [UInt8]? = resources[1].typedContent()
      #expect(bytes == Array("{".utf8), "another type passes unchanged")
    }
  }

  @Test func `SWF-07 a parser that leaves errors alone leaves their bodies as they came`() {
    withHarness { harness in
      let service = harness.makeService(base: "https://api.test/v1", standardTransformers: [])
      service.configure("/a") { $0.pipeline[.parsing].add(JSONResponseTransformer(false)) }
      service.configure("/b") { $0.pipeline[.parsing].add(JSONResponseTransformer()) }
      for path in ["/a", "/b"] {
        harness.stub("GET", path, .json(#"{"why": "x"}"#, status: 500))
        service.resource(path).load()
      }
      harness.settle()
      #expect(service.resource("/a").latestError?.jsonDict["why"] == nil)
      #expect(service.resource("/b").latestError?.jsonDict["why"]?.string == "x")
    }
  }

  @Test func `SWF-08 a program writes to the log under a category of it`() {
    withHarness { harness in
      let log = harness.pump.log
      var lines: [String] = []
      log.enabled = .common
      log.messageHandler = { lines.append("\($0.rawValue): \($1)") }
      log.log(.network, "mine")
      log.log(.cache, "not on: \(lines.removeLast())")
      #expect(lines == ["network: mine"])
      #expect(Log.Category.detailed.union([.networkDetails]) == .all)
    }
  }

  @Test func `SWF-09 descriptions are sentences without credentials`() throws {
    try withHarness { harness in
      harness.stub("GET", "/a?token=S3", .json(#"{"id": 7, "password": "S3"}"#))
      harness.stub("GET", "/b", StubProvider.Answer(status: 404))
      let resource = harness.service.resource("/a").withParam("token", "S3")
      #expect(resource.description == "https://api.test/v1/a?token=*** has no data")
      let request = resource.load()
      #expect(request.description == "GET https://api.test/v1/a?token=***: in progress")
      #expect(resource.description.hasSuffix("has no data, is loading"))
      harness.settle()
      #expect(resource.description == "https://api.test/v1/a?token=*** has data")
      let entity = try #require(resource.latestData)
      #expect(entity.description.hasPrefix("application/json, 200"))
      #expect(request.description.contains("success with new data, application/json, 200"))
      let failed = harness.service.resource("/b")
      let response = failed.load().onFailure { _ in }
      harness.settle()
      #expect(
        failed.latestError?.description == "Not found (GET https://api.test/v1/b → 404)")
      #expect(response.description.contains("failure, Not found"))
      #expect(failed.description == "https://api.test/v1/b failed: Not found")
      #expect(failed.latestError?.method == .get)
      #expect(failed.latestError?.url == "https://api.test/v1/b")
      var http = HTTPRequest(method: .put, url: "https://u:S3@api.test/?token=S3", body: [1])
      http.headers = ["Authorization": "Bearer S3", "X": "y"]
      let texts = [entity.description, request.description, http.description]
      #expect(!texts.joined().contains("S3"))
      #expect(http.description.hasSuffix("x: y, 1 bytes"))
      #expect(SecretText("a").description == "a")
    }
  }

  @Test func `SWF-10 a response says whether it is a cancellation`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      let request = harness.service.resource("/a").load()
      request.cancel()
      harness.settle()
      #expect(request.response?.isCancellation == true)
      #expect(!Response.success(.text("x")).isCancellation)
      harness.provider.releaseCancelled()
      harness.settle()
    }
  }

  @Test func `SWF-11 a request of nobody's belongs to the pump its thread works for`() {
    withHarness { harness in
      var heard: [String] = []
      let error = RequestError(userMessage: "refused")
      Resource.failedRequest(returning: error).onFailure { heard.append($0.userMessage) }
      do {
        let inner = Pump(clock: harness.clock)
        Resource.hardWiredRequest(returning: .failure(error)).onFailure { _ in heard.append("in") }
        inner.turn()
      }
      #expect(heard == ["in"])
      harness.settle()
      #expect(heard == ["in", "refused"])
    }
  }

  @Test func `SWF-12 where no pump works, a request of nobody's ends the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Resource.failedRequest(returning: RequestError(userMessage: "refused"))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("needs the event loop of this thread"))
  }
}
