import LullLibC
import Testing

/// Functions of two files, which are the same if they do the same, wherever they stand.
@Suite("lull diff: functions", .timeLimit(.minutes(20)))
struct DiffFunctionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    mkdir(folder.path + "/tmp", 0o700)
  }

  private func diff(_ words: String...) throws -> Child.Ending {
    try folder.runLull(
      ["diff"] + words, environment: ["NO_COLOR": "1", "TMPDIR": folder.path + "/tmp"])
  }

  private static let api = """
    local lull = require "lull"
    local util = require "util"
    local STEP <const>, OTHER = 5, 6
    local LIMIT <const> = STEP * 2
    local factor = 1.5
    local rules = { "id", depth = { 1, 2 }, [3.25] = "x" }
    rules.self = rules
    local function trim(content)
      local function inner(text) return text or util.default end
      return inner(content), rules, LIMIT
    end
    local function is_large(content) return #content > factor end
    local function sign(http) http.headers["X-Sign"] = "one" end
    local api = lull.service{ base_url = "https://a.example/v1", mutate_requests = { sign } }
    api:configure("/x", function(config)
      config.pipeline.parsing:add(trim, { input = is_large, transform_errors = true })
      config.pipeline.cleanup:add_transformer(function(response) return util.pass(response) end)
      config.pipeline.model.cache = { key = function() return "k" end,
        read = function(_, key) return util.read(key) end, write = function() end, update_timestamp = function() end,
        remove = function() end }
      config:decorate_requests(function(_, request) return request end)
    end)
    return { service = api, calls = { x = { path = "/x", pages = { next = function(content, page)
      return util.next(content, page)
    end } } } }
    """

  private static let util = """
    local M = { default = "none" }
    local calls = 0
    function M.pass(response) return response end
    function M.read(key) calls = calls + 1 return key and nil end
    M.next = function(content) return content.next end
    return M
    """

  private func commit() throws {
    try folder.write("apis/t.lua", DiffFunctionTests.api)
    try folder.write("apis/util.lua", DiffFunctionTests.util)
    try folder.commit()
  }

  @Test func `REV-14 REV-18 functions that have only moved are the same`() throws {
    try commit()
    #expect(try diff("HEAD", "apis/t.lua").code == 0)
    // Behind a path that Lua cuts off in its messages.
    let long = String(repeating: "folder/", count: 12)
    let moved = DiffFunctionTests.api.replacing("\n", with: "\n\n  -- a comment\n")
    try folder.write(long + "t.lua", moved)
    try folder.write(long + "util.lua", "\n--\n" + DiffFunctionTests.util)
    let ending = try diff("apis/t.lua", long + "t.lua")
    #expect(ending.code == 0 && ending.output == "", "\(ending)")
  }

  @Test(arguments: [
    ("pipeline", "return inner(content)", "return inner(content .. '')"),
    ("pipeline", "text or util", "text and util"), ("pipeline", "= 5, 6", "= 7, 6"),
    ("pipeline", "STEP * 2", "STEP * 3"),
    ("pipeline", "factor = 1.5", "factor = 1.25"), ("pipeline", "{ 1, 2 }", "{ 2, 1 }"),
    ("pipeline", #"[3.25] = "x""#, #"[3.25] = "y""#), ("pipeline", "> factor", ">= factor"),
    ("pipeline", "input = is_large, ", ""), ("pipeline", "transform_errors = true", ""),
    ("pipeline", "util.pass(response)", "response"), ("pipeline", #"return "k""#, #"return "l""#),
    ("mutate_requests", #"= "one""#, #"= "two""#),
    ("decorate_requests", "return request end", "return request or nil end"),
    ("pages", "util.next(content, page)", "util.next(content, nil)"),
  ])
  func `REV-14 REV-15 REV-18 functions differ by their texts, and by what they take from around`(
    setting: String, old: String, new: String
  ) throws {
    try commit()
    try folder.write("apis/t.lua", DiffFunctionTests.api.replacing(old, with: new))
    let ending = try diff("HEAD", "apis/t.lua")
    #expect(ending.code == 7 && ending.errors == "", "\(ending)")
    #expect(ending.output.contains("  \(setting)  "), "\(ending)")
    #expect(!ending.output.contains("/tmp/"))
  }

  @Test(arguments: [
    ("pipeline", #"default = "none""#, #"default = "some""#),
    ("pipeline", "return response end", "return response or nil end"),
    ("pipeline", "return key and nil", "return key and nil or nil"),
    ("pipeline", "calls = 0", "calls = 1"),
    ("pages", "return content.next", "return content.after"),
  ])
  func `REV-18 so they do by what modules have that they use`(
    setting: String, old: String, new: String
  ) throws {
    try commit()
    try folder.write("apis/util.lua", DiffFunctionTests.util.replacing(old, with: new))
    let ending = try diff("HEAD", "apis/t.lua")
    #expect(ending.code == 7 && ending.errors == "", "\(ending)")
    #expect(ending.output.contains("  \(setting)  "), "\(ending)")
  }

  @Test(arguments: [
    "for n = 1, 200000 do t[n] = n end",
    "for n = 1, 3000 do t[n] = function() return t[n - 1] end end",
    "local c = t for _ = 1, 5000 do c.n = {} c = c.n end", "t.t = t t.c = coroutine.create(print)",
    "setmetatable(t, { __index = error, __len = error, __pairs = error, __eq = error })",
    "t[0/1] = 0/0 t[true] = t t[t] = true t[1e300] = math.huge t[-5] = string.rep('x', 1e6)",
    "t.s = lull.secret{ env = 'HOME' } t.n = lull.null t.p = print",
    "for n = 1, 250 do local u = t t = function() return u end end",
  ])
  func `REV-18 whatever they take ends, and is the same as itself`(made: String) throws {
    for name in ["a.lua", "b.lua"] {
      try folder.write(
        name,
        """
        local lull = require "lull"
        local t = {}
        \(made)
        local api = lull.service{ base_url = "https://a.example" }
        api:transform("/x", function(content) return t and content end)
        return { service = api, calls = { x = { path = "/x" } } }
        """)
    }
    let ending = try diff("a.lua", "b.lua")
    #expect(ending.code == 0 && ending.output == "" && ending.errors == "", "\(ending)")
  }

  @Test func `REV-15 calls that there are in one environment alone are compared there`() throws {
    let text = """
      local lull = require "lull"
      local _, environment = ...
      local api = lull.service{ base_url = "https://a.example/v1" }
      api:configure("/extra", { timeout = 5 })
      return { service = api, environments = { prod = {} },
        calls = { x = { path = "/x" }, extra = environment == "prod" and { path = "/extra" } or nil } }
      """
    try folder.write("a.lua", text)
    try folder.write("b.lua", text.replacing("timeout = 5", with: "timeout = 6"))
    let ending = try diff("a.lua", "b.lua")
    #expect(ending.code == 7)
    #expect(
      ending.output.contains("  timeout  5 s → 6 s")
        && ending.output.contains("GET /extra; @prod"),
      "\(ending)")
  }
}
