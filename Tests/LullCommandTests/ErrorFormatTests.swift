import LullCore
import LullLibC
import Testing

/// Errors as JSON, for programs that read standard error.
@Suite("Errors as JSON", .timeLimit(.minutes(20)))
struct ErrorFormatTests {
  /// The lines of standard error, each of which must be an object.
  static func lines(_ ending: Child.Ending) throws -> [JSONElement] {
    try ending.errors.split(separator: "\n").map { line in
      let root = try JSONDocument(parsing: Array(line.utf8)).root
      #expect(root.kind == .object && root["kind"]?.string != nil, "\(line)")
      return root
    }
  }

  /// The only line, which has the exit code.
  private func failure(
    _ words: [String], environment: [String: String] = [:], folder: String? = nil
  ) throws -> JSONElement {
    let ending = try Child(
      Binaries.lull, words, environment: environment, folder: folder
    ).wait()
    let lines = try ErrorFormatTests.lines(ending)
    try #require(lines.count == 1, "\(words): \(ending.errors)")
    #expect(lines[0]["exit"]?.int == Int(ending.code), "\(words): \(ending.errors)")
    #expect(ending.code != 0)
    let message = lines[0]["message"]?.string ?? ""
    #expect(!message.isEmpty)
    return lines[0]
  }

  @Test(arguments: [
    ("http://nowhere.invalid/x", "dns"), ("http://127.0.0.1:1/x", "connection"),
  ])
  func `EJS-02 a request that gets no response has the kind of its cause`(
    url: String, kind: String
  ) throws {
    let error = try failure(["get", url, "--errors", "json"])
    #expect(error["kind"]?.string == kind)
    #expect(error["method"]?.string == "GET" && error["url"]?.string == url)
    #expect(error["exit"]?.int == 6 && error["retryable"]?.bool == true)
    #expect(error["status"] == nil && error["retry_after"] == nil)
  }

  @Test func `EJS-02 timeouts, TLS and statuses have their kinds`() throws {
    let api = try SampleAPI()
    let slow = try failure([
      "get", api.url + "/slow?seconds=20", "--timeout", "0.3", "--errors=json",
    ])
    #expect(slow["kind"]?.string == "timeout" && slow["exit"]?.int == 6)
    let server = try Nginx()
    let tls = try failure(["get", server.url + "/", "--errors", "json"])
    #expect(tls["kind"]?.string == "tls" && tls["retryable"]?.bool == false)
    #expect(tls["fix"]?.string?.contains("SSL_CERT_FILE") == true)
    let missing = try failure(["get", api.url + "/status/404", "--errors", "json"])
    #expect(missing["kind"]?.string == "http_status" && missing["status"]?.int == 404)
    #expect(missing["exit"]?.int == 4 && missing["retryable"]?.bool == false)
    let post = try failure(["post", api.url + "/status/503", "a=b", "--errors", "json"])
    #expect(post["method"]?.string == "POST" && post["retryable"]?.bool == false)
    #expect(post["exit"]?.int == 5)
    let folder = try TemporaryFolder()
    let changed = try failure(
      ["changed", api.url + "/status/500", "--errors", "json"],
      environment: ["XDG_STATE_HOME": folder.path])
    #expect(changed["kind"]?.string == "http_status" && changed["status"]?.int == 500)
    let watched = try failure(["watch", api.url + "/status/404", "--errors", "json"])
    #expect(watched["status"]?.int == 404)
  }

  @Test func `EJS-03 retry_after is a number of seconds`() throws {
    let server = try EchoServer { _, _ in
      .init(status: "429 Too Many Requests", headers: ["Retry-After: 7"])
    }
    defer { server.stop() }
    let error = try failure(["get", "http://127.0.0.1:\(server.port)/x", "--errors", "json"])
    #expect(error["status"]?.int == 429 && error["retry_after"]?.int == 7)
    #expect(error["retryable"]?.bool == true)
  }

