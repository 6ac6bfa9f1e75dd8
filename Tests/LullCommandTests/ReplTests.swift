import Testing

@Suite("lull repl with a pipe", .timeLimit(.minutes(20)))
struct ReplTests {
  @Test func `prints what a line gives`() throws {
    let ending = try lull("repl", input: "print(1)\n1 + 1\n=2, 'a'\nx = 5\nx\nnil\n")
    #expect(ending.output == "1\n2\n2\t\"a\"\n5\nnil\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `UNH-06 reports no failed requests`() throws {
    let ending = try lull(
      "repl",
      input: """
        s = lull.service{ base_url = "https://a.invalid", networking = function() return { status = 503 } end }
        r = s("/x"):load()
        lull.sleep(0.1)

        """)
    #expect(ending.errors == "", "\(ending)")
    #expect(ending.code == 0)
  }

  @Test func `LUA-181 names a replacement for a function that the module does not have`() throws {
    let ending = try lull("repl", input: "lull.fetch('http://a.example')\n")
    #expect(
      ending.errors.contains("; lull has no field 'fetch' (did you mean 'lull.get(url)'?)\n"),
      "\(ending)")
    // A name that is only read is nil, so that scripts can look for it.
    let read = try lull("repl", input: "lull.fetch\n")
    #expect(read.output == "nil\n")
    #expect(read.errors == "")
  }

  @Test func `runs statements over several lines`() throws {
    let ending = try lull(
      "repl",
      input: "local sum = 0\nfor i = 1, 3 do\n  sum = sum + i\nend\nsum\nlocal t = {\n1,\n2 }\n#t\n"
    )
    #expect(ending.output == "6\n2\n")
    #expect(ending.errors == "")
  }

  @Test func `needs no newline at the end`() throws {
    #expect(try lull("repl", input: "print('last')").output == "last\n")
  }

  @Test func `skips a line for the shell`() throws {
    #expect(try lull("repl", input: "#!/usr/bin/env lull\nprint(2)\n").output == "2\n")
  }

  @Test func `goes on after an error and ends with one`() throws {
    let ending = try lull("repl", input: "print('a')\n\nerror('no')\nprint('b')\n")
    #expect(ending.output == "a\nb\n")
    #expect(ending.errors.contains("stdin:3: no"))
    #expect(ending.code == 1)
  }

  @Test(arguments: ["x = = 1", "f(\n", "for i = 1, 2 do\nprint(i)\n", "'open\n"])
  func `ends with one after a syntax error`(input: String) throws {
    let ending = try lull("repl", input: "print('a')\n" + input)
    #expect(ending.output == "a\n")
    #expect(ending.errors.contains("stdin:"))
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    (
      "x = 5\nx\nfor i = 1, 2 do\n  print(i)\n",
      """
      lull: stdin:4: 'end' expected (to close 'for' at line 3) near <eof>
        3 | for i = 1, 2 do
          | ^^^
        4 |   print(i)
          |           ^

      """
    ),
    (
      "x = 5\nx +\n",
      """
      lull: stdin:2: unexpected symbol near <eof>
        2 | x +
          |    ^

      """
    ),
    (
      "x = 5\nx\nx = = 1\n",
      """
      lull: stdin:3: unexpected symbol near '='
        3 | x = = 1
          |     ^

      """
    ),
  ])
  func `marks where a statement does not compile`(input: String, report: String) throws {
    #expect(try lull("repl", input: input).errors == report)
  }

  /// Lines keep their text whatever came between: a statement of several lines, and an error.
  @Test func `shows the line that fails`() throws {
    let ending = try lull(
      "repl",
      input: """
        local a = {
          1
        }
        x = = 1
        function late()
          local n = nil
          return n.x
        end
        a
        late()
        """)
    #expect(ending.errors.contains("lull: stdin:4: unexpected symbol near '='\n  4 | x = = 1\n"))
    #expect(
      ending.errors.contains(
        "lull: stdin:7: attempt to index a nil value (local 'n')\n  7 |   return n.x\n"))
    #expect(ending.output == "{ 1 }\n")
  }

  @Test func `marks what nests too deeply`() throws {
    let ending = try lull(
      "repl", input: "x = 5\ny = " + String(repeating: "{", count: 300) + "\n'on'\n")
    #expect(ending.errors.hasPrefix("lull: stdin:2: C stack overflow\n  2 | "))
    #expect(ending.errors.contains("^\n"))
    #expect(ending.output == "\"on\"\n")
  }

  @Test func `waits for what lines start`() throws {
    let ending = try lull(
      "repl",
      input: """
        lull.spawn(function() lull.sleep(0.05) print('later') end)
        local api = lull.service(lull.demo())
        api('/users/1'):load():await().content.id
        print('last line')
        """)
    #expect(ending.output.hasPrefix("Task(running)\n"))
    #expect(ending.output.contains("\n1\n"))
    #expect(ending.output.contains("later\n"))
    #expect(ending.code == 0)
  }

  @Test func `ends with the code of os.exit`() throws {
    let ending = try lull("repl", input: "os.exit(4)\nprint('not this')\n")
    #expect(ending.output == "")
    #expect(ending.code == 4)
  }

  @Test func `runs files first`() throws {
    let folder = try TemporaryFolder()
    let one = try folder.write("one.lua", "local shared = 1\nglobal = 2\n")
    let two = try folder.write("two.lua", "local other = shared + global\n")
    let ending = try lull("repl", one, two, input: "shared, global, other\n")
    #expect(ending.output == "1\t2\t3\n")
    #expect(ending.code == 0)
  }

  @Test func `opens a session after a file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("near.lua", "return { name = 'near' }")
    let file = try folder.write(
      "main.lua", "#!/usr/bin/env lull\nlocal near = require 'near'\nlocal words = arg[1]\n")
    let ending = try lull("-i", file, "word", input: "near.name, words, arg[0]\n")
    #expect(ending.output == "\"near\"\t\"word\"\t\"\(file)\"\n")
    #expect(ending.code == 0)
  }

  /// The file of -i runs as it would without a session, and again with `.reload`. (LUA-03)
  @Test func `runs the file of a script with the globals`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "main.lua",
      """
      assert(_ENV == _G and rawequal(_ENV, package.loaded._G))
      local main, isMain = coroutine.running()
      assert(isMain and not coroutine.isyieldable())
      runs = (rawget(_G, "runs") or 0) + 1
      local function adds() rawset(_ENV, "raw", 3) own = 4 end
      adds()
      local seen = false
      for name in pairs(_ENV) do seen = seen or name == "own" end
      if runs == 2 then error("second", 0) end
      """)
    let ending = try lull(
      "-i", file, input: "runs, raw, own, seen, adds ~= nil, _G.seen\n.reload\nruns\nseen\n")
    #expect(ending.output.hasPrefix("1\t3\t4\ttrue\ttrue\tnil\n"))
    // What a script has assigned before it fails stays.
    #expect(ending.output.hasSuffix("\n2\ntrue\n"))
    #expect(ending.errors.contains("second"))
    // A line has the variables of the session, and nobody else's.
    let line = try lull(
      "-i", file,
      input: "return ('x'):gsub('x', _ENV)\n_ENV.__lull_script = nil\nlocal y = 7\ny, _G.y\n")
    #expect(line.output.contains("7\tnil\n"))
    let hostile = try lull(
      "repl",
      input:
        "('__lull_script'):gsub('.+', _ENV)\ntable.concat(setmetatable({}, {__index = _ENV}))\n"
        + "1 + 1\n")
    #expect(hostile.output.hasSuffix("2\n"))
  }

  @Test func `opens a session also after a file that fails`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("bad.lua", "before = 1\nerror('in the file')\n")
    let ending = try lull("-i", file, input: "print('here')\n")
    #expect(ending.output == "here\n")
    #expect(ending.errors.contains("bad.lua:2: in the file"))
    #expect(ending.code == 1)
  }

  @Test(arguments: [["repl", "/nowhere/x.lua"], ["-i", "/nowhere/x.lua"]])
  func `says that a file cannot be read`(words: [String]) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.errors.contains("cannot read '/nowhere/x.lua'"))
    #expect(ending.code == 3)
  }

  @Test func `refuses unknown options`() throws {
    let ending = try lull("repl", "--nope")
    #expect(ending.errors.contains("--nope"))
    #expect(ending.code == 2)
  }

  @Test func `QUERY-58 lists queries with the beginning of their content`() throws {
    let long = String(repeating: "é", count: 3000)
    let ending = try lull(
      "repl",
      input: """
        local api = lull.service{ base_url = 'https://a.test', name = 'a' }
        local search = api('/search')
        local json = search:query{ json = { term = 'tea', password = 'hunter2' } }
        local post = search:query{ json = { term = 'tea' }, method = 'POST' }
        local bytes = search:query{ data = ('\\xff'):rep(600) }
        local long = search:query{ form = { token = 'hunter2', term = '\(long)' } }
        local text = search:query{ text = 'token=hunter2&term=\(long)' }
        local lines = search:query{ text = 'a\\nb\\27[31m' }
        local empty = search:query{ text = '' }
        local equal = search:query{ json = { password = 'hunter2', term = 'tea' } }
        .resources
        .resources /sear*
        """)
    #expect(ending.errors == "", "\(ending)")
    let rows = ending.output.split(separator: "\n").map(String.init)
    #expect(rows.count == 18 && Array(rows[..<9]) == Array(rows[9...]), "\(ending.output)")
    let names = rows[1..<9].map { row in
      String(row.prefix { $0 != " " }) + " "
        + row.dropFirst(8).replacing("empty", with: "").split(separator: " ").dropLast()
        .joined(separator: " ")
    }
    #expect(names.contains("/search QUERY 600 bytes"), "\(names)")
    #expect(names.contains(#"/search POST {"term":"tea"}"#), "\(names)")
    #expect(names.contains(#"/search QUERY {"password":"***","term":"tea"}"#), "\(names)")
    #expect(rows[0].contains("observers"), "\(rows[0])")
    #expect(rows.allSatisfy { $0.count <= 80 }, "\(rows)")
    #expect(names.contains(#"/search QUERY a b\x1B[31m"#), "\(names)")
    #expect(!ending.output.contains("hunter2") && !ending.output.contains("\u{1B}"))
  }

  @Test func `obeys commands`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("f.lua", "loaded = (loaded or 0) + 1\nlocal here = 'yes'\n")
    let ending = try lull(
      "repl",
      input: """
        .load \(file)
        loaded, here
        .reload
        loaded
        .log network
        .log off
        .resources
        local api = lull.service{ base_url = 'https://a.test', name = 'a' }
        local x = api('/x')
        .resources
        .resources /y*
        """)
    #expect(
      ending.output == """
        1\t"yes"
        \(file)
        2
        network
        nothing is logged
        no resources are in memory
        resource  state  age  size  observers
        /x        empty                     0
        no resources that match the pattern are in memory

        """)
    #expect(ending.errors == "")
  }

  @Test(arguments: [".nope", ".load", ".load /nowhere", ".log nope", ".reload", ".time x ="])
  func `says what is wrong with a command`(line: String) throws {
    let ending = try lull("repl", input: line + "\nprint('on')\n")
    #expect(ending.output == "on\n")
    #expect(ending.errors.hasPrefix("lull: "))
    #expect(ending.code == 1)
  }

  @Test func `times a line`() throws {
    let lines = try lull("repl", input: ".time 1 + 1\n").output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first == "2")
    #expect(lines.last?.hasSuffix("s") == true)
  }

  @Test func `explains what help is asked for`() throws {
    let ending = try lull("repl", input: "help(lull.sleep)\nhelp('load')\nhelp(nil)\n")
    #expect(ending.output.contains("lull.sleep(seconds)\n  (seconds: number)\n"))
    #expect(ending.output.contains("resource:load()\n"))
    #expect(ending.output.contains("There is no help for nil"))
    #expect(ending.errors == "")
  }

  @Test func `has no colours in a pipe`() throws {
    #expect(try !lull("repl", input: "{1, 'a', print}\n").output.contains("\u{1B}"))
  }

  @Test func `opens inside a script`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "script.lua",
      """
      local lull = require 'lull'
      count = 1
      lull.spawn(function() lull.sleep(0.01) print('task') end)
      lull.repl()
      print('after', count)
      """)
    let ending = try lull(
      "run", file, input: "count = count + 1\nlull.sleep(0.1)\nlull.repl()\nlocal mine = 1\n")
    #expect(ending.output == "task\nafter\t2\n")
    #expect(ending.errors.contains("stdin:3: a REPL is open already"))
    #expect(ending.code == 0)
  }

  @Test func `does not open where nothing can wait`() throws {
    let ending = try lull(
      "-e",
      """
      table.sort({ 2, 1 }, function(a, b)
        local ok, message = pcall(lull.repl)
        print(ok, message)
        return a < b
      end)
      """)
    #expect(ending.output.contains("false\t"))
    #expect(ending.output.contains("table.sort"))
  }

  @Test func `ends with the task that opened it`() throws {
    let child = try Child(
      Binaries.lull,
      ["-e", "print(lull.timeout(0.05, function() lull.repl() return 'left' end)) print('end')"],
      input: .held)
    let ending = try child.wait()
    #expect(ending.output.hasSuffix("end\n"))
    #expect(ending.output.hasPrefix("nil\t"))
  }

  @Test(.enabled(if: Binaries.canLoadModule, "see LULL_TEST_MODULE"))
  func `works in a stock interpreter`() throws {
    let ending = try Child(
      Binaries.lua ?? "lua5.4", ["-l", "lull", "-e", "lull.repl() print('after')"],
      environment: ["LUA_CPATH": Binaries.modulePattern],
      input: .text("local a = 1\na + 1\nlull.sleep(0.01)\nerror('no')\nhelp(lull.sleep)\n")
    ).wait()
    #expect(ending.output.hasPrefix("2\nlull.sleep(seconds)\n"))
    #expect(ending.output.hasSuffix("\nafter\n"))
    #expect(ending.errors.contains("stdin:4: no"))
    #expect(ending.code == 0)
  }
}
