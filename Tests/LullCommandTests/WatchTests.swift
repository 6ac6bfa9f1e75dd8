import Testing

@testable import lull

/// Content, and changes as they come.
@Suite("lull watch", .timeLimit(.minutes(20)))
struct WatchTests {
  private func answer(_ body: String, _ status: String = "200 OK", _ headers: String...)
    -> [[UInt8]]
  {
    let lines = ["HTTP/1.1 \(status)", "Content-Type: application/json"] + headers
    let head = lines + ["Content-Length: \(body.utf8.count)", "Connection: close", "", body]
    return [Array(head.joined(separator: "\r\n").utf8)]
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["watch"] + words).wait()
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  @Test func `WATCH-01 first what there is, then each change`() throws {
    let server = try HeldServer([
      answer(#"[{"id":1,"n":1},{"id":2}]"#), answer(#"[{"n":1.0,"id":1},{"id":2}]"#),
      answer(#"[{"id":1,"n":2}]"#), answer(#"[{"id":1,"n":2}]"#), answer(#"{"n":1}"#),
    ])
    defer { server.stop() }
    let ending = try run(server.url, "--every", "0.1", "--count", "5")
    #expect(
      lines(ending.output) == [
        #"[{"id":1,"n":1},{"id":2}]"#, #"- {"id":2}"#, "~ id 1: n 1.0 → 2",
        #"~ [{"id":1,"n":2}] → {"n":1}"#,
      ])
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    #expect(server.requests.count == 5)
  }

  @Test func `WATCH-01 as JSON each is a line that is an object, at once, of what -f gives`() throws
  {
    let server = try HeldServer(
      [answer(#"{"n":1,"m":0}"#), answer(#"{"n":1,"m":1}"#), answer(#"{"n":2}"#)])
    defer { server.stop() }
    let ending = try run(
      server.url, "--every", "0.1", "--count", "3", "-f", "{ x.n }", "-o", "ndjson")
    #expect(
      lines(ending.output) == [#"{"first":[1]}"#, #"{"added":[2],"removed":[1],"changed":[]}"#])
    let child = try Child(Binaries.lull, ["watch", server.url, "--every", "600", "-o", "json"])
    try child.waitForOutput("{\"first\":{\"n\":2}}\n")
    child.send(2)
    #expect(try child.wait().code == 130)
  }

  @Test func `WATCH-02 the server is asked whether there is anything new`() throws {
    let server = try HeldServer([
      answer("[1]", "200 OK", "ETag: \"a\""),
      [Array("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n".utf8)],
      answer("[2]", "200 OK", "ETag: \"b\""),
    ])
    defer { server.stop() }
    let ending = try run(server.url, "--every", "0.1", "--count", "3", "X-Tag:t")
    #expect(lines(ending.output) == ["[1]", "- 1", "+ 2"])
    let conditions = server.requests.map { request in
      let line = request.split(separator: "\r\n").first {
        $0.lowercased().hasPrefix("if-none-match")
      }
      return line.map { String($0.dropFirst(15)) } ?? ""
    }
    #expect(conditions == ["", "\"a\"", "\"a\""])
    #expect(server.requests.allSatisfy { $0.lowercased().contains("x-tag: t") })
  }

  @Test func `WATCH-03 a failure is told once, and it goes on`() throws {
    let server = try HeldServer([
      answer("[1]"), answer("[9]", "503 Service Unavailable"),
      answer("[9]", "503 Service Unavailable"), answer("[9]", "404 Not Found"), answer("[2]"),
    ])
    defer { server.stop() }
    let ending = try run(server.url, "--every", "0.1", "--count", "5")
    #expect(lines(ending.output) == ["[1]", "- 1", "+ 2"])
    let errors = lines(ending.errors)
    #expect(errors.count == 3)
    #expect(errors.first?.contains("→ 503") == true)
    #expect(errors.dropFirst().first?.contains("→ 404") == true)
    #expect(errors.last == "lull: the server responds again")
    #expect(ending.code == 0)
  }

  @Test func `WATCH-03 what cannot become better ends it where nothing has come yet`() throws {
    let missing = try HeldServer([answer("[9]", "404 Not Found")])
    defer { missing.stop() }
    #expect(try run(missing.url).code == 4)
    let busy = try HeldServer([answer("[9]", "503 Service Unavailable")])
    defer { busy.stop() }
    #expect(try run(busy.url, "--every", "0.1", "--count", "2").code == 5)
    #expect(busy.requests.count == 2)
    #expect(try run("http://127.0.0.1:1/", "--every", "0.1", "--count", "2").code == 6)
    let wrong = try HeldServer([answer("[1]")])
    defer { wrong.stop() }
    #expect(try run(wrong.url, "-f", "nothing(").code == 1)
    #expect(wrong.requests.isEmpty)
    #expect(try run(wrong.url, "-f", "x.a.b").code == 1)
  }

  @Test func `WATCH-04 after failures it asks less and less often, and not before Retry-After`() {
    var pace = WatchPace()
    #expect(pace.delay(usual: 5, wanted: nil) == 5)
    #expect(pace.delay(usual: 5, wanted: 100) == 5)
    var delays: [Double] = []
    for _ in 0..<6 {
      pace.failed()
      delays.append(pace.delay(usual: 5, wanted: nil))
    }
    #expect(delays == [5, 10, 20, 40, 60, 60])
    #expect(pace.delay(usual: 5, wanted: 100) == 100)
    #expect(pace.delay(usual: 300, wanted: 100) == 300)
    for _ in 0..<100 { pace.failed() }
    #expect(pace.delay(usual: 0.1, wanted: nil) == 60)
    pace.answered()
    #expect(pace.delay(usual: 5, wanted: 100) == 5)
  }

  @Test func `WATCH-04 a server that asks for patience gets it`() throws {
    let server = try HeldServer([
      answer("[1]"), answer("[9]", "503 Service Unavailable", "Retry-After: 1"), answer("[2]"),
    ])
    defer { server.stop() }
    let start = Child.now
    let ending = try run(server.url, "--every", "0.1", "--count", "3")
    #expect(lines(ending.output) == ["[1]", "- 1", "+ 2"])
    #expect(Child.now - start >= 1.1)
  }

  @Test func `WATCH-05 a stream of events is not watched, since it comes by itself`() throws {
    let sample = try SampleAPI()
    for path in ["/events", "/events?count=1"] {
      let ending = try run(sample.url + path)
      #expect(ending.code == 2)
      #expect(ending.output == "")
      #expect(ending.errors.contains("--stream"))
      #expect(lines(ending.errors).count == 1)
    }
    #expect(
      StreamAlarm.isOfEvents(Array("HTTP/1.1 200 OK\r\nCONTENT-TYPE:\ttext/Event-Stream; a=b".utf8))
    )
    #expect(!StreamAlarm.isOfEvents(Array("content-type: text/plain\r\nx: text/event-stream".utf8)))
  }

  @Test(arguments: [
    (["--every", "0"], "0.1 at least"), (["--every", "-1"], "0.1 at least"),
    (["--every", "nan"], "number"), (["--every", "x"], "number"), (["--count", "0"], "above 0"),
    (["--all"], "lull changed --all"), (["--offline"], "watching needs the server"),
    (["--fresh"], "goes to the server"), (["a=1"], "GET without a body"),
    (["-o", "csv"], "json or ndjson"),
    (["-n", "2"], "--every"), (["-O", "f"], "> FILE"),
  ])
  func `WATCH-06 what does not go with it is refused in one line`(
    words: [String], problem: String
  ) throws {
    let ending = try Child(Binaries.lull, ["watch", "http://127.0.0.1:1/"] + words).wait()
    #expect(ending.code == 2)
    #expect(lines(ending.errors).first?.contains(problem) == true, "\(ending.errors)")
  }

  @Test func `WATCH-06 who stops reading ends it`() throws {
    let server = try HeldServer([answer("[1]"), answer("[2]"), answer("[3]")])
    defer { server.stop() }
    let ending = try shell(
      "lull watch \(server.url) --every 0.1 | head -n 1; echo ${PIPESTATUS[0]}")
    #expect(ending.output == "[1]\n141\n")
    #expect(ending.errors == "")
  }

  @Test func `WATCH-07 a terminal is shown the time of each change, and colours`() throws {
    let server = try HeldServer([answer(#"["a"]"#), answer("[\"b\\u001b[2J\"]")])
    defer { server.stop() }
    func output(_ noColour: String) throws -> String {
      try Child(
        Binaries.lull, ["watch", server.url, "--every", "0.1", "--count", "2"],
        environment: ["TERM": "xterm", "NO_COLOR": noColour], terminal: true
      ).wait().output
    }
    let coloured = try output("")
    #expect(coloured.contains("\u{1B}[31m- \"a\"\u{1B}[0m"))
    #expect(coloured.contains("\u{1B}[32m+ \"b"))
    #expect(coloured.contains(/\u{1B}\[2m\d\d:\d\d:\d\d/))
    #expect(!coloured.contains("\u{1B}[2J"))
    #expect(!(try output("1")).contains("\u{1B}[3"))
  }

  @Test func `WATCH-08 what an API's file configures counts, and how long data is fresh`() throws {
    let server = try HeldServer([answer(#"{"n":1}"#), answer(#"{"n":2}"#)])
    defer { server.stop() }
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local s = require("lull").service("\(server.url)")
      s:configure{ headers = { ["X-From"] = "file" }, expiration_time = 1 }
      return s
      """)
    let ending = try Child(
      Binaries.lull, ["watch", "shop", "/x", "--count", "2"], folder: folder.path
    ).wait()
    #expect(lines(ending.output) == [#"{"n":1}"#, "~ n: 1 → 2"])
    #expect(server.requests.allSatisfy { $0.lowercased().contains("x-from: file") })
  }
}
