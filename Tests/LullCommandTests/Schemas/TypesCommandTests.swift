import LullCassettes
import Testing

@Suite("lull types", .timeLimit(.minutes(20)))
struct TypesCommandTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/shop.lua", RecordedTraffic.api)
  }

  private func types(_ words: String..., environment: [String: String] = [:]) throws -> Child.Ending
  {
    try Child(Binaries.lull, ["types"] + words, environment: environment, folder: path).wait()
  }

  private func writeArchive(_ name: String = "a.har") throws {
    let base = RecordedTraffic.base
    try folder.write(
      name,
      RecordedTraffic.file(
        RecordedTraffic.entry(base + "/items?q=hunter2", #"[{"id":1,"name":"hunter2"},{"id":2}]"#),
        RecordedTraffic.entry(base + "/items", #"[{"id":3,"name":"x"}]"#),
        RecordedTraffic.entry(base + "/items/1", #"{"id":1,"name":"x","by":{"1":{"id":9}}}"#),
        RecordedTraffic.entry(base + "/items/2", #"{"message":"gone"}"#, status: 404),
        RecordedTraffic.entry(
          base + "/items", #"{"id":4}"#, method: "POST", status: 201, sent: #"{"name":"hunter2"}"#),
        RecordedTraffic.entry("https://other.test/v2/items", #"[{"alien":1}]"#)))
  }

  @Test func `SHP-09 types of the schemas beside an API file go into the folder types there`()
    throws
  {
    try folder.write(
      "apis/shop.schemas.json",
      ##"{"calls":{"items":{"responses":{"200":{"type":"array","items":{"$ref":"#/$defs/item"}}}}},"$defs":{"item":{"type":"object","properties":{"id":{"type":"integer"},"state":{"enum":["new","old"]}},"required":["id"]}}}"##
    )
    let ending = try types("shop")
    #expect(ending.errors == "")
    #expect(ending.output == "apis/types/shop.lua: 3 calls\n")
    let text = try #require(folder.text("apis/types/shop.lua"))
    #expect(
      text.contains("---@class shop.Item\n---@field id integer\n---@field state? \"new\"|\"old\"\n")
    )
    #expect(text.contains("---@overload fun(params: shop.ItemParams): lull.Request\n"))
    #expect(text.contains("---@overload fun(): shop.ItemsRequest\n"))
    #expect(
      text.contains("---@param name \"shop\"\n---@return shop.API\nfunction lull.api(name) end\n"))
    #expect(text.contains("---@field items shop.ItemsCall # All items\n"))
    // No API by itself, valid, and written again.
    #expect(try lull("apis", "-o", "ndjson", folder: path).output.split(separator: "\n").count == 1)
    #expect(
      try Child("luacheck", ["-q", "--std", "max", path + "/apis/types/shop.lua"]).wait().code == 0)
    #expect(try types("apis/shop.lua").code == 0)
    #expect(folder.text("apis/types/shop.lua") == text)
  }

  @Test func `SHP-09 the schemas are those that the API file names`() throws {
    let api = RecordedTraffic.api.replacing("return {", with: #"return { schemas = "other.json","#)
    try folder.write("apis/shop.lua", api)
    try folder.write(
      "apis/other.json", #"{"calls":{"item":{"responses":{"200":{"type":"string"}}}},"$defs":{}}"#)
    #expect(try types("shop").errors == "")
    let text = try #require(folder.text("apis/types/shop.lua"))
    #expect(text.contains("-- From other.json.\n") && text.contains("---@field content string\n"))
    try folder.write("apis/shop.lua", api.replacing("other.json", with: "gone.json"))
    #expect(try types("shop").errors.contains("there is no apis/gone.json"))
  }

  @Test func `SHP-17 what calls say themselves needs no file, and is of those without answers`()
    throws
  {
    try folder.write(
      "apis/shop.lua",
      RecordedTraffic.api.replacing(
        "params = { id = \"integer\" }",
        with:
          "params = { id = \"integer\" }, schema = { properties = { own = { type = 'boolean' } } }")
    )
    let ending = try types("shop")
    #expect(ending.code == 0)
    #expect(
      ending.errors.contains(
        "no apis/shop.schemas.json, so the types of the content of calls such as 'items' are"))
    let text = try #require(folder.text("apis/types/shop.lua"))
    #expect(
      text.contains("-- From the schema of the call: item.\n")
        && text.contains("---@field own? boolean\n"))
    try folder.write(
      "b.har",
      RecordedTraffic.file(RecordedTraffic.entry(RecordedTraffic.base + "/items", #"[{"n":1}]"#)))
    let seen = try types("shop", "--from-har", "b.har", "-o", "-")
    #expect(seen.output.contains("-- From the schema of the call: item.\n"))
    #expect(
      seen.output.contains("---@field own? boolean\n") && seen.output.contains("---@field n "))
    // Where there are answers these were asked for.
    try folder.write(
      "c.har",
      RecordedTraffic.file(RecordedTraffic.entry(RecordedTraffic.base + "/items/1", #"{"n":1}"#)))
    let other = try types("shop", "--from-har", "c.har", "-o", "-").output
    #expect(!other.contains("From the schema of the call") && !other.contains("own?"))
  }

  @Test func `SHP-10 types of recordings are of the API's calls alone, and kept as schemas`() throws
  {
    try writeArchive()
    let ending = try types("shop", "--from-har", "a.har")
    #expect(ending.errors == "" && ending.code == 0)
    let text = try #require(folder.text("apis/types/shop.lua"))
    #expect(text.contains("-- From traffic: items (2), item (2), add (2).\n"))
    #expect(text.contains("---@class shop.Item\n---@field id integer\n---@field name? string\n"))
    #expect(text.contains("table<string, "))
    let schemas = try #require(folder.text("apis/shop.schemas.json"))
    #expect(schemas.contains(#""404":{"#) && schemas.contains(#""body":{"#))
    for text in [text, schemas] { #expect(!text.contains("hunter2") && !text.contains("alien")) }
    // Its own it writes anew; one of another origin stays.
    try folder.write(
      "b.har",
      RecordedTraffic.file(RecordedTraffic.entry(RecordedTraffic.base + "/items/1", #"{"n":1}"#)))
    #expect(try types("shop", "--from-har", "b.har").errors == "")
    #expect(folder.text("apis/shop.schemas.json")?.contains(#""n":{"#) == true)
    try folder.write("apis/shop.schemas.json", #"{"calls":{}}"#)
    let other = try types("shop", "--from-har", "a.har", "--from-har", "b.har")
    #expect(other.errors.contains("is left unchanged"))
    #expect(folder.text("apis/shop.schemas.json") == #"{"calls":{}}"#)
    #expect(folder.text("apis/types/shop.lua")?.contains("---@field n? integer") == true)
  }

  @Test func `SHP-11 types of the cache are of what it has of the API's URLs`() throws {
    let environment = ["XDG_CACHE_HOME": path + "/cache"]
    let filled = try lull(
      "-e",
      """
      for _, base in ipairs{ "https://api.shop.test/v2", "https://api.shop.test/v22", "https://other.test/v2" } do
        local api = lull.service { base_url = base, networking = function(http)
          return { headers = { ["Content-Type"] = "application/json", ETag = '"v1"' },
            body = '{"id":1,"' .. base:gsub("%W", "") .. '":"hunter2"}' }
        end }
        api:configure { pipeline = { parsing = { cache = lull.cache.file() } } }
        assert(api("/items/1"):load():await())
      end
      """, environment: environment)
    #expect(filled.code == 0 && filled.errors == "")
    #expect(try types("shop", "--from-cache", environment: environment).errors == "")
    let text = try #require(folder.text("apis/types/shop.lua"))
    #expect(text.contains("---@field httpsapishoptestv2 string\n"))
    #expect(!text.contains("v22") && !text.contains("other") && !text.contains("hunter2"))
    #expect(text.contains("From one response only"))
  }

  @Test
  func `SHP-12 a file of somebody else's is left as it is, and standard output keeps nothing`()
    throws
  {
    try folder.write("apis/types/shop.lua", "return 1\n")
    let ending = try types("shop")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("was not written by lull types"))
    #expect(folder.text("apis/types/shop.lua") == "return 1\n")
    try writeArchive()
    let shown = try types("shop", "--from-har", "a.har", "-o", "-")
    #expect(shown.code == 0)
    #expect(shown.output.hasPrefix("---@meta _\n"))
    #expect(folder.text("apis/shop.schemas.json") == nil)
    let named = try types("shop", "-o", "here.lua")
    #expect(named.code == 0 && named.output == "here.lua: 3 calls\n")
    #expect(named.errors.contains("there is no ") && named.errors.contains("--from-har"))
    #expect(folder.text("here.lua")?.contains("shop.ItemParams") == true)
  }

  @Test func `SHP-16 folders of -o are made, and where they cannot be nothing is written`() throws {
    try writeArchive()
    try folder.write("file", "")
    let ending = try types("shop", "--from-har", "a.har", "-o", "file/x.lua")
    #expect(ending.code == 1)
    #expect(ending.errors == "lull: cannot make the folder 'file': Not a directory\n")
    #expect(folder.text("apis/shop.schemas.json") == nil)
    #expect(try types("shop", "--from-har", "a.har", "-o", "new/such/x.lua").code == 0)
    #expect(folder.text("new/such/x.lua")?.contains("shop.ItemParams") == true)
    #expect(folder.text("apis/shop.schemas.json") != nil)
  }

  @Test func `SHP-13 what gives no types is told, and nothing is written`() throws {
    try folder.write(
      "other.har", RecordedTraffic.file(RecordedTraffic.entry("https://other.test/v2/items", "[]")))
    try folder.write("broken.har", "{")
    let cases: [([String], Int32, String)] = [
      (["nobody"], 3, "there is no API 'nobody'"),
      (["shop", "--from-har", "gone.har"], 3, "gone.har"),
      (["shop", "--from-har", "broken.har"], 3, "broken.har is not an HTTP Archive"),
      (["shop", "--from-har", "other.har"], 3, "other responses: 1 for other URLs"),
      (["shop", "--from-cache"], 3, "the sources have no JSON from https://api.shop.test/v2"),
      ([], 2, "API"),
      (["shop", "-o", ""], 2, "-o needs"),
    ]
    for (words, code, message) in cases {
      let ending = try Child(Binaries.lull, ["types"] + words, folder: path).wait()
      #expect(ending.code == code)
      #expect(ending.errors.contains(message), "\(words): \(ending.errors)")
    }
    #expect(folder.text("apis/types/shop.lua") == nil)
    try folder.write("apis/shop.schemas.json", "{")
    let ending = try types("shop")
    #expect(ending.code == 3 && ending.errors.contains("shop.schemas.json"))
  }

  @Test func `SHP-14 types from traffic describe each answer of the sample API's calls`() throws {
    let sample = try SampleAPI()
    try folder.write(
      "apis/sample.lua",
      """
      local lull = require "lull"
      local service = lull.service{ base_url = "\(sample.url)", retry = false }
      return { service = service, calls = {
        users = { path = "/users", params = { page = "integer", per_page = "integer" } },
        user = { path = "/users/{id}", params = { id = "integer" } },
        article = { path = "/articles/{id}", params = { id = "integer" } },
        feed = { path = "/feed" },
        echo = { path = "/echo", method = "POST", params = { note = "string", data = "json" } },
        add_user = { path = "/users", method = "POST", params = { name = "string", role = "string" } },
      } }
      """)
    var entries: [HAREntry] = []
    func ask(_ path: String, _ sent: String? = nil) throws {
      let body = sent.map { ["--json", $0] } ?? []
      let answer = try Child("curl", ["-s", "-w", "\n%{http_code}", sample.url + path] + body)
        .wait()
      let status = answer.output.split(separator: "\n").last.flatMap { Int($0) }
      entries.append(
        RecordedTraffic.entry(
          sample.url + path, String(answer.output.dropLast(4)),
          method: sent == nil ? "GET" : "POST",
          status: try #require(status), sent: sent))
    }
    for page in 1...3 { try ask("/users?page=\(page)&per_page=5") }
    for id in 1...6 {
      try ask("/users/\(id)")
      try ask("/articles/\(id)")
    }
    try ask("/users/99999")
    try ask("/feed")
    try ask("/echo", #"{"note":"x","data":{"a":1}}"#)
    try ask("/echo", #"{"note":"y"}"#)
    try ask("/users", #"{"name":"Dee","role":"member"}"#)
    let har = "tests/cassettes/sample.har"
    try folder.write(har, RecordedTraffic.file(entries))
    #expect(try types("sample", "--from-har", har).errors == "")
    let schemas = try #require(folder.text("apis/sample.schemas.json"))
    for call in ["users", "user", "article", "feed", "echo", "add_user"] {
      #expect(schemas.contains("\n\"\(call)\":{\"responses\":"))
    }
    let drift = try lull("drift", "sample", "--fail-on", "added", "-o", "json", folder: path)
    #expect(drift.code == 0, "\(drift.output)\(drift.errors)")
    #expect(drift.output == "[]\n")
    #expect(drift.errors.contains("as declared"))
  }

  @Test func `SHP-15 an environment is what the file and its traffic are looked at in`() throws {
    let api = """
      local lull = require "lull"
      local _, environment = ...
      return {
        service = lull.service("https://api.shop.test/v2"),
        calls = {
          item = { path = "/items/{id}", params = { id = "integer" } },
          extra = environment == "one" and { path = "/extra" } or nil,
        },
        environments = { one = { base_url = "https://one.test" }, two = {} },
      }
      """
    try folder.write("apis/shop.lua", api)
    func entry(_ url: String, _ answer: String, in environment: String?) -> HAREntry {
      var entry = RecordedTraffic.entry(url, answer)
      entry.request.environment = environment
      return entry
    }
    try folder.write(
      "a.har",
      RecordedTraffic.file(
        entry("https://one.test/extra", #"{"more":1}"#, in: "one"),
        entry(RecordedTraffic.base + "/items/1", #"{"two":1}"#, in: "two"),
        entry(RecordedTraffic.base + "/items/1", #"{"plain":1}"#, in: nil)))
    func text(_ word: String, _ variables: [String: String] = [:]) throws -> String {
      let ending = try types(word, "--from-har", "a.har", "-o", "-", environment: variables)
      #expect(ending.code == 0 && ending.errors == "", "\(ending)")
      return ending.output
    }
    let one = try text("shop@one")
    #expect(one.contains("-- The API in the environment 'one'.\n"))
    #expect(one.contains("---@field more integer") && !one.contains("---@field two"))
    #expect(one.contains("---@param name \"shop\"|\"shop@one\"|\"shop@two\"\n"))
    #expect(try text("shop", ["LULL_ENV": "one"]) == one)
    let two = try text("shop@two")
    #expect(two.contains("---@field two?") && two.contains("---@field plain?"))
    #expect(!two.contains("ExtraCall"))
    let plain = try text("shop")
    #expect(plain.contains("---@field plain integer") && !plain.contains("---@field two"))
    #expect(try types("shop@one").output == "apis/types/shop.lua: 2 calls\n")
    let missing = try types("shop@tow")
    #expect(missing.code == 3)
    #expect(missing.errors.contains("'shop' has no environment 'tow' (did you mean 'two'?)"))
    try folder.write(
      "b.har", RecordedTraffic.file(entry(RecordedTraffic.base + "/items/1", "{}", in: "one")))
    let none = try types("shop@two", "--from-har", "b.har")
    #expect(none.code == 3)
    #expect(
      none.errors.contains(
        "in the environment 'two' for any of its calls; other responses: 1 for other"))
  }
}
