import Testing

/// `lull repl` and `lull -i` with the options of `lull run`.
@Suite("Limits of a session", .timeLimit(.minutes(20)))
struct ReplLimitTests {
  private static let late = "the line ran for more than 0.2 s (--max-time)"
  private static let long = "the line ran more than 100000 instructions (--max-instructions)"

  @Test(arguments: [
    "while true do end", "while true do pcall(error) end", "lull.sleep(300)",
    "coroutine.wrap(function() while true do end end)()",
    "lull.spawn(lull.sleep, 300):await()",
    "return setmetatable({}, { __tostring = function() while true do end end })",
    "return ('x'):rep(100):find(('.-'):rep(40) .. 'y')",
    "table.move({}, 1, 1 << 60, 2)",
  ])
  func `time ends a line and not the session`(line: String) throws {
    let ending = try lull(
      "repl", "--max-time", "0.2",
      input: "x = 1\nx = 2 \(line)\n'on'\nlull.sleep(0.1) return 'still'\n")
    #expect(ending.output == "\"on\"\n\"still\"\n")
    #expect(ending.errors.contains(Self.late))
    #expect(ending.errors.ranges(of: "lull: ").count == 1)
    #expect(ending.code == 1)
  }

  @Test func `time is that of each line`() throws {
    let ending = try lull(
      "repl", "--max-time=2", input: String(repeating: "lull.sleep(0.5)\n", count: 5) + "'end'\n")
    #expect(ending.output == "\"end\"\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `time ends the session where a line cannot be ended`() throws {
    let ending = try lull(
      "repl", "--max-time", "0.2",
      input: "os.execute('sleep 3')\nprint('on')\n")
    #expect(ending.output == "")
    #expect(ending.errors == "lull: \(Self.late)\n")
    #expect(ending.code == 1)
  }

  @Test func `instructions are those of each line`() throws {
    let ending = try lull(
      "repl", "--max-instructions", "100000",
      input: """
        for i = 1, 20000 do end
        for i = 1, 20000 do end
        while true do pcall(error) end
        for i = 1, 20000 do end
        'on'
        debug.sethook()
        """)
    #expect(ending.output == "\"on\"\n")
    #expect(ending.errors.contains("stdin:3: " + Self.long))
    #expect(ending.errors.contains("debug.sethook is not available with --max-instructions"))
    #expect(ending.errors.ranges(of: "lull: ").count == 2)
    #expect(ending.code == 1)
  }

  @Test(.measuringRelease)
  func `memory is the session's`() throws {
    let ending = try releasedLull(
      "repl", "--max-memory", "16M",
      input: "t = {}\nfor i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end\nprint('on')\n")
    #expect(ending.output == "")
    #expect(ending.errors.contains("the script needs more than 16 MB of memory (--max-memory)"))
    #expect(ending.errors.ranges(of: "lull: ").count == 1)
    #expect(ending.code == 1)
  }

  @Test func `the sandbox has what scripts have there`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("main.lua", "local near = require 'near'\nlocal name = near.name\n")
    try folder.write("near.lua", "return { name = 'near' }")
    let ending = try lull(
      "repl", "--sandbox", file,
      input: """
        name
        io.open('/etc/passwd')
        os.exit(5)
        .load /etc/passwd
        .reload
        lull.service('http://127.0.0.1:9'):resource('/x'):load():await()
        local after = 'on'
        after
        """)
    #expect(ending.output.hasPrefix("\"near\"\n\(file)\n"))
    #expect(ending.output.hasSuffix("\"on\"\n"))
    #expect(ending.errors.contains("io is not available in the sandbox"))
    #expect(ending.errors.contains("os is not available in the sandbox"))
    #expect(ending.errors.contains("lull: .load is not available in the sandbox"))
    #expect(!ending.errors.contains("root:"))
    #expect(ending.output.contains("--allow-host"))
    #expect(ending.code == 1)
  }

  @Test func `hosts are those that are allowed`() throws {
    let ending = try lull(
      "repl", "--allow-host", "a.test",
      input: "r, e = lull.service('http://b.test'):resource('/x'):load():await()\ntostring(e)\n")
    #expect(ending.output.contains("b.test"))
    #expect(ending.output.contains("--allow-host"))
  }

  @Test(arguments: [["-i", "--max-time", "0.2"], ["--max-time", "0.2", "-i"]])
  func `are those of a file too`(words: [String]) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("busy.lua", "before = arg[1]\nwhile true do end\n")
    let ending = try Child(
      Binaries.lull, words + [file, "word"], input: .text("before\nprint('on')\n")
    ).wait()
    // What a script had assigned stays, as without a session.
    #expect(ending.output == "\"word\"\non\n")
    #expect(ending.errors.contains("busy.lua:2: " + Self.late))
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    (["repl", "--max-time"], "--max-time needs a value"),
    (["repl", "--max-time", "0"], "--max-time needs a number of seconds above 0, got '0'"),
    (["repl", "--sandbox", "--allow-bytecode"], "--allow-bytecode cannot be combined"),
    (["-i"], "-i needs a script"), (["-i", "--max-time", "1"], "-i needs a script"),
    (["--max-time", "-i"], "--max-time needs a number of seconds above 0, got '-i'"),
    (["-i", "--max-tme", "1", "x.lua"], "unknown option '--max-tme' (did you mean '--max-time'?)"),
    (["-i", "-"], "a session reads its lines from standard input"),
    (["repl", "-"], "a session reads its lines from standard input"),
    (["repl", "--nope"], "--nope"),
  ])
  func `are refused where they are wrong`(words: [String], message: String) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.errors.contains(message))
    #expect(ending.code == 2)
  }

  @Test func `are explained`() throws {
    let help = try Child(Binaries.lull, ["repl", "--help"]).wait()
    for option in ["--sandbox", "--allow-host", "--max-time", "--max-instructions", "--max-memory"]
    {
      #expect(help.output.contains(option))
    }
    #expect(help.code == 0)
  }

  @Test(arguments: [["-i"], ["repl"], ["-i", "--sandbox"], ["repl", "--allow-bytecode"]])
  func `a precompiled file is refused`(words: [String]) throws {
    let folder = try TemporaryFolder()
    _ = try lull(
      "-e", "local f = io.open('x.luac', 'wb') f:write(string.dump(function() end)) f:close()",
      folder: folder.path)
    let ending = try Child(Binaries.lull, words + ["x.luac"], folder: folder.path).wait()
    #expect(ending.errors.hasPrefix("lull: x.luac: attempt to load a precompiled chunk"))
    if words == ["-i"] {
      #expect(ending.errors == (try lull("run", "x.luac", folder: folder.path)).errors)
    }
    #expect(ending.output == "")
    #expect(ending.code == 3)
  }
}
