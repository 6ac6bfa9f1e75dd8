import LullLibC
import Testing

@Suite("Where a script comes from", .timeLimit(.minutes(20)))
struct ScriptSourceTests {
  @Test func `runs a file`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("hello.lua", "print('hello')")
    for ending in [try lull(file), try lull("run", file), try lull("--", file)] {
      #expect(ending.output == "hello\n")
      #expect(ending.errors == "")
      #expect(ending.code == 0)
    }
  }

  @Test func `runs a file of the working directory`() throws {
    let folder = try TemporaryFolder()
    try folder.write("hello.lua", "print(arg[0])")
    #expect(try lull("hello.lua", folder: folder.path).output == "hello.lua\n")
  }

  @Test func `runs a file whose name begins with a dash`() throws {
    let folder = try TemporaryFolder()
    try folder.write("-x.lua", "print('dash')")
    #expect(try lull("--", "-x.lua", folder: folder.path).output == "dash\n")
  }

  @Test func `runs code of the command line with Lull at hand`() throws {
    let ending = try lull("-e", "print(lull.version == require('lull').version, ...)", "a", "b c")
    #expect(ending.output == "true\ta\tb c\n")
    #expect(ending.code == 0)
  }

  @Test func `leaves the globals of a file alone`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", "print(lull)")
    #expect(try lull(file).output == "nil\n")
  }

  @Test func `runs standard input`() throws {
    let ending = try lull("-", "a", input: "print(..., arg[0])\nprint(debug.traceback())")
    #expect(ending.output.hasPrefix("a\t-\n"))
    #expect(ending.output.contains("stdin:2:"))
  }

  @Test(arguments: [["-e", ""], ["-"]])
  func `runs nothing`(words: [String]) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.code == 0)
    #expect(ending.output + ending.errors == "")
  }

  @Test func `runs a program with its interpreter on the first line`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "bin/greet", "#!/usr/bin/env lull\nprint('greet', require('words').hello, ...)", mode: 0o755)
    try folder.write("bin/words.lua", "return { hello = 'hi' }")
    let ending = try shell("PATH=$PWD/bin:$PATH; cd /; greet --help -e", folder: folder.path)
    #expect(ending.output == "greet\thi\t--help\t-e\n")
    #expect(ending.errors == "")
  }

  @Test func `counts the interpreter's line`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", "#!/usr/bin/env lull\nerror('here')")
    #expect(try lull(file).errors.contains("x.lua:2: here"))
  }

  @Test func `skips a byte order mark as the stock interpreter does`() throws {
    let folder = try TemporaryFolder()
    let plain = try folder.write("plain.lua", "\u{FEFF}print('marked')")
    let program = try folder.write("program.lua", "\u{FEFF}#!/usr/bin/lull\nprint('marked')")
    #expect(try lull(plain).output == "marked\n")
    #expect(try lull(program).output == "marked\n")
  }

  @Test func `runs a compiled script`() throws {
    let folder = try TemporaryFolder()
    let code = "io.open('x.luac', 'wb'):write(string.dump(load('print(...)'))):close()"
    #expect(try lull("-e", code, folder: folder.path).code == 0)
    #expect(try lull("--allow-bytecode", "x.luac", "a", folder: folder.path).output == "a\n")
  }

  @Test func `leaves standard input to the script`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", "for line in io.lines() do print('<' .. line .. '>') end")
    #expect(try lull(file, input: "one\ntwo").output == "<one>\n<two>\n")
  }

  /// Bytes that are no UTF-8, as in names of old archives.
  @Test func `runs a file whose name is not valid UTF-8`() throws {
    let folder = try TemporaryFolder()
    let ending = try shell(
      #"""
      name=$(printf 'caf\351.lua')
      echo 'print("ran", arg[0] == "caf\xe9.lua", (...) == "\xff")' > "$name"
      lull "$name" "$(printf '\377')"
      """#, folder: folder.path)
    #expect(ending.output == "ran\ttrue\ttrue\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `runs a file with spaces and umlauts in its name`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("müsli ordner/größe 1.lua", "print((arg[0]:match('[^/]+$')))")
    #expect(try lull(file).output == "größe 1.lua\n")
  }
}
