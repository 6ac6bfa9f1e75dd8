import Testing

@Suite("Pages of help", .timeLimit(.minutes(20)))
struct HelpPageTests {
  private static let commands = [
    "get", "post", "put", "patch", "delete", "head", "options", "call", "watch", "changed", "cache",
    "limits", "share", "login", "logout", "apis", "explain", "check", "diff", "import", "export",
    "mock", "types", "drift", "trust", "describe", "skill", "run", "test", "repl", "demo",
    "doctor", "completion", "help",
  ]
  static let topics = [
    "items", "output", "filters", "auth", "pages", "cache", "environments", "exit-codes",
    "secrets", "proxies", "limits",
  ]

  /// The page, which fits on a terminal of 80 columns.
  private func page(_ words: [String], lines most: Int, width: Int = 80) throws -> String {
    let ending = try shell("lull \(words.joined(separator: " ")) < /dev/null")
    #expect(ending.code == 0 && ending.errors == "", "\(words): \(ending.errors)")
    let lines = ending.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= most, "\(words): \(lines.count) lines")
    for line in lines where line.count > width { Issue.record("\(words): \(line)") }
    return ending.output
  }

  @Test func `CMD-170 lull alone says what it is, and the overview fits on a screen`() throws {
    #expect(try page([], lines: 18).contains("lull help"))
    let overview = try page(["help"], lines: 40)
    #expect(try page(["--help"], lines: 40) == overview)
    let whole = try page(["help", "all"], lines: 120)
    for command in HelpPageTests.commands {
      #expect(overview.contains(command) && whole.contains(command), "\(command) is not there")
    }
    for topic in HelpPageTests.topics { #expect(whole.contains("  \(topic) "), "\(topic)") }
  }

  @Test func `CMD-170 a pipe with a script is not passed over`() throws {
    let ending = try shell("echo 'print(1)' | lull")
    #expect(ending.code == 2 && ending.errors.contains("lull - for stdin"), "\(ending.errors)")
  }

  @Test(arguments: commands)
  func `CMD-170 the page of a command has at most 40 lines`(command: String) throws {
    let text = try page([command, "--help"], lines: 40)
    #expect(text.hasPrefix("Usage: lull"))
    let manual = try page(["help", command], lines: 400)
    #expect(manual.count >= text.count || command == "help", "\(command): the manual is shorter")
  }

  @Test func `CMD-170 a command with many options says how many more there are`() throws {
    let text = try page(["get", "--help"], lines: 40)
    let end = try #require(text.split(separator: "\n").last)
    #expect(end.wholeMatch(of: /\d+ more options: lull help get/) != nil, "\(end)")
    #expect(!text.contains("--max-redirects"))
    #expect(try page(["help", "get"], lines: 400).contains("--max-redirects"))
  }

  @Test(arguments: topics)
  func `CMD-171 each topic has a page`(topic: String) throws {
    _ = try page(["help", topic], lines: 70)
  }

  @Test(arguments: [
    ("http https://example.com", "lull URL"), ("curl https://example.com", "lull URL"),
    ("ls", "lull apis"), ("init", "lull import"), ("new", "lull import"), ("examples", "lull help"),
    ("man", "lull help"), ("config", "config.lua"), ("config", "lull doctor"),
    ("openapi.yaml", "no such file"), ("notes.md", "no such file"), ("x.hurl", "no such file"),
    ("get spec.json", "spec.json"), ("get :8080/a :8080/b", "expected one URL"),
    ("get https://a.example/ https://b.example/", "expected one URL"),
    ("import gone.json", "gone.json"), ("import /dev/null", "only regular files"),
    ("get :8080/ -o file.json", "-O FILE saves the body"), ("get :8080/ -n", "-A netrc"),
    ("get :8080/ -k", "--insecure"), ("get :8080/ -L", "by default"),
    ("get :8080/ -s", "2>/dev/null"), ("get :8080/ --connect-timeout 3", "--timeout"),
  ])
  func `CMD-172 what other programs call otherwise is corrected`(
    words: String, correction: String
  ) throws {
    let ending = try shell("lull \(words) < /dev/null")
    #expect(ending.code == 2 && ending.errors.contains(correction), "\(words): \(ending.errors)")
    #expect(!ending.errors.contains("resolve"), "\(words) asked DNS")
  }

  @Test func `CMD-172 files that are no scripts are told what reads them`() throws {
    let folder = try TemporaryFolder()
    for (name, text, correction) in [
      ("spec.yaml", "openapi: 3.1.0", "lull import openapi spec.yaml"),
      ("session.har", "{}", "lull import har session.har"),
      ("requests.http", "GET /", "HTTP requests, not a Lua script"),
      ("requests.hurl", "GET /", "HTTP requests, not a Lua script"),
    ] {
      try folder.write(name, text)
      let ending = try shell("cd '\(folder.path)' && lull \(name) < /dev/null")
      #expect(ending.code == 2 && ending.errors.contains(correction), "\(name): \(ending.errors)")
    }
  }

  @Test func `CMD-172 import finds out what a document is`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.json",
      #"{"openapi":"3.1.0","info":{"title":"A","version":"1"},"#
        + #""servers":[{"url":"https://a.example"}],"paths":{"/x":{"get":{"operationId":"x"}}}}"#)
    try folder.write("b.json", "{}")
    let unknown = try shell("cd '\(folder.path)' && lull import b.json < /dev/null")
    #expect(unknown.code == 2 && unknown.errors.contains("openapi, curl, har, postman or graphql"))
    let ending = try shell("cd '\(folder.path)' && lull import a.json -o a.lua < /dev/null")
    #expect(ending.code == 0, "\(ending.errors)")
    let curl = try shell("cd '\(folder.path)' && lull import 'curl https://b.example/y' -o b.lua")
    #expect(curl.code == 0, "\(curl.errors)")
  }

  @Test func `CMD-172 version is answered`() throws {
    #expect(try lull("version").output == lull("--version").output)
  }
}
