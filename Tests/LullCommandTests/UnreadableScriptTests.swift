import LullLibC
import Testing

@Suite("Scripts that cannot be read or compiled", .timeLimit(.minutes(20)))
struct UnreadableScriptTests {
  @Test func `EXIT-03 reports a missing file`() throws {
    let ending = try lull("/nowhere/x.lua")
    #expect(ending.errors == "lull: cannot read '/nowhere/x.lua': No such file or directory\n")
    #expect(ending.output == "")
    #expect(ending.code == 3)
  }

  @Test func `reports a folder`() throws {
    let ending = try lull("/tmp")
    #expect(ending.errors == "lull: cannot read '/tmp': Is a directory\n")
    #expect(ending.code == 3)
  }

  @Test(
    .enabled(
      if: geteuid() != 0 || (try? Child("setpriv", unprivileged + ["true"]).wait().code) == 0,
      "root reads everything, and setpriv cannot take that away here"))
  func `reports a file that may not be read`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("secret.lua", "print(1)", mode: 0)
    let ending =
      geteuid() == 0
      ? try Child("setpriv", Self.unprivileged + [Binaries.lull, file]).wait() : try lull(file)
    #expect(ending.errors == "lull: cannot read '\(file)': Permission denied\n")
    #expect(ending.code == 3)
  }

  @Test func `EXIT-03 points at a mistake with a caret`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x.lua", "local a = 1\nlocal b = = 2\nprint(a)\n")
    let ending = try lull("x.lua", folder: folder.path)
    #expect(
      ending.errors == """
        lull: x.lua:2: unexpected symbol near '='
          2 | local b = = 2
            |           ^

        """)
    #expect(ending.output == "")
    #expect(ending.code == 3)
  }

  @Test func `points behind an unfinished script`() throws {
    let ending = try lull("-e", "for i = 1, 3 do")
    #expect(ending.errors.contains("(command line):1: 'end' expected near <eof>"))
    #expect(ending.errors.contains("\n  1 | for i = 1, 3 do\n    |                ^\n"))
    #expect(ending.code == 3)
  }

  @Test func `shows tabs as blanks so that the caret stands under the mistake`() throws {
    let ending = try lull("-", input: "\tx = )\n")
    #expect(ending.errors.contains("stdin:1: unexpected symbol near ')'"))
    #expect(ending.errors.contains("\n  1 |     x = )\n    |         ^\n"))
    #expect(ending.code == 3)
  }

  @Test func `counts the interpreter's line`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", "#!/usr/bin/env lull\nx = = 1\n")
    let ending = try lull(file)
    #expect(ending.errors.contains("x.lua:2: unexpected symbol"))
    #expect(ending.errors.contains("\n  2 | x = = 1\n"))
  }

  @Test func `reports a file that is no script`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.bin", [0x1b, 0x4c, 0x75, 0x61, 0x00, 0xff])
    let ending = try lull(file)
    #expect(ending.errors.contains("x.bin"))
    #expect(ending.code == 3)
  }

  /// A mistake found at run time is the script's.
  @Test func `counts a mistake in a module as a script error`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", "require 'part'")
    try folder.write("part.lua", "x = = 1")
    let ending = try lull(file)
    #expect(ending.errors.contains("part.lua:1: unexpected symbol"))
    #expect(ending.code == 1)
  }

  private static let unprivileged = [
    "--inh-caps=-dac_override,-dac_read_search", "--bounding-set=-dac_override,-dac_read_search",
  ]
}
