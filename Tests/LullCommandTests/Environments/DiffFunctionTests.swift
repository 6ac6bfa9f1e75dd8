import LullSystem
import Testing

/// Functions of two files, which are the same if their tokens are, wherever they stand.
@Suite("lull diff: functions", .timeLimit(.minutes(20)))
struct DiffFunctionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func diff(_ words: String...) throws -> Child.Ending {
    try folder.runDiff(words)
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
    ("pipeline", "text or util", "text and util"), ("pipeline", "> factor", ">= factor"),
    ("pipeline", "input = is_large, ", ""), ("pipeline", "transform_errors = true", ""),
    ("pipeline", "util.pass(response)", "response"), ("pipeline", #"return "k""#, #"return "l""#),
    ("mutate_requests", #"= "one""#, #"= "two""#),
    ("decorate_requests", "return request end", "return request or nil end"),
    ("pages", "util.next(content, page)", "util.next(content, nil)"),
  ])
  func `REV-04 REV-14 REV-15 REV-18 functions differ by their tokens`(
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
    (#"default = "none""#, #"default = "some""#),
    ("return response end", "return response or nil end"), ("calls = 0", "calls = 1"),
    ("return content.next", "return content.after"),
  ])
  func `REV-18 what other files have is not compared`(old: String, new: String) throws {
    try commit()
    try folder.write("apis/util.lua", DiffFunctionTests.util.replacing(old, with: new))
    let ending = try diff("HEAD", "apis/t.lua")
    #expect(ending.code == 0 && ending.output == "" && ending.errors == "", "\(ending)")
  }

