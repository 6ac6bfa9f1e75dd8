import LullLibC
import Testing

@Suite("The pager", .timeLimit(.minutes(20)))
struct PagerTests {
  private let folder: TemporaryFolder
  private let sample: SampleAPI

  init() throws {
    folder = try TemporaryFolder()
    sample = try SampleAPI()
  }

  private var list: String { "\(sample.url)/users?per_page=25" }

  /// Runs `lull` at a terminal of 60 columns and 10 rows.
  private func start(
    _ words: String, pager: String? = "sed s/^/P:/", term: String = "xterm"
  ) throws -> Child {
    var environment = ["TERM": term, "NO_COLOR": "1", "LULL": Binaries.lull]
    if let pager { environment["PAGER"] = pager }
    return try Child(
      "bash", ["-c", "\(pager == nil ? "unset PAGER; " : "")stty cols 60 rows 10; $LULL \(words)"],
      environment: environment, folder: folder.path, terminal: true)
  }

  private func run(
    _ words: String, pager: String? = "sed s/^/P:/", term: String = "xterm"
  ) throws -> Child.Ending {
    try start(words, pager: pager, term: term).wait()
  }

  @Test(arguments: ["", "-o table", "-f x", "-i", "--all", "--all -f x", "-o csv"])
  func `SHOW-06 what is longer than the screen goes through it`(options: String) throws {
    let ending = try run("get '\(list)' \(options)")
    #expect(ending.output.hasPrefix("P:"), "\(ending.output.prefix(200))")
    #expect(ending.output.contains("Ada Lovelace"))
    #expect(!ending.output.split(separator: "\r\n").contains { !$0.hasPrefix("P:") })
    #expect(ending.code == 0)
  }

  @Test func `SHOW-06 an error's content too, and lines that wrap count for what they take`() throws
  {
    let wide = try run("get '\(sample.url)/large?items=3' -f '(\"x\"):rep(700)' -o lines")
    #expect(wide.output.hasPrefix("P:"))
    let narrow = try run("get '\(sample.url)/large?items=3' -f '(\"x\"):rep(500)' -o lines")
    #expect(narrow.output.hasPrefix("x"))
    let lines = #"(function() local t = {} for i = 1, 9 do t[i] = "é" end return t end)()"#
    #expect(try run("get '\(list)' -f '\(lines)' -o lines").output.hasPrefix("é"))
  }

  @Test(arguments: [
    ("get :1/", "lull: cannot connect"), ("get URL/users/1", "{"), ("get LIST --no-pager", "["),
    ("get LIST -o ndjson --all", "{"), ("get LIST --dry-run", "GET"),
    ("get URL/bytes/9999 -O -", "\\x00"),
    ("get URL/bytes/9999 -o raw", "\\x00"), ("get LIST | cat", "["),
  ])
  func `SHOW-06 nothing else does`(words: String, prefix: String) throws {
    let words = words.replacing("LIST", with: "'\(list)'").replacing("URL", with: sample.url)
    let ending = try run(words)
    #expect(ending.output.hasPrefix(prefix), "\(ending.output.prefix(100))")
    #expect(!ending.output.contains("P:"))
  }

  @Test(arguments: ["", "cat", " ", " cat "])
  func `SHOW-06 nor where none is wanted`(pager: String) throws {
    #expect(try run("get '\(list)'", pager: pager).output.hasPrefix("["))
    #expect(try run("get '\(list)'", term: "dumb").output.hasPrefix("["))
  }

  @Test func `SHOW-07 one that ends early, fails or is not there loses nothing and is no error`()
    throws
  {
    let early = try run("get '\(sample.url)/large?items=5000'", pager: "head -n 2")
    #expect(early.output == "[\r\n  {\r\n")
    #expect(early.code == 0)
    #expect(try run("get '\(list)'", pager: "cat >/dev/null; exit 3").code == 0)
    let missing = try run("get '\(list)'", pager: "/nowhere/pager -x")
    #expect(
      missing.output.contains(
        "lull: PAGER is '/nowhere/pager -x', which cannot be run: use --no-pager\r\n[\r\n"),
      "\(missing.output.prefix(300))")
    #expect(missing.code == 0)
  }

  @Test func `SHOW-07 the exit code is that of the request`() throws {
    let ending = try run("get '\(sample.url)/status/404' -f 1")
    #expect(ending.code == 4)
  }

  @Test func `SHOW-07 Ctrl-C while it reads is its business`() throws {
    let pager =
      "trap 'echo got it' INT; read first; echo ready; while read line; do :; done; "
      + "until [ -e done ]; do sleep 0.05; done; echo left"
    let child = try start("get '\(list)'; echo code $?", pager: pager)
    try child.waitForOutput("ready")
    child.type(Child.controlC)
    try child.waitForOutput("got it")
    try folder.write("done", "")
    // bash ends with what it has run if that was ended by the signal.
    let ending = try child.wait()
    #expect(ending.output.contains("left\r\n"), "\(ending.output)")
    #expect(ending.output.hasSuffix("code 0\r\n") || ending.code == 130, "\(ending.output)")
  }

  @Test func `SHOW-06 without a variable it is less, in colours`() throws {
    let child = try Child(
      "bash", ["-c", "unset PAGER LESS NO_COLOR; stty cols 60 rows 10; $LULL get '\(list)'"],
      environment: ["TERM": "xterm", "LULL": Binaries.lull], folder: folder.path, terminal: true)
    try child.waitForOutput("\u{1B}[34m\"id\"")
    try child.waitForOutput("\n:")
    #expect(!child.outputText.contains("Grace Hopper"))
    child.type("q")
    #expect(try child.wait().code == 0)
  }

  @Test(arguments: [
    ("application/xml", #"<a b="c">x</a>"#),
    ("text/html", "<!-- c --><p class='x' hidden>a < b</p><br/>"),
  ])
  func `SHOW-08 markup is coloured on a terminal only`(type: String, body: String) throws {
    let answer = [HeldServer.head("200 OK", "Content-Type: \(type)"), Array(body.utf8)]
    let server = try HeldServer([answer])
    defer { server.stop() }
    let ending = try Child(
      Binaries.lull, ["get", server.url], environment: ["TERM": "xterm", "NO_COLOR": ""],
      terminal: true
    ).wait()
    let plain = ending.output.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    #expect(plain == body + "\r\n")
    #expect(
      ending.output.contains("\u{1B}[34m<\(type == "text/html" ? "p" : "a")\u{1B}[0m"),
      "\(ending.output)")
    #expect(ending.output.contains("\u{1B}[32m"))
    #expect(try lull("get", server.url).output == body)
  }

  @Test func `SHOW-08 -v is coloured where standard error is a terminal`() throws {
    let words = "get '\(sample.url)/users/1' -v"
    let shown = try Child(
      "bash", ["-c", "$LULL \(words) >/dev/null"],
      environment: ["TERM": "xterm", "NO_COLOR": "", "LULL": Binaries.lull], terminal: true
    ).wait()
    #expect(shown.output.contains("> \u{1B}[34mHost\u{1B}[0m: "), "\(shown.output)")
    #expect(shown.output.contains("< \u{1B}[1mHTTP/1.1 200 OK\u{1B}[0m"))
    let saved = try Child(
      "bash", ["-c", "$LULL \(words) 2>trace; cat trace"],
      environment: ["TERM": "xterm", "NO_COLOR": "", "LULL": Binaries.lull], folder: folder.path,
      terminal: true
    ).wait()
    #expect(saved.output.contains("\r\n> Host: "), "\(saved.output)")
  }
}
