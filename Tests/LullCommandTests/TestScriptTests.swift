import Testing

/// `Scripts/test`, as far as it can be tried from within itself: what it refuses, and its help; and the
/// limit of what runs the Lua specs.
@Suite(.timeLimit(.minutes(20)))
struct TestScriptTests {
  private static let script = Binaries.tests + "/../Scripts/test"

  @Test(arguments: [
    (["--quick"], "unknown option '--quick' (--fast --spec --update-reports --help)"),
    (["-x"], "unknown option '-x' (--fast --spec --update-reports --help)"),
    (["--fast", "--spec", "load"], "--fast and --spec do not go together"),
    (["--spec", "load", "--update-reports"], "--spec and --update-reports do not go together"),
    (["LOAD-21", "--fast"], "'LOAD-21' before --fast: names of Swift tests stand alone"),
    (["--fast", "LOAD-21"], "--fast takes no names, got 'LOAD-21'"),
    (["--update-reports", "cache"], "--update-reports takes no names, got 'cache'"),
    (["--spec"], "--spec needs a topic: api_files args "),
    (["--spec", "load", "lod"], "no Lua spec is called 'lod': api_files args "),
    (["--spec", "../LuaSpecs/load"], "no Lua spec is called '../LuaSpecs/load': "),
    ([""], "a name is empty"),
  ])
  func `what makes no sense is refused in one line`(words: [String], problem: String) throws {
    let ending = try Child(Self.script, words).wait()
    #expect(ending.errors.hasPrefix("Scripts/test: \(problem)"))
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(ending.output == "")
    #expect(ending.code == 2)
  }

  @Test func `a file of specs that does not end is ended and named`() throws {
    let folder = try TemporaryFolder()
    try folder.write("hang_spec.lua", "(...).it('hangs', function() while true do end end)")
    // Two minutes are a second so.
    let ending = try shell(
      "cp '\(Binaries.tests)/LuaSpecs/run.lua' . && SPEC_SLOWNESS=0.005 lull run.lua",
      folder: folder.path)
    #expect(ending.errors.contains("run.lua: hang_spec.lua has not ended after 1 s\n"))
    #expect(ending.code == 137)
  }

  @Test func `help names every option`() throws {
    let ending = try Child(Self.script, ["--fast", "--help"]).wait()
    for option in ["--fast", "--spec TOPIC", "--update-reports", "--help"] {
      #expect(ending.output.contains("  Scripts/test \(option)"))
    }
    #expect(!ending.output.contains("#"))
    #expect(ending.code == 0)
  }
}
