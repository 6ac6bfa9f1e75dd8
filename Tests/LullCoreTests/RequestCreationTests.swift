import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RequestCreationTests {
  private func sent(
    _ method: RequestMethod = "POST", body: RequestBody? = nil,
    configure: ConfigurationBlock? = nil,
    mutation: ((inout HTTPRequest) throws(RequestError) -> Void)? = nil
  ) throws -> HTTPRequest {
    var sent: HTTPRequest?
    withHarness { harness in
      if let configure { harness.service.configure(configurer: configure) }
      harness.service.resource("/a").request(method, body: body, requestMutation: mutation)
      sent = harness.provider.requests.first
      harness.settle()
    }
    return try #require(sent)
  }

  private func text(_ http: HTTPRequest) -> String? {
    http.body.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: ["OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PURGE"]
      as [RequestMethod])
  func `REQ-01 REQ-02 the method and nothing else is sent, at once`(method: RequestMethod) throws {
    let http = try sent(method)
    #expect(http == HTTPRequest(method: method, url: "https://api.test/v1/a"))
  }

  struct Body: CustomTestStringConvertible {
    let id: String
    let body: RequestBody
    let text: String
    let contentType: String

    var testDescription: String { id }
  }

  static let bodies = [
    Body(
      id: "REQ-06: bytes", body: .data([1, 2, 65], contentType: "a/b"), text: "\u{1}\u{2}A",
      contentType: "a/b"),
    Body(
      id: "REQ-07: text", body: .text("Très bien!"), text: "Très bien!",
      contentType: "text/plain; charset=utf-8"),
    Body(
      id: "REQ-08: another encoding",
      body: .text("abc", contentType: "text/x", encoding: "US-ASCII"), text: "abc",
      contentType: "text/x; charset=us-ascii"),
    Body(
      id: "REQ-10: JSON", body: .json(Array("[2,\"be\"]".utf8)), text: "[2,\"be\"]",
      contentType: "application/json"),
    Body(
      id: "REQ-11: another JSON type",
      body: .json(Array("{}".utf8), contentType: "application/foo+json"), text: "{}",
      contentType: "application/foo+json"),
    Body(
      id: "REQ-15, REQ-18: a form",
      body: .form([("foo", "bar"), ("how", "now"), ("brown", "cow")]),
      text: "brown=cow&foo=bar&how=now", contentType: "application/x-www-form-urlencoded"),
    Body(
      id: "REQ-16, REQ-17: escapes", body: .form([("a b", "=&é/?")]),
      text: "a%20b=%3D%26%C3%A9/?", contentType: "application/x-www-form-urlencoded"),
    Body(
      id: "REQ-20: an empty form", body: .form([]), text: "",
      contentType: "application/x-www-form-urlencoded"),
  ]

  @Test(arguments: bodies)
  func `a body brings its bytes and its content type`(row: Body) throws {
    let http = try sent(body: row.body)
    #expect(text(http) == row.text)
    #expect(
      http.headers.pairs.map { "\($0.name): \($0.value)" }
        == ["content-type: \(row.contentType)"])
  }

  @Test func `REQ-08 text is encoded as its charset says`() throws {
    let http = try sent(body: .text("é", encoding: "ISO-8859-1"))
    #expect(http.body == [0xE9])
    #expect(http.headers["content-type"] == "text/plain; charset=iso-8859-1")
  }

  @Test func `REQ-09 REQ-25 HOOK-16 what cannot be encoded is never sent, nor listed`() {
    withHarness { harness in
      let journal = Journal()
      harness.service.configure { configuration in
        configuration.decorateRequests { (_, request) throws(RequestError) in
          journal("decorated")
          return request
        }
      }
      let resource = harness.service.resource("/a")
      let request = resource.request("POST", body: .text("あ", encoding: "iso-8859-1"))
      #expect(request.state == .completed)
      #expect(resource.allRequests.isEmpty)
      request.onFailure { error in
        journal(error.userMessage)
        guard case .unencodableText(let encoding, let text) = error.cause else {
          Issue.record("cause \(error.cause?.kind ?? "nil")")
          return
        }
        #expect(encoding == "iso-8859-1")
        #expect(text == "あ")
      }
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == ["Cannot send request"])
      #expect(harness.provider.requests.isEmpty)
    }
  }

  struct Priority: CustomTestStringConvertible {
    let id: String
    var hasHelper = false
    var hasAdHoc = false
    var hasConfigured = false
    let expected: String

    var testDescription: String { id }
  }

  static let priorities = [
    Priority(id: "REQ-05: configured header", expected: "header"),
    Priority(id: "REQ-21: helper", hasHelper: true, expected: "helper"),
    Priority(id: "REQ-22: ad hoc", hasHelper: true, hasAdHoc: true, expected: "ad hoc"),
    Priority(
      id: "REQ-23: configured mutation", hasHelper: true, hasAdHoc: true,
      hasConfigured: true, expected: "mutation"),
  ]

  @Test(arguments: priorities)
  func `REQ-24 the later source of a content type wins`(row: Priority) throws {
    let http = try sent(
      body: row.hasHelper ? .data([], contentType: "helper") : nil,
      configure: { (configuration) throws(RequestError) in
        configuration.headers["Content-Type"] = "header"
        if row.hasConfigured {
          configuration.mutateRequests { (http) throws(RequestError) in
            http.headers["content-type"] = "mutation"
          }
        }
      },
      mutation: row.hasAdHoc
        ? { (http: inout HTTPRequest) throws(RequestError) in
          http.headers["Content-Type"] = "ad hoc"
        } : nil)
    #expect(http.headers.values("content-type") == [row.expected])
  }

  // MARK: Mutations

  @Test func `MUT-01 MUT-02 MUT-05 MUT-08 a request is built step by step, once, inside the call`()
  {
    withHarness { harness in
      let journal = Journal()
      var count = 0
      harness.service.configure { configuration in
        configuration.headers["x"] = "header"
        for number in 1...2 {
          configuration.mutateRequests { (http) throws(RequestError) in
            count += 1
            journal("mutation \(number) sees \(http.headers["x"] ?? "-")")
            http.headers["x"] = "mutation \(count)"
          }
        }
        configuration.decorateRequests { (_, request) throws(RequestError) in
          journal("decorator")
          return request
        }
      }
      let resource = harness.service.resource("/a")
      resource.request("POST", body: .text("body")) { http throws(RequestError) in
        journal("ad hoc sees \(http.headers["x"] ?? "-"), \(http.body?.count ?? 0) bytes")
        http.headers["x"] = "ad hoc"
      }
      journal("returned")
      resource.request("GET")
      harness.settle()
      #expect(
        journal.take() == [
          "ad hoc sees header, 4 bytes", "mutation 1 sees ad hoc", "mutation 2 sees mutation 1",
          "decorator", "returned", "mutation 1 sees header", "mutation 2 sees mutation 3",
          "decorator",
        ])
      #expect(harness.provider.requests.map { $0.headers["x"] } == ["mutation 2", "mutation 4"])
    }
  }

  @Test func `MUT-03 a mutation reads and alters body and headers`() throws {
    let http = try sent(
      body: .text("abc"),
      configure: { (configuration) throws(RequestError) in
        configuration.mutateRequests { (http) throws(RequestError) in
          http.body?.append(33)
          http.headers["Content-Length"] = "\(http.body?.count ?? 0)"
        }
      })
    #expect(text(http) == "abc!")
    #expect(http.headers["content-length"] == "4")
  }

  @Test func `MUT-04 MUT-06 CFG-17 DEC-13 building is by the old method, the rest by the new one`()
  {
    withHarness { harness in
      harness.stub("POST", "/a", .text("x"))
      let journal = Journal()
      func configure(_ method: RequestMethod, _ change: ((inout HTTPRequest) -> Void)?) {
        harness.service.configure(requestMethods: [method]) { configuration in
          configuration.headers["x"] = method.rawValue
          configuration.mutateRequests { (http) throws(RequestError) in
            journal("\(method)'s mutation")
            change?(&http)
          }
          configuration.decorateRequests { (_, request) throws(RequestError) in
            journal("\(method)'s decorator")
            return request
          }
          configuration.pipeline[.cleanup].add(
            FunctionTransformer(description: "spy") { response in
              journal("\(method)'s pipeline")
              return response
            })
        }
      }
      configure("GET") { $0.method = "POST" }
      configure("GET", nil)
      configure("POST", nil)
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      #expect(request.method == "POST")
      #expect(
        harness.provider.requests.map { "\($0.method) \($0.headers["x"] ?? "")" }
          == ["POST GET"])
      #expect(
        journal.take() == [
          "GET's mutation", "GET's mutation", "POST's decorator", "POST's pipeline",
        ])
    }
  }

  @Test func `a mutation that throws fails the request, which is never sent`() {
    withHarness { harness in
      harness.service.configure { configuration in
        configuration.mutateRequests { (_) throws(RequestError) in throw .failure("no token") }
      }
      let resource = harness.service.resource("/a")
      let request = resource.load()
      harness.settle()
      #expect(request.response?.error?.userMessage == "no token")
      #expect(request.response?.error?.url == "https://api.test/v1/a")
      #expect(resource.latestError?.userMessage == "no token")
      #expect(harness.provider.requests.isEmpty)
    }
  }

  @Test(arguments: [
    "A: b\r\nEvil", "A:b", "A b", "", "A\n", "é", "A\0",
  ])
  func `a header's name cannot smuggle in another header`(name: String) {
    var headers = RequestHeaders([("Good", "1")])
    headers.add(name, "x")
    headers[name] = "y"
    #expect("\(headers)" == "\(Headers([("Good", "1")]))")
    withHarness { harness in
      harness.service.resource("/a").request(
        "GET",
        requestMutation: { (http: inout HTTPRequest) throws(RequestError) in
          http.headers[name] = "x"
        })
      harness.settle()
      #expect(harness.provider.requests.isEmpty)
    }
  }
}