  @Test(arguments: [
    (["get", "--bogus", "--errors", "json"], "--bogus"),
    (["--errors", "json", "trsut"], "trsut"), (["trsut", "--errors=json"], "trsut"),
    (["--errors=json", "call"], "missing"),
    (["test", "--errors", "json", "--jobs", "x"], "--jobs"),
    (["run", "--errors", "json", "--bogus"], "--bogus"),
    (["get", ":1/x", "--errors", "json", "--errors", "json"], "twice"),
  ])
  func `EJS-04 wrong usage is an object`(words: [String], naming: String) throws {
    let error = try failure(words)
    #expect(error["kind"]?.string == "usage" && error["exit"]?.int == 2)
    #expect(error["message"]?.string?.contains(naming) == true)
    #expect(error["fix"]?.string?.isEmpty == false && error["details"] == nil)
  }

  @Test func `EJS-01 an unknown format is refused with the known ones`() throws {
    for (words, variable) in [
      (["--errors", "yaml", "apis"], nil), (["apis", "--errors=yaml"], nil),
      (["apis"], "yaml"), (["--errors"], nil),
    ] as [([String], String?)] {
      let ending = try Child(
        Binaries.lull, words, environment: variable.map { ["LULL_ERRORS": $0] } ?? [:]
      ).wait()
      #expect(ending.code == 2 && ending.errors.hasPrefix("lull: "), "\(words): \(ending.errors)")
      #expect(ending.errors.contains("text or json") || words == ["--errors"], "\(ending.errors)")
    }
  }

  @Test func `EJS-01 the option counts more than the variable`() throws {
    let words = ["get", "http://127.0.0.1:1/x"]
    let json = try failure(words, environment: ["LULL_ERRORS": "json"])
    #expect(json["kind"]?.string == "connection")
    for words in [words + ["--errors", "text"], ["--errors", "text"] + words] {
      let text = try Child(
        Binaries.lull, words, environment: ["LULL_ERRORS": "json"]
      ).wait()
      #expect(text.code == 6 && text.errors.hasPrefix("lull: "), "\(text.errors)")
    }
  }

  @Test func `EJS-05 scripts fail with their own kinds`() throws {
    let folder = try TemporaryFolder()
    try folder.write("error.lua", "local x = nil\nprint(x.y)\n")
    try folder.write("syntax.lua", "local = 1\n")
    try folder.write("exit.lua", "os.exit(9)\n")
    try folder.write(
      "request.lua",
      "local lull = require 'lull'\nassert(lull.get('http://127.0.0.1:1/x'):await())\n")
    func run(_ file: String) throws -> JSONElement {
      try failure(["--errors", "json", file], folder: folder.path)
    }
    let error = try run("error.lua")
    #expect(error["kind"]?.string == "script_error" && error["exit"]?.int == 1)
    #expect(error["message"]?.string?.hasPrefix("error.lua:2: attempt to index") == true)
    #expect(error["details"]?.string?.contains("print(x.y)") == true)
    #expect(try run("syntax.lua")["kind"]?.string == "syntax_error")
    let exit = try run("exit.lua")
    #expect(exit["kind"]?.string == "script_exit" && exit["exit"]?.int == 9)
    let request = try run("request.lua")
    #expect(request["kind"]?.string == "connection" && request["exit"]?.int == 1)
    #expect(request["url"]?.string == "http://127.0.0.1:1/x")
    let gone = try run("gone.lua")
    #expect(gone["kind"]?.string == "file" && gone["exit"]?.int == 3)
    try folder.write("loop.lua", "while true do end\n")
    let limit = try failure(
      ["run", "--errors", "json", "--max-time", "0.2", "loop.lua"], folder: folder.path)
    #expect(limit["kind"]?.string == "limit" && limit["exit"]?.int == 1)
  }

