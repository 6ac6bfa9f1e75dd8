import LullLibC
import Testing

/// What `lull test` runs, in which order, and with which end.
@Suite("lull test", .timeLimit(.minutes(20)))
struct TestRunnerTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  private func names(_ ending: Child.Ending) -> [String] {
    ending.output.split(separator: "\n").filter { $0.hasPrefix("  ok       ") }
      .map { String($0.dropFirst(11)) }
  }

  @Test
  func
    `PRV-01 folders are searched in order, without hidden ones, and links that lead back are entered once`()
    throws
  {
    try files.write("tests/b_test.lua", #"test("b", function() end)"#)
    try files.write("tests/a/z_test.lua", #"test("z", function() end)"#)
    try files.write("tests/.hidden/h_test.lua", #"test("h", function() end)"#)
    try files.write("tests/helper.lua", #"error("not a test")"#)
    symlink("..", files.folder.path + "/tests/a/back")
    symlink("nowhere", files.folder.path + "/tests/gone_test.lua")
    let all = try files.run()
    #expect(names(all) == ["z", "b"], "\(all)")
    #expect(all.code == 0)
    #expect(names(try files.run("tests/b_test.lua", "tests", "tests/b_test.lua")) == ["b", "z"])
    // A file that is named need not be called so.
    try files.write("other.lua", #"test("other", function() end)"#)
    #expect(names(try files.run("other.lua")) == ["other"])
  }

  @Test func `PRV-01 without a file there is nothing to run, and a line says what to do`() throws {
    let none = try files.run()
    #expect(none.code == 2)
    #expect(none.errors.hasPrefix("lull: there is no folder 'tests' here: name files or folders"))
    try files.write("tests/helper.lua", "")
    let empty = try files.run()
    #expect(empty.code == 2)
    #expect(empty.errors.hasPrefix("lull: there is no test file (*_test.lua) in 'tests'\n"))
  }

  @Test
  func
    `PRV-02 the exit code says how it went, and what cannot be read keeps no other file from its tests`()
    throws
  {
    try files.write("good_test.lua", #"test("good", function() end)"#)
    try files.write("bad_test.lua", #"test("bad", function() error("no") end)"#)
    try files.write("wrong_test.lua", "test(\"wrong\", function( end)")
    #expect(try files.run("good_test.lua").code == 0)
    #expect(try files.run("good_test.lua", "bad_test.lua").code == 1)
    let wrong = try files.run("wrong_test.lua", "good_test.lua")
    #expect(wrong.code == 3)
    #expect(
      wrong.output.contains("    lull: wrong_test.lua:2: <name> or '...' expected near 'end'\n"))
    #expect(wrong.output.contains("  ok       good\n"))
    let missing = try files.run("missing_test.lua", "good_test.lua")
    #expect(missing.code == 3)
    #expect(missing.errors == "lull: cannot read 'missing_test.lua': No such file or directory\n")
    #expect(missing.output.contains("  ok       good\n"))
    #expect(try files.run("good_test.lua", "--recorded", "all").code == 2)
    #expect(try files.run("good_test.lua", "--jobs", "0").code == 2)
  }

  @Test func `PRV-02 shells complete its options and files`() throws {
    #expect(try lull("--complete", "test", "--ju").output.hasPrefix("--junit"))
    #expect(try lull("--complete", "test", "a").output == "//files\n")
    #expect(try lull("--complete", "test", "--html", "").output == "//files\n")
    #expect(try lull("--complete", "test", "--coverage", "").output.hasSuffix("//files\n"))
  }

  @Test func `PRV-03 anywhere else the module raises, and says how its tests are run`() throws {
    let text = "lull.test is only available in lull test: lull test FILE"
    let script = try lull("-e", #"require "lull.test""#)
    #expect(script.code == 1)
    #expect(script.errors.hasPrefix("lull: \(text)"), "\(script.errors)")
    let file = try files.folder.write("x.lua", #"print(pcall(require, "lull.test"))"#)
    for words in [["run", file], ["run", "--sandbox", file]] {
      let ending = try Child(Binaries.lull, words).wait()
      #expect(ending.output.hasPrefix("false\t\(text)"), "\(ending)")
    }
  }

  @Test(.enabled(if: Binaries.canLoadModule, "needs lua5.4 and lull.so"))
  func `PRV-03 in a stock interpreter too`() throws {
    let ending = try startStock(#"print(pcall(require, "lull.test"))"#).wait()
    #expect(ending.output.contains("lull.test is only available in lull test"), "\(ending)")
  }

  @Test func `PRV-04 each test has a host of its own`() throws {
    try files.write(
      "own_test.lua",
      """
      local cache = lull.cache.file{}
      count = (count or 0) + 1
      test.each({ 1, 2 }, "nothing of another test is there {}", function(t)
        t.expect(count):to_be(1)
        t.expect(shared):to_be(nil)
        shared = true
        t.network:on("GET", "/a", { json = { n = 1 }, headers = { ["set-cookie"] = "a=1" } })
        local api = t:service("https://x.test")
        api:configure{ pipeline = { parsing = { cache = cache } } }
        local resource = api("/a")
        t.expect(resource.latest_data):to_be(nil)
        resource:load():await()
        t.expect(t.exchanges):to_have_count(1)
        t.expect(os.getenv("XDG_CACHE_HOME")).never:to_equal(os.getenv("HOME") .. "/.cache")
      end)
      """)
    let ending = try files.run("own_test.lua", "--jobs", "1")
    #expect(ending.code == 0, "\(ending)")
    #expect(names(ending).count == 2)
  }

  @Test func `PRV-04 what a test does to its process is nothing to the next one`() throws {
    try files.write(
      "process_test.lua",
      """
      test("closes", function() io.stdout:close() end)
      test("prints a lot", function(t) print(("x"):rep(1200000)) error("no") end)
      test("has what it needs", function(t)
        print("here")
        t.expect(t.output):to_be("here\\n")
        t.expect(io.read("a")):to_be("")
        t.expect(os.setlocale()):to_be("C")
      end)
      """)
    let ending = try files.run("process_test.lua", "--jobs", "1")
    #expect(names(ending) == ["closes", "has what it needs"], "\(ending.output.suffix(500))")
    #expect(ending.output.contains("… and 151425 bytes more\n"), "\(ending.output.suffix(500))")
  }

  @Test
  func
    `PRV-05 functions are called before and after each test, the last one first, also when it fails`()
    throws
  {
    try files.write(
      "hooks_test.lua",
      """
      local order = {}
      test.before_each(function() order[#order + 1] = "a" end)
      test.before_each(function() lull.sleep(5); order[#order + 1] = "b" end)
      test.after_each(function() print(table.concat(order, " ")) end)
      test.after_each(function() order[#order + 1] = "c" error("after") end)
      test("fails", function() order[#order + 1] = "body" error("no") end)
      """)
    let ending = try files.run("hooks_test.lua")
    #expect(ending.code == 1)
    #expect(ending.output.contains("    printed:\n      a b body c\n"), "\(ending.output)")
    #expect(ending.output.contains("lull: hooks_test.lua:7: no\n"))
    #expect(ending.output.contains("lull: hooks_test.lua:6: after\n"))
  }

  @Test func `PRV-06 a test for each element of a list, named by it`() throws {
    try files.write(
      "each_test.lua",
      """
      test.each({ "a", "b" }, "letter {}", function(t, case) t.expect(case):to_match("^[ab]$") end)
      test.each({ { n = 1, s = "x" } }, "{s} is {n}, {q}", function(t, case) t.expect(case.n):to_be(1) end)
      test.each({ false, 2 }, "numbered", function(t, case) end)
      """)
    let ending = try files.run("each_test.lua")
    #expect(
      names(ending) == ["letter a", "letter b", "x is 1, {q}", "numbered (1)", "numbered (2)"])
    #expect(ending.code == 0)
  }

  @Test(arguments: [
    (
      #"test("a", function() end) test("a", function() end)"#,
      "2: there is a test 'a' already, on line 2"
    ),
    (#"test("", function() end)"#, "2: test needs a non-empty name"),
    (#"test("a\nb", function() end)"#, "2: test: a name is one line of UTF-8"),
    (#"test("a")"#, "2: test needs a function"),
    (
      #"test.each({}, "a", function() end)"#, "2: test.each needs a non-empty list of cases"
    ),
    (
      #"test.before_all(function() end)"#,
      "2: there is no test.before_all: each test has its own host"
    ),
    (#"test.befor_each(function() end)"#, "2: lull.test has no 'befor_each'"),
    (
      #"test("a", function() test("b", function() end) end)"#,
      "2: test must be at the top level of the file"
    ),
    ("", "declares no test: test(\"name\", function(t) … end)"),
    (#"test("a" .. tostring({}), function() end)"#, "each time it runs"),
    (
      #"lull.sleep(1) lull.service("https://x.test")("/a"):load():await() test("a", function() end)"#,
      "tests do not use the network"
    ),
  ])
  func `PRV-07 what is declared wrongly is refused at its line`(text: String, problem: String)
    throws
  {
    try files.write("wrong_test.lua", text)
    let ending = try files.run("wrong_test.lua")
    #expect(ending.code == 1)
    #expect(ending.output.contains(problem), "\(ending.output)")
  }

  @Test
  func `PRV-08 tests are left out by filter, by skip, and by only, which fails where CI is set`()
    throws
  {
    try files.write(
      "some_test.lua",
      """
      test("one", function() end)
      test("two", function() end)
      test.skip("three", function() error("not run") end)
      """)
    #expect(names(try files.run("some_test.lua", "--filter", "tw")) == ["two"])
    let none = try files.run("some_test.lua", "--filter", "four")
    #expect(none.code == 2)
    #expect(none.errors == "lull: no test's name contains 'four'\n")
    let all = try files.run("some_test.lua")
    #expect(all.code == 0)
    #expect(all.output.contains("  skipped  three\n\n2 passed, 1 skipped"), "\(all.output)")
    try files.write("only_test.lua", #"test.only("alone", function() end)"#)
    #expect(names(try files.run("some_test.lua", "only_test.lua")) == ["alone"])
    let ci = try files.run("only_test.lua", environment: ["CI": "true"])
    #expect(ci.code == 1)
    #expect(ci.output.contains("only_test.lua:2: test.only skips the other tests"))
  }

  @Test func `PRV-09 several tests run at once, and are told of in their order`() throws {
    let tests = (1...40).map { "test(\"t\($0)\", function() end)" }.joined(separator: "\n")
    try files.write("many_test.lua", tests)
    #expect(names(try files.run("many_test.lua", "--jobs", "4")) == (1...40).map { "t\($0)" })
  }

  @Test func `PRV-10 Ctrl-C ends all of it, and tells of what was done`() throws {
    try files.write(
      "long_test.lua",
      #"test("short", function() end) test("long", function() os.execute("sleep 600") end)"#)
    let child = try Child(
      Binaries.lull, ["test", "long_test.lua", "--jobs", "1"], folder: files.folder.path)
    try child.waitForOutput("  ok       short\n")
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.code == 130)
    #expect(
      ending.output.hasSuffix(
        "\ninterrupted: 1 passed, 1 not run (\(ending.output.split(separator: "(").last ?? "")"))
  }

  @Test
  func
    `PRV-11 a test that ends its process, or does not end, fails and keeps no other from running`()
    throws
  {
    try files.write(
      "end_test.lua",
      """
      test("exits", function() print("before") os.exit(0) end)
      test("dies", function() io.write("last words") io.stdout:flush() os.execute("kill -KILL $PPID") end)
      test("spins", function() while true do end end)
      test("is stuck in C", function() string.find(("a"):rep(100000), ("a?"):rep(40) .. ("a-"):rep(40) .. "b") end)
      test("sleeps for ever", function() while true do lull.sleep(1) end end)
      test("is run", function() end)
      """)
    let ending = try files.run("end_test.lua", "--max-time", "1")
    #expect(ending.code == 1)
    #expect(ending.output.contains("lull: the test called os.exit(0), which does not end a test\n"))
    #expect(
      ending.output.contains("lull: the process that ran the test was ended by a signal (Killed)\n")
    )
    #expect(ending.output.contains("      last words\n"))
    #expect(
      ending.output.contains("lull: end_test.lua:4: the test ran for more than 1 s\n"),
      "\(ending.output)")
    #expect(
      ending.output.contains("lull: end_test.lua:5: the test ran for more than 1 s\n"),
      "\(ending.output)")
    #expect(names(ending) == ["is run"])
  }

  @Test
  func `PRV-12 a worker that answers with something else has died, and no other test waits for it`()
    throws
  {
    try files.write(
      "junk_test.lua",
      """
      test("writes between", function(t)
        for descriptor = 3, 9 do
          local kind = io.popen(("readlink /proc/$PPID/fd/%d"):format(descriptor)):read("l") or ""
          -- Where replies go; the other end of a pipe cannot be told from here, and is given orders that are none.
          local pipe = kind:find("^pipe") and descriptor == 4 and io.open("/proc/self/fd/4", "w")
          if pipe then pipe:write("no reply\\n") pipe:close() end
        end
      end)
      test("is run", function() end)
      """)
    let ending = try files.run("junk_test.lua", "--jobs", "1")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        "lull: the process that ran the test sent an invalid report\n"),
      "\(ending.output)")
    #expect(names(ending) == ["is run"])
  }

  @Test func `PRV-13 control characters of others are shown as escapes`() throws {
    try files.write(
      "escape_test.lua",
      """
      test("error", function(t)
        t.network:on("GET", "/a", { fail = "refused" })
        error("\\27[31mred\\u{9b}\\u{202e}")
      end)
      test("left", function(t)
        t.network:on("GET", "/**", { json = 1, delay = 1 })
        Kept = t:service("https://x.test")("/a"):with_param("q", "\\27[31m"):load()
      end)
      """)
    let ending = try files.run("escape_test.lua")
    #expect(
      ending.output.contains(#"escape_test.lua:4: \x1B[31mred\u{9B}\u{202E}"#), "\(ending.output)")
    #expect(!ending.output.contains("\u{1B}"))
  }
}
