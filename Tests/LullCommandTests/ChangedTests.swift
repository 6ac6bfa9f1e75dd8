import Testing

/// What is new since the last time.
@Suite("lull changed", .timeLimit(.minutes(20)))
struct ChangedTests {
  private let state: TemporaryFolder

  init() throws { state = try TemporaryFolder() }

  private func run(_ words: [String]) throws -> Child.Ending {
    try Child(
      Binaries.lull, ["changed"] + words,
      environment: ["XDG_STATE_HOME": state.path, "XDG_CONFIG_HOME": state.path]
    ).wait()
  }

  private func run(_ words: String...) throws -> Child.Ending { try run(words) }

  /// One that answers each request with the next of these, each a type and a body, the last one from then on.
  private func server(_ answers: (type: String, body: String)...) throws -> HeldServer {
    try HeldServer(
      answers.map { type, body in
        let status = Int(type).map { "\($0) Status" } ?? "200 OK"
        return [
          HeldServer.head(
            status, "Content-Type: \(Int(type) == nil ? type : "application/json")",
            "Content-Length: \(body.utf8.count)") + Array(body.utf8)
        ]
      })
  }

  private let json = "application/json"

  private func files(_ what: String = "-printf '%m %f\\n'") throws -> [Substring] {
    try shell("find lull -type f -name '*.json' \(what)", folder: state.path).output
      .split(separator: "\n")
  }

