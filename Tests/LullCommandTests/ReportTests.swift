import LullLibC
import Testing

/// What is written to standard error of each kind of error: `Tests/Reports` holds the scripts, and
/// beside each what it makes the command write, with the exit code. `Scripts/test --update-reports`
/// writes that anew.
@Suite("Reports of errors", .timeLimit(.minutes(20)))
struct ReportTests {
  private static let folder = Binaries.tests + "/Reports"

  private static let names: [String] = {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // The name ends with a NUL inside the entry.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".lua") { names.append(String(name.dropLast(4))) }
    }
    return names.sorted()
  }()

  @Test func `are shown for every kind of error`() {
    #expect(Self.names.count > 60)
  }

  @Test(arguments: names)
  func `are as expected`(of name: String) throws {
    let ending = try lull(name + ".lua", folder: Self.folder)
    let path = Self.folder + "/" + name + ".expected"
    let shown = ending.errors + "exit \(ending.code)\n"
    var expected = try Child("cat", [path]).wait().output
    if getenv("LULL_WRITE_REPORTS") != nil, Self.normal(shown) != Self.normal(expected) {
      _ = try Child("cp", ["/dev/stdin", path], input: .text(shown)).wait()
      expected = try Child("cat", [path]).wait().output
    }
    #expect(Self.normal(shown) == Self.normal(expected))
  }

  /// How deep a stack may be differs between versions of Lua.
  private static func normal(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("\t...\t(skipping ") ? "\t...\t(skipping levels)" : String(line)
    }.joined(separator: "\n")
  }

  // MARK: Where the source comes from

  @Test func `show the line of code given to the command`() throws {
    let ending = try lull("-e", "local t = {}; print(t.a.b)")
    #expect(
      ending.errors == """
        lull: (command line):1: attempt to index a nil value (field 'a')
          1 | local t = {}; print(t.a.b)
            |                       ^
        stack traceback:
        \t(command line):1: in main chunk

        """)
  }

  @Test func `show the line of a script from standard input`() throws {
    let ending = try lull("-", input: "local lull = require 'lull'\nlull.sleep(-1)\n")
    #expect(
      ending.errors == """
        lull: stdin:2: bad argument #1 to 'sleep' (a number of seconds, 0 or more, expected, got -1)
          2 | lull.sleep(-1)
            |            ^^
        stack traceback:
        \tstdin:2: in main chunk

        """)
  }

  @Test func `show the line that runs of a script that has changed meanwhile`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "x.lua",
      """
      local file = io.open("x.lua", "w")
      file:write("-- nothing here\\n-- nothing here\\n-- nothing here\\n-- nothing here")
      file:close()
      error("late")
      """)
    let ending = try lull("x.lua", folder: folder.path)
    #expect(ending.errors.contains("\n  4 | error(\"late\")\n    | ^^^^^\n"))
  }

  @Test func `show no line of a module that has changed`() throws {
    let folder = try TemporaryFolder()
    try folder.write("part.lua", "return function()\n  error('late')\nend\n")
    try folder.write(
      "x.lua",
      """
      local part = require "part"
      local file = io.open("part.lua", "w")
      file:write("-- one\\n-- two\\n-- three\\n")
      file:close()
      part()
      """)
    let ending = try lull("x.lua", folder: folder.path)
    #expect(
      ending.errors == """
        lull: ./part.lua:2: late
        stack traceback:
        \t./part.lua:2: in local 'part'
        \tx.lua:5: in main chunk

        """)
  }

  // MARK: How they are shown

  private static let bad = ["-e", "error('boom')"]
  private static let coloured = """
    \u{1B}[1;31mlull:\u{1B}[0m \u{1B}[1m(command line):1: boom\u{1B}[0m\r
      \u{1B}[2m1 |\u{1B}[0m error('boom')\r
       \u{1B}[2m |\u{1B}[0m \u{1B}[1;31m^^^^^\u{1B}[0m\r
    \u{1B}[2mstack traceback:\r
    \t(command line):1: in main chunk\u{1B}[0m\r

    """

  @Test func `are coloured at a terminal`() throws {
    let ending = try Child(
      Binaries.lull, Self.bad, environment: ["TERM": "xterm", "NO_COLOR": ""], terminal: true
    ).wait()
    #expect(ending.output == Self.coloured)
  }

  @Test(arguments: [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb", "NO_COLOR": ""]])
  func `are not coloured if that is not wanted`(_ environment: [String: String]) throws {
    let ending = try Child(
      Binaries.lull, Self.bad, environment: environment, terminal: true
    ).wait()
    #expect(!ending.output.contains("\u{1B}"))
    #expect(ending.output.contains("error('boom')"))
  }

  @Test func `show the host's frames if asked to`() throws {
    let ending = try lull(
      "-e", "lull.service('http://x.test'):resource()", environment: ["LULL_TRACE": "1"])
    #expect(ending.errors.contains("\n\t[C]: in method 'resource'\n"))
    #expect(ending.errors.contains("\n\t(command line):1: in main chunk"))
  }

  // MARK: Others

  @Test func `say what a script still waits for`() throws {
    let code = """
      local lull = require "lull"
      local api = lull.service(lull.demo())
      api("/slow"):with_param("seconds", 1):load()
      local task = lull.spawn(function() lull.sleep(0.9) end)
      lull.spawn(function() task:await() end)
      lull.sleep(0.05)
      """
    let ending = try lull("-", input: code, environment: ["LULL_WAIT_NOTICE": "0.1"])
    #expect(
      ending.errors
        == "lull: still waiting for: GET /slow?seconds=1 (0 s), lull.sleep(0.9) in task stdin:4 (0 s)\n"
    )
    #expect(ending.code == 0)
    let quick = try lull(
      "-", input: "local lull = require 'lull'\nlull.sleep(0.3)",
      environment: ["LULL_WAIT_NOTICE": "0.1"])
    #expect(quick.errors == "")
  }

  /// Once, though it goes on; but not what it sleeps for on purpose.
  @Test func `say what the main chunk waits for`() throws {
    let code = """
      local lull = require "lull"
      local api = lull.service(lull.demo())
      lull.sleep(0.3)
      api("/slow"):with_param("seconds", 1):load():await()
      """
    let ending = try lull("-", input: code, environment: ["LULL_WAIT_NOTICE": "0.1"])
    #expect(ending.errors == "lull: still waiting for: GET /slow?seconds=1 (0 s)\n")
    #expect(ending.code == 0)
  }

  /// What a script catches is what was raised, and no more.
  @Test func `keep tracebacks out of what is caught`() throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local task = lull.spawn(function() error('boom') end)
        print(pcall(task.await, task))
        """)
    #expect(ending.output == "false\tstdin:2: boom\n")
    #expect(ending.errors == "")
  }

  @Test func `give the handler both tracebacks`() throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        lull.on_error(function(err, traceback, where) print(err) print(traceback) print(where) return true end)
        lull.spawn(function() lull.spawn(function() error('boom') end):await() end)
        """)
    #expect(
      ending.output == """
        stdin:3: boom
        stack traceback:
        \tstdin:3: in function <stdin:3>
        awaited by:
        \tstdin:3: in function <stdin:3>
        task stdin:3, which was not awaited

        """)
    #expect(ending.code == 0)
  }
}
