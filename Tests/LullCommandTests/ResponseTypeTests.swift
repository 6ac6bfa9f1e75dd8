import LullTesting
import Testing

/// JSON under other types, other types read as JSON, and rows of JSON under the type of one value.
@Suite("Types of responses", .timeLimit(.minutes(20)))
struct ResponseTypeTests {
  private let folder: TemporaryFolder
  private let server: EchoServer
  private var base: String { "http://127.0.0.1:\(server.port)" }

  private static let rows = "{\"type\":\"ADDED\",\"n\":1.50}\n{\"type\":\"MODIFIED\",\"n\":2}\n"

  private static let answers: [String: (type: String, body: String)] = [
    "plain": ("text/plain", " [{\"id\":1,\"n\":1.50}]"), "text": ("text/plain", "[INFO] started"),
    "lines": ("text/plain", rows), "binary": ("application/octet-stream", "{\"id\":1}"),
    "watch": ("application/json", rows), "ndjson": ("text/x-ndjson", rows),
    "spring": ("application/stream+json", rows),
    "seq": (
      "application/json-seq",
      "\u{1E}{\"type\":\"ADDED\",\"n\":1.50}\n\u{1E}{\"type\":\n\"MODIFIED\",\"n\":2}\n"
    ),
    "csv": ("text/csv; charset=iso-8859-1", "id,name\n1,Ann\n"),
    "html": ("text/html", "{\"id\":7}"),
    "page": ("text/plain", "{\"data\":[1],\"next\":\"/last\"}"),
    "last": ("text/plain", "{\"data\":[2]}"),
    "utf8": ("text/plain", "[{\"id\":1,\"a\":\"zo\u{EB}\"}]"),
    "named": ("text/plain; charset=utf-8", "[{\"id\":1,\"a\":\"zo\u{EB}\"}]"),
    "latin": ("text/plain; charset=iso-8859-1", "[{\"id\":1,\"a\":\"zo\u{EB}\"}]"),
    "mark": ("text/plain", "\u{FEFF}[{\"id\":1,\"a\":\"zo\u{EB}\"}]"),
    "cut": ("text/plain", "{\"a\":1"),
    "lists": ("application/json", "[1.50]\n[2]\n"),
    "pretty": ("application/json", "{\n  \"n\": 1.50\n}\n{\n  \"n\": 2\n}\n"),
  ]

  init() throws {
    folder = try TemporaryFolder()
    server = try EchoServer { request, _ in
      let path = request.line.split(separator: " ")[1].dropFirst().prefix { $0 != "?" }
      guard let answer = Self.answers[String(path)] else { return .init(status: "404 Not Found") }
      return .init(headers: ["Content-Type: \(answer.type)"], body: answer.body)
    }
    try folder.write(
      "apis/t.lua",
      """
      local lull = require "lull"
      return { service = lull.service "\(base)", calls = {
        html = { path = "/{name}", response_type = "json" },
        named = { path = "/plain", params = { as = "string", retry = "string" } },
      } }
      """)
  }

  private func run(_ words: [String]) throws -> Child.Ending {
    try Child(Binaries.lull, words, folder: folder.path).wait()
  }