  /// Files that say so of a function `f`, the same but for the words in brackets.
  private func differs(_ body: String, _ name: String = "f") throws -> Child.Ending {
    for (index, file) in ["a.lua", "b.lua"].enumerated() {
      let said = body.replacing(#/⟨([^|⟩]*)\|([^⟩]*)⟩/#) { index == 0 ? $0.1 : $0.2 }
      try folder.write(
        file,
        "local lull = require \"lull\"\n\(said)\n"
          + "local api = lull.service{ base_url = \"https://a.example\" }\n"
          + "api:transform(\"/x\", \(name))\nreturn { service = api, calls = { x = { path = \"/x\" } } }\n"
      )
    }
    return try diff("a.lua", "b.lua")
  }

  @Test(arguments: [
    "local function f\n(c)\nreturn ⟨1|2⟩\nend",
    #"local function f(c) return ⟨"a" .. "b"|'a" .. "b'⟩ end"#,
    #"local function f(c) return ⟨"\n"|[[\n]]⟩ end"#,
    #"local function f(c) return "⟨\xe9|\xe8⟩" end"#, "local function f(c) return ⟨1|1.0⟩ end",
    "local function f(c) goto ⟨a|b⟩ ::a:: do return 1 end ::b:: return 2 end",
    "local function f(⟨c|d⟩) return 1 end", "local function f(c, ⟨a|...⟩) return c end",
    "local n, m = 0, 0 local function g() n = n + 1 return n end local function f(c) return g() + ⟨n|m⟩ end",
    "local function f(c) return 1 end --⟨\n|\n⟩ --⟨x|y⟩ \nlocal g = f f = function(c) return ⟨g|c⟩ end",
    "local f = load('return function(c) return ⟨1|2⟩ end')()",
    "local function g() return ⟨1|2⟩ end\nlocal function f(c)\nreturn (function() return g() end)() end",
    "local g <const> = function() return ⟨1|2⟩ end\nlocal function f(c)\nreturn c or g end",
    "local function h() return ⟨1|2⟩ end\nlocal g = function() if h then return h() end end\nlocal f = function(c) return g() end",
    "local function g(n) while n do for i = 1, 2 do repeat n = ⟨1|2⟩ until n end end end\nlocal function f(c)\ng(c) end",
  ])
  func `REV-04 REV-18 other tokens of it, or of local functions that it names, are a difference`(
    body: String
  ) throws {
    let ending = try differs(body)
    #expect(ending.code == 7 && ending.errors == "", "\(ending)")
    #expect(ending.output.contains("  pipeline  "), "\(ending)")
  }

  @Test(arguments: [
    "local function f(c) return 1⟨| ⟩;end",
    "local function f(c) return 1 end\n⟨|\n\n⟩local function g() return ⟨1|2⟩ end",
    "local function o() local N <const> = ⟨5|7⟩ return N end\nlocal function f(c) local N <const> = 6 return N end",
    "local g = lull.json.⟨decode|encode⟩ local function f(c) return g(c) end",
    "local t = { ⟨1|2⟩ } local function f(c) return t end",
    "local t = { g = function() return ⟨1|2⟩ end }\nlocal function f(c) return t.g end",
    "local function g() return ⟨1|2⟩ end\nlocal function f(c) return c.g, c:g() end",
    "local headers <const> = ⟨5|6⟩ local function f(c) return c.headers end",
    "local A <const>, B <const> = 1, ⟨2|3⟩ local function f(c) return A end",
    "local t = {} for i = 1, lull.uuid():byte() do t[i] = i end local function f(c) return t end",
    "local y = 2 ⟨|local z, w = 1, 2⟩ local function f(c) return y end",
    "⟨|local z = 1⟩ local function g() return 1 end local function f(c) return g(), lull end",
    "local g ⟨|<const>⟩ = {} local function f(c) return g end",
    "G = { g = _G } H = ⟨1|2⟩ local t = G local function f(c) return t end",
    "local f do local _ENV = setmetatable({}, { __index = _G }) f = function(c) return y end end H = ⟨1|2⟩",
    "local f = function(c) return 1 ⟨--[[ end ]]|⟩ end⟨|;⟩",
    "local f ⟨=|\n=\n⟩ function(c) ⟨-- x\n|⟩ return 'a' end",
    "local now, id, t = lull.now(), lull.uuid(), os.time() local function f(c) return now, id, t end",
    "local t = {} for n = 1, 3000 do t[n] = function() return t[n - 1] end end local function f(c) return t end",
    "local t = setmetatable({}, { __index = error, __len = error, __pairs = error, __eq = error }) local function f(c) return t end",
    "local t = { [1e300] = math.huge, [-5] = ('x'):rep(1e6), s = lull.secret{ env = 'HOME' }, n = lull.null, p = print } t.t = t t.c = coroutine.create(print) local function f(c) return t end",
    "local t = { } for n = 1, 150 do local u = t t = function() return u end end local function f(c) return t end",
  ])
  func `REV-04 REV-18 neither blanks, comments nor what is around them are a difference`(
    body: String
  ) throws {
    let ending = try differs(body)
    #expect(ending.code == 0 && ending.output == "" && ending.errors == "", "\(ending)")
  }

  @Test func `REV-18 what is no setting of it is not told of a function`() throws {
    let ending = try differs(
      """
      local FIELDS <const> = { "id", "name" }
      local api = lull.service "https://a.example"
      api:configure("/x", { timeout = ⟨5|6⟩ })
      api:configure("/x", function(c)
        c.retry_time = ⟨5|6⟩
        c:mutate_requests(function(h) h.headers.A = "1" end)
      end)
      api:transform("/x", function(c) return c[FIELDS[1]] end)
      do return { service = api, calls = { x = { path = "/x" } } } end
      """, "print")
    #expect(ending.code == 7)
    #expect(
      ending.output.contains("  timeout  5 s → 6 s") && ending.output.contains("  retry_time  "))
    #expect(!ending.output.contains("pipeline") && !ending.output.contains("mutate"), "\(ending)")
  }

  @Test(arguments: ["", "apis/"])
  func `REV-18 where a revision was put is no difference`(
    place: String
  ) throws {
    try folder.write(
      "\(place)t.lua",
      """
      local lull = require "lull"
      local path = ...
      local where = select(2, require "mod")
      local _, at = pcall(function() error("x") end)
      local paths = { "apis/users", "t.lua", "./t.lua" }
      local function f(c) return path, where, at, paths end
      local api = lull.service{ base_url = "https://a.example" }
      api:transform("/x", f)
      return { service = api, calls = { x = { path = "/x" } } }
      """)
    try folder.write("\(place)mod.lua", "return ...")
    try folder.write("other/inner/x", "")
    try folder.commit()
    let here = try diff("HEAD", "\(place)t.lua")
    #expect(here.code == 0 && here.output == "", "\(here)")
    let environment = ["TMPDIR": folder.path + "/tmp"]
    for (inner, path) in [
      ("other", "../\(place)t.lua"), ("apis", place == "" ? "../t.lua" : "t.lua"),
    ]
    where FileName.isFolder("\(folder.path)/\(inner)") {
      let ending = try Child(
        Binaries.lull, ["diff", "HEAD", path], environment: environment,
        folder: "\(folder.path)/\(inner)"
      ).wait()
      #expect(ending.code == 0 && ending.output == "", "\(ending)")
    }
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
