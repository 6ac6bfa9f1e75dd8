import LullLibC
import Testing

/// Files of an import that somebody else has a part in: other imports, an editor, other commands.
@Suite("Files that are imported", .timeLimit(.minutes(20)))
struct ImportedFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("shop.yaml", ImportedFileTests.document)
    try folder.write("shop.har", ImportedFileTests.archive)
  }

  private static let document = """
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: "https://shop.example"}]
    paths:
      /things: {get: {operationId: things.list, parameters: [{name: q, in: query, schema: {type: string}}], responses: {}}}
      /things/{id}: {get: {operationId: things.one, parameters: [{name: id, in: path, required: true, schema: {type: string}}],
        responses: {"200": {description: "", content: {application/json: {schema: {type: object}}}}}}}
    """

  private static let archive = """
    {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"startedDateTime":"2024-01-01T00:00:00Z","time":1,
    "request":{"method":"GET","url":"https://shop.example/orders","httpVersion":"","headers":[],"queryString":[],"cookies":[],
    "headersSize":-1,"bodySize":-1},"response":{"status":200,"statusText":"","httpVersion":"","headers":[],"cookies":[],
    "content":{"size":2,"mimeType":"application/json","text":"{}"},"redirectURL":"","headersSize":-1,"bodySize":-1},
    "cache":{},"timings":{"send":0,"wait":0,"receive":0}}]}}
    """

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["import"] + words, folder: folder.path).wait()
  }

  @Test func `IMP-30 what was imported from a source of one kind stays when there is another`()
    throws
  {
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    #expect(try run("har", "shop.har", "-o", "h.lua").code == 0)
    #expect(try run("curl", "curl https://shop.example/x", "-o", "c.lua").code == 0)
    for (words, other) in [
      (["har", "shop.har", "-o", "s.lua"], "openapi"),
      (["openapi", "shop.yaml", "-o", "h.lua"], "har"),
      (["openapi", "shop.yaml", "-o", "c.lua"], "curl"),
    ] {
      let before = folder.text(words[3])
      let ending = try Child(Binaries.lull, ["import"] + words, folder: folder.path).wait()
      #expect(ending.code == 3)
      #expect(
        ending.errors
          == "lull: \(words[3]) was imported by 'lull import \(other)' and is left unchanged: name another "
          + "file with -o, or move this file away\n")
      #expect(folder.text(words[3]) == before)
    }
  }

  @Test func `IMP-32 schemas that were changed by hand stay`() throws {
    let document = ImportedFileTests.document
    let schemas = "s.schemas.json"
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    let written = try #require(folder.text(schemas))
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    #expect(folder.text(schemas) == written)
    let edited = written.replacing("\"object\"", with: "\"object\",\"minProperties\":1")
    try folder.write(schemas, edited)
    try folder.write("shop.yaml", document.replacing("type: object", with: "type: array"))
    for _ in 0..<2 {
      let ending = try run("openapi", "shop.yaml", "-o", "s.lua")
      #expect(ending.code == 3)
      #expect(
        ending.errors
          == "lull: s.schemas.json: the file was changed after the last import, and is left unchanged: undo the "
          + "change, or move the file away, and import again\n")
      #expect(folder.text(schemas) == edited)
    }
    // As it is in the document now.
    try folder.write(
      "shop.yaml", document.replacing("type: object", with: "type: object, minProperties: 1"))
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    #expect(folder.text(schemas) == edited)
    unlink(folder.path + "/" + schemas)
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    #expect(folder.text(schemas) == edited)
  }

  @Test func `IMP-33 calls that are not imported any more are told`() throws {
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    try folder.write(
      "shop.yaml",
      ImportedFileTests.document.replacing("operationId: things.list", with: "operationId: all"))
    let ending = try run("openapi", "shop.yaml", "-o", "s.lua")
    #expect(ending.code == 0)
    #expect(ending.errors == "lull: removed: call 'things.list': no longer imported\n")
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").errors == "")
  }

  @Test
  func `IMP-30 a command line that is added to a document's calls stays with its next import`()
    throws
  {
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    let imported = try #require(folder.text("s.lua.imported"))
    try folder.write(
      "s.lua",
      imported.replacing("calls = {\n", with: "calls = {\n    -- of mine\n")
        .replacing("local api", with: "-- mine\nlocal api"))
    for (line, name) in [
      ("curl https://shop.example/x -H 'Authorization: Bearer hunter2'", "x"),
      ("curl https://shop.example/v2/x -u a:b", "x_2"),
      ("curl https://shop.example/x -H 'Authorization: Bearer hunter3'", "x"),
    ] {
      let ending = try run("curl", line, "-o", "s.lua")
      #expect(ending.output == "s.lua: 1 call (\(name))\n", "\(ending)")
      #expect(ending.code == 0)
    }
    #expect(folder.text("s.lua.imported") == imported)
    #expect(folder.text("s.schemas.json") != nil)
    let text = try #require(folder.text("s.lua"))
    for part in ["-- of mine\n", "-- mine\n", "x = {", "x_2 = {", "[\"things.one\"] = {"] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    try folder.write(
      "shop.yaml",
      ImportedFileTests.document.replacing("things.one", with: "things.uno"))
    let again = try run("openapi", "shop.yaml", "-o", "s.lua")
    #expect(again.code == 0, "\(again)")
    let merged = try #require(folder.text("s.lua"))
    #expect(
      merged.replacing("things.uno", with: "things.one") == text, "\(merged)\n\(text)")
    let checked = try lull("check", "s.lua", folder: folder.path)
    #expect(checked.code == 0, "\(checked.output)\(checked.errors)")
  }

  @Test func `IMP-30 a call that was changed by hand is not replaced by a command line`() throws {
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    let imported = try #require(folder.text("s.lua"))
    let edited = imported.replacing("q = \"string\"", with: "q = \"integer\"")
    try folder.write("s.lua", edited)
    let ending = try run("curl", "curl 'https://shop.example/things?p=1'", "-o", "s.lua")
    #expect(ending.code == 3, "\(ending)")
    #expect(
      ending.errors.contains(": GET /things already exists as call 'things.list'"), "\(ending)")
    #expect(folder.text("s.lua") == edited)
  }

  @Test func `IMP-35 a command line goes below the base URL of a document's file, or is refused`()
    throws
  {
    try folder.write(
      "shop.yaml",
      ImportedFileTests.document.replacing(
        "https://shop.example", with: "https://shop.example/v1/"))
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua").code == 0)
    let imported = try #require(folder.text("s.lua"))
    #expect(imported.contains("https://shop.example/v1"), "\(imported)")
    for url in [
      "https://shop.example/v2/orders", "https://shop.example/v10/orders",
      "https://other.example/v1/orders",
    ] {
      let ending = try run("curl", "curl \(url)", "-o", "s.lua")
      #expect(
        ending.code == 3
          && ending.errors.hasPrefix(
            "lull: the command requests \(url), but the file is for https://shop.example/v1"),
        "\(ending)")
    }
    #expect(
      try run("curl", "curl https://shop.example/v1", "-o", "s.lua").errors.hasPrefix(
        "lull: the command requests the base URL, but a call needs a path below the base URL"))
    // What the document says of a call stays, whatever its parameter is called there.
    let one = try #require(imported.split(separator: "\n").firstIndex { $0.contains("things.one") })
    for (path, name) in [("things", "things.list"), ("things/17", "things.one")] {
      let ending = try run("curl", "curl 'https://shop.example/v1/\(path)?z=1'", "-o", "s.lua")
      #expect(
        ending.code == 3 && ending.errors.contains("already exists as call '\(name)'"), "\(ending)")
    }
    #expect(one > 0 && folder.text("s.lua") == imported)
    for _ in 0..<2 {
      let ending = try run(
        "curl", "curl https://shop.example/v1/orders -d a=1; curl https://shop.example/v2/x", "-o",
        "s.lua")
      #expect(ending.output == "s.lua: 1 call (post_orders), 1 left out\n", "\(ending)")
      #expect(
        ending.errors.contains("the request is not below https://shop.example/v1"), "\(ending)")
    }
    let text = try #require(folder.text("s.lua"))
    #expect(text.contains(#"path = "/orders""#), "\(text)")
    let changed = try run("curl", "curl https://shop.example/v1/orders -d b=1", "-o", "s.lua")
    let line = try #require(
      text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
        $0.contains("post_orders")
      })
    #expect(
      changed.errors
        == "lull: s.lua:\(line + 1): POST /orders already exists as call 'post_orders' and is left unchanged: change the call in the file, or name another file with -o\n"
    )
    #expect(changed.code == 3 && folder.text("s.lua") == text)
  }

  @Test func `IMP-15 patterns are remembered however long they are, and with the lines of others`()
    throws
  {
    let name = String(repeating: "x", count: 130)
    try folder.write(
      "shop.yaml", ImportedFileTests.document.replacing("things.one", with: "\(name) of mine"))
    let pattern = "\(name) of*"
    #expect(try run("openapi", "shop.yaml", "-o", "s.lua", "--only", pattern).code == 0)
    for end in ["\n", "\r\n"] {
      let text = try #require(folder.text("s.lua"))
      // Also where somebody has begun again with the other file.
      let kept = try #require(folder.text("s.lua.imported"))
      for (file, text) in [("s.lua", end == "\n" ? text : kept), ("s.lua.imported", kept)] {
        try folder.write(file, text.replacing("\n", with: end))
      }
      let again = try run("openapi", "shop.yaml", "-o", "s.lua")
      #expect(again.output == "s.lua: 1 call\n", "\(again)")
      #expect(folder.text("s.lua") == text)
    }
  }

  @Test func `IMP-14 schemas that were not imported are neither overwritten nor taken away`() throws
  {
    try folder.write("s.schemas.json", "{}")
    let ending = try run("openapi", "shop.yaml", "-o", "s.lua")
    #expect(ending.code == 3)
    #expect(
      ending.errors.hasPrefix(
        "lull: 's.schemas.json' was not written by lull import and is left unchanged: "),
      "\(ending)")
    #expect(folder.text("s.schemas.json") == "{}" && folder.text("s.lua") == nil)
    for number in 1...2 {
      #expect(try run("curl", "curl https://shop.example/x\(number)", "-o", "s.lua").code == 0)
      #expect(folder.text("s.schemas.json") == "{}")
    }
    try folder.write(
      "none.yaml",
      """
      openapi: 3.1.0
      servers: [{url: "https://shop.example"}]
      paths: {/things: {get: {operationId: things.list, responses: {}}}}
      """)
    #expect(try run("openapi", "shop.yaml", "-o", "t.lua").code == 0)
    #expect(folder.text("t.schemas.json") != nil)
    // Whoever begins anew may have left it there.
    for name in ["t.lua", "t.lua.imported"] { unlink(folder.path + "/" + name) }
    #expect(try run("openapi", "shop.yaml", "-o", "t.lua").code == 0)
    #expect(try run("openapi", "none.yaml", "-o", "t.lua").code == 0)
    #expect(folder.text("t.schemas.json") == nil)
  }

  @Test func `IMP-31 of imports into one file at once none takes away what another has made`()
    throws
  {
    for round in 0..<3 {
      let file = "c\(round).lua"
      let all = try (0..<6).map { number in
        try Child(
          Binaries.lull,
          ["import", "curl", "curl https://shop.example/x\(number)", "-o", file],
          folder: folder.path)
      }
      let endings = try all.map { try $0.wait() }
      let text = try #require(folder.text(file))
      #expect(endings.contains { $0.code == 0 })
      for (number, ending) in endings.enumerated() {
        #expect(ending.code == 0 || ending.code == 3)
        #expect(
          ending.code == 0
            ? text.contains("x\(number) = {")
            : ending.errors
              == "lull: \(file): the file was changed during the import and is not written: import again\n",
          "\(ending)\n\(text)")
      }
      #expect(try run("curl", "curl https://shop.example/y", "-o", file).code == 0)
    }
  }

  @Test func `IMP-31 what a link leads to is replaced, and not the link`() throws {
    mkdir(folder.path + "/real", 0o755)
    #expect(try run("curl", "curl https://shop.example/x", "-o", "real/a.lua").code == 0)
    for name in ["a.lua", "a.lua.imported"] {
      symlink("real/\(name)", "\(folder.path)/\(name)")
    }
    #expect(try run("curl", "curl https://shop.example/y", "-o", "a.lua").code == 0)
    #expect(folder.text("real/a.lua")?.contains("/y") == true)
    #expect(try run("curl", "curl https://shop.example/z", "-o", "real/a.lua").code == 0)
    #expect(folder.text("a.lua")?.contains("/z") == true)
  }
}
