import LullArguments
import Testing

/// Which options can be combined, as their declarations say.
@Suite(.timeLimit(.minutes(20)))
struct ArgumentRuleTests {
  private static var follow: Argument {
    Argument(
      names: ["--follow"], kind: .flag, help: nil, rules: [.defaultYields(to: "--limit")],
      isOn: true)
  }

  private static let spec = ArgumentSpec(
    name: "tool", description: "",
    arguments: [
      .init(names: ["-o", "--output"], choices: ["json", "csv", "raw"], help: nil),
      .init(
        names: ["-O", "--save"], placeholder: "FILE", help: nil,
        rules: [.conflicts("-o !raw", hint: "write > FILE")]),
      .init(names: ["-f"], help: nil, rules: [.conflicts("-O", "-o raw")]),
      .init(names: ["--guard"], kind: .flag, help: nil, rules: [.appliesWith("-o csv")]),
      .init(
        names: ["--resume"], kind: .flag, help: nil,
        rules: [.conflicts("-O -"), .needs("-O", "--download")]),
      .init(names: ["--download"], kind: .flag, help: nil),
      .init(names: ["--kind"], help: nil, rules: [.init(.needs("--user"), for: ["basic"])]),
      .init(names: ["--user"], help: nil), follow,
      .init(names: ["--limit"], kind: .integer, help: nil, rules: [.conflicts("--no-follow")]),
      .init(names: ["--key"], help: nil, rules: [.needs("--user")]),
    ])

  private static func parse(
    _ words: [String], defaults: [String] = []
  ) throws(ArgumentParser.End) -> ParsedArguments {
    var parsed = try ArgumentParser.parse(words, by: spec, checksRules: false)
    parsed.fill(defaults: try ArgumentParser.parse(defaults, by: spec, checksRules: false))
    try parsed.checkRules()
    return parsed
  }

  @Test(arguments: [
    (["-f", "x", "-O", "y"], "-f cannot be combined with -O"),
    (["-f", "x", "--save", "y"], "-f cannot be combined with --save"),
    (["-f", "x", "-o", "raw"], "-f cannot be combined with -o raw"),
    (["-O", "x", "-o", "json"], "-O cannot be combined with -o; write > FILE"),
    (["--guard"], "--guard needs -o csv"), (["--guard", "-o", "json"], "--guard needs -o csv"),
    (["--resume"], "--resume needs -O FILE or --download"),
    (["--resume", "-O", "-"], "--resume cannot be combined with -O -"),
    (["--kind", "basic"], "--kind basic needs --user USER"),
    (["--limit", "3", "--no-follow"], "--limit cannot be combined with --no-follow"),
    (["--key", "x"], "--key needs --user USER"),
  ])
  func `what cannot be combined, or lacks what it needs, is a problem`(
    words: [String], problem: String
  ) {
    #expect(throws: ArgumentParser.End.problem(problem)) { try Self.parse(words) }
    #expect(throws: ArgumentParser.End.problem(problem)) {
      try ArgumentParser.parse(words, by: Self.spec)
    }
  }

  @Test(arguments: [
    ["-f", "x", "-o", "csv", "--guard"], ["-O", "x", "-o", "raw"], ["--resume", "--download"],
    ["--kind", "netrc"], ["--limit", "3", "--follow"], ["--no-guard"], ["--no-resume"],
  ])
  func `what can be combined is none`(words: [String]) {
    #expect(throws: Never.self) { try Self.parse(words) }
  }

  @Test(arguments: [
    ([], ["-o", "csv", "--guard"], "csv guard"), ([], ["--guard"], ""),
    (["-o", "json"], ["-o", "csv", "--guard"], "json"), (["-O", "x"], ["-o", "csv"], ""),
    (["-f", "x"], ["-o", "raw"], ""), (["-f", "x"], ["-o", "json"], "json"),
    (["--limit", "3"], ["--no-follow"], ""), (["--limit", "3"], ["--follow"], ""),
  ])
  func `CFL-02 a default gives way to what it cannot be combined with`(
    words: [String], defaults: [String], expected: String
  ) throws {
    let parsed = try Self.parse(words, defaults: defaults)
    let found = [
      parsed.text("-o"), parsed.has("--guard") ? "guard" : nil,
      parsed.isGiven("--follow") ? "follow" : nil,
    ].compactMap { $0 }
    #expect(found.joined(separator: " ") == expected)
  }

  @Test func `CFL-04 defaults that cannot be combined, or lack what they need, are a problem`() {
    #expect(throws: ArgumentParser.End.self) {
      try Self.parse([], defaults: ["--no-follow", "--limit", "3"])
    }
    #expect(throws: ArgumentParser.End.self) { try Self.parse([], defaults: ["--key", "x"]) }
  }
}
