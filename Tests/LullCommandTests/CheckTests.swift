import Testing

@Suite("lull check", .timeLimit(.minutes(20)))
struct CheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `finds everything at once`() throws {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api = lull.service{
        base_url = "https://api.example.com/v1",
        headrs = {},
        expiration_tme = 3,
      }
      api:configure("/x", { timeout = 3, retri_time = 5 })
      api:configure("https://other.example/**", {})
      api:configure("https://api.example.com/v2/*", {})
      api:configure("/search?q=*", {})
      api:configure("/v1/users", {})
      return {
        service = api,
        calls = {
          a = { path = "/x/{y}" },
          b = { path = "/x", params = { z = "strng" }, colums = {} },
          c = {},
        },
      }
      """)
    let expected = [
      "a.lua:4: unknown setting 'headrs' (did you mean 'headers'?)",
      "a.lua:5: unknown setting 'expiration_tme' (did you mean 'expiration_time'?)",
      "a.lua:7: unknown setting 'retri_time' (did you mean 'retry_time'?)",
      "a.lua:8: pattern 'https://other.example/**' is on another host than "
        + "https://api.example.com/v1/: no path of the service matches it",
      "a.lua:9: pattern 'https://api.example.com/v2/*' is outside the base URL "
        + "https://api.example.com/v1/: no path of the service matches it",
      "a.lua:10: pattern '/search?q=*' cannot match: patterns ignore the query, and ? matches "
        + "one character",
      "a.lua:11: pattern '/v1/users' continues the base URL, so it would match /v1/v1/users",
      "a.lua:15: call 'a': its path has the parameter 'y', which 'params' does not declare",
      "a.lua:16: call 'b': parameter 'z' has the unknown type 'strng' (did you mean 'string'?)",
      "a.lua:16: call 'b': unknown setting 'colums' (did you mean 'columns'?)",
      "a.lua:17: call 'c' needs a 'path'",
    ]
    #expect(ending.output.split(separator: "\n").map(String.init) == expected)
    #expect(ending.errors == "")
    #expect(ending.code == 1)
  }

  @Test func `JSN-34 notes comparisons with numbers beyond 64 bits, which no digits of JSON equal`()
    throws
  {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://api.example.com/v1" }
      api:transform(function(content)
        if content.id == 12345678901234567890 then return nil end
        if -9223372036854775809 < content.id or content.id >= 1e19 then return nil end
        if content.id ~= 9223372036854775807 and content.id ~= -9223372036854775808 then
          return 18446744073709551616
        end
        return content.id == 0xffffffffffffffffffff or content.name == "18446744073709551616"
      end)
      return api
      """)
    let lines = ending.output.split(separator: "\n").map { $0.prefix { $0 != "," } }
    #expect(
      lines.map(String.init) == [
        "a.lua:4: 12345678901234567890 is a float in Lua: it never equals an integer of JSON beyond 64 bits",
        "a.lua:5: -9223372036854775809 is a float in Lua: it never equals an integer of JSON beyond 64 bits",
        "a.lua:5: 1e19 is a float in Lua: it never equals an integer of JSON beyond 64 bits",
      ])
    #expect(ending.output.contains("compare tostring(…) with \"12345678901234567890\""))
    #expect(ending.code == 0)
  }

  @Test func `says what a file raises`() throws {
    #expect(
      try folder.check("\n\nlocal x\nreturn x.y").output
        == "a.lua:4: attempt to index a nil value (local 'x')\n")
    #expect(try folder.check("return {").output.hasPrefix("a.lua:1: "))
    #expect(
      try folder.check(
        "local lull = require 'lull'\nreturn lull.servce('https://a.example')"
      ).output
        == "a.lua:2: attempt to call a nil value (field 'servce'); lull has no field 'servce' "
        + "(did you mean 'lull.service'?)\n")
    #expect(
      try folder.check("await()\nreturn {}").output
        == "a.lua:1: attempt to call a nil value (global 'await'); await is a method: "
        + "request:await()\n")
    #expect(
      try folder.check(
        "local s = require('lull').service('https://a.example')\ns:get('/x')\nreturn s"
      ).output
        == "a.lua:2: a Service has no field 'get' (did you mean 'service(\"/path\"):get(…)'?)\n")
    #expect(
      try folder.check("return 17").output.hasPrefix("a.lua:1: an API file returns a service"))
  }

  @Test func `asks no network`() throws {
    let sample = try SampleAPI()
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api = lull.service("\(sample.url)")
      api("/counter"):load()
      return api
      """)
    #expect(
      ending.output == "a.lua: sends a request while the file is loaded: GET "
        + "\(sample.url)/counter\n")
    #expect(ending.code == 1)
    #expect(try lull("get", sample.url + "/counter").output.contains("1"))
  }

  @Test func `looks at several files`() throws {
    try folder.write("good.lua", "return require('lull').service('https://a.example')")
    try folder.write("bad.lua", "return 17")
    let ending = try lull("check", "good.lua", "bad.lua", "good.lua", folder: folder.path)
    #expect(ending.output.split(separator: "\n").count == 1)
    #expect(ending.code == 1)
    #expect(try lull("check", "good.lua", folder: folder.path).code == 0)
    let missing = try lull("check", "good.lua", "none.lua", folder: folder.path)
    #expect(missing.errors.contains("none.lua"))
    #expect(missing.code == 3)
  }
}