  @Test(
    arguments: [
      ("plain", ["-f", "#x"], "1\n", true), ("plain", ["-f", "x[1].n"], "1.50\n", true),
      ("plain", ["-o", "csv"], "id,n\n1,1.50\n", true),
      ("plain", [], " [{\"id\":1,\"n\":1.50}]", false),
      ("plain", ["-o", "raw"], " [{\"id\":1,\"n\":1.50}]", false),
      ("plain", ["-f", "#x", "--as", "text"], "20\n", false),
      ("text", ["-f", "#x"], "14\n", false), ("binary", ["-f", "x.id"], "1\n", true),
      ("lines", ["-f", "map(x, 'type')"], "[\"ADDED\",\"MODIFIED\"]\n", true),
      ("page", ["--all", "--rows", "data"], "[1,2]\n", true),
      ("page", ["--all", "--as", "json", "--rows", "data"], "[1,2]\n", false),
    ] as [(String, [String], String, Bool)])
  func `JSN-91 filters and formats read text that is JSON, and say so once`(
    _ path: String, _ words: [String], _ output: String, _ isNoted: Bool
  ) throws {
    let ending = try run(["get", "\(base)/\(path)"] + words)
    #expect(ending.output == output && ending.code == 0, "\(ending)")
    let notes = ending.errors.split(separator: "\n")
    #expect(notes.count == (isNoted ? 1 : 0), "\(ending.errors)")
    #expect(
      notes.allSatisfy { $0.hasPrefix("lull: note: the response is ") && $0.contains("--as text") })
  }

  @Test(arguments: [
    ("utf8", "zo\u{EB}"), ("named", "zo\u{EB}"), ("mark", "zo\u{EB}"), ("latin", "zo\u{C3}\u{AB}"),
  ])
  func `JSN-101 JSON in text is UTF-8, or in the charset that is named`(
    _ path: String, _ name: String
  ) throws {
    for (words, output) in [
      (["-f", "x[1].a"], "\"\(name)\"\n"), (["-o", "csv"], "id,a\n1,\(name)\n"),
      (["--all"], "[{\"id\":1,\"a\":\"\(name)\"}]\n"),
    ] {
      let ending = try run(["get", "\(base)/\(path)"] + words)
      #expect(ending.output == output && ending.code == 0, "\(ending)")
    }
  }

  @Test func `JSN-103 cut JSON under another type stays text, with a note`() throws {
    for (words, output) in [(["-f", "#x"], "6\n"), (["-o", "csv"], "{\"a\":1")] {
      let ending = try run(["get", "\(base)/cut"] + words)
      #expect(ending.output.hasPrefix(output) && ending.code == 0, "\(ending)")
      #expect(
        ending.errors.hasPrefix("lull: note: the response is text/plain, and is read as text")
          && ending.errors.contains("(at byte 7)"), "\(ending.errors)")
    }
    let plain = try run(["get", "\(base)/cut"])
    #expect(plain.errors == "", "\(plain)")
  }

  @Test func `JSN-92 objects and lists on lines of their own are rows`() throws {
    let lists = try run(["get", "\(base)/lists", "-f", "x"])
    #expect(lists.output == "[[1.50],[2]]\n" && lists.errors == "", "\(lists)")
    let plain = try run(["get", "\(base)/lists"])
    #expect(plain.output == "[1.50]\n[2]\n", "\(plain)")
    let pretty = try run(["get", "\(base)/pretty", "-f", "map(x, 'n')"])
    #expect(pretty.output == "[1.50,2]\n" && pretty.errors == "", "\(pretty)")
  }

  @Test func `JSN-102 --as with --offline is wrong usage`() throws {
    let ending = try run(["get", "\(base)/html", "--as", "json", "--offline"])
    #expect(ending.code == 2, "\(ending)")
    #expect(ending.errors.contains("--as cannot be combined with --offline"), "\(ending)")
  }

  @Test(arguments: ["watch", "ndjson", "spring", "seq"])
  func `JSN-20 JSN-92 rows of JSON are a list, lines and a stream`(_ path: String) throws {
    let list = try run(["get", "\(base)/\(path)", "-f", "map(x, 'n')"])
    #expect(list.output == "[1.50,2]\n" && list.errors == "", "\(list)")
    let lines = try run(["get", "\(base)/\(path)"])
    #expect(lines.output.split(separator: "\n").count == 2, "\(lines)")
    let table = try run(["get", "\(base)/\(path)", "-o", "csv"])
    #expect(table.output == "type,n\nADDED,1.50\nMODIFIED,2\n", "\(table)")
    let stream = try run(["get", "\(base)/\(path)", "--stream", "-f", "x.type"])
    #expect(stream.output == "\"ADDED\"\n\"MODIFIED\"\n" && stream.code == 0, "\(stream)")
  }

  @Test func `JSN-93 bodies are read as the type that is asked for`() throws {
    let csv = try run(["get", "\(base)/csv", "--as", "csv", "-f", "x[1].name"])
    #expect(csv.output == "\"Ann\"\n" && csv.errors == "", "\(csv)")
    let json = try run(["get", "\(base)/html", "--as", "json"])
    #expect(json.output == "{\"id\":7}\n", "\(json)")
    let ndjson = try run(["get", "\(base)/lines", "--as", "ndjson", "--stream"])
    #expect(ndjson.output.split(separator: "\n").count == 2, "\(ndjson)")
    let wrong = try run(["get", "\(base)/text", "--as", "json"])
    #expect(wrong.code == 1 && wrong.errors.contains("JSON"), "\(wrong)")
    let call = try run(["call", "t", "html", "--name", "html"])
    #expect(call.output == "{\"id\":7}\n", "\(call)")
    let text = try run(["call", "t", "html", "--name", "html", "--as", "text", "-f", "#x"])
    #expect(text.output == "8\n", "\(text)")
    let script = try run([
      "-e",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "\(base)", response_type = "json" }
      print(api("/html"):load():await().content.id)
      api:configure("/csv", { response_type = "csv" })
      print(api("/csv"):load():await().content[1].name)
      print(pcall(lull.service, { base_url = "\(base)", response_type = "xml" }))
      """,
    ])
    #expect(script.output.hasPrefix("7\nAnn\nfalse\t"), "\(script)")
    #expect(
      script.output.contains(
        "'response_type' must be \"json\", \"ndjson\", \"text\", \"csv\" or false"))
    for words in [["-O", "-"], ["-o", "raw"], ["--download"]] {
      #expect(try run(["get", "\(base)/html", "--as", "json"] + words).code == 2)
    }
  }

  @Test func `PAR-16 a parameter named as or retry replaces the option of lull call`() throws {
    let ending = try run(["call", "t", "named", "--as", "x", "--retry", "3"])
    #expect(ending.code == 0, "\(ending)")
    #expect(server.requests.last?.line == "GET /plain?as=x&retry=3")
  }
}
