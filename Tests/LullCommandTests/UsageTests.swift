import Testing

@Suite("Help and wrong usage", .timeLimit(.minutes(20)))
struct UsageTests {
  @Test(arguments: [["--help"], ["-h"], ["help"], ["run", "--help"], ["demo", "--help"]])
  func `explains itself`(words: [String]) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.output.hasPrefix("Usage: lull"))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `names the ways in and the exit codes`() throws {
    let text = try lull("help", "all").output.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    for part in ["lull FILE", "lull -e CODE", "lull -", "demo", "Exit codes", "130", "143"] {
      #expect(text.contains(part), "\(part) is not in the help")
    }
  }

  @Test func `says its version`() throws {
    let ending = try lull("--version")
    #expect(ending.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(ending.code == 0)
    let inside = try lull("-e", "print(lull.version)")
    #expect(inside.output == ending.output)
  }

  @Test func `has the version that the newest changes are of`() throws {
    let articles = Binaries.tests + "/../Sources/LullHost/LullHost.docc"
    let version = try lull("--version").output.dropLast()
    let changes = try shell("grep -m 1 '^## ' '\(articles)/Changelog.md'").output
    #expect(changes.split(separator: " ").dropFirst().first?.prefix { $0 != "\n" } == version)
    let greeting = try shell("grep -m 1 '^Lull [0-9]' '\(articles)/Prompt.md'").output
    #expect(greeting.hasPrefix("Lull \(version), "))
  }

  /// A pipe that has ended tells the sample API to end: that must not hide what is wrong.
  @Test func `refuses a port though standard input has ended`() throws {
    for _ in 0..<5 {
      let ending = try shell("true | lull demo --port 99999")
      #expect(ending.errors.contains("99999"))
      // The name of the program behind it is internal.
      #expect(ending.errors.hasSuffix("Try 'lull demo --help'.\n"), "\(ending.errors)")
      #expect(ending.code == 2)
    }
  }

  @Test(arguments: [
    (["--nonsense"], "--nonsense"),
    (["-x"], "-x"),
    (["run", "--nonsense"], "--nonsense"),
    (["--nonsense", "x.lua"], "--nonsense"),
    (["run"], "script is missing"),
    (["-e"], "-e"),
    (["run", "-e"], "-e"),
    (["--"], "script is missing"),
    (["demo", "--port", "abc"], "abc"),
    (["demo", "--port", "99999"], "99999"),
    (["demo", "--port", "-1"], "--port"),
    (["demo", "--port"], "--port"),
    (["demo", "more"], "more"),
  ])
  func `EXIT-02 refuses wrong usage`(words: [String], naming: String) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.errors.contains(naming))
    // Which words there are, or how to find out.
    #expect(ending.errors.lowercased().contains("usage:"))
    #expect(ending.output == "")
    #expect(ending.code == 2)
  }
}
