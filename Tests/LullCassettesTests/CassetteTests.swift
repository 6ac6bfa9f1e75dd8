import LullCassettes
import LullCore
import Testing

@Suite(.timeLimit(.minutes(20))) struct CassetteTests {
  private static func entry(
    _ method: String, _ path: String, _ answer: String, body: HARBody? = nil,
    headers: [HARHeader] = []
  ) -> HAREntry {
    HAREntry(
      started: 0, milliseconds: 0, request: request(method, path, body: body, headers: headers),
      response: HARResponse(status: 200, body: HARBody(Array(answer.utf8))))
  }

  private static func request(
    _ method: String, _ path: String, body: HARBody? = nil, headers: [HARHeader] = []
  ) -> HARRequest {
    HARRequest(method: method, url: "https://a.test" + path, headers: headers, body: body)
  }

  private static func part(_ boundary: String, quote: String = "") -> HARBody {
    HARBody(
      Array("--\(boundary)\r\n\r\nx\r\n--\(boundary)--\r\n".utf8),
      type: "multipart/form-data; boundary=\(quote)\(boundary)\(quote)")
  }

  private static func json(_ text: String) -> HARBody {
    HARBody(Array(text.utf8), type: "application/json")
  }

  /// The text of the answer, or the sentence that says why there is none.
  private static func ask(_ cassette: inout Cassette, _ request: HARRequest) -> String {
    do throws(CassetteMiss) {
      let bytes = try cassette.answer(to: request).response?.body?.bytes ?? []
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      return error.description
    }
  }

  @Test func `CAS-01 the same request gets what was recorded for it in order, then the last again`()
  {
    var cassette = Cassette([
      CassetteTests.entry("GET", "/a", "1"), CassetteTests.entry("GET", "/b", "other"),
      CassetteTests.entry("GET", "/a", "2"),
    ])
    let request = CassetteTests.request("GET", "/a")
    #expect((0..<4).map { _ in CassetteTests.ask(&cassette, request) } == ["1", "2", "2", "2"])
    #expect(cassette.unplayed == [CassetteTests.entry("GET", "/b", "other")])
  }

  @Test func `CAS-02 a GET moves on when what it reads has been written, and not before`() {
    let entries = [
      CassetteTests.entry("GET", "/a", "old"), CassetteTests.entry("GET", "/a", "still old"),
      CassetteTests.entry("PUT", "/a", "written"), CassetteTests.entry("GET", "/a", "new"),
      CassetteTests.entry("GET", "/b", "b"),
    ]
    let (get, put) = (CassetteTests.request("GET", "/a"), CassetteTests.request("PUT", "/a"))
    var cassette = Cassette(entries)
    #expect(CassetteTests.ask(&cassette, get) == "old")
    #expect(CassetteTests.ask(&cassette, put) == "written")
    // What nobody has asked for before the write is of the past.
    #expect(CassetteTests.ask(&cassette, get) == "new")
    #expect(CassetteTests.ask(&cassette, get) == "new")
    #expect(CassetteTests.ask(&cassette, CassetteTests.request("GET", "/b")) == "b")

    cassette = Cassette(entries)
    let answers = (0..<4).map { _ in CassetteTests.ask(&cassette, get) }
    #expect(answers == ["old", "still old", "still old", "still old"])
  }

  @Test
  func `CAS-03 what was recorded only before or only after a write is missed on its other side`() {
    let (get, put) = (CassetteTests.request("GET", "/a"), CassetteTests.request("PUT", "/a"))
    var cassette = Cassette([
      CassetteTests.entry("PUT", "/a", ""), CassetteTests.entry("GET", "/a", "new"),
    ])
    #expect(CassetteTests.ask(&cassette, get).contains("only after a write that has not happened"))
    #expect(CassetteTests.ask(&cassette, put) == "")
    #expect(CassetteTests.ask(&cassette, get) == "new")
    cassette = Cassette([
      CassetteTests.entry("GET", "/a", "old"), CassetteTests.entry("PUT", "/a", ""),
    ])
    #expect(CassetteTests.ask(&cassette, put) == "")
    #expect(
      CassetteTests.ask(&cassette, get).contains("only before a write that has already happened"))
  }

  @Test
  func
    `CAS-04 bodies are compared as JSON values, forms of parts without their boundary, others by bytes`()
  {
    let recorded = CassetteTests.json(#"{"a": 1.0, "b": ["x", null]}"#)
    var cassette = Cassette([
      CassetteTests.entry("POST", "/j", "json", body: recorded),
      CassetteTests.entry("POST", "/m", "parts", body: CassetteTests.part("abc")),
      CassetteTests.entry("POST", "/t", "text", body: HARBody(Array("a=1".utf8))),
    ])
    let same = CassetteTests.json(#"{"b":["x",null],"a":1}"#)
    let reordered = CassetteTests.request("POST", "/j", body: same)
    #expect(CassetteTests.ask(&cassette, reordered) == "json")
    let parts = CassetteTests.request("POST", "/m", body: CassetteTests.part("x-y", quote: "\""))
    #expect(CassetteTests.ask(&cassette, parts) == "parts")
    let other = CassetteTests.json(#"{"b":["x",0],"a":1}"#)
    let miss = CassetteTests.ask(&cassette, CassetteTests.request("POST", "/j", body: other))
    #expect(miss.hasPrefix("POST https://a.test/j was not recorded; nearest is exchange 1"))
    #expect(miss.contains("body:") && miss.contains("b[]"), "\(miss)")
    let text = CassetteTests.request("POST", "/t", body: HARBody(Array("a=2".utf8)))
    #expect(CassetteTests.ask(&cassette, text).contains("body: 3 bytes, with different content"))
    let none = CassetteTests.request("POST", "/t")
    let absence = CassetteTests.ask(&cassette, none)
    #expect(absence.contains("body: recorded with a body, sent without one"))
  }

  @Test func `CAS-05 a miss names the nearest recording and what differs`() {
    var cassette = Cassette(
      [
        CassetteTests.entry("GET", "/a?page=1&q=x", "", headers: [HARHeader("X-Tenant", "one")]),
        CassetteTests.entry("GET", "/b", ""),
      ], comparing: ["x-tenant"])
    #expect(
      CassetteTests.ask(
        &cassette,
        CassetteTests.request("GET", "/a?page=2&q=x", headers: [HARHeader("x-tenant", "two")]))
          == """
          GET https://a.test/a?page=2&q=x was not recorded; nearest is exchange 1, GET https://a.test/a?page=1&q=x:
            query 'page': 1 → 2
            header 'x-tenant': one → two
          """)
    #expect(
      CassetteTests.ask(&cassette, CassetteTests.request("DELETE", "/b")).hasSuffix(
        "\n  method: GET → DELETE"))
    #expect(
      CassetteTests.ask(&cassette, CassetteTests.request("GET", "/c")).hasSuffix(
        "\n  path: /b → /c"))
    var empty = Cassette([])
    #expect(
      CassetteTests.ask(&empty, CassetteTests.request("GET", "/a"))
        == "GET https://a.test/a was not recorded: the recording is empty")
    var bodyless = CassetteTests.entry("GET", "/a", "")
    bodyless.response?.body = nil
    bodyless.response?.lacksBody = true
    var left = Cassette([bodyless])
    #expect(
      CassetteTests.ask(&left, CassetteTests.request("GET", "/a"))
        == "GET https://a.test/a was recorded without its response body")
  }

  @Test func `CAS-120 a body that cannot be read affects only its exchange`() {
    var unreadable = CassetteTests.entry("GET", "/a", "")
    unreadable.response?.body = nil
    unreadable.response?.lacksBody = true
    unreadable.response?.bodyProblem = "at /x: invalid base64"
    var posted = CassetteTests.entry("POST", "/b", "posted")
    posted.request.body = nil
    posted.request.bodyProblem = "at /y: invalid base64"
    var cassette = Cassette([unreadable, posted, CassetteTests.entry("GET", "/c", "fine")])
    #expect(
      CassetteTests.ask(&cassette, CassetteTests.request("GET", "/a"))
        == "GET https://a.test/a was recorded with a response body that cannot be read: "
        + "at /x: invalid base64"
    )
    #expect(
      CassetteTests.ask(&cassette, CassetteTests.request("POST", "/b"))
        .hasSuffix("body: the recorded body cannot be read: at /y: invalid base64"))
    #expect(CassetteTests.ask(&cassette, CassetteTests.request("GET", "/c")) == "fine")
  }

  @Test func `CAS-51 what is noted while it is recorded answers nothing, but its writes count`() {
    var cassette = Cassette([CassetteTests.entry("GET", "/a", "old")])
    #expect(CassetteTests.ask(&cassette, CassetteTests.request("GET", "/a")) == "old")
    cassette.note(CassetteTests.request("POST", "/a"))
    #expect(
      CassetteTests.ask(&cassette, CassetteTests.request("GET", "/a"))
        == "GET https://a.test/a was recorded only before a write that has already happened in this run"
    )
    cassette.note(CassetteTests.request("GET", "/a"))
    // The second time it is asked for again, too.
    #expect(CassetteTests.ask(&cassette, CassetteTests.request("GET", "/a")).contains("recorded"))
    cassette.note(CassetteTests.request("GET", "/b"))
    #expect(CassetteTests.ask(&cassette, CassetteTests.request("GET", "/b")).contains("recorded"))
    #expect(cassette.entries.count == 4)
  }

  @Test(arguments: [
    ("https://a.test/x", "https://A.test:443/x"), ("http://a.test:80", "HTTP://a.test/"),
    ("https://a.test/%c3%a4?q=%C3%A4", "https://a.test/%C3%A4?q=%c3%a4"),
    ("https://a.test/x#part", "https://a.test/x"),
  ])
  func `CAS-06 URLs are compared without what makes no difference`(recorded: String, asked: String)
  {
    let entry = HAREntry(
      started: 0, milliseconds: 0, request: HARRequest(method: "GET", url: recorded),
      response: HARResponse(status: 204))
    var cassette = Cassette([entry])
    #expect(
      throws: Never.self,
      performing: {
        try cassette.answer(to: HARRequest(method: "GET", url: asked))
      })
    for other in ["https://a.test:8443/x", "http://a.test/x", "https://a.test/X"] {
      var cassette = Cassette([entry])
      #expect(
        throws: CassetteMiss.self,
        performing: {
          try cassette.answer(to: HARRequest(method: "GET", url: other))
        })
    }
  }

  @Test func `CAS-07 that something has not changed answers those only who have it`() {
    var entry = CassetteTests.entry("GET", "/a", "")
    entry.response = HARResponse(status: 304)
    var cassette = Cassette([entry])
    #expect(
      CassetteTests.ask(&cassette, CassetteTests.request("GET", "/a"))
        == "GET https://a.test/a was recorded as 304 Not Modified, by a program that had the data "
        + "cached: record it with an empty cache")
    let conditional = CassetteTests.request(
      "GET", "/a", headers: [HARHeader("If-None-Match", "\"1\"")])
    #expect(CassetteTests.ask(&cassette, conditional).isEmpty)
  }
}