  @Test func `DIFF-01 the exit code says whether something is new, and what it is is written`()
    throws
  {
    let server = try server(
      (json, #"[{"id":1,"n":2},{"id":2}]"#), (json, #"[{"n":2.0,"id":1},{"id":2}]"#),
      (json, #"[{"id":1,"n":3},{"id":4}]"#))
    defer { server.stop() }
    let first = try run(server.url)
    #expect(first.code == 0)
    #expect(first.output == "")
    #expect(first.errors == "lull: first run: there is nothing to compare with\n")
    let second = try run(server.url)
    #expect(second.code == 7)
    #expect(second.output + second.errors == "")
    let third = try run(server.url)
    #expect(third.code == 0)
    #expect(third.output == "- {\"id\":2}\n~ id 1: n 2 → 3\n+ {\"id\":4}\n")
    #expect(third.errors == "")
    #expect(try run(server.url).code == 7)
  }

  @Test func `DIFF-01 as JSON it is one object, and of text lines`() throws {
    let server = try server(
      (json, #"{"a":{"b":1}}"#), (json, #"{"a":{"b":2},"c":12345678901234567890}"#),
      ("text/plain", "a\nb\n"), ("text/plain", "a\nc\n"), ("application/octet-stream", "\u{0}1"),
      ("application/octet-stream", "\u{0}2"))
    defer { server.stop() }
    _ = try run(server.url, "-o", "json")
    #expect(
      try run(server.url, "-o", "json").output
        == #"{"added":[{"field":"c","value":12345678901234567890}],"removed":[],"#
        + #""changed":[{"field":"a.b","old":1,"new":2}]}"# + "\n")
    #expect(try run(server.url).output.hasSuffix(#" → "a\nb\n""# + "\n"))
    #expect(try run(server.url).output == "- b\n+ c\n")
    #expect(try run(server.url).output.hasPrefix(#"~ "a\nc\n" → "2 bytes, SHA-256 "#))
    #expect(try run(server.url).output.hasPrefix(#"~ "2 bytes, SHA-256 "#))
  }

  @Test func `DIFF-01 all pages are one list, and -f says what is compared`() throws {
    let sample = try SampleAPI()
    let words = ["\(sample.url)/users", "--all", "-f", "map(x, 'name')"]
    #expect(try run(words).code == 0)
    #expect(try run(words).code == 7)
    #expect(try lull("patch", "\(sample.url)/users/25", "visits:=1000").code == 0)
    #expect(try run(words).code == 7)
    #expect(try lull("patch", "\(sample.url)/users/25", "name=Zoe").code == 0)
    let ending = try run(words)
    #expect(ending.code == 0)
    #expect(ending.output.hasSuffix("+ \"Zoe\"\n"))
    #expect(try run("\(sample.url)/users", "--all", "-f", "nothing(").code == 1)
  }

  @Test
  func `DIFF-06 each question has a file of its own, for its owner alone, that does not tell it`()
    throws
  {
    let server = try server((json, "[1]"))
    defer { server.stop() }
    let url = "\(server.url)/?key=hunter2"
    let questions = [
      [url], [url, "-f", "x[1]"], [url, "-a", "ann:pw"], [url, "-a", "bob:pw"],
      [url, "X-Api-Key:a"], [url, "-H", "X-Api-Key: b"], [url, "--session", "s"], [url, "q==1"],
      [url, "--pages", "1"],
    ]
    for question in questions {
      #expect(try run(question).errors.contains("first run"), "\(question)")
    }
    for question in questions { #expect(try run(question).code == 7, "\(question)") }
    #expect(try run(url, "--timeout", "9", "--fresh", "-f", "x").code == 7)
    let kept = try files().filter { !$0.hasSuffix(" s.json") }
    #expect(kept.count == questions.count)
    #expect(kept.allSatisfy { $0.hasPrefix("600 ") && $0.utf8.count == 4 + 64 + 5 })
    let text = try shell("cat lull/changed/*", folder: state.path).output
    #expect(!text.contains("hunter2") && !text.contains("ann") && !text.contains("127.0.0.1"))
  }

  @Test func `DIFF-07 a failure leaves what was kept as it was`() throws {
    let server = try server((json, "[1]"), ("404", "[2]"), ("503", "[3]"), (json, "[1]"))
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let missing = try run(server.url)
    #expect(missing.code == 4)
    #expect(missing.output == "")
    #expect(missing.errors.contains("404"))
    #expect(try run(server.url).code == 5)
    #expect(try run(server.url).code == 7)
    #expect(try run("http://127.0.0.1:1/").code == 6)
  }

  @Test(arguments: [
    ("", "is not JSON"), ("{", "is not JSON"),
    ("[1]", "of another version of Lull: delete it with --forget"),
    (
      #"{"lull_changed":1,"question":"x","json":"[1]"}"#,
      "of another version of Lull: delete it with --forget"
    ),
    (#"{"lull_changed":2}"#, "of another version of Lull: delete it with --forget"),
  ])
  func `DIFF-08 what was kept and is damaged is told, and nothing is asked`(
    text: String, problem: String
  ) throws {
    let server = try server((json, "[1]"))
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let file = "lull/changed/" + String(try files("-printf '%f'").first ?? "")
    try state.write(file, text, mode: 0o600)
    let asked = server.requests.count
    let ending = try run(server.url)
    #expect(ending.code == 1)
    #expect(ending.output == "")
    #expect(ending.errors.contains(problem), "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(server.requests.count == asked)
    #expect(try shell("cat \(file)", folder: state.path).output == text)
    let forgotten = try run(server.url, "--forget")
    #expect(forgotten.code == 0)
    #expect(forgotten.errors == "lull: deleted the stored response\n")
    #expect(
      try run(server.url, "--forget").errors == "lull: there was no stored response to forget\n")
    #expect(server.requests.count == asked)
    #expect(try run(server.url).errors.contains("first run"))
  }

  @Test func `DIFF-08 so is a file that others may read, or of which a part is missing`() throws {
    let server = try server((json, "[1]"))
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let file = "lull/changed/" + String(try files("-printf '%f'").first ?? "")
    _ = try shell("chmod 644 \(file)", folder: state.path)
    #expect(try run(server.url).errors.contains("can be read by other users"))
    _ = try shell("chmod 600 \(file); truncate -s 40 \(file)", folder: state.path)
    #expect(try run(server.url).code == 1)
    let none = try Child(
      Binaries.lull, ["changed", server.url], environment: ["XDG_STATE_HOME": "", "HOME": ""]
    ).wait()
    #expect(none.code == 1)
    #expect(none.errors.contains("XDG_STATE_HOME"))
  }

  @Test func `DIFF-09 of several at once each change is told by one`() throws {
    let server = try server((json, "[1]"), (json, "[1,2]"))
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let children = try (0..<6).map { _ in
      try Child(
        Binaries.lull, ["changed", server.url], environment: ["XDG_STATE_HOME": state.path])
    }
    let endings = try children.map { try $0.wait() }
    #expect(endings.map(\.code).sorted() == [0, 7, 7, 7, 7, 7])
    #expect(endings.map(\.output).joined() == "+ 2\n")
  }

  @Test func `DIFF-09 what could not be written is told again`() throws {
    let server = try server((json, "[1]"), (json, "[1,2]"))
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let full = try shell(
      "lull changed \(server.url) >/dev/full", environment: ["XDG_STATE_HOME": state.path])
    #expect(full.code == 1)
    #expect(full.errors.contains("cannot write the output"))
    #expect(try run(server.url).output == "+ 2\n")
    #expect(try run(server.url).code == 7)
  }

  @Test func `DIFF-07 Ctrl-C leaves it too`() throws {
    let server = try HeldServer(
      [
        [HeldServer.head("200 OK", "Content-Type: application/json") + Array("[1]".utf8)],
        [HeldServer.head("200 OK", "Content-Type: application/json"), Array("[2]".utf8)],
      ], released: 2)
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let child = try Child(
      Binaries.lull, ["changed", server.url], environment: ["XDG_STATE_HOME": state.path])
    try server.waitForSent(2, by: child)
    child.send(2)
    let ending = try child.wait()
    #expect(ending.code == 130)
    #expect(ending.output == "")
    server.release(100)
    #expect(try run(server.url).output == "- 1\n+ 2\n")
  }

  @Test(arguments: [
    (["a=1"], "sends GET without a body"), (["-O", "f"], "lull changed … > FILE"),
    (["-o", "table"], "json or ndjson"), (["--stream"], "lull get --stream"),
    (["-r"], "plain lines"),
    (["--columns", "a"], "-f 'pick"), (["-d", "x"], "GET without a body"),
    (["-f", ""], "needs an expression"),
    (["If-None-Match:x"], "remove If-None-Match"), (["--pages", "0"], "above 0"),
    (["-a", "u:p", "Authorization:"], "-a cannot be combined with a header"),
  ])
  func `DIFF-10 what is of one answer, or of another method, is refused in one line`(
    words: [String], problem: String
  ) throws {
    let ending = try run(["http://127.0.0.1:1/"] + words)
    #expect(ending.code == 2)
    #expect(
      ending.errors.split(separator: "\n").first?.contains(problem) == true, "\(ending.errors)")
    #expect(try files().isEmpty)
  }

  @Test func `DIFF-10 of the defaults those count that say how to ask`() throws {
    let server = try server((json, "[1]"), (json, "[2]"))
    defer { server.stop() }
    try state.write(
      "lull/config.lua",
      "return { output = 'table', columns = 'a', include = true, headers = { ['X-Tag'] = 't' } }")
    #expect(try run(server.url).code == 0)
    #expect(try run(server.url).output == "- 1\n+ 2\n")
    #expect(server.requests.allSatisfy { $0.lowercased().contains("x-tag: t") })
    #expect(try run(server.url, "--no-config").errors.contains("first run"))
  }

  @Test func `DIFF-11 a terminal is shown it in colours, and control characters`() throws {
    let server = try server((json, #"["a"]"#), (json, "[\"b\\u001b[2J\u{9B}\"]"))
    defer { server.stop() }
    #expect(try run(server.url).code == 0)
    let ending = try Child(
      Binaries.lull, ["changed", server.url],
      environment: ["XDG_STATE_HOME": state.path, "TERM": "xterm", "NO_COLOR": ""], terminal: true
    ).wait()
    #expect(ending.output.contains("\u{1B}[31m- \"a\"\u{1B}[0m"))
    #expect(ending.output.contains("\u{1B}[32m+ \"b"))
    #expect(!ending.output.contains("\u{1B}[2J") && !ending.output.contains("\u{9B}"))
  }
}
