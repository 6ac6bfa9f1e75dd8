import LullLibC
import Testing

/// A person at a terminal: prompts, keys and what appears meanwhile.
@Suite("lull repl at a terminal", .timeLimit(.minutes(20)))
struct ReplTerminalTests {
  private static let controlC = "\u{3}"
  private static let controlD = "\u{4}"
  private static let tab = "\t"
  private static let up = "\u{1B}[A"

  /// A session with a history of its own, at its first prompt.
  private func start(
    _ arguments: [String] = ["repl"], state: TemporaryFolder, program: String = Binaries.lull,
    environment: [String: String] = [:]
  ) throws -> Child {
    var variables = ["XDG_STATE_HOME": state.path, "TERM": "xterm", "NO_COLOR": "1"]
    variables.merge(environment) { $1 }
    let child = try Child(program, arguments, environment: variables, terminal: true)
    try child.waitForOutput("> ")
    return child
  }

  /// Types lines and waits for the text after each.
  private func type(_ child: Child, _ steps: (keys: String, until: String)...) throws {
    for step in steps {
      let before = child.output.count
      child.type(step.keys)
      try child.waitForOutput(step.until, after: before)
    }
  }

  @Test func `reads and prints`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(child, ("1 + 1\n", "]: 2\r\n> "), ("local a = 4\n", "\n> "), ("a\n", "]: 4\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  /// Somebody who wants no history may name a device: others go on using that.
  @Test func `leaves a history alone that is no file`() throws {
    let state = try TemporaryFolder()
    _ = try shell("mkfifo -m 644 pipe", folder: state.path)
    let pipe = state.path + "/pipe"
    let child = try start(state: state, environment: ["LULL_HISTORY": pipe])
    try type(child, ("1 + 1\n", "]: 2\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
    #expect(try shell("stat -c %a pipe", folder: state.path).output == "644\n")
  }

  @Test func `goes on until a statement is complete`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child, ("for i = 1, 2 do\n", "\r\n>> "), ("print('row ' .. i)\n", "\r\n>> "),
      ("end\n", "row 1\r\nrow 2\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `leaves what is typed with Ctrl-C`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child, ("for i = 1, 2 do\n", "\r\n>> "), ("print('never'", "'never'"),
      (Self.controlC, "^C\r\n> "), ("print('fine')\n", "\r\nfine\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test(arguments: [
    "lull.sleep(300)", "while true do end",
    "while true do pcall(function() while true do end end) end",
    "coroutine.wrap(function() while true do end end)()",
    "lull.all{ lull.spawn(lull.sleep, 300) }", "lull.spawn(lull.sleep, 300):await()",
  ])
  func `ends a line with Ctrl-C`(line: String) throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child, ("x = 1\n", "\r\n> "), ("print('begins') x = 2 \(line)\n", "\r\nbegins\r\n"),
      (Self.controlC, "interrupted!\r\n> "), ("'x is ' .. x\n", "\"x is 1\"\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `waits at the prompt`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child, ("api = lull.service(lull.demo())\n", "\r\n> "),
      ("api('/users/1'):load():await().content.id\n", "]: 1\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  /// What is typed is erased, the output written, and the line drawn again.
  @Test(arguments: [
    "print('out')", "io.write('out\\n')", "io.stderr:write('out\\n')", "os.execute('echo out')",
  ])
  func `shows output above the line`(statement: String) throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child,
      ("lull.spawn(function() lull.sleep(0.5) \(statement) end)\n", "Task(running)\r\n> "),
      ("'typed", "'typed"), ("", "\r\u{1B}[Jout\r\n> 'typed"), (" on'\n", "\"typed on\"\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `shows unfinished lines of output`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child,
      (
        "lull.spawn(function() for i = 1, 3 do lull.sleep(0.2) io.write(i, ' ') end end)\n",
        "\r\n> "
      ),
      ("'abc", "'abc"), ("", "\u{1B}[J1 2 3 \r\n> 'abc"), ("'\n", "\"abc\"\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `keeps an unfinished line before the prompt`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(child, ("io.write('abc') x = 1\n", "\r\nabc\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `shows much output at once`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child,
      (
        "lull.spawn(function() lull.sleep(0.2) print(('x'):rep(300000)) print('all') end)\n",
        "\r\n> "
      ), ("", "xxx\r\nall\r\n> "), ("1\n", "]: 1\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `completes with tab`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(
      child,
      ("api = lull.service('https://api.test/')\n", "\r\n> "),
      ("user, users = api('/users/7'), api('/users')\n", "\r\n> "),
      ("user.latest_d\t\n", "nil\r\n> "),
      ("api('/users/\t).url\n", "\"https://api.test/users/7\"\r\n> "),
      // The cursor goes to where the rest is written.
      ("api:configure{ expi\t", "ration_time"),
      (" = 5 }\n", "Service(https://api.test/)\r\n> "),
      ("user:load_\t", "load_if_needed  load_using\r\n> user:load_"))
    try type(child, (Self.controlC, "^C\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `remembers across sessions`() throws {
    let state = try TemporaryFolder()
    let first = try start(state: state)
    try type(first, ("print('from the first')\n", "\r\nfrom the first\r\n> "))
    // Two at the same time: neither loses the other's lines.
    let second = try start(state: state)
    try type(second, ("print('from the second')\n", "\r\nfrom the second\r\n> "))
    try type(first, ("print('last of the first')\n", "\r\nlast of the first\r\n> "))
    for child in [first, second] {
      child.type(Self.controlD)
      #expect(try child.wait().code == 0)
    }
    let third = try start(state: state)
    try type(
      third, (Self.up, "print('last of the first')"), (Self.up, "second"),
      (Self.up + "\n", "\r\nfrom the first\r\n> "))
    third.type(Self.controlD)
    _ = try third.wait()
    var status = stat()
    #expect(stat(state.path + "/lull/history", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `edits letters of any width`() throws {
    let child = try start(state: try TemporaryFolder())
    try type(child, ("'äß語x\u{7F}\u{7F}é'\n", "\"äßé\"\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `ends with os.exit and SIGTERM`() throws {
    let state = try TemporaryFolder()
    let exits = try start(state: state)
    exits.type("os.exit(5)\n")
    #expect(try exits.wait().code == 5)
    let ends = try start(state: state)
    ends.send(SIGTERM)
    #expect(try ends.wait().code == 143)
  }

  @Test func `colours what it shows`() throws {
    let child = try start(state: try TemporaryFolder(), environment: ["NO_COLOR": ""])
    try type(child, ("12\n", "\u{1B}[36m12\u{1B}[0m\r\n> "))
    child.type(Self.controlD)
    #expect(try child.wait().code == 0)
  }

  @Test func `edits nothing on a terminal that cannot`() throws {
    let child = try start(state: try TemporaryFolder(), environment: ["TERM": "dumb"])
    try type(child, ("1 + 1\n", "]: 2\r\n> "), ("f(\n", ">> "), (Self.controlC, "\n> "))
    child.type(Self.controlD)
    let ending = try child.wait()
    #expect(!ending.output.contains("\u{1B}"))
    #expect(ending.code == 0)
  }

  @Test(.enabled(if: Binaries.canLoadModule, "see LULL_TEST_MODULE"))
  func `works in a stock interpreter`() throws {
    let child = try start(
      ["-l", "lull", "-e", "lull.repl() print('after')"], state: try TemporaryFolder(),
      program: Binaries.lua ?? "lua5.4", environment: ["LUA_CPATH": Binaries.modulePattern])
    try type(
      child, ("local a = 1\n", "\r\n> "), ("a + 1\n", "]: 2\r\n> "),
      ("print('begins') while true do end\n", "\r\nbegins\r\n"),
      (Self.controlC, "interrupted!\r\n> "),
      ("print('begins') lull.sleep(300)\n", "\r\nbegins\r\n"),
      (Self.controlC, "interrupted!\r\n> "),
      ("lull.sle\t(0.01)\n", "\r\n> "))
    child.type(Self.controlD)
    let ending = try child.wait()
    #expect(ending.output.hasSuffix("after\r\n"))
    #expect(ending.code == 0)
  }
}
