import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceBodiesTests {
  private struct Sent: Equatable {
    var type: String?
    var body: String?

    init(_ type: String?, _ body: String?) {
      self.type = type
      self.body = body
    }
  }

  private func sent(_ send: (Resource) -> Request) throws -> Sent {
    var sent: HTTPRequest?
    withHarness { harness in
      #expect(send(harness.service.resource("/a")).method == "POST")
      sent = harness.provider.requests.first
      harness.settle()
    }
    let http = try #require(sent)
    return Sent(http.headers["content-type"], http.body.map { String(decoding: $0, as: UTF8.self) })
  }

  @Test func `REQ-06 data is sent as it is`() throws {
    #expect(
      try sent { $0.request("POST", data: [65, 66], contentType: "a/b") } == Sent("a/b", "AB"))
  }

  /// The type and the summary of a body that is read while it is sent.
  private func streamed(_ send: (Resource) -> Request) throws -> Sent {
    var sent: HTTPRequest?
    withHarness { harness in
      _ = send(harness.service.resource("/a"))
      sent = harness.provider.requests.first
      harness.settle()
    }
    let http = try #require(sent)
    #expect(http.body == nil)
    guard case .streamed(let body)? = http.payload else { return Sent(nil, nil) }
    return Sent(http.headers["content-type"], body.summary)
  }

  @Test func `BODY-01 BODY-08 a file is handed on as what it is`() throws {
    let file = UploadFile(ByteString(#filePath))
    let size = try StreamedBody(file).byteCount
    #expect(size > 1000)
    #expect(
      try streamed { $0.request("PUT", file: UploadFile(file.path, contentType: "a/b")) }
        == Sent("a/b", "file '\(#filePath)', \(size) bytes"))
    let form = MultipartForm([.init("a", "x"), .init("b", file)])
    let sent = try streamed { $0.request("POST", multipart: form) }
    #expect(sent.type?.hasPrefix("multipart/form-data; boundary=lull-") == true)
    #expect(sent.body?.hasPrefix("multipart form of a, b (file '\(#filePath)'), ") == true)
  }

  @Test func `BODY-03 a file that is not there fails the request before it is sent`() {
    withHarness { harness in
      let file = UploadFile("/no/such/file")
      for request in [
        harness.service.resource("/a").request("PUT", file: file),
        harness.service.resource("/a").request("PUT", multipart: MultipartForm([.init("a", file)])),
      ] {
        #expect(request.isCompleted)
        #expect(request.response?.error?.cause?.kind == "file_unavailable")
        #expect(
          request.response?.error?.userMessage
            == "cannot read '/no/such/file': No such file or directory")
      }
      #expect(harness.provider.requests.isEmpty)
      harness.settle()
    }
  }

  @Test func `REQ-07 REQ-08 text is UTF-8 unless told otherwise`() throws {
    #expect(
      try sent { $0.request("POST", text: "Très bien!") }
        == Sent("text/plain; charset=utf-8", "Très bien!"))
    #expect(
      try sent { $0.request("POST", text: "x", contentType: "text/x", encoding: "US-ASCII") }
        == Sent("text/x; charset=us-ascii", "x"))
  }

  @Test
  func
    `REQ-10 REQ-12 literals, whatever they mix, plain values and JSON values become compact JSON`()
    throws
  {
    let type = "application/json"
    let name = "Ada"
    let plain: [String: Any] = ["n": [1, name] as [Any]]
    let texts = ["a", "b"]
    #expect(try sent { $0.request("POST", json: [2, "be"]) } == Sent(type, #"[2,"be"]"#))
    #expect(
      try sent { $0.request("POST", json: ["a": ["b": 1, "c": [true, "x", .null]]]) }
        == Sent(type, #"{"a":{"b":1,"c":[true,"x",null]}}"#))
    #expect(try sent { $0.request("POST", json: ["name": name]) } == Sent(type, #"{"name":"Ada"}"#))
    #expect(try sent { $0.request("POST", json: plain) } == Sent(type, #"{"n":[1,"Ada"]}"#))
    #expect(try sent { $0.request("POST", json: texts) } == Sent(type, #"["a","b"]"#))
    #expect(try sent { $0.request("POST", json: .string("x")) } == Sent(type, #""x""#))
    #expect(try sent { $0.request("POST", json: [:]) } == Sent(type, "{}"))
  }

  @Test func `REQ-11 JSON goes under another content type if one is given`() throws {
    #expect(
      try sent { $0.request("POST", json: [1], contentType: "application/foo+json") }
        == Sent("application/foo+json", "[1]"))
  }

  @Test func `REQ-15 a form is escaped and sorted`() throws {
    #expect(
      try sent { $0.request("POST", urlEncoded: ["how": "now", "brown": "a cow"]) }
        == Sent("application/x-www-form-urlencoded", "brown=a%20cow&how=now"))
  }

  @Test func `REQ-22 a mutation sees the body's content type and may change it`() throws {
    var seen: String?
    let result = try sent {
      $0.request("POST", json: [1]) { http in
        seen = http.headers["content-type"]
        http.headers["content-type"] = "a/b"
      }
    }
    #expect(seen == "application/json")
    #expect(result == Sent("a/b", "[1]"))
  }

  @Test func `REQ-09 REQ-13 REQ-25 what cannot be encoded fails at once, untracked and unsent`() {
    let rows: [(Resource) -> Request] = [
      { $0.request("POST", json: [.double(.nan)]) },
      { $0.request("POST", json: ["a": Owner()]) },
      { $0.request("POST", json: [Owner()]) },
      { $0.request("POST", text: "é", encoding: "us-ascii") },
    ]
    let causes = rows.map { send in
      var cause: String?
      withHarness { harness in
        let resource = harness.service.resource("/a")
        let request = send(resource)
        #expect(request.isCompleted)
        #expect(resource.allRequests.isEmpty)
        #expect(harness.provider.requests.isEmpty)
        #expect(request.response?.error?.userMessage == "Cannot send request")
        var hookRan = false
        request.onFailure { _ in hookRan = true }
        #expect(!hookRan)
        harness.settle()
        #expect(hookRan)
        cause = request.response?.error?.cause.map { "\($0.kind): \($0.message)" }
      }
      return cause
    }
    #expect(
      causes == [
        "invalid_json_object: JSON cannot represent the number nan at /0",
        "invalid_json_object: JSON cannot represent Owner at /a",
        "invalid_json_object: JSON cannot represent Owner at /0",
        "unencodable_text: the text cannot be represented in us-ascii",
      ])
  }
}
