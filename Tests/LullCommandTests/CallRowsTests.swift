import Testing

/// Calls that say where the rows of their answers are.
@Suite("Rows of calls", .timeLimit(.minutes(20)))
struct CallRowsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// An API whose one call gets this JSON.
  private func run(
    _ body: String, rows: String, _ options: String..., type: String = "application/json",
    status: Int = 200
  )
    throws -> Child.Ending
  {
    try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example", networking = function(request)
        return { status = \(status), headers = { ["Content-Type"] = "\(type)" }, body = [==[\(body)]==] } end }
      return { service = api, calls = { a = { path = "/x", rows = "\(rows)", columns = { "id", "name" },
        pages = { next = function(entity) return nil end } } } }
      """)
    return try Child(
      Binaries.lull, ["call", "./a.lua", "a"] + options, folder: folder.path
    ).wait()
  }

  private static let deck =
    #"{"title":"T","show":{"author":"A","slides":[{"id":1.50,"name":"x"},{"id":2,"name":"y"}]}}"#

  @Test(arguments: [
    (["-o", "csv"], "id,name\n1.50,x\n2,y\n"), (["-o", "table"], "id    name\n1.50  x\n2     y\n"),
    (["-o", "ndjson"], #"{"id":1.50,"name":"x"}"# + "\n" + #"{"id":2,"name":"y"}"# + "\n"),
    (["-o", "csv", "--columns", "name"], "name\nx\ny\n"),
    ([], CallRowsTests.deck + "\n"), (["-o", "json"], CallRowsTests.deck + "\n"),
    (["-f", "x.title"], "\"T\"\n"), (["-f", "x.show.slides[2]", "-o", "csv"], "id,name\n2,y\n"),
    (["--all"], #"[{"id":1.50,"name":"x"},{"id":2,"name":"y"}]"# + "\n"),
    (["--all", "-o", "csv"], "id,name\n1.50,x\n2,y\n"), (["--all", "-f", "count(x)"], "2\n"),
    (["--all", "-o", "lines", "-f", "map(x, 'name')"], "x\ny\n"),
  ])
  func `APIF-07 tables, lines and pages are of the rows`(options: [String], output: String) throws {
    let ending = try runAll(CallRowsTests.deck, rows: "show.slides", options)
    #expect(ending.output == output, "\(options): \(ending)")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  private func runAll(_ body: String, rows: String, _ options: [String]) throws -> Child.Ending {
    _ = try run(body, rows: rows, "--dry-run")
    return try Child(
      Binaries.lull, ["call", "./a.lua", "a"] + options, folder: folder.path
    ).wait()
  }

  @Test(arguments: [
    (#"{"data":{"items":null}}"#, "data.items", "id,name\n"),
    (#"{"data":{"items":[]}}"#, "data.items", "id,name\n"),
    (#"{"data.items":[{"id":1}],"data":{}}"#, "data.items", "id,name\n1,\n"),
    (#"[{"rows":[{"id":1}]}]"#, "1.rows", "id,name\n1,\n"),
    (#"{"item":{"id":3,"name":"z"}}"#, "item", "id,name\n3,z\n"),
  ])
  func `APIF-07 rows may be one, none, or under a name with dots`(
    body: String, rows: String, output: String
  ) throws {
    let ending = try run(body, rows: rows, "-o", "csv")
    #expect(ending.output == output, "\(ending)")
    #expect(ending.errors == "" && ending.code == 0, "\(ending)")
  }

  @Test(arguments: [
    (
      CallRowsTests.deck, "show.sides",
      "'show' of the response has no 'sides': the object has 'author', 'slides'; -o json shows the whole response"
    ),
    (CallRowsTests.deck, "slides", "the response has no 'slides': the object has 'title', 'show'"),
    (
      CallRowsTests.deck, "title.x",
      "'title' of the response has no 'x': the value is not an object"
    ),
    ("[1,2]", "items", "the response has no 'items': the value is a list (length 2)"),
    ("{}", "items", "the response has no 'items': the object is empty"),
  ])
  func `APIF-08 rows that are not there are an error`(body: String, rows: String, naming: String)
    throws
  {
    for options in [["-o", "csv"], ["--all"], ["--all", "-f", "x"], ["-o", "lines"]] {
      let ending = try runAll(body, rows: rows, options)
      #expect(
        ending.errors.contains("lull: the rows of call 'a' are at \(rows), but \(naming)"),
        "\(ending)")
      #expect(ending.code == 1)
    }
    #expect(try run(body, rows: rows, "-o", "json").code == 0)
  }

  @Test func `APIF-08 errors of the server have no rows, and text has none either`() throws {
    let error = try run(#"{"error":"no"}"#, rows: "items", "-o", "ndjson", status: 404)
    #expect(error.code == 4)
    #expect(error.output == #"{"error":"no"}"# + "\n", "\(error)")
    #expect(!error.errors.contains("rows"))
    let text = try run("a\nb", rows: "items", "-o", "csv", type: "text/plain")
    #expect(text.errors.contains("but the response is text, not JSON"), "\(text)")
    #expect(text.code == 1)
  }

  @Test(arguments: ["", ".a", "a.", "a..b", "."])
  func `APIF-08 a way that is none is found in the file`(rows: String) throws {
    let ending = try run("{}", rows: rows)
    #expect(ending.errors.contains("call 'a': 'rows' must be"), "\(ending)")
    #expect(ending.errors.contains("a.lua:4"))
    #expect(ending.code == 1)
    let checked = try lull("check", "a.lua", folder: folder.path)
    #expect(checked.output.contains("a.lua:4: call 'a': 'rows' must be"), "\(checked)")
  }
}
