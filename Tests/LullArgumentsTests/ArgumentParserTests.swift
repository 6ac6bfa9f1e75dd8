import LullArguments
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ArgumentParserTests {
  private static let spec = ArgumentSpec(
    name: "tool", description: "",
    arguments: [
      .init(names: ["-n", "--limit"], kind: .integer, help: nil),
      .init(names: ["--ratio"], kind: .number, help: nil),
      .init(names: ["-f", "--format"], choices: ["table", "json"], help: nil),
      .init(names: ["-v"], kind: .count, help: nil),
      .init(names: ["--color"], kind: .flag, help: nil),
      .init(names: ["--archived"], kind: .boolean, help: nil),
      .init(names: ["--tag"], help: nil, isRepeated: true),
      .init("--time", demand: .init("a text") { !$0.isEmpty }, help: "", isReplaceable: true),
      .init(positional: "source", help: "", isRequired: true),
      .init(positional: "more", help: "", isRequired: false, isRepeated: true),
    ])

  /// What was given, by name, as one text.
  private static func text(_ parsed: ParsedArguments, _ spec: ArgumentSpec = spec) -> String {
    spec.arguments.enumerated().compactMap { index, argument in
      let texts = parsed.texts[index].map { $0.joined(separator: ",") }
      return (texts ?? parsed.counts[index].map(String.init)).map { "\(argument.key)=\($0)" }
    }.joined(separator: " ")
  }

  @Test(arguments: [
    (["a"], "source=a"),
    (["a", "-n5"], "limit=5 source=a"), (["-n=5", "a"], "limit=5 source=a"),
    (["-n", "-5", "a"], "limit=-5 source=a"), (["--limit=5", "a"], "limit=5 source=a"),
    (["--limit", "5", "a"], "limit=5 source=a"), (["a", "--ratio=-.5"], "ratio=-.5 source=a"),
    (["-vv", "a", "-v"], "v=3 source=a"), (["-vn5", "a"], "limit=5 v=1 source=a"),
    (["--color", "a", "--no-color"], "color=0 source=a"),
    (["--archived", "a"], "archived=true source=a"),
    (["--archived=no", "a"], "archived=no source=a"),
    (["--no-archived", "a"], "archived=false source=a"),
    (["--tag", "x", "--tag=y=z", "a"], "tag=x,y=z source=a"),
    (["--time=1", "--time", "2", "a"], "time=2 source=a"),
    (["a", "b", "c"], "source=a more=b,c"), (["-"], "source=-"), (["-5"], "source=-5"),
    (["--", "--limit", "-n", "--"], "source=--limit more=-n,--"),
    (["--tag=", "a"], "tag= source=a"),
  ])
  func `options stand anywhere and in every form`(words: [String], expected: String) throws {
    #expect(Self.text(try ArgumentParser.parse(words, by: Self.spec)) == expected)
  }

  @Test(arguments: [
    ([], "the argument 'source' is missing"),
    (["a", "--limt=7"], "unknown option '--limt' (did you mean '--limit'?)"),
    (["a", "--zzzzzz"], "unknown option '--zzzzzz'"), (["a", "-x"], "unknown option '-x'"),
    (["a", "-vx"], "unknown option '-x' in '-vx'"),
    (["a", "--hepl"], "unknown option '--hepl' (did you mean '--help'?)"),
    (["a", "--version"], "unknown option '--version'"),
    (["a", "--no-limit"], "unknown option '--no-limit' (did you mean '--limit'?)"),
    (["a", "-n"], "'-n' needs a value"), (["a", "--limit", "-v"], "'--limit' needs a value"),
    (["a", "--time"], "--time needs a value"), (["a", "--time="], "--time needs a text, got ''"),
    (["a", "--color=no"], "'--color' takes no value"), (["a", "-v=1"], "'-v' takes no value"),
    (["a", "--no-color=1"], "'--no-color' takes no value"),
    (["a", "-n1", "-n2"], "'--limit' is given twice"),
    (["a", "-n1.5"], "'--limit' must be a whole number, got '1.5'"),
    (["a", "--ratio=nan"], "'--ratio' must be a number, got 'nan'"),
    (["a", "--archived=maybe"], "'--archived' must be true or false, got 'maybe'"),
    (["a", "-fjsn"], "'--format' must be table or json, got 'jsn' (did you mean 'json'?)"),
  ])
  func `wrong usage is said in words`(words: [String], problem: String) {
    #expect(throws: ArgumentParser.End.problem(problem)) {
      try ArgumentParser.parse(words, by: Self.spec)
    }
  }

  @Test func `help and the version end the reading, before what is missing or wrong behind them`() {
    var versioned = Self.spec
    versioned.version = "1.2"
    for (words, end) in [
      (["--help"], ArgumentParser.End.help), (["-h", "--zzzzzz"], .help), (["-vh"], .help),
      (["--version"], .version),
    ] {
      #expect(throws: end) { try ArgumentParser.parse(words, by: versioned) }
    }
  }

  @Test(arguments: [
    ([true, false], true, ["1"], ["1", nil]), ([false, true], true, ["1"], [nil, "1"]),
    ([true, true], true, ["1", "2", "3"], ["1,2", "3"]),
    ([false, false], true, ["1"], [nil, "1"]), ([false, true], false, ["1", "2"], ["1", "2"]),
  ])
  func `each positional argument that needs a word gets one first`(
    required: [Bool], isFirstRepeated: Bool, words: [String], expected: [String?]
  ) throws {
    let spec = ArgumentSpec(
      name: "tool", description: "",
      arguments: required.enumerated().map { index, isRequired in
        Argument(
          positional: "p\(index)", help: "", isRequired: isRequired,
          isRepeated: index == 0 && isFirstRepeated)
      })
    let texts = try ArgumentParser.parse(words, by: spec).texts
    #expect(texts.map { $0?.joined(separator: ",") } == expected)
  }

  @Test(arguments: [
    (["--color", "-n", "5", "a", "--color"], "limit=5 color=1", ["a", "--color"]),
    (["--tag", "x", "-e", "--color"], "tag=x", ["-e", "--color"]),
    (["--color", "--", "a"], "color=1", ["--", "a"]), (["-"], "", ["-"]),
    (["--no-color", "a"], "", ["--no-color", "a"]), (["--help"], "", ["--help"]),
    (["--time", "-i"], "time=-i", []), ([], "", []),
  ])
  func `leading options end at the first word that is none of the specification's`(
    words: [String], expected: String, rest: [String]
  ) throws {
    var options = Self.spec
    options.arguments.removeAll { $0.isPositional }
    var words = words[...]
    let parsed = try ArgumentParser.takeLeading(&words, by: options)
    #expect(Self.text(parsed, options) == expected)
    #expect(Array(words) == rest)
  }

  @Test func `by its names an argument says what it was given`() throws {
    let parsed = try ArgumentParser.parse(
      ["a", "-n5", "--tag=x", "--tag=y", "--color"], by: Self.spec)
    #expect(parsed.text("--limit") == "5")
    #expect(parsed.text("-n") == "5")
    #expect(parsed.all("--tag") == ["x", "y"])
    #expect(parsed.text("source") == "a")
    #expect(parsed.text("--format") == nil)
    #expect(parsed.has("--color"))
    #expect(!parsed.has("-v"))
  }
}
