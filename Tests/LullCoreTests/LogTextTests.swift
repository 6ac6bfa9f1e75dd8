import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LogTextTests {
  @Test(
    arguments: [
      (nil, "nil"), ("", ""), ("a", "a"), ("  a \n\t b  ", "a b"), ("abcdefgh", "abcdefgh"),
      ("abcdefghi", "abcdefgh…"), ("ab cd ef gh", "ab cd ef…"),
      ("a\u{301}ééé\r\néééé", "a\u{301}ééé ééé…"),
    ] as [(String?, String)])
  func `LOG-06 a part is nil as such, on one line, and cut where it is long`(
    text: String?, expected: String
  ) {
    #expect(LogText.part(text, limit: 8) == expected)
  }

  @Test
  func `LOG-07 an entity's dump has type, charset, headers and pretty JSON, but no credentials`()
    throws
  {
    let document = try JSONDocument(parsing: Array(#"{"a":[1,2]}"#.utf8))
    let entity = Entity(
      content: .json(document),
      headers: Headers([
        ("Content-Type", "application/json; charset=utf-8"), ("Set-Cookie", "secret"),
      ]), timestamp: 7)
    let dump = LogText.dump(entity)
    for part in [
      "content type: application/json; charset=utf-8", "charset: utf-8", "timestamp: 7.0",
      "set-cookie: …", "\"a\": [",
    ] {
      #expect(dump.contains(part), "\(part) in \(dump)")
    }
    #expect(!dump.contains("secret"))
  }

  @Test func `LOG-07 what content calls credentials is masked in a dump, before it is cut`() throws
  {
    let document = try JSONDocument(parsing: Array(#"{"access_token":"hush","n":1}"#.utf8))
    let json = LogText.content(.json(document))
    #expect(json.contains(#""access_token": "***""#) && json.contains(#""n": 1"#), "\(json)")
    let form = "password=" + String(repeating: "hush", count: 200) + "&n=1"
    #expect(LogText.content(.text(form)) == "\"password=***&n=1\"")
  }

  @Test func `LOG-07 an error's dump has message, status, cause and entity`() {
    let error = RequestError(
      userMessage: "No", httpStatusCode: 404, entity: .text("body"),
      cause: .malformedJSON(message: "at 3"), timestamp: 0)
    let dump = LogText.dump(error)
    for part in ["message: No", "status: 404", "cause: malformed_json: at 3", "\"body\""] {
      #expect(dump.contains(part), "\(part) in \(dump)")
    }
  }

  @Test func `LOG-07 a configuration's dump has times, headers, counts, stages and caches`() {
    var configuration = Configuration()
    configuration.expirationTime = 5
    configuration.headers["X-A"] = "1"
    configuration.headers["Authorization"] = "Bearer secret"
    configuration.decorateRequests { (_, request) throws(RequestError) in request }
    configuration.pipeline[.parsing].add(
      FunctionTransformer(description: "my parser") { $0 })
    configuration.pipeline[.model].cacheUsing(MemoryEntityCache())
    let dump = LogText.dump(configuration)
    for part in [
      "expiration time: 5.0 s, retry time: 1.0 s", "x-a: 1", "authorization: …",
      "0 mutations, 1 decorators", "raw_data: –", "parsing: my parser",
      "model: cache MemoryEntityCache",
    ] {
      #expect(dump.contains(part), "\(part) in \(dump)")
    }
    #expect(!dump.contains("secret"))
  }

  @Test(
    arguments: [
      (.bytes([0xff, 0, 1]), "3 bytes"), (.text("\u{0}\u{1b}"), "\"\u{0}\u{1b}\""),
      (.value([1: { 2 }] as [Int: @Sendable () -> Int]), "[1: (Function)]"),
      (.foreign(ForeignContent(id: 3, typeName: "table")), "a table of the script"),
    ] as [(Content, String)])
  func `LOG-08 JSN-08 unprintable content does not fail`(content: Content, expected: String) {
    #expect(LogText.content(content) == expected)
  }

  @Test func `LOG-10 the log names a function observer by file and line, and says why one went`() {
    withHarness { harness in
      let journal = Journal()
      harness.pump.log.enabled = [.observers]
      harness.pump.log.messageHandler = { journal($1) }
      let resource = harness.service.resource("/a")
      var owner: Owner? = Owner()
      let line = #line + 1
      if let owner { resource.addObserver(owner: owner) { _, _ in } }
      let name = "function (LullCoreTests/LogTextTests.swift:\(line))"
      #expect(journal.take() == ["/a: \(name) observes"])
      owner = nil
      resource.cancelLoadIfUnobserved()
      #expect(journal.take() == ["/a: \(name) was dropped: its owner has been collected"])
      let other = Owner()
      resource.addObserver(owner: other, file: "f", line: 3) { _, _ in }
      resource.removeObservers(ownedBy: other)
      #expect(
        journal.take() == [
          "/a: function (f:3) observes", "/a: function (f:3) has stopped observing",
        ])
    }
  }

  @Test func `LOG-07 network details and the pipeline's steps`() {
    withHarness { harness in
      let journal = Journal()
      harness.pump.log.enabled = [.networkDetails, .pipeline]
      harness.pump.log.messageHandler = { journal("\($0.rawValue): \($1)") }
      harness.stub("GET", "/a", .json("[1]"), .json("[", status: 200))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      let lines = journal.take()
      #expect(lines.count == 4)
      #expect(lines[0].hasPrefix("network_details: GET https://api.test/v1/a, request:"))
      #expect(lines[1].hasPrefix("network_details: GET https://api.test/v1/a, response:"))
      #expect(lines[2] == "pipeline: GET https://api.test/v1/a: parsing: JSON parser: json")
      #expect(lines[3] == "pipeline: GET https://api.test/v1/a: parsing: text parser: json")
      resource.load()
      harness.settle()
      #expect(
        journal.take().contains {
          $0.hasPrefix("pipeline: GET https://api.test/v1/a: parsing: JSON parser: error: Cannot")
        })
    }
  }
}
