import Testing

@Suite("Documents on standard input", .timeLimit(.minutes(20)))
struct StandardInputDocumentTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func run(_ words: String..., input: String) throws -> Child.Ending {
    try Child(Binaries.lull, words, folder: folder.path, input: .text(input)).wait()
  }

  @Test func `IMP-34 a document that comes on standard input is imported as one of a file`() throws
  {
    let ending = try run(
      "import", "openapi", "-", "-o", "apis/shop.lua", input: OpenAPISample.text)
    #expect(ending.output == "apis/shop.lua: 4 calls, 1 left out\n", "\(ending)")
    let text = try #require(folder.text("apis/shop.lua"))
    #expect(
      text
        == OpenAPISample.file.replacing(
          "lull import openapi shop.yaml ", with: "lull import openapi - "))
    // Without -o the file is called as one without a name of its own.
    #expect(
      try run("import", "openapi", "-", input: OpenAPISample.text).output.hasPrefix(
        "apis/api.lua: "))
  }

  @Test func `IMP-34 a document without a folder refers to nothing but itself`() throws {
    try folder.write("parts.json", #"{"name":"q","in":"query"}"#)
    let ending = try run(
      "import", "openapi", "-",
      input: """
        {"openapi":"3.1.0","servers":[{"url":"https://a.example"}],
         "paths":{"/ok":{"get":{}},"/x":{"get":{"parameters":[{"$ref":"parts.json"}]}}}}
        """)
    #expect(
      ending.errors.contains(
        "leads to another file, but standard input has no folder: save it as a file"
      ), "\(ending)")
    #expect(ending.code == 0 && ending.output.contains("apis/api.lua: 1 call, 1 left out"))
    let empty = try run("import", "openapi", "-", "-o", "apis/x.lua", input: "")
    #expect(empty.code == 3 && empty.errors.hasPrefix("lull: standard input"), "\(empty)")
    #expect(folder.text("apis/x.lua") == nil)
  }

  @Test func `IMP-34 recordings and lists of URLs come on standard input, too`() throws {
    try folder.write("apis/shop.lua", RecordedTraffic.api)
    let archive = String(
      decoding: RecordedTraffic.file(
        RecordedTraffic.entry(RecordedTraffic.base + "/items/1", #"{"n":1}"#)), as: UTF8.self)
    let types = try run("types", "shop", "--from-har", "-", input: archive)
    #expect(types.code == 0 && types.errors == "", "\(types)")
    #expect(folder.text("apis/types/shop.lua")?.contains("---@field n integer") == true)
    let twice = try run("types", "shop", "--from-har", "-", "--from-har", "-", input: archive)
    #expect(twice.code == 3 && twice.errors.contains("standard input is not an HTTP Archive"))
    let imported = try run("import", "har", "-", input: archive)
    #expect(imported.code == 0 && imported.output.hasPrefix("apis/api.lua: 1 call"), "\(imported)")
    let postman = try run("import", "postman", "-", "-o", "apis/p.lua", input: "{}")
    #expect(postman.code == 3 && postman.errors.hasPrefix("lull: standard input: "), "\(postman)")
    try folder.write("a.lua", "return require'lull'.service('https://a.example')")
    try folder.write("b.lua", "return require'lull'.service('https://b.example')")
    let difference = try run("diff", "a.lua", "b.lua", "--urls", "-", input: "/x\nhttp://[/y\n")
    #expect(
      difference.code == 3
        && difference.errors.hasPrefix("lull: standard input:2: 'http://[/y' is not a URL"),
      "\(difference)")
    #expect(try run("diff", "a.lua", "b.lua", "--urls", "-", input: "/x\n").code == 7)
    let nothing = try run("diff", "a.lua", "b.lua", "--urls", "-", input: "# none\n")
    #expect(nothing.errors == "lull: standard input has neither a path nor a URL\n")
  }
}
