import Testing

/// Files of Lua beside API files that are none.
@Suite("Modules beside API files", .timeLimit(.minutes(20)))
struct ModuleFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("return function(x) return x end", "a function"),
    ("return { shop = 'yes', names = { 'a' } }", "a table without a 'service'"),
    ("return { 'a', 'b' }", "a table without a 'service'"),
    ("return { call = function() end, description = 'x' }", "a table without a 'service'"),
  ])
  func `APIF-04 a module is no broken API`(text: String, result: String) throws {
    try folder.write("apis/util.lua", "local x\n\(text)")
    try folder.write("apis/good.lua", "return require('lull').service('https://a.example')")
    let note = "not an API: the file returns \(result), as modules do"
    let list = try lull("apis", "-o", "csv", folder: folder.path)
    #expect(list.output == "name,calls,description,path\ngood,0,,apis/good.lua\n")
    #expect(list.errors == "")
    #expect(list.code == 0)
    let checked = try lull("check", "apis/util.lua", "apis/good.lua", folder: folder.path)
    #expect(checked.output == "apis/util.lua: \(note)\n")
    #expect(checked.code == 0)
    for words in [["get", "util", "/x"], ["call", "util", "--help"], ["call", "util", "x"]] {
      let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
      #expect(ending.errors.hasPrefix("lull: apis/util.lua:2: \(note)\n"), "\(words): \(ending)")
      #expect(ending.code == 1)
    }
    let script = try lull("-e", "lull.api 'util'", folder: folder.path)
    #expect(script.errors.contains("apis/util.lua:2: \(note)"), "\(script.errors)")
    #expect(try lull("--complete", "call", "util", "", folder: folder.path).output == "")
  }

  @Test(arguments: [
    ("return { servce = lull.service('https://a.example') }", "unknown setting 'servce'"),
    ("return { cals = { a = { path = '/x' } } }", "unknown setting 'cals'"),
    ("return {}", "an API file needs a 'service'"),
    ("return { calls = {} }", "an API file needs a 'service'"),
    ("return { service = 'https://a.example' }", "'service' must be a service"),
    ("return 17", "an API file returns a service"), ("", "an API file returns a service"),
  ])
  func `APIF-04 what was to be an API is a broken one`(text: String, finding: String) throws {
    try folder.write("apis/bad.lua", "local lull = require 'lull'\n\(text)")
    let checked = try lull("check", "bad", folder: folder.path)
    #expect(checked.output.contains(finding), "\(checked)")
    #expect(checked.code == 1)
    let list = try lull("apis", folder: folder.path)
    #expect(list.errors.contains("apis/bad.lua"), "\(list)")
    #expect(list.code == 1)
  }

  @Test func `APIF-05 underscores at the beginning stay in options`() throws {
    try folder.write(
      "apis/a.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = { a = { path = "/x",
        params = { _size = "integer", __deep_one = "string", size = "integer", a_b = "boolean" } } } }
      """)
    let sent = try lull(
      "call", "a", "a", "--_size", "5", "--__deep-one=x", "--size", "6", "--no-a-b", "--dry-run",
      folder: folder.path)
    #expect(
      sent.output.hasPrefix("GET https://a.example/x?_size=5&__deep_one=x&size=6&a_b=false\n"),
      "\(sent)")
    let completed = try lull("--complete", "call", "a", "a", "--_", folder: folder.path)
    #expect(completed.output == "--_size\n--__deep-one\n")
    let old = try lull("call", "a", "a", "---size", "5", folder: folder.path)
    #expect(old.errors.contains("'---size'"), "\(old)")
    #expect(old.code == 2)
  }

  @Test func `APIF-06 what is wrong is told to programs`() throws {
    try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example", timout = 3 }
      api:configure("/x", function() return io.open("x") end)
      return api
      """)
    try folder.write("b.lua", "return { 1 }")
    try folder.write("c.lua", "return require('lull').service('https://a.example')")
    let found = try lull("check", "a.lua", "b.lua", "c.lua", "-o", "json", folder: folder.path)
    #expect(
      found.output
        == #"[{"file":"a.lua","line":2,"kind":"finding","#
        + #""text":"unknown setting 'timout' (did you mean 'timeout'?)"},"#
        + #"{"file":"a.lua","line":3,"kind":"note","text":"not checked further: needs io"},"#
        + #"{"file":"b.lua","line":null,"kind":"note","#
        + #""text":"not an API: the file returns a table without a 'service', as modules do"}]"#
        + "\n",
      "\(found)")
    #expect(found.code == 1)
    let fine = try lull("check", "c.lua", "-o", "json", folder: folder.path)
    #expect(fine.output == "[]\n")
    #expect(fine.code == 0)
    let missing = try lull("check", "c.lua", "none.lua", "-o", "json", folder: folder.path)
    #expect(missing.output == "[]\n")
    #expect(missing.code == 3)
    let table = try lull("check", "a.lua", "-o", "csv", folder: folder.path)
    #expect(table.output.hasPrefix("file,line,kind,text\na.lua,2,finding,"), "\(table)")
    let none = try lull("check", "c.lua", "-o", "raw", folder: folder.path)
    #expect(none.code == 2)
    #expect(none.errors.contains("'--output' must be json"), "\(none.errors)")
  }
}
