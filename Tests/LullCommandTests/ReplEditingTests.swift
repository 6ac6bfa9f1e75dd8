import LullLibC
import Testing

/// Keys, pastes, what was typed before, and a terminal that changes meanwhile.
@Suite("Editing at a prompt", .timeLimit(.minutes(20)))
struct ReplEditingTests {
  // MARK: Pastes

  @Test func `takes a paste whole`() throws {
    let child = try Child.prompt()
    // With tabs, which complete nothing, and with the line ends of terminals.
    try child.type(
      (Child.pasted("local function f(n)\r\tif n then\r\t\treturn n + 1\r\tend\rend\r"), "\r\nend"),
      ("\n", "\r\n> "), ("f(41)\n", "]: 42\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `runs pasted statements one after the other`() throws {
    let child = try Child.prompt()
    try child.type(
      (Child.pasted("x = 5\nx + 1\nfor i = 1, 2 do\n  print('row', i)\nend\n'last'"), "'last'"),
      ("\n", "]: 6\r\nrow\t1\r\nrow\t2\r\nOut[2]: \"last\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `runs what only makes sense as one statement as one`() throws {
    let child = try Child.prompt()
    try child.type(
      (Child.pasted("('x')\n  :rep(3)\n  :upper()"), ":upper()"), ("\n", "]: \"XXX\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `goes on after a paste without its end`() throws {
    let child = try Child.prompt()
    try child.type(
      (Child.pasted("y = 7\nif y then"), "then"), ("\n", "\r\n>> "), ("  print(y)\n", "\r\n>> "),
      ("end\n", "\r\n7\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `leaves out what follows a failure in a paste`() throws {
    let child = try Child.prompt()
    try child.type(
      (Child.pasted("z = 1\nerror('no')\nz = 2\n\nz = 3"), "z = 3"),
      ("\n", "lull: the next 2 lines were not run\r\n> "), ("z\n", "]: 1\r\n> "),
      (Child.pasted("z = 4\nz = = 1\nz = 5"), "z = 5"),
      ("\n", "lull: the next line was not run\r\n> "), ("z\n", "]: 4\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `edits a paste before it is run`() throws {
    let child = try Child.prompt()
    try child.type(
      (Child.pasted("{ 1,\n2,\n3 }"), "3 }"), ("\u{7F}\u{7F}\u{7F}4 }", "4 }"),
      ("\n", "]: { 1, 2, 4 }\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `shows output above a paste of several lines`() throws {
    let child = try Child.prompt()
    try child.type(
      ("lull.spawn(function() lull.sleep(0.5) print('out') end)\n", "Task(running)\r\n> "),
      (Child.pasted("a = {\n1,\n2 }"), "2 }"), ("", "\u{1B}[2A\r\u{1B}[Jout\r\n> a = {"),
      ("\n", "\r\n> "), ("#a\n", "]: 2\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `ignores the end of a paste that never began`() throws {
    let child = try Child.prompt()
    try child.type(("\u{1B}[201~1 + 1\n", "]: 2\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `asks for pastes only while a line is edited`() throws {
    let child = try Child.prompt()
    try child.waitForOutput("\u{1B}[?2004h")
    try child.type(("print('here')\n", "\u{1B}[?2004l\r\nhere\r\n> \u{1B}[?2004h"))
    #expect(try child.leave() == 0)
    #expect(child.outputText.components(of: "2004h") == child.outputText.components(of: "2004l"))
  }

  // MARK: Tab

  @Test func `indents with tab`() throws {
    let child = try Child.prompt()
    try child.type(
      ("if true then\n", "\r\n>> "), ("\tprint('in')", "print('in')"), ("\n", "\r\n>> "),
      ("end\n", "\r\nin\r\n> "), (Child.up, "if true then\r\n  print('in')\r\nend"),
      (Child.controlC, "\r\n> "), ("\t\t'x'\n", "]: \"x\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  // MARK: What was typed before

  @Test func `recalls a statement as a whole`() throws {
    let state = try TemporaryFolder()
    let first = try Child.prompt(state: state)
    try first.type(
      ("for i = 1, 2 do\n", "\r\n>> "), ("  print('row', i)\n", "\r\n>> "),
      ("end\n", "row\t1\r\nrow\t2\r\n> "), ("1\n", "]: 1\r\n> "),
      (Child.up + Child.up, "for i = 1, 2 do\r\n  print('row', i)\r\nend"),
      ("\n", "\r\nrow\t1\r\nrow\t2\r\n> "))
    #expect(try first.leave() == 0)
    // Another session finds it so, and can change it.
    let second = try Child.prompt(state: state)
    try second.type(
      (Child.up, "for i = 1, 2 do\r\n  print('row', i)\r\nend"),
      (" print('more')\n", "\r\nrow\t1\r\nrow\t2\r\nmore\r\n> "))
    #expect(try second.leave() == 0)
  }

  // MARK: Leaving

  @Test(arguments: ["xterm", "dumb"])
  func `leaves a statement with Ctrl-D`(terminal: String) throws {
    let child = try Child.prompt(environment: ["TERM": terminal])
    try child.type(
      ("if true then\n", "\r\n>> "), (Child.controlD, "\n> "), ("'on'\n", "]: \"on\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  // MARK: The terminal

  @Test func `draws the line anew when the window changes`() throws {
    let child = try Child.prompt()
    child.resize(columns: 40, rows: 10)
    // All of it must have been read: what comes behind is drawn for itself.
    let line = "'" + String(repeating: "x", count: 49) + "y"
    try child.type((line, "y"))
    let before = child.output.count
    child.resize(columns: 100, rows: 20)
    // In one piece now, from where the prompt began.
    try child.waitForOutput("> " + line, after: before)
    try child.type(("'\n", "\"" + line.dropFirst() + "\"\r\n> "))
    try child.type(("{ ('a'):rep(30), ('b'):rep(30) }\n", "bb\" }\r\n> "))
    child.resize(columns: 40, rows: 10)
    // To its end: what is typed before the prompt is back is not typed at it.
    let rest = "\"" + String(repeating: "b", count: 30) + "\"\r\n}\r\n> "
    try child.type(("{ ('a'):rep(30), ('b'):rep(30) }\n", "aa\",\r\n  " + rest))
    #expect(try child.leave() == 0)
  }

  /// By a shell that stops it and goes on with it, as people have it.
  @Test func `goes on after being stopped`() throws {
    let state = try TemporaryFolder()
    let child = try Child(
      "bash", ["--norc", "--noprofile", "-i"],
      environment: [
        "XDG_STATE_HOME": state.path, "TERM": "xterm", "NO_COLOR": "1", "PS1": "shell$ ",
        "HISTFILE": "/dev/null",
      ], terminal: true)
    try child.waitForOutput("shell$ ")
    try child.type(
      ("\(Binaries.lull) repl\n", "> \u{1B}[?2004h"), ("'typed", "'typed"),
      (Child.controlZ, "shell$ "), ("echo in the shell\n", "\rin the shell\r\n"),
      ("fg\n", "> 'typed"), (" on'\n", "]: \"typed on\"\r\n> "), (Child.controlD, "shell$ "))
    child.type("exit\n")
    #expect(try child.wait().code == 0)
  }

  @Test func `colours reports above the line`() throws {
    let line = "lull.spawn(function() lull.sleep(0.2) error('late') end)\n"
    let coloured = try Child.prompt(environment: ["NO_COLOR": ""])
    try coloured.type((line, "\u{1B}[1;31mlull:\u{1B}[0m \u{1B}[1mstdin:1: late"))
    #expect(try coloured.leave() == 0)
    let plain = try Child.prompt()
    try plain.type((line, "\u{1B}[Jlull: stdin:1: late"))
    #expect(try plain.leave() == 0)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
