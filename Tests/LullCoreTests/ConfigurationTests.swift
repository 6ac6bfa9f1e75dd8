import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ConfigurationTests {
  private func expirationTime(_ resource: Resource, _ method: RequestMethod = "GET") -> Double {
    resource.configuration(for: method).seconds
  }

  @Test func `CFG-01 the defaults`() {
    withHarness { harness in
      let settings = harness.service.resource("/a").configuration
      #expect(settings.expirationTime == 30)
      #expect(settings.retryTime == 1)
      #expect(settings.headers.isEmpty)
      #expect(settings.progressReportingInterval == 0.05)
      #expect(settings.limits.timeout == 60)
      #expect(settings.limits.connectTimeout == 10)
      #expect(settings.limits.maxBodySize == 100 * 1024 * 1024)
      #expect(settings.mutations.isEmpty)
      #expect(settings.decorators.isEmpty)
      #expect(settings.pipeline.order == PipelineStageKey.standardOrder)
      #expect(
        harness.makeService(base: nil, standardTransformers: [])
          .resource(absoluteURL: "http://a.test").resolvedConfiguration.steps.isEmpty)
    }
  }

  @Test func `CFG-02 CFG-04 CFG-09 entries run in order on one value`() {
    withHarness { harness in
      let service = harness.service
      service.configure { $0.expirationTime = 1 }
      service.configure {
        $0.seconds += 1; $0.headers["a"] = "1"
      }
      service.configure(.wildcard("/x", base: service.baseURL)) { $0.seconds *= 10 }
      #expect(expirationTime(service.resource("/y")) == 2)
      #expect(expirationTime(service.resource("/x")) == 20)
      #expect(service.resource("/x").configuration.headers["a"] == "1")
      #expect(service.resource("/x").configuration.retryTime == 1)
    }
  }

  @Test func `resources that only constant entries apply to share what comes of them`() {
    withHarness { harness in
      let service = harness.service
      func configure(_ pattern: String, _ time: Double) {
        service.configure(
          .wildcard(pattern, base: service.baseURL), requestMethods: nil, description: nil,
          source: nil,
          isConstant: true
        ) { $0.seconds = time }
      }
      func of(_ path: String, _ method: RequestMethod = "GET") -> ResolvedConfiguration {
        service.resource(path).resolvedConfiguration(for: method)
      }
      configure("/a/*", 1)
      configure("/*/x", 2)
      #expect(of("/a/1") === of("/a/2"))
      #expect(of("/a/1") === of("/a/2", "POST"))
      #expect(of("/a/1") !== of("/b"))
      #expect(of("/b") === of("/c"))
      #expect(
        [of("/a/1"), of("/a/x"), of("/b/x"), of("/b")].map(\.expirationTime) == [1, 2, 2, 30])
      #expect(of("/a/x") !== of("/b/x"))
      // One that may differ runs for each.
      var runs = 0
      service.configure("/b*") { _ in runs += 1 }
      #expect(of("/b1") !== of("/b2"))
      #expect(runs == 2)
      #expect(of("/c1") === of("/c2"))
      // A new version is another one, also for those that know the old.
      let old = of("/c1")
      configure("/c*", 3)
      #expect(of("/c1") !== old)
      #expect(of("/c1").expirationTime == 3)
    }
  }

  @Test func `CFG-19 what is logged of a configuration is logged for every resource`() {
    withHarness { harness in
      harness.service.pump.log.enabled = [.configuration]
      var lines: [String] = []
      harness.service.pump.log.messageHandler = { lines.append($1) }
      for path in ["/a", "/b", "/a"] { _ = harness.service.resource(path).configuration }
      #expect(lines.map { $0.prefix { $0 != ":" } } == ["GET https", "GET https"])
      #expect(
        lines[0].hasPrefix("GET https://api.test/v1/a: 0 (JSON parser), 1 (text parser)"),
        "\(lines)")
    }
  }

  @Test func `CFG-05 CFG-06 PAT-19 to PAT-21 each kind of pattern picks its resources`() throws {
    let dump = try Regex("/.ump")
    let anchored = try Regex("^https://api\\.test/v1/wump$")
    let loud = try Regex("/wu+").ignoresCase()
    withHarness { harness, leakCheck in
      let service = harness.service
      func wump() -> Resource { leakCheck.watch(service.resource("/wump")) }
      let patterns: [(ConfigurationPattern, [String])] = [
        (.url(wump().url), ["/wump"]), (.all, ["/wump", "/wzmp", "/WUUUUUMP"]),
        (
          .predicate { (url) throws(RequestError) in url.text.hasSuffix("mp") }, ["/wump", "/wzmp"]
        ),
        (.regex(dump, source: "/.ump"), ["/wump"]),
        (.regex(anchored, source: "…"), ["/wump"]),
        (.regex(loud, source: "/wu+"), ["/wump", "/WUUUUUMP"]),
        (.wildcard("/w*", base: service.baseURL), ["/wump", "/wzmp"]),
      ]
      for (number, (pattern, _)) in patterns.enumerated() {
        service.configure(pattern) { $0.headers["\(number)"] = "x" }
      }
      for (number, (pattern, paths)) in patterns.enumerated() {
        let matched = ["/wump", "/wzmp", "/WUUUUUMP"].filter {
          service.resource($0).configuration.headers["\(number)"] != nil
        }
        #expect(matched == paths, "\(pattern.description)")
      }
    }
  }

  @Test func `CFG-07 CFG-08 CFG-15 CFG-16 methods pick too; GET's is the one without method`() {
    withHarness { harness in
      let service = harness.service
      service.configure(requestMethods: ["POST"]) { $0.expirationTime = 5 }
      service.configure(requestMethods: ["GET"]) { $0.headers["x"] = "get" }
      let resource = service.resource("/a")
      #expect(expirationTime(resource, "POST") == 5)
      #expect(expirationTime(resource, "PUT") == 30)
      #expect(resource.configuration.expirationTime == 30)
      for method: RequestMethod in ["GET", "PURGE"] {
        #expect(resource.configuration(for: method).headers["x"] == "get")
      }
      #expect(resource.configuration(for: "HEAD").headers["x"] == nil)
      resource.overrideLocalData(with: .text("x", at: 990))
      #expect(resource.isUpToDate, "CFG-15: 10 s is beyond POST's limit, not GET's")
    }
  }

  @Test func `CFG-07 CFG-16 what names a rare method counts for it, besides what is for GET`() {
    withHarness { harness in
      let service = harness.service
      service.configure(requestMethods: ["GET"]) { $0.headers["x"] = "get" }
      service.configure("/a", requestMethods: ["REPORT", "put"]) { $0.expirationTime = 5 }
      service.configure("/a", requestMethods: ["GET"]) { $0.retryTime = 7 }
      let (named, other) = (service.resource("/a"), service.resource("/b"))
      for method: RequestMethod in ["REPORT", "report"] {
        let settings = named.configuration(for: method)
        #expect(settings.seconds == 5 && settings.headers["x"] == "get" && settings.retryTime == 7)
        #expect(other.configuration(for: method).seconds == 30)
      }
      #expect(expirationTime(named, "PUT") == 5)
      for method: RequestMethod in ["PURGE", "GET", "HEAD"] {
        #expect(expirationTime(named, method) == 30)
      }
      var headers: [String?] = []
      service.configure(requestMethods: ["REPORT"]) { configuration in
        configuration.mutateRequests { http in
          headers.append(http.headers["x"])
          http.headers["y"] = "report"
        }
      }
      named.request("REPORT")
      named.request("GET")
      harness.settle()
      #expect(headers == ["get"])
      #expect(harness.provider.requests.map { $0.headers["y"] } == ["report", nil])
    }
  }

  @Test func `CFG-10 to CFG-14 computed when needed, kept until something is added or invalidated`()
  {
    withHarness { harness in
      let service = harness.service
      let journal = Journal()
      var external = 1.0
      service.configure { configuration in
        journal("computed")
        configuration.seconds = external
      }
      let resource = service.resource("/a")
      #expect(journal.take() == [])
      for _ in 1...2 { #expect(expirationTime(resource) == 1) }
      #expect(journal.take() == ["computed"])
      _ = expirationTime(resource, "POST")
      #expect(journal.take() == ["computed"])
      external = 2
      #expect(expirationTime(resource) == 1, "CFG-11")
      service.invalidateConfiguration()
      #expect(journal.take() == [], "CFG-13")
      #expect(expirationTime(resource) == 2, "CFG-12")
      service.configure { $0.seconds *= 10 }
      #expect(expirationTime(resource) == 20, "CFG-10, CFG-14")
    }
  }

  @Test func `CFG-03 CFG-19 entries are logged by running number and description`() {
    withHarness { harness in
      let service = harness.service
      let journal = Journal()
      service.configure(description: "mine") { _ in }
      service.configure(.wildcard("/x", base: service.baseURL)) { _ in }
      service.configure { _ in }
      service.configure(.predicate { (_) throws(RequestError) in true }) { _ in }
      harness.pump.log.enabled = [.configuration]
      harness.pump.log.messageHandler = { journal($1) }
      _ = service.resource("/x").configuration
      let messages = journal.take()
      #expect(messages.count == 1)
      #expect(
        messages.first?.hasPrefix(
          "GET https://api.test/v1/x: 0 (JSON parser), 1 (text parser), 2 (mine), 3 (/x), "
            + "4 (custom), 5 (custom)\n") == true)
    }
  }

  @Test func `CFG-18 an answer passes the pipeline in force when it arrives`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.service.configure { $0.pipeline.clear() }
      harness.settle()
      #expect(resource.latestData?.content.typeName == "data", "CFG-21")
    }
  }

  // MARK: Blocks that fail

  @Test(arguments: [true, false])
  func `a block that throws is skipped, and what it was for is never sent`(inPredicate: Bool) {
    withHarness { harness in
      let service = harness.service
      let journal = Journal()
      let pattern = ConfigurationPattern.predicate { (url) throws(RequestError) in
        if inPredicate, url.text.hasSuffix("a") { throw .failure("no") }
        return url.text.hasSuffix("a")
      }
      service.configure { $0.headers["x"] = "before" }
      service.configure(pattern) { (configuration) throws(RequestError) in
        journal("run")
        configuration.headers["x"] = "halfway"
        throw .failure("no")
      }
      service.configure { $0.headers["y"] = "after" }
      let resource = service.resource("/a")
      let recorder = resource.recorded()
      let settings = resource.configuration
      #expect(settings.headers == RequestHeaders([("x", "before"), ("y", "after")]))
      harness.clock.advance(by: 500)
      for _ in 1...2 {
        let request = resource.request("GET")
        #expect(request.state == .completed)
        #expect(request.response?.error?.userMessage == "no")
        #expect(request.response?.error?.timestamp == 1500, "ERR-14: of the request, not the block")
      }
      resource.load()
      #expect(journal.take().count == (inPredicate ? 0 : 1), "computed once")
      service.resource("/b").request("GET")
      harness.settle()
      #expect(recorder.take() == ["requested L", "error E"])
      #expect(harness.provider.requests.map(\.url) == ["https://api.test/v1/b"])
    }
  }

  @Test func `an answer that arrives when a block has come to throw fails its request`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.service.configure { (_) throws(RequestError) in throw .failure("no") }
      harness.settle()
      #expect(resource.latestError?.userMessage == "no")
      #expect(resource.latestData == nil)
    }
  }
}

extension Configuration {
  fileprivate var seconds: Double {
    get { if case .seconds(let seconds) = expirationTime { seconds } else { .nan } }
    set { expirationTime = .seconds(newValue) }
  }
}
