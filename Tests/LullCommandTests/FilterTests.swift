import Testing

/// Expressions of `-f`: in files, page by page, without quotes, and as those of jq are written here.
@Suite("Filters", .timeLimit(.minutes(20)))
struct FilterTests {
  private let folder: TemporaryFolder
  private let api: String

  /// Four pages of two rows, each request noted; the fifth fails.
  init() throws {
    folder = try TemporaryFolder()
    api = try folder.write(
      "api.lua",
      #"""
      local rows = { '[{"id":1,"n":1.50},{"id":2,"n":2}]', '[{"id":3,"n":3},{"id":4,"n":4.0}]',
        '[{"id":5,"n":5}]', '[{"id":6,"n":6}]' }
      local function answer(http)
        io.stderr:write("asked ", http.url:match "[^/]*$", "\n")
        if http.url:find "texts" then return { json = { "a", "b\nc" } } end
        if http.url:find "record" then return { json = { name = "Ann", tags = { "x", "y" } } } end
        local page = tonumber(http.url:match "p=(%d)") or 1
        if http.url:find "broken" and page == 3 then return { status = 503 } end
        local link = page < 4 and ("<?p=%d>; rel=next"):format(page + 1) or nil
        return { body = rows[page], headers = { ["Content-Type"] = "application/json", Link = link } }
      end
      return require "lull".service{ base_url = "https://a.invalid", networking = answer }
      """#)
  }

  private func get(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["get", api] + words, folder: folder.path).wait()
  }

  @Test(arguments: ["x[1].id, x[1].n", "x.a, 1", "#x,2"])
  func `FLT-90 several values are refused before anything is sent`(_ filter: String) throws {
    let ending = try get("/rows", "-f", filter)
    #expect(ending.code == 1 && ending.errors.contains("got several"), "\(ending)")
    #expect(!ending.errors.contains("asked"))
  }

  @Test func `FLT-90 commas inside one value are none of several`() throws {
    for filter in ["{ x[1].id, 2 }", "(function(a, b) return b, a end)(1, 2)", "#x --, comment"] {
      #expect(try get("/rows", "-f", filter).code == 0, "\(filter)")
    }
    try folder.write("two.lua", "local a = x\nreturn 1, 2\n")
    let file = try get("/rows", "-f", "@two.lua")
    #expect(file.code == 1 && file.errors.contains("2 values"), "\(file)")
  }

  @Test func `FLT-89 a misspelt field is warned about, and the exit code stays`() throws {
    let ending = try get("/rows", "-f", "sum(x, 'nn') + sum(x, 'nn')")
    #expect(ending.output == "0\n" && ending.code == 0)
    #expect(
      ending.errors
        == "asked rows\nlull: warning: -f:1: sum: no row has 'nn' (did you mean 'n'?)\n",
      "\(ending)")
  }

  @Test func `FLT-89 of pages a field is missing if no page has it`() throws {
    try folder.write(
      "some.lua",
      #"""
      local rows = { '[{"id":1}]', '[{"id":2,"archived":true}]', '[{"id":3}]' }
      return require "lull".service{ base_url = "https://a.invalid", networking = function(http)
        local page = tonumber(http.url:match "p=(%d)") or 1
        local link = page < 3 and ("<?p=%d>; rel=next"):format(page + 1) or nil
        return { body = rows[page], headers = { ["Content-Type"] = "application/json", Link = link } }
      end }
      """#)
    func errors(_ filter: String, _ words: String...) throws -> String {
      try Child(
        Binaries.lull, ["get", "some.lua", "/rows", "--all", "-f", filter] + words,
        folder: folder.path
      ).wait().errors
    }
    #expect(try errors("filter(x, 'archived')") == "")
    #expect(try errors("filter(x, 'archived')", "-o", "ndjson") == "")
    #expect(try errors("filter(x, 'idd')").hasSuffix("no row has 'idd' (did you mean 'id'?)\n"))
  }

  @Test func `FLT-89 of a record too, and of parts of it only if none has the field`() throws {
    let record = try get("/rows", "-f", "pick(x[1], 'idd')")
    #expect(
      record.errors.hasSuffix("-f:1: pick: no row has 'idd' (did you mean 'id'?)\n"), "\(record)")
    let parts = try get(
      "/rows", "-f",
      "map({ { r = { { a = 1 } } }, { r = { { b = 1 } } } }, "
        + "function(v) return map(v.r, 'b') end)")
    #expect(parts.errors == "asked rows\n", "\(parts)")
  }

  @Test func `JSN-34 a comparison with a number beyond 64 bits is warned about`() throws {
    let ending = try get("/rows", "-f", "x[1].id == 12345678901234567890")
    #expect(ending.output == "false\n" && ending.code == 0)
    #expect(
      ending.errors.contains("lull: warning: -f:1: 12345678901234567890 is a float in Lua"),
      "\(ending)")
    try folder.write("id.lua", "local id = 1\nreturn id < 12345678901234567890\n")
    let file = try get("/rows", "-f", "@id.lua")
    #expect(file.errors.contains("lull: warning: id.lua:2: 12345678901234567890 is"), "\(file)")
    #expect(!(try get("/rows", "-f", "x[1].id == 7").errors.contains("warning")))
  }

  @Test(
    arguments: [
      (["-f", "map(x, 'n')"], "[1.50,2,3,4.0,5,6]\n", 4),
      (["-f", "map(x, 'n')", "-o", "ndjson"], "1.50\n2\n3\n4.0\n5\n6\n", 4),
      (
        ["-f", "pick(filter(x, function(v) return v.id > 4 end), 'id')", "-o", "csv"], "id\n5\n6\n",
        4
      ),
      (["-f", "first(map(x, 'n'), 3)"], "[1.50,2,3]\n", 2),
      (["-f", "first(map(x, 'n'), 3)", "-o", "lines"], "1.50\n2\n3\n", 2),
      (["-f", "first(filter(x, function(v) return v.id == 3 end)).n"], "3\n", 4),
      (["-f", "first(filter(x, function(v) return v.id == 3 end))"], "{\"id\":3,\"n\":3}\n", 2),
      (["-f", "first(filter(x, function(v) return v.none end))"], "null\n", 4),
      (["-f", "first(x, 0)"], "[]\n", 1),
      (["-f", "sum(x, 'id')"], "21\n", 4),
    ] as [([String], String, Int)])
  func `FLT-13 pages are asked for as far as they are wanted`(
    words: [String], output: String, requests: Int
  ) throws {
    let ending = try Child(Binaries.lull, ["get", api, "/rows", "--all"] + words).wait()
    #expect(ending.output == output, "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count == requests, "\(ending.errors)")
    #expect(ending.code == 0)
  }

  @Test
  func
    `FLT-14 lines that have been made stay, and of other formats nothing is written, where a page fails`()
    throws
  {
    let lines = try get("/broken", "--all", "-f", "map(x, 'id')", "-o", "lines")
    #expect(lines.output == "1\n2\n3\n4\n")
    #expect(lines.code == 5)
    let list = try get("/broken", "--all", "-f", "map(x, 'id')")
    #expect(list.output == "")
    #expect(
      list.errors.contains("-f needs all pages, but some are missing: nothing is written"))
    #expect(list.code == 5)
  }

  @Test(
    arguments: [
      (["/texts"], "a\nb\nc\n"), (["/texts", "-f", "x[1]"], "a\n"),
      (["/texts", "-f", "{}"], "{}\n"),
      (["/texts", "-f", "filter(x, function() return false end)"], ""),
      (["/record", "-f", "x.name"], "Ann\n"), (["/record", "-f", "x.tags"], "x\ny\n"),
      (["/rows", "-f", "x[1].n"], "1.50\n"), (["/rows", "-f", "map(x, 'id')"], "1\n2\n"),
      (["/record", "-f", "{ 'a', lull.null }"], "a\nnull\n"),
      (["/record", "-f", "nil"], "null\n"),
      (
        ["/rows", "--pages", "2", "-f", "map(x, function(v) return 'n' .. v.id end)"],
        "n1\nn2\nn3\nn4\n"
      ),
    ] as [([String], String)])
  func `FLT-15 texts are written without quotes, and lists of nothing else one on each line`(
    words: [String], output: String
  ) throws {
    let ending = try Child(Binaries.lull, ["get", api] + words + ["-r"]).wait()
    #expect(ending.output == output, "\(ending.errors)")
    #expect(ending.code == 0)
  }

  @Test(arguments: ["get", "changed"])
  func `FLT-13 what is wrong with an expression over pages is shown as it was typed`(verb: String)
    throws
  {
    let ending = try Child(
      Binaries.lull, [verb, api, "/rows", "--pages", "2", "-f", "sum(x, 'n') + {}"],
      environment: ["XDG_STATE_HOME": folder.path]
    ).wait()
    #expect(ending.errors.contains("  1 | sum(x, 'n') + {}\n"), "\(ending.errors)")
    #expect(ending.code == 1)
  }

  @Test func `FLT-15 without quotes is a way to write, as others are`() throws {
    #expect(
      try get("/rows", "-r", "-f", "{ 'a', 1, lull.null, true }").output == "a\n1\nnull\ntrue\n")
    for other in [["-o", "json"], ["-O", "file"]] {
      let ending = try Child(Binaries.lull, ["get", api, "/texts", "-r"] + other).wait()
      #expect(ending.errors.hasPrefix("lull: -r cannot be combined with \(other[0])\n"))
      #expect(ending.code == 2)
    }
  }

  @Test(
    arguments: [
      (".", "x"), (".a", "x.a"), (".[0]", "x[1]"), (".a.b", "x.a.b"), (".a[0].b", "x.a[1].b"),
      (".items | keys", "keys(x.items)"), (".[] | .name", "map(x, \"name\")"),
      (".[].name", "map(x, \"name\")"), ("map(.x)", "map(x, \"x\")"),
      ("x | keys", "keys(x)"), ("x.name | length", "count(x.name)"), ("|keys", "keys(x)"),
      ("map(select(.n > 3))", "filter(x, function(v) return v.n > 3 end)"),
      (
        ".[] | select(.a == \"b\") | .n",
        "map(filter(x, function(v) return v.a == \"b\" end), \"n\")"
      ),
      (".[] | {id, name}", "pick(x, \"id\", \"name\")"), ("sort_by(.n)", "sort_by(x, \"n\")"),
      (".items | length", "count(x.items)"), (".[\"a b\"]", "x[\"a b\"]"), (".[-1]", "last(x)"),
      (".items[].tags[0]", "map(x.items, \"tags.1\")"), ("[.[] | .a]", nil), (".a, .b", nil),
      ("select(.a)", nil), (".a // 1", nil), (".. | .id", nil), ("map({id: .id})", nil),
    ] as [(String, String?)])
  func `FLT-16 what is jq's is told how to write`(expression: String, written: String?) throws {
    let ending = try get("/rows", "-f", expression)
    let lines = ending.errors.split(separator: "\n").filter { !$0.hasPrefix("asked") }
    let hint =
      written.map { "that is jq syntax: write \($0)" }
      ?? "that looks like jq: expressions are Lua over x"
    #expect(lines.count == 1, "\(ending.errors)")
    #expect(lines.first?.hasPrefix("lull: -f '\(expression)': \(hint)") == true, "\(ending.errors)")
    #expect(ending.output == "")
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    ("x[0].id", "elements are counted from 1: write x[1].id"),
    ("POST", "-f takes an expression for the response: use --form to send a form"),
    ("length(x)", "the function has another name in Lull: write count(x)"),
    ("x[1].id != 3", "expressions are Lua: in place of !=, &&, || and ! write ~=, and, or, not"),
    ("x.id", "x is a list, and has no fields: x[1] is its first element"),
  ])
  func `FLT-16 what would be nothing, or no Lua, is told how to write`(
    expression: String, hint: String
  ) throws {
    let ending = try get("/rows", "-f", expression)
    #expect(ending.errors.contains("lull: -f '\(expression)': \(hint)"), "\(ending)")
    #expect(ending.output == "")
    #expect(ending.code == 1)
  }

  @Test func `FLT-18 lists and records of the content are tables`() throws {
    let ending = try get("/rows", "-f", "{ type(x), type(x[1]), type(lull.null), type('') }", "-r")
    #expect(ending.output == "table\ntable\nuserdata\nstring\n", "\(ending.errors)")
    #expect(try get("/rows", "-f", "type()").errors.contains("bad argument #1 to 'type'"))
  }

  @Test func `FLT-16 a field of a list may be asked for where that is not all`() throws {
    #expect(try get("/rows", "-f", "x.items or 'a list'").output == "\"a list\"\n")
  }

  @Test(arguments: [
    ("keys", "keys(x)"), ("length", "count(x)"), ("name", "x.name"), ("map", "map(x"),
    ("$.id", "x.id"), ("$[0].id", "x[1].id"), ("body.id", "x.id"), ("[0]", "x[1]"),
  ])
  func `FLT-16 a bare word is told to be of x`(word: String, written: String) throws {
    let ending = try get("/rows", "-f", word)
    #expect(ending.errors.hasPrefix("lull: -f '\(word)': x is the response body: write \(written)"))
    #expect(ending.code == 1)
  }

  @Test func `FLT-16 a field without x is told to be of x`() throws {
    let ending = try get("/record", "-f", "owner.name")
    #expect(
      ending.errors.contains(
        "-f:1: attempt to index a nil value (global 'owner'); to read a field of x, write x.owner"),
      "\(ending.errors)")
  }

  @Test func `FLT-17 an expression may be a file, with statements before what it gives`() throws {
    try folder.write("ids.lua", "#!/usr/bin/env lull\n-- the ids\nmap(x, 'id')\n")
    try folder.write(
      "big.lua",
      "local function isBig(v)\n  return v.n > 1.6\nend\nreturn map(filter(x, isBig), 'n')\n")
    #expect(try get("/rows", "-f", "@ids.lua").output == "[1,2]\n")
    #expect(try get("/rows", "-f", "@big.lua").output == "[2]\n")
    #expect(try get("/rows", "--all", "-f", "@big.lua").output == "[2,3,4.0,5,6]\n")
  }

  @Test(
    arguments: [
      ("return map(x, 'id')\nend", "bad.lua:2: ", 1), ("\n\nmap(x, 7)", "bad.lua:3: map needs", 1),
      ("local a = 1\nreturn x.b.c", "bad.lua:2: attempt to index a nil value (field 'b')", 1),
      ("local a = x", "bad.lua has no result: end it with a return", 1),
      (" \n", "-f: bad.lua is empty", 2), ("\u{1B}Lua", "-f: bad.lua is not Lua in UTF-8", 2),
    ] as [(String, String, Int32)])
  func `FLT-17 what is wrong with a file is told with its name and line`(
    text: String, message: String, code: Int32
  ) throws {
    try folder.write("bad.lua", text)
    let ending = try get("/rows", "-f", "@bad.lua")
    #expect(ending.errors.contains(message), "\(ending.errors)")
    #expect(ending.code == code)
  }

  @Test(arguments: [
    ("@none.lua", "lull: -f: cannot read none.lua: No such file or directory\n"),
    ("@", "lull: -f @ needs a file name, such as -f @top.lua\n"),
    ("@.", "lull: -f: cannot read .: is a directory\n"),
    (" ", "lull: -f needs an expression, such as x.name\n"),
  ])
  func `FLT-17 a file that cannot be read is wrong usage`(word: String, message: String) throws {
    let ending = try get("/rows", "-f", word)
    #expect(ending.errors.hasPrefix(message), "\(ending.errors)")
    #expect(ending.code == 2)
  }

  @Test func `FLT-11 help lists the functions`() throws {
    let ending = try lull("help", "filters")
    for name in [
      "map(x, by)", "sort_by(x, ...)", "entries(x)", "pick(x, ...)", "join(x, separator?)",
    ] {
      #expect(ending.output.contains("\n  \(name)"), "\(ending)")
    }
    #expect(ending.code == 0)
  }
}
