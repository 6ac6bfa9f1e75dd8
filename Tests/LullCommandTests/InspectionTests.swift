import Testing

/// What looks at API files that nobody has asked to be run: Tab, `lull apis`, `lull check` and help.
@Suite("API files that are only looked at", .timeLimit(.minutes(20)))
struct InspectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let declaration = """
    return { service = require("lull").service("https://a.example"), description = "Bad",
      calls = { a = { path = "/x", params = { size = "integer" } } } }
    """

  /// Each command with what it says of the file that the above declares.
  private static let commands: [(words: [String], output: String)] = [
    (["--complete", "call", "bad", ""], "a"), (["--complete", "get", "bad", ""], "/x"),
    (["--complete", "call", "bad", "a", "--si"], "--size"), (["apis", "-o", "lines"], "Bad"),
    (["check", "bad"], ""), (["call", "bad", "--help"], "GET /x"),
    (["call", "bad", "a", "--help"], "--size"),
  ]

  private func run(_ words: [String], _ environment: [String: String] = [:]) throws
    -> Child.Ending
  {
    try Child(Binaries.lull, words, environment: environment, folder: folder.path).wait()
  }

  @Test(arguments: commands)
  func `do nothing to the machine`(words: [String], output: String) throws {
    for line in [
      "pcall(function() os.execute('touch pwned') end)",
      "pcall(function() os.remove('kept') end)", "pcall(function() os.rename('kept', 'pwned') end)",
      "pcall(function() io.open('pwned', 'w'):close() end)",
      "pcall(function() io.popen('touch pwned'):close() end)",
      "pcall(function() lull.write_file('pwned', '') end)",
      "pcall(function() require('os').execute('touch pwned') end)",
      "pcall(function() package.loadlib('./x.so', '*') end)",
      "pcall(function() lull.repl() end)", "pcall(function() load('\\27Lua')() end)",
      """
      local s = lull.service{ base_url = "https://a.example", cookies = "pwned",
        auth = lull.auth.oauth2_client_credentials{ token_url = "https://a.example/t",
          client_id = "x", client_secret = lull.secret{ command = "touch pwned" },
          token_file = "pwned" },
        pipeline = { parsing = { cache = lull.cache.file{ path = "pwned" } } } }
      s("/x"):load()
      lull.spawn(function() s("/y"):load():await() end)
      """,
      """
      local s = lull.service{ base_url = "http://localhost", unix_socket = "pwned",
        auth = lull.auth.netrc{ path = "pwned" } }
      s("/x"):load()
      s:configure("/y", { auth = lull.auth.digest("a", lull.secret{ command = "touch pwned" }) })
      s:configure("/z", { auth = lull.auth.aws_sigv4{ env = true, service = "s3" } })
      s("/y"):load()
      s("/z"):load()
      """,
      """
      local s = lull.service{ base_url = "https://a.example", ca_file = "pwned",
        auth = lull.auth.bearer(lull.secret{ command = "touch pwned" }) }
      s("/x"):load()
      """,
    ] {
      try folder.write("kept", "kept")
      try folder.write("apis/bad.lua", "local lull = require 'lull'\n\(line)\n\(Self.declaration)")
      let ending = try run(words)
      #expect(ending.output.contains(output), "\(line): \(ending.output)\(ending.errors)")
      #expect(try shell("ls -A", folder: folder.path).output == "apis\nkept\n", "\(line)")
    }
  }

  /// By what the file prints, by what it raises, and by what it makes of secrets.
  @Test(arguments: commands)
  func `tell nothing of the machine`(words: [String], output: String) throws {
    try folder.write("secret.txt", "hunter2-file")
    for line in [
      "print(os.getenv('LULL_TEST_SECRET'), lull.env('LULL_TEST_SECRET'))",
      "lull.service{ networking = function(r) print(r.headers.authorization, r.url) "
        + "return { status = 200 } end, base_url = 'https://a.example', "
        + "auth = lull.auth.bearer(lull.secret{ env = 'LULL_TEST_SECRET' }) }('/x'):load()",
      "lull.service{ networking = function(r) print(r.headers.x) return { status = 200 } end, "
        + "base_url = 'https://a.example', headers = { X = lull.secret{ file = 'secret.txt' } } }"
        + "('/x'):load()",
      "lull.service{ networking = function(r) print(r.headers.authorization) return { status = 200 } end, "
        + "base_url = 'https://a.example', auth = lull.auth.netrc{ path = 'secret.txt' } }('/x'):load()",
      "pcall(function() print(lull.read_file('secret.txt')) end)",
      "pcall(function() lull.service{ networking = function(r) print(r.body) return { status = 200 } end, "
        + "base_url = 'https://a.example' }('/x'):put(lull.file('secret.txt')) end)",
    ] {
      try folder.write("apis/bad.lua", "local lull = require 'lull'\n\(line)\n\(Self.declaration)")
      let ending = try run(words, ["LULL_TEST_SECRET": "hunter2-env"])
      #expect(!(ending.output + ending.errors).contains("hunter2"), "\(line): \(ending)")
    }
  }

  @Test(arguments: commands)
  func `come to their end`(words: [String], output: String) throws {
    for line in [
      "while true do end", "while true do pcall(function() while true do end end) end",
      "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) end",
      "local s = 'x' while true do s = s .. s end",
      "while true do print(('x'):rep(1000)) end",
      "local function f() return 1 + f() end f()",
    ] {
      try folder.write("apis/bad.lua", "\(line)\n\(Self.declaration)")
      let ending = try run(words)
      #expect(ending.code < 128, "\(line)")
      #expect(ending.errors.utf8.count < 20_000, "\(line)")
      guard words[0] == "--complete" else { continue }
      #expect(ending.output == "" || ending.output == "//files\n", "\(ending.output)")
      #expect(ending.errors == "", "\(line)")
    }
  }

  @Test func `completion shows nothing of what they print`() throws {
    try folder.write(
      "apis/bad.lua", "print('printed') warn('@on') warn('warned')\n\(Self.declaration)")
    for (words, output) in Self.commands where words[0] == "--complete" {
      let ending = try run(words)
      #expect(ending.errors == "")
      #expect(!ending.output.contains("printed"))
      #expect(ending.output.contains(output))
    }
  }

  /// What shows help by itself shows none of it here, and words are one line each.
  @Test func `completion offers nothing of what they show`() throws {
    try folder.write("apis/bad\nname.lua", Self.declaration)
    for line in [
      "lull.help('service')", "arg = { [0] = 'x', '--help' } lull.args{ name = 'Usage' }",
      "arg = { [0] = 'x', '--version' } lull.args{ version = 'Usage' }",
    ] {
      try folder.write("apis/bad.lua", "lull = require 'lull'\n\(line)\n\(Self.declaration)")
      for (words, output) in Self.commands where words[0] == "--complete" {
        let ending = try run(words)
        #expect(ending.output == "" || ending.output.contains(output), "\(ending.output)")
        #expect(!ending.output.contains("Usage") && !ending.output.contains("lull.service"))
        #expect(ending.errors == "")
      }
    }
    #expect(try run(["--complete", "call", "ba"]).output == "bad\n//files\n")
  }

  @Test(arguments: [
    ("while true do end", "apis/bad.lua:1: does not finish"),
    ("local s = 'x' while true do s = s .. s end", "needs more memory than an API file may use"),
  ])
  func `are named where they do not end`(line: String, report: String) throws {
    try folder.write("apis/bad.lua", "\(line)\n\(Self.declaration)")
    for words in [["apis"], ["check", "bad"], ["call", "bad", "--help"]] {
      let ending = try run(words)
      let text = ending.output + ending.errors
      #expect(text.contains("apis/bad.lua") && text.contains(report), "\(words): \(text)")
      #expect(ending.code == 1, "\(words)")
    }
  }

  @Test func `are not read where they are huge`() throws {
    _ = try shell("mkdir apis; truncate -s 3G apis/huge.lua", folder: folder.path)
    #expect(try run(["--complete", "call", "huge", ""]).output == "")
    let list = try run(["apis"])
    #expect(list.errors == "lull: apis/huge.lua: larger than 4 MB\n")
    #expect(list.code == 3)
  }

  @Test(arguments: [
    ("local f = io.open('x')", "io"), ("os.execute('true')", "os.execute"),
    ("dofile('x.lua')", "dofile"), ("local x = debug.getinfo(1)", "debug"),
    ("local x = package.path", "package"), ("local x = lull.read_file('x')", "lull.read_file"),
    ("local x = lull.file('x')", "lull.file"),
    ("local x = lull.api('other')", "lull.api"), ("require 'cjson'", "the module 'cjson'"),
    ("setmetatable({}, { __gc = print })", "__gc"),
    ("local x = ('x'):rep(1e7)", "more than the sandbox allows"),
  ])
  func `say what is missing to look further`(line: String, need: String) throws {
    try folder.write(
      "apis/bad.lua", "local lull = require 'lull'\n\n\(line)\n\(Self.declaration)")
    let checked = try run(["check", "bad"])
    #expect(
      checked.output.hasPrefix("apis/bad.lua:3: not checked further: needs \(need)"),
      "\(checked.output)")
    #expect(checked.output.split(separator: "\n").count == 1)
    #expect(checked.errors == "")
    #expect(checked.code == 0)
    let list = try run(["apis", "-o", "json"])
    #expect(list.output.contains(#"{"name":"bad","calls":null,"description":"""#), "\(list)")
    #expect(list.errors.contains("apis/bad.lua:3: not checked further: needs \(need)"))
    #expect(list.code == 0)
    let help = try run(["call", "bad", "--help"])
    #expect(help.output.hasPrefix("Usage: lull call API CALL"))
    #expect(help.errors.contains("needs \(need)"))
    #expect(help.code == 0)
    #expect(try run(["--complete", "call", "bad", ""]).output == "")
  }

  /// What has been found before stays found, and what is not there is not beyond the sandbox.
  @Test func `go on telling what is wrong`() throws {
    try folder.write(
      "apis/bad.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example", timout = 3 }
      api:configure("/x", function() return io.open("x") end)
      return api
      """)
    let ending = try run(["check", "bad"])
    #expect(
      ending.output
        == """
        apis/bad.lua:2: unknown setting 'timout' (did you mean 'timeout'?)
        apis/bad.lua:3: not checked further: needs io

        """)
    #expect(ending.code == 1)
    try folder.write("apis/bad.lua", "require 'no.such.module'")
    let missing = try run(["check", "bad"])
    #expect(missing.output == "apis/bad.lua:1: module 'no.such.module' not found\n", "\(missing)")
    #expect(missing.code == 1)
  }

  @Test(arguments: [
    "local s = lull.service('https://' .. os.getenv('API_HOST') .. '/v1')",
    "local s = lull.service(os.getenv('API_URL') or 'https://a.example')",
    "local s = lull.service(lull.env('API_URL', 'https://a.example'))",
    "local s = lull.service('http://localhost:' .. assert(tonumber(os.getenv('PORT'))))",
    "local s = lull.service('https://a.example') assert(os.getenv('TOKEN'), 'set TOKEN')",
    "local s = lull.service('https://a.example') s:configure{ headers = { X = 'Bearer ' .. lull.env('T') } }",
    "local s = lull.service('https://a.example') s:configure{ auth = lull.auth.bearer(os.getenv 'T') }",
  ])
  func `take the environment as it may be`(line: String) throws {
    try folder.write(
      "apis/env.lua",
      "local lull = require 'lull'\n\(line)\nreturn { service = s, calls = { a = { path = '/x' } } }"
    )
    let checked = try run(["check", "env"])
    #expect(checked.output == "")
    #expect(checked.errors == "")
    #expect(checked.code == 0)
    #expect(try run(["--complete", "call", "env", ""]).output == "a\n")
    let list = try run(["apis", "-o", "lines"])
    #expect(list.output.contains(#""calls":1"#), "\(list)")
    #expect(list.code == 0)
  }

  @Test func `say which variables they need`() throws {
    try folder.write(
      "apis/env.lua",
      """
      local lull = require "lull"
      local kind = os.getenv("KIND")
      local s = lull.service{ base_url = assert(({ a = "https://a.example" })[kind], kind) }
      return { service = s, calls = { a = { path = "/x" } } }
      """)
    let checked = try run(["check", "env"])
    #expect(
      checked.output
        == "apis/env.lua: not checked further: needs the environment variable 'KIND'\n")
    #expect(checked.code == 0)
    let list = try run(["apis"])
    #expect(list.errors.contains("needs the environment variable 'KIND'"), "\(list.errors)")
    #expect(list.code == 0)
  }

  /// What is wrong whatever the environment has is wrong.
  @Test func `find what is wrong beside the environment`() throws {
    try folder.write(
      "apis/env.lua",
      """
      local lull = require "lull"
      local s = lull.service{ base_url = os.getenv("BASE") or "https://a.example",
        timout = 3 }
      return s
      """)
    let checked = try run(["check", "env"])
    #expect(checked.output.hasPrefix("apis/env.lua:3: unknown setting 'timout'"))
    #expect(checked.code == 1)
  }

  /// What really calls has all rights, as a script.
  @Test func `are run as they are by what calls`() throws {
    try folder.write(
      "apis/full.lua",
      """
      local lull = require "lull"
      io.open("touched", "w"):close()
      return { service = lull.service{ base_url = "https://a.example",
        networking = function() return { status = 200, body = "done" } end },
        calls = { a = { path = "/x", params = { help = "string" } } } }
      """)
    for words in [
      ["get", "full", "/x"], ["call", "full", "a"], ["explain", "full", "/x"],
      ["call", "full", "a", "--param-help", "--help"],
    ] {
      _ = try shell("rm -f touched", folder: folder.path)
      let ending = try run(words)
      #expect(ending.code == 0, "\(words): \(ending.errors)")
      // A word that looks like a question for help may be one: the file must not be run to know.
      let isRun = words.last != "--help"
      #expect(
        try shell("ls -A", folder: folder.path).output == (isRun ? "apis\ntouched\n" : "apis\n"),
        "\(words)")
    }
  }

  @Test func `are explained by help`() throws {
    for (command, words) in [
      ("check", "sandbox"), ("apis", "sandbox"), ("call", "with all rights"),
      ("explain", "with all rights"),
    ] {
      // Lines may break anywhere.
      let text = try run(["help", command]).output.split(whereSeparator: \.isWhitespace)
      #expect(text.joined(separator: " ").contains(words), "\(command)")
    }
  }
}
