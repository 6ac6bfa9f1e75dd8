import LullLibC
import Testing

/// `.save` and `.edit`: what was typed, in files.
@Suite("Files of a session", .timeLimit(.minutes(20)))
struct ReplFileTests {
  @Test func `PRM-17 what has succeeded is saved as a script that runs`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/saved.lua"
    let child = try Child.prompt()
    try child.type(
      ("x = 20\n", "\r\n> "), ("x + 1\n", "]: 21\r\n> "),
      ("math.abs(-3)\n", "]: 3\r\n> "), ("y = _ + 1\n", "\r\n> "),
      ("error('no')\n", "main chunk\r\n> "),
      ("y = = 1\n", "^\r\n> "), ("for i = 1, 2 do\n", ">> "), ("  x = x + i\n", ">> "),
      ("end\n", "\r\n> "), ("(print or error)('x is', x)\n", "x is\t23\r\n> "),
      ("= x\n", "]: 23\r\n> "), (".save \(file)\n", "7 statements in \(file)\r\n> "),
      // It is there now, and stays as it is.
      ("x = 99\n", "\r\n> "),
      (".save \(file)\n", "already exists: name another file, or remove it first\r\n> "))
    #expect(try child.leave() == 0)
    #expect(
      try shell("cat saved.lua", folder: folder.path).output == """
        x = 20
        _ = x + 1
        _ = math.abs(-3)
        y = _ + 1
        for i = 1, 2 do
          x = x + i
        end
        ;(print or error)('x is', x)
        _ = x

        """)
    #expect(try lull(file).output == "x is\t23\n")
  }

  /// Lines of a session, and what a script of them prints.
  private static let sessions: [(lines: [String], output: String)] = [
    // A function typed before the local that it uses.
    (["function f() return n end", "local n = 3", "print(f())"], "3\n"),
    (["local n <const> = 1", "n = 2", "print(n)"], "2\n"),
    (["return 5", "print(_)"], "5\n"),
    (["if true then return 'early' end", "print(_)"], "early\n"),
    (["local x = 1 if x then return x end", "print(x, _)"], "1\t1\n"),
    (["goto a ::a::", "goto a ::a::", "print('b')"], "b\n"),
    (["7", "Out[1] + 1", "print(Out[2], _)"], "8\t8\n"),
    (["('x'):rep(2)", "(nil)", "print(_)"], "nil\n"),
    (["print(lull.version and 1)", "help(lull.now)"], "1\n"),
  ]

  @Test(arguments: sessions)
  func `PRM-17 a saved script gives what the session gave`(
    lines: [String], output: String
  ) throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/saved.lua"
    let child = try Child.prompt()
    for line in lines { try child.type((line + "\n", "\r\n> ")) }
    try child.type((".save \(file)\n", " in \(file)\r\n> "))
    #expect(try child.leave() == 0)
    let ending = try lull(file)
    #expect(ending.code == 0)
    #expect(ending.output.hasPrefix(output), "\(ending)")
  }

  @Test func `PRM-17 it waits for what the session waited for`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/saved.lua"
    try folder.write("made.lua", "local api = lull.service(lull.demo())\nreturn api")
    let child = try Child.prompt(["repl", folder.path + "/made.lua"])
    try child.type(
      ("api('/users/1'):load()\n", "}\r\n> "), ("_.name\n", "\"Ada Lovelace\"\r\n> "),
      ("api('/users/999'):load()\n", "→ 404\r\n> "),
      ("print(Out[2].data.id, Out[4].error.http_status)\n", "1\t404\r\n> "),
      (".save \(file)\n", "3 statements in \(file)\r\n> "))
    #expect(try child.leave() == 0)
    let ending = try lull(file)
    #expect(ending.output == "1\t404\n", "\(ending)")
    #expect(ending.code == 0)
  }

  @Test func `PRM-17 a name need not be text`() throws {
    let folder = try TemporaryFolder()
    // A terminal without an editor of lines, which passes bytes on.
    let child = try Child.prompt(environment: ["TERM": "dumb"])
    try child.type(("x = 1\n", "> "))
    child.type(bytes: Array(".save \(folder.path)/a".utf8) + [0xFF] + Array("b.lua\n".utf8))
    try child.waitForOutput("1 statement in \(folder.path)/a\\xFFb.lua")
    child.type(bytes: Array(".load \(folder.path)/a".utf8) + [0xFF] + Array("b.lua\n".utf8))
    try child.type(("x\n", "]: 1\r\n> "), (".reload\n", "a\\xFFb.lua\r\n> "))
    #expect(try child.leave() == 0)
    #expect(try shell("cat a*b.lua", folder: folder.path).output == "x = 1\n")
  }

  @Test func `PRM-17 what cannot be written is said`() throws {
    let child = try Child.prompt()
    try child.type(
      (".save\n", "lull: the file is missing: .save FILE\r\n> "),
      (".save x.lua\n", "lull: there is no input to save yet\r\n> "),
      ("x = 1\n", "\r\n> "),
      (".save /nowhere/x.lua\n", "cannot write '/nowhere/x.lua': No such file or directory\r\n> "))
    #expect(try child.leave() == 0)
    let sandbox = try Child.prompt(["repl", "--sandbox"])
    try sandbox.type(
      ("x = 1\n", "\r\n> "), (".save x.lua\n", "not available in the sandbox\r\n> "),
      (".edit\n", "not available in the sandbox\r\n> "))
    #expect(try sandbox.leave() == 0)
    let piped = try lull("repl", input: "x = 1\n.save x.lua\n")
    #expect(piped.errors.contains("unknown command '.save'"))
  }

  /// An editor that does this with the file in `$1`.
  private func editor(_ line: String, in folder: TemporaryFolder) throws -> [String: String] {
    let path = try folder.write("editor", "#!/bin/sh\n\(line)\n", mode: 0o755)
    return ["VISUAL": path, "EDITOR": "false", "TMPDIR": folder.path]
  }

  @Test func `PRM-18 what is saved in the editor is run and remembered`() throws {
    let folder = try TemporaryFolder()
    let child = try Child.prompt(
      environment: try editor("sed -i 's/2/40/' \"$1\"", in: folder))
    try child.type(
      ("x = 2\n", "\r\n> "), ("x + 2\n", "Out[1]: 4\r\n> "),
      (".edit\n", "x + 40\r\nOut[2]: 42\r\n> "), (".edit 1\n", "x + 40\r\nOut[3]: 42\r\n> "),
      (".edit x =\n", "\r\nx = 40\r\n> "), ("x\n", "]: 40\r\n> "),
      (Child.up + Child.up, "x = 40"), (Child.controlC, "\r\n> "),
      (
        ".edit 77\n",
        "begins with '77' or has that number: write .edit, .edit NUMBER or .edit BEGINNING\r\n> "
      ))
    #expect(try child.leave() == 0)
    // Nothing is left of it.
    #expect(try shell("ls \(folder.path)").output == "editor\n")
  }

  @Test func `PRM-18 several lines run one after the other, up to the first that fails`() throws {
    let folder = try TemporaryFolder()
    let child = try Child.prompt(
      environment: try editor("printf 'a = 1\\nerror(a)\\na = 3\\n' > \"$1\"", in: folder))
    try child.type(
      (".edit\n", "lull: the next line was not run\r\n> "), ("a\n", "]: 1\r\n> "))
    #expect(try child.leave() == 0)
    let open = try Child.prompt(
      environment: try editor("echo 'for i = 1, 2 do' > \"$1\"", in: folder))
    try open.type((".edit\n", "\r\n> "), ("5\n", "]: 5\r\n> "))
    #expect(try open.leave() == 0)
  }

  @Test(arguments: [
    (": > \"$1\"", "the saved file is empty, so nothing is run"),
    ("printf ' \\n\\n' > \"$1\"", "the saved file is empty, so nothing is run"),
    (":", "nothing was saved, so nothing is run"),
    ("echo 'run = 1' > \"$1\"; exit 3", "lull: the editor exited with 3; nothing is run"),
    ("rm \"$1\"", "lull: cannot read the edited file: No such file"),
    ("kill -INT $PPID; kill -INT $$", "lull: the editor exited with 130; nothing is run"),
  ])
  func `PRM-18 what is not saved is not run`(line: String, message: String) throws {
    let folder = try TemporaryFolder()
    let child = try Child.prompt(environment: try editor(line, in: folder))
    try child.type(
      ("'first'\n", "\r\n> "), (".edit\n", message), ("run, 'goes on'\n", "nil\t\"goes on\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-18 an editor that is not there is said`() throws {
    let child = try Child.prompt(environment: ["VISUAL": "", "EDITOR": "/nowhere/vi -e"])
    try child.type(
      (
        ".edit\n",
        "exited with 127: set VISUAL or EDITOR to an installed editor; nothing is run\r\n> "
      ))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-18 the editor has Ctrl-C and what is typed`() throws {
    let folder = try TemporaryFolder()
    let script = """
      trap 'echo caught' INT
      echo ready
      while ! read -r line && [ -t 0 ]; do :; done
      echo "$line" > "$1"
      """
    let screen = try Screen(
      environment: ["NO_COLOR": "1"].merging(try editor(script, in: folder)) { $1 })
    try screen.type("'before'\n.edit\n")
    try screen.wait(end: "\nready")
    try screen.press("C-c")
    try screen.wait(for: "caught")
    try screen.type("x = 'after'\n")
    try screen.wait(end: "\nx = 'after'\n>")
    try screen.type("x\n")
    try screen.wait(end: "Out[2]: \"after\"\n>")
  }

  /// A real editor, which needs the terminal for itself, and Ctrl-C.
  @Test(.enabled(if: Binaries.onPath("vi") != nil, "vi is not installed"))
  func `PRM-18 the editor has the terminal`() throws {
    let screen = try Screen(environment: ["NO_COLOR": "1", "VISUAL": "vi -u NONE", "EDITOR": ""])
    try screen.type("'before'\n.edit\n")
    try screen.wait(for: "\n~")
    try screen.press("C-c")
    try screen.type("ccx = 'after'")
    try screen.press("Escape")
    try screen.type(":wq\n")
    try screen.wait(end: "\nx = 'after'\n>")
    try screen.type("x\n")
    try screen.wait(end: "Out[2]: \"after\"\n>")
  }
}