  @Test func `EJS-06 what goes on is a warning, and the last line has the exit code`() throws {
    let ending = try lull(
      "--errors", "json", "-e",
      "lull.spawn(function() error('first') end) print('on')")
    let lines = try ErrorFormatTests.lines(ending)
    #expect(ending.code == 1 && ending.output == "on\n", "\(ending.errors)")
    #expect(lines.map { $0["kind"]?.string } == ["warning", "script_error"], "\(ending.errors)")
    #expect(lines.map { $0["exit"]?.int } == [nil, 1], "\(ending.errors)")
    let verbose = try lull("get", "http://127.0.0.1:1/x", "-v", "--errors", "json")
    let traced = try ErrorFormatTests.lines(verbose)
    #expect(traced.count > 1 && traced.dropLast().allSatisfy { $0["kind"]?.string == "log" })
    #expect(traced.last?["exit"]?.int == 6)
    let warned = try lull("-e", "print(1)", environment: ["LULL_ERRORS": "json"])
    #expect(warned.code == 0 && warned.errors == "", "\(warned.errors)")
  }

  @Test func `EJS-07 the words behind a script are the script's`() throws {
    let ending = try lull("-e", "print(...)", "--errors", "json")
    #expect(ending.output == "--errors\tjson\n" && ending.errors == "")
    let arguments = try lull("--errors", "json", "-e", "print(#arg, ...)", "a")
    #expect(arguments.output == "1\ta\n", "\(arguments)")
  }

  @Test func `EJS-07 a parameter of a call that is called errors is the parameter`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service("http://127.0.0.1:1"),
        calls = {
          plain = { path = "/x", params = { n = "integer" } },
          named = { path = "/x", params = { errors = "string" } },
        },
      }
      """)
    try folder.write("apis/wrong.lua", "error('no')\n")
    let refused = try failure(
      ["call", "shop", "plain", "--n", "x", "--errors", "json"], folder: folder.path)
    #expect(refused["kind"]?.string == "usage")
    let sent = try failure(["call", "shop", "plain", "--errors", "json"], folder: folder.path)
    #expect(sent["kind"]?.string == "connection")
    let wrong = try failure(["call", "wrong", "x", "--errors", "json"], folder: folder.path)
    #expect(wrong["kind"]?.string == "script_error" && wrong["exit"]?.int == 1)
    let named = try lull("call", "shop", "named", "--errors", "json", folder: folder.path)
    #expect(named.code == 6 && named.errors.contains("/x?errors=json"), "\(named.errors)")
    #expect(named.errors.hasPrefix("lull: "), "\(named.errors)")
    let leading = try failure(
      ["--errors", "json", "call", "shop", "named", "--errors", "text"], folder: folder.path)
    #expect(leading["url"]?.string == "http://127.0.0.1:1/x?errors=text")
  }

  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func `EJS-08 an interrupted command says so`(signal: Int32, code: Int32) throws {
    let child = try Child(
      Binaries.lull,
      ["--errors", "json", "-e", "io.write('ready\\n') io.flush() lull.sleep(60)"])
    try child.waitForOutput("ready")
    child.send(signal)
    let ending = try child.wait()
    let lines = try ErrorFormatTests.lines(ending)
    #expect(ending.code == code && lines.count == 1, "\(ending.errors)")
    #expect(lines.first?["kind"]?.string == "interrupted")
    #expect(lines.first?["exit"]?.int == Int(code))
  }

  @Test func `EJS-09 credentials are masked`() throws {
    let error = try failure([
      "get", "http://ann:hunter2@127.0.0.1:1/x?token=hunter3", "--errors", "json",
    ])
    let text = "\(error["message"]?.string ?? "") \(error["url"]?.string ?? "")"
    #expect(!text.contains("hunter2") && !text.contains("hunter3"), "\(text)")
    #expect(error["url"]?.string?.contains("127.0.0.1:1/x") == true)
  }

  @Test func `EJS-05 failed tests and files that cannot be written have their kinds`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "tests/a_test.lua",
      "local test = require 'lull.test'\ntest('a', function() error('no') end)\n")
    let test = try failure(["test", "--errors", "json"], folder: folder.path)
    #expect(test["kind"]?.string == "test_failure" && test["exit"]?.int == 1)
    try folder.write("blocked", "x")
    let api = try SampleAPI()
    let saved = try failure(
      ["get", api.url + "/users/1", "-O", "blocked/x", "--errors", "json"], folder: folder.path)
    #expect(saved["kind"]?.string == "file" && saved["exit"]?.int == 1)
  }
}
