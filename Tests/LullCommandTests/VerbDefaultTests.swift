import Testing

/// Defaults of the verbs in config.lua.
@Suite("config.lua", .timeLimit(.minutes(20)))
struct VerbDefaultTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ config: String?, _ words: String...) throws -> Child.Ending {
    if let config { try folder.write("lull/config.lua", config) }
    return try Child(
      Binaries.lull, words, environment: ["XDG_CONFIG_HOME": folder.path], folder: folder.path
    ).wait()
  }

  private static let some = """
    local seconds = 2 + 0.5
    return { timeout = seconds, output = "lines", follow = false, ["max_redirects"] = nil,
      headers = { ["X-Tag"] = "a", Accept = "text/x" }, http = "1.1", ignore_stdin = true }
    """

  @Test func `CFL-01 options are what the file says unless they are given`() throws {
    let curl = try run(Self.some, "get", "http://a.example/x", "--curl").output
    for part in ["--max-time 2.5", "--http1.1", "'x-tag: a'", "'accept: text/x'"] {
      #expect(curl.contains(part), "\(part) is not in \(curl)")
    }
    #expect(!curl.contains("--location"))
    let given = try run(
      nil, "http://a.example/x", "--curl", "--timeout", "7", "--follow", "X-Tag:b"
    ).output
    for part in ["--location", "--max-time 7", "'x-tag: b'"] {
      #expect(given.contains(part), "\(part) is not in \(given)")
    }
    #expect(!given.contains("x-tag: a"))
    let api = try SampleAPI()
    #expect(try run(nil, "get", "\(api.url)/users/1", "-f", "x.name").output == "Ada Lovelace\n")
    #expect(
      try run(nil, "get", "\(api.url)/users/1", "-f", "x.name", "-o", "json").output
        == "\"Ada Lovelace\"\n")
  }

  @Test(arguments: [["-O", "file"], ["--max-redirects", "3"], ["--download"]])
  func `CFL-02 a default gives way to what it does not go with`(words: [String]) throws {
    try folder.write("lull/config.lua", Self.some)
    let ending = try Child(
      Binaries.lull, ["get", "http://a.example/x", "--curl"] + words,
      environment: ["XDG_CONFIG_HOME": folder.path]
    ).wait()
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `CFL-03 --no-config leaves it alone, and nothing but verbs reads it`() throws {
    let broken = "error('read')"
    #expect(try run(broken, "get", "http://a.example", "--curl").code == 1)
    #expect(try run(broken, "get", "http://a.example", "--curl", "--no-config").code == 0)
    try folder.write("x.lua", "print('script')")
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("http://a.example"),
        calls = { things = { path = "/things" } } }
      """)
    #expect(try run(nil, "x.lua").output == "script\n")
    #expect(try run(nil, "-e", "print(1)").output == "1\n")
    #expect(try run(nil, "call", "shop", "things", "--curl").code == 0)
    #expect(try run(nil, "apis").code == 0)
    #expect(try run(nil, "explain", "shop", "/x").code == 0)
    #expect(try run(nil, "--complete", "get", "shop", "--tim").output.hasPrefix("--timeout"))
  }

  @Test(arguments: [
    (
      "return { timeuot = 5 }",
      "config.lua:1: there is no default 'timeuot' (did you mean 'timeout'?)"
    ),
    (
      "return {\n  nonsense = 5 }",
      "config.lua:2: there is no default 'nonsense'; the defaults are ca_file"
    ),
    ("return {\n  output = 'tabel' }", "config.lua:2: '--output' must be json"),
    ("return { timeout = 'x' }", "config.lua:1: '--timeout' must be a number, got 'x'"),
    ("return { insecure = 5 }", "config.lua:1: 'insecure' must be true or false"),
    ("return { timeout = true }", "config.lua:1: 'timeout' must be a text or a number"),
    ("return { timeout = print }", "config.lua:1: 'timeout' cannot be function"),
    ("return { headers = 5 }", "config.lua:1: 'headers' must be a table of names and texts"),
    ("return { headers = { ['a b'] = 'x' } }", "config.lua:1: 'a b' is not a valid header name"),
    (
      "return {\n headers = { Authorization = 'x' } }",
      "config.lua:2: 'Authorization' would be sent to every server"
    ),
    (
      "local a = 1\nreturn 5",
      "config.lua:2: a file of defaults returns a table such as { timeout = 10 }"
    ),
    ("return {", "config.lua:1: unexpected symbol near <eof>"),
    ("local a\nreturn { timeout = a.b }", "config.lua:2: attempt to index a nil value"),
    ("return { timeout = #os.getenv('HOME') }", "config.lua:1: "),
    ("while true do end", "config.lua:1: "),
    ("return { follow = false, max_redirects = 3 }", "--no-config ignores them"),
  ])
  func `CFL-04 what is wrong with it is told with its line, and nothing is sent`(
    config: String, problem: String
  ) throws {
    let ending = try run(config, "get", "http://127.0.0.1:1")
    #expect(ending.errors.contains(problem), "\(ending.errors)")
    #expect([1, 2, 3, 143].contains(ending.code))
    #expect(ending.output == "")
  }
}
