import Testing

/// The command line of `lull mock`, and what the other commands make of what is there for it.
@Suite("lull mock: the command", .timeLimit(.minutes(20)))
struct MockCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `MCK-21 what is wrong is told before anything is served`() throws {
    try folder.write("apis/shop.lua", MockProcess.file(calls: ""))
    try folder.write("apis/bad.lua", "return {")
    try folder.write("apis/wrong.lua", "return { service = 1 }")
    try folder.write("apis/bare.lua", "return lull.service{}")
    try folder.write("broken.har", "{}")
    try folder.write("empty.har", #"{"log":{"entries":[]}}"#)
    for (words, code, text) in [
      ([], 2, "API"), (["shop", "more"], 2, "more"), (["shop", "--port", "x"], 2, "--port needs"),
      (["shop", "--port", "70000"], 2, "from 0 to 65535"),
      (["shop", "--cors", "x"], 2, "an origin"),
      (["shop", "--bind", "localhost"], 2, "an IP address"),
      (["shop", "--bind", ""], 2, "an IP address"),
      (["shop", "--timeout", "0"], 2, "from 1 to 3600"), (["shop", "--nonsense"], 2, "--nonsense"),
      (["nowhere"], 3, "there is no API 'nowhere'"), (["bad"], 3, "apis/bad.lua:1"),
      (["wrong"], 1, "'service' must be a service"),
      (["shop", "--cassette", "no.har"], 3, "no.har"),
      (["shop", "--cassette", "broken.har"], 3, "broken.har: "),
      (["bare", "--cassette", "broken.har"], 3, "broken.har: "),
      (["bare", "--cassette", "empty.har"], 1, "the service has no base URL"),
      (["shop", "--bind", "203.0.113.7"], 1, "cannot listen at 203.0.113.7"),
    ] as [([String], Int32, String)] {
      let ending = try Child(Binaries.lull, ["mock"] + words, folder: folder.path).wait()
      #expect(ending.code == code, "\(words) \(ending.errors)")
      #expect(ending.errors.contains(text), "\(words) \(ending.errors)")
      #expect(ending.output == "")
    }
    let help = try lull("mock", "--help")
    #expect(help.output.contains("--cassette FILE"))
    let full = try shell("lull mock shop >/dev/full", folder: folder.path)
    #expect(full.code == 1 && full.errors.contains("cannot print the URL"))
  }

  @Test func `MCK-22 lull check says what is wrong with what is there for lull mock`() throws {
    let ending = try folder.check(
      MockProcess.file(
        calls: """
              a = { path = "/a", mock = 1 },
              b = { path = "/b", example = print },
              c = { path = "/c", examples = { json = 1 } },
              d = { path = "/d", examples = { { stats = 1 } } },
              e = { path = "/e/{id}", params = { id = "integer" }, examples = { { when = { ids = 1 } } } },
              f = { path = "/f/{id}", params = { id = "integer" }, examples = { { when = { id = "x" } } } },
              g = { path = "/g", examples = { { status = 99 } } },
              h = { path = "/h", examples = { { status = 101 } } },
              i = { path = "/i", examples = { { delay = -1 } } },
              j = { path = "/j", exampel = 1 },
              k = { path = "/k", mock = function() end, example = { 1 }, examples = { { text = "x" } } },
          """))
    let expected = [
      "a.lua:5: call 'a': 'mock' must be a function (request, state), got 1",
      "a.lua:6: call 'b': 'example' cannot be encoded",
      "a.lua:7: call 'c': 'examples' must be a list of responses, each in its own braces",
      "a.lua:8: call 'd': example 1: unknown setting 'stats' (did you mean 'status'?)",
      "a.lua:9: call 'e': example 1: 'when': call 'e' has no parameter 'ids' (did you mean 'id'?)",
      "a.lua:10: call 'f': example 1: 'when': parameter 'id' must be a whole number, got",
      "a.lua:11: call 'g': example 1: 'status' must be",
      "a.lua:12: call 'h': example 1: 'status' must be a final status",
      "a.lua:13: call 'i': example 1: 'delay' must be a number of seconds",
      "a.lua:14: call 'j': unknown setting 'exampel' (did you mean 'example'?)",
    ]
    let lines = ending.output.split(separator: "\n").map(String.init)
    #expect(lines.count == expected.count, "\(ending.output)")
    for (line, start) in zip(lines, expected) { #expect(line.hasPrefix(start)) }
  }

  @Test func `MCK-23 lull call and lull apis are what they are without`() throws {
    let sample = try SampleAPI()
    let calls = """
      user = { path = "/users/{id}", params = { id = "string" }, mock = function() error("never") end, example = { id = "example" } },
      """
    try folder.write("apis/shop.lua", MockProcess.file(calls: calls, base: sample.url))
    let ending = try lull("call", "shop", "user", "--id", "1", "-f", "x.id", folder: folder.path)
    #expect(ending.output == "1\n")
    #expect(try lull("apis", folder: folder.path).output.contains("\nshop  1 "))
    #expect(try lull("check", "apis/shop.lua", folder: folder.path).code == 0)
    // A client of Lull's that takes the mock for the service.
    let mock = try MockProcess(
      calls: calls.replacing("error(\"never\")", with: "return { json = { id = 7 } }"))
    try folder.write("apis/mocked.lua", MockProcess.file(calls: calls, base: mock.url))
    let mocked = try lull("call", "mocked", "user", "--id", "1", "-f", "x.id", folder: folder.path)
    #expect(mocked.output == "7\n")
  }

  @Test func `MCK-24 without lull-mock lull says what is missing`() throws {
    let ending = try shell(
      "cp $(command -v lull) lonely && PATH=/usr/bin:/bin ./lonely mock shop", folder: folder.path)
    #expect(ending.code == 1)
    #expect(ending.errors.contains("lull-mock was not found beside lull"))
  }
}
