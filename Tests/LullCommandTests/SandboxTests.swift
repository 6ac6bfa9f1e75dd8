import LullLibC
import Testing

/// What `--sandbox` leaves a script, and what it keeps from it.
@Suite("The sandbox", .timeLimit(.minutes(20)))
struct SandboxTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("outside.lua", "return 'outside'")
    try folder.write(
      "inside/words.lua", "return { hello = 'hi', name = ..., path = select(2, ...) }")
    try folder.write("inside/deep/init.lua", "return 'deep'")
    try folder.write("inside/deep/er.lua", "return 'deeper'")
    try folder.write("inside/broken.lua", "return +")
    try folder.write("inside/nothing.lua", "counted = (counted or 0) + 1")
    try folder.write("inside/no.lua", "return false")
    try folder.write("inside/compiled.lua", "\u{1B}Lua")
    try folder.write("inside/-e.lua", "return 'dash'")
    try folder.write("inside/marked.lua", "\u{FEFF}#!/usr/bin/env lull\nreturn 'marked'")
    symlink(folder.path + "/outside.lua", folder.path + "/inside/escape.lua")
    symlink(folder.path, folder.path + "/inside/up")
    symlink(folder.path + "/inside/words.lua", folder.path + "/inside/again.lua")
    mkfifo(folder.path + "/inside/pipe.lua", 0o644)
    mkdir(folder.path + "/inside/folder.lua", 0o755)
  }

  /// Runs a file in the folder `inside`, in the sandbox.
  private func run(_ code: String, _ options: String...) throws -> Child.Ending {
    let file = try folder.write("inside/main.lua", code)
    return try Child(Binaries.lull, ["run", "--sandbox"] + options + [file], input: .nothing).wait()
  }

  @Test func `gives a script what it needs`() throws {
    let ending = try run(
      """
      local lull = require "lull"
      assert(require "string" == string and require "table" == table and _G._G == _G)
      print(string.format("%5.1f", math.pi), table.concat({ 1, 2 }, "+"), utf8.char(228))
      print(("Hello"):upper(), ("a,b"):gsub(",", ";"), ("abc"):find("c", 1, true), #("x"):rep(3, "-"))
      for word in ("one two"):gmatch("%a+") do io_word = word end
      print(io_word, ("k=v"):match("(%w)=(%w)"))
      print(select("#", pcall(error, { 1 })), tostring(nil), tonumber("0x10"), type(next), rawlen({ 1 }))
      print(coroutine.wrap(function() coroutine.yield(1) end)(), load("return 1 + 1")())
      print(load("return x", "name", "t", { x = 3 })(), setmetatable({}, { __index = { y = 4 } }).y)
      print(xpcall(error, function(e) return "handled " .. e end, "it"))
      print(collectgarbage("count") > 1, collectgarbage(), undefined)
      print(lull.json.encode{ a = 1 }, lull.now() > 0, lull.map({ 1, 2 }, function(i) lull.sleep(0) return i end)[2])
      """)
    #expect(
      ending.output == """
          3.1\t1+2\tä
        HELLO\ta;b\t3\t5
        two\tk\tv
        2\tnil\t16\tfunction\t1
        1\t2
        3\t4
        false\thandled it
        true\t0\tnil
        {"a":1}\ttrue\t2

        """)
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test(arguments: ["io", "os", "debug", "package", "dofile", "loadfile"])
  func `says what is absent`(name: String) throws {
    for code in [
      "print(\(name))", "local x = _G.\(name)", "local x = _ENV['\(name)']",
      "load('return \(name)')()", "require('\(name)')",
    ] {
      let ending = try run("local ok, problem = pcall(function() \(code) end) print(problem)")
      #expect(ending.output.contains("\(name) is not available in the sandbox"), "\(code)")
    }
    let ending = try run("\n\(name).x = 1")
    #expect(ending.errors.contains("main.lua:2: \(name) is not available in the sandbox"))
    #expect(ending.code == 1)
    // A name of the script's own is none of ours.
    #expect(try run("\(name) = 5 print(\(name))").output == "5\n")
  }

  /// Functions and parts of the library that would lead out, by whatever way they are reached.
  @Test(arguments: [
    ("string.dump(print)", "string.dump is not available"),
    ("(''):dump()", "string.dump is not available"),
    ("setmetatable({}, { __gc = print })", "__gc is not available"),
    ("setmetatable({}, { __gc = true })", "__gc is not available"),
    ("collectgarbage('stop')", "collectgarbage \"stop\" is not available"),
    ("collectgarbage('setpause', 1000)", "collectgarbage \"setpause\" is not available"),
    ("assert(load('\\27Lua'))", "precompiled chunk, which is not available in the sandbox"),
    ("assert(load('return 1', 'x', 'b'))", "precompiled chunk, which is not available"),
    ("assert(load('\\27Lua', 'x', 'bb'))", "precompiled chunk, which is not available"),
    (
      "assert(load(coroutine.wrap(function() coroutine.yield('\\27') coroutine.yield('Lua') end)))",
      "precompiled"
    ),
    ("setmetatable('', {})", "table expected"),
    ("getmetatable('').__index = {}", "attempt to index a boolean value"),
    ("string.rep('x', 1e9)", "longer than 1 MB"),
    ("('x'):rep(1e9)", "longer than 1 MB"),
    ("('x'):rep(1 << 20, 'y')", "longer than 1 MB"),
    ("('x'):rep(math.maxinteger)", "longer than 1 MB"),
    ("string.find('x', ('a'):rep(257))", "bad argument #2 to 'find' (longer than 256"),
    ("string.match('x', ('a'):rep(257))", "longer than 256"),
    ("string.gmatch('x', ('a'):rep(257))", "longer than 256"),
    ("string.gsub('x', ('a'):rep(257), '')", "longer than 256"),
    ("(big .. big):find('x')", "longer than 1 MB"),
    ("(big .. big):match('x')", "longer than 1 MB"),
    ("(big .. big):gmatch('x')", "longer than 1 MB"),
    ("(big .. big):gsub('x', 'y')", "longer than 1 MB"),
    ("lull.read_file('/etc/passwd')", "lull.read_file is not available"),
    ("lull.write_file('x', 'y')", "lull.write_file is not available"),
    ("lull.file('/etc/passwd')", "lull.file is not available"),
    (
      "lull.multipart{ a = lull.file('/etc/passwd', { type = 'x/y' }) }",
      "lull.file is not available"
    ),
    ("lull.env('HOME')", "lull.env is not available"),
    ("lull.repl()", "lull.repl is not available"),
    ("lull.secret{ env = 'HOME' }", "lull.secret is not available"),
    (
      "lull.auth.oauth2_refresh{ token_url = 'https://a.test', client_id = 'a', "
        + "refresh_token = 'b', token_file = 'c' }", "'token_file' is not available"
    ),
    ("lull.auth.oauth2_code{}", "lull.auth.oauth2_code is not available"),
    ("lull.auth.oauth2_device{}", "lull.auth.oauth2_device is not available"),
    ("lull.auth.netrc()", "lull.auth.netrc is not available in the sandbox"),
    ("lull.auth.aws_sigv4{ env = true }", "'env' is not available in the sandbox"),
    ("lull.service{ unix_socket = '/x' }", "unix_socket is not available in the sandbox"),
    ("lull.regex(('a'):rep(257))", "longer than 256 characters"),
  ])
  func `refuses what leads out of it`(code: String, problem: String) throws {
    let ending = try run(
      """
      local lull, big = require "lull", ("x"):rep(1 << 20)
      local ok, problem = pcall(function() \(code) end)
      print(ok, problem)
      """)
    #expect(ending.output.hasPrefix("false\t"))
    #expect(ending.output.contains(problem), "\(ending.output)")
    #expect(ending.code == 0)
  }

  @Test func `allows what is just small enough`() throws {
    let ending = try run(
      """
      local big = ("x"):rep(1 << 20)
      print(#big, big:find("y"), ("x"):find(("a"):rep(256)), (""):rep(math.maxinteger) == "", ("x"):rep(-1) == "")
      """)
    #expect(ending.output == "1048576\tnil\tnil\ttrue\ttrue\n")
  }

  /// Errors of wrapped functions are those of the stock ones.
  @Test(arguments: [
    "string.find()", "string.find({}, 'x')", "string.find('x', '%')", "string.rep('x')",
    "string.rep('x', 'y')", "string.gsub('x', 'x')", "string.gsub('x', '(', '')",
    "string.match('x', nil)", "string.gmatch('x')", "setmetatable(1)", "setmetatable({}, 1)",
    "setmetatable(setmetatable({}, { __metatable = 1 }), {})", "load()", "collectgarbage({})",
  ])
  func `keeps the words of errors`(code: String) throws {
    let line = "print(select(2, pcall(function() \(code) end)))"
    let inside = try run(line).output
    let outside = try lull("run", folder.path + "/inside/main.lua").output
    #expect(inside == outside)
  }

  @Test func `reads modules beside the script`() throws {
    let ending = try run(
      """
      local words, path = require "words"
      print(words.hello, words.name, path == words.path, require "words" == words)
      print(require "deep", require "deep.er", require "deep.init", require "again".hello, require "-e", (require "marked"))
      print(require "nothing", require "nothing", counted, require "no", (require "no"))
      print(select(2, pcall(require, "broken")))
      """)
    #expect(
      ending.output == """
        hi\twords\ttrue\ttrue
        deep\tdeeper\tdeep\thi\tdash\tmarked
        true\ttrue\t1\tfalse\tfalse
        error loading module 'broken' from file '\(folder.path)/inside/broken.lua':
        \t\(folder.path)/inside/broken.lua:1: unexpected symbol near '+'

        """)
    #expect(ending.errors == "")
  }

  @Test(arguments: [
    "none", "escape", "up.outside", "../outside", "..outside", "deep/er", "/etc/passwd", "", ".",
    "pipe", "folder", "words\\0x", "words.", ".words", "w%rds", "words lua",
  ])
  func `reads nothing else`(name: String) throws {
    let ending = try run("print(select(2, pcall(require, '\(name)')))")
    #expect(ending.output.hasPrefix("module '"), "\(ending.output)")
    #expect(ending.output.contains("not found"))
    #expect(ending.code == 0)
  }

  /// The metatable of JSON objects is there for printing, and in nobody's way.
  @Test func `prints content and lets it have a metatable`() throws {
    let ending = try run(
      """
      local lull = require "lull"
      local value = lull.json.decode('{"a":{"b":[1]}}')
      print(value, value.a.b)
      print(getmetatable(value), pcall(setmetatable, value.a.b, {}))
      print(setmetatable(value.a, { __index = { c = 2 } }).c, pcall(setmetatable, value, { __gc = print }))
      print(setmetatable(value, nil) == value, getmetatable(value))
      """)
    #expect(
      ending.output == """
        { a = { b = { 1 } } }\t{ 1 }
        false\tfalse\tcannot change a protected metatable
        2\tfalse\t__gc is not available in the sandbox
        true\tnil

        """)
    #expect(ending.errors == "")
  }

  @Test func `reads no precompiled module`() throws {
    let ending = try run("print(select(2, pcall(require, 'compiled')))")
    #expect(ending.output.contains("precompiled chunk"))
  }

  @Test func `reads no modules where the code is in no file`() throws {
    let home = folder.path + "/inside"
    for ending in [
      try lull("--sandbox", "-e", "require 'words'", folder: home),
      try lull("--sandbox", "-", input: "require 'words'", folder: home),
    ] {
      #expect(
        ending.errors.contains("module 'words' not found: code that does not come from a file"))
      #expect(ending.code == 1)
    }
  }

  @Test func `goes nowhere unless told so`() throws {
    let code = """
      local lull = require "lull"
      local entity, err = lull.service(lull.demo()):resource("/users/1"):load():await()
      print(entity and entity.content.name or err.cause.kind .. ": " .. err.cause.message)
      """
    #expect(
      try run(code).output.wholeMatch(
        of: /connection: the host 127\.0\.0\.1:\d+ is not allowed \(--allow-host\)\n/) != nil)
    #expect(try run(code, "--allow-host", "127.0.0.1").output == "Ada Lovelace\n")
    #expect(try run(code, "--allow-host", "a.invalid", "--allow-host=127.0.0.1").code == 0)
    #expect(try run(code, "--allow-host", "localhost").output.hasPrefix("connection:"))
    #expect(try run(code, "--allow-host", "127.0.0.1:1").output.hasPrefix("connection:"))
  }

  @Test func `does not follow a redirect elsewhere`() throws {
    let code = """
      local lull = require "lull"
      local base = lull.demo()
      local api = lull.service(base)
      local function follow(target)
        local entity, err = api:resource("/redirect-to"):with_param("url", target):load():await()
        print(entity and entity.http_status or err.cause.message)
      end
      follow(base .. "/echo")
      follow((base:gsub("127.0.0.1", "localhost")) .. "/echo")
      follow("http://127.0.0.1@localhost:1/")
      """
    let lines = try run(code, "--allow-host", "127.0.0.1").output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first == "200")
    for line in lines.dropFirst() {
      #expect(line.contains(" redirects to localhost"))
      #expect(line.contains(", which is not allowed (--allow-host)"))
    }
  }

  @Test(arguments: [
    "lull.service{ base_url = base, headers = { Host = 'evil.test' } }('/echo'):get()",
    "lull.service{ base_url = base, headers = { host = 'evil.test:80' } }('/echo'):load()",
    """
    (function()
      local api = lull.service(base)
      api:configure('/echo', { mutate_requests = function(r) r.headers.Host = 'evil.test' end })
      return api('/echo'):get()
    end)()
    """,
    "lull.service(base)('/echo'):request('GET', nil, function(r) r.headers.HOST = 'evil.test' end)",
  ])
  func `NET-163 a Host header that names another host is refused, whatever sets it`(
    request: String
  ) throws {
    let code = """
      local lull = require "lull"
      local base = lull.demo()
      local entity, err = \(request):await()
      print(err and err.cause and err.cause.message or "sent")
      """
    let refused = try run(code, "--allow-host", "127.0.0.1").output
    #expect(
      refused.hasPrefix("the host 'evil.test")
        && refused.hasSuffix("' of the Host header is not allowed (--allow-host)\n"), "\(refused)")
    let allowed = try run(code, "--allow-host", "127.0.0.1", "--allow-host", "evil.test").output
    #expect(allowed == "sent\n")
  }

  @Test func `NET-163 so is one that is a secret`() throws {
    let code = """
      local api = lull.service{ base_url = lull.demo(),
        headers = { Host = lull.secret{ env = "VIRTUAL" } } }
      local entity, err = api("/echo"):get():await()
      print(err and err.cause and err.cause.message or "sent")
      """
    for (name, shown) in [("evil.test", "is not allowed"), ("good.test", "sent")] {
      let ending = try Child(
        Binaries.lull,
        ["--allow-host", "127.0.0.1", "--allow-host", "good.test", "-e", code],
        environment: ["VIRTUAL": name]
      ).wait()
      #expect(ending.output.contains(shown), "\(ending)")
      #expect(!ending.output.contains("evil.test"), "\(ending)")
    }
  }

  /// Outside of the sandbox a list of hosts restricts too.
  @Test func `a list of hosts restricts any script`() throws {
    let code = "print(select(2, lull.service(lull.demo()):resource('/users/1'):load():await()))"
    #expect(try lull("-e", code).output == "\n")
    let ending = try lull("--allow-host", "a.invalid", "-e", code)
    #expect(ending.output.contains("is not allowed (--allow-host)"))
    #expect(ending.code == 0)
  }

  @Test func `bytecode and the sandbox do not go together`() throws {
    let ending = try lull("--sandbox", "--allow-bytecode", "-e", "")
    #expect(ending.errors.contains("--allow-bytecode cannot be combined with --sandbox"))
    #expect(ending.code == 2)
  }

  @Test func `limits hold in the sandbox`() throws {
    let endless = try run(
      "while true do pcall(function() while true do end end) end", "--max-time", "0.2")
    #expect(endless.errors.contains("the script ran for more than 0.2 s (--max-time)"))
    #expect(endless.code == 1)
    let slow = try run("(('a'):rep(40)):find(('.-'):rep(40) .. 'b')", "--max-time", "0.2")
    #expect(slow.errors.contains("the script ran for more than 0.2 s (--max-time)"))
    #expect(slow.code == 1)
    let hungry = try run(
      "('x'):rep(10000):gsub('x', ('y'):rep(100000))", "--max-memory", "32M")
    #expect(hungry.errors.contains("the script needs more than 32 MB of memory (--max-memory)"))
    #expect(hungry.code == 1)
    let counted = try run("while true do end", "--max-instructions", "10000")
    #expect(counted.errors.contains("the script ran more than 10000 instructions"))
    #expect(counted.code == 1)
  }
}
