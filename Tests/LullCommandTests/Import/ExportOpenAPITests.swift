import LullCore
import LullTesting
import Testing

@Suite("lull export --openapi", .timeLimit(.minutes(20)))
struct ExportOpenAPITests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a document of `apis/shop.lua` has, and what is told of it.
  private func exported(
    _ words: String..., environment: [String: String] = [:]
  ) throws -> (document: JSONElement, ending: Child.Ending) {
    let ending = try Child(
      Binaries.lull, ["export"] + (words.isEmpty ? ["shop"] : words) + ["--openapi"],
      environment: environment, folder: folder.path
    ).wait()
    #expect(ending.code == 0, "\(ending.errors)")
    return (try JSONDocument(parsing: Array(ending.output.utf8)).root, ending)
  }

  @Test func `EXT-01 a document has what the file declares`() throws {
    try folder.write("apis/shop.lua", ExportSample.shop)
    try folder.write("apis/shop.schemas.json", ExportSample.schemas)
    let (document, ending) = try exported()
    func text(_ pointer: String) -> String? {
      document[pointer: pointer].map { element in
        var bytes: [UInt8] = []
        element.encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    let expected: [(String, String?)] = [
      ("/openapi", #""3.1.0""#), ("/x-exported-by", #""lull export shop --openapi""#),
      ("/info", #"{"title":"The shop","version":"0"}"#),
      ("/servers", #"[{"url":"https://shop.example/v1"}]"#),
      ("/security", #"[{"token":[]}]"#),
      ("/components/securitySchemes/token", #"{"type":"http","scheme":"bearer"}"#),
      ("/components/securitySchemes/key", #"{"type":"apiKey","in":"query","name":"key"}"#),
      ("/paths/~1orders/get/operationId", #""list""#),
      ("/paths/~1orders/get/summary", #""All orders""#),
      ("/paths/~1orders/get/security", nil),
      (
        "/paths/~1orders/get/parameters/0",
        #"{"name":"page","in":"query","required":true,"schema":{"type":"integer","minimum":1}}"#
      ),
      (
        "/paths/~1orders/get/parameters/4",
        #"{"name":"more","in":"query","content":{"application/json":{"schema":{}}}}"#
      ),
      (
        "/paths/~1orders/get/parameters/2",
        #"{"name":"q","in":"query","description":"Words","allowReserved":true,"schema":{"type":"string","default":"a/b"}}"#
      ),
      (
        "/paths/~1orders/get/parameters/1",
        #"{"name":"states","in":"query","explode":false,"schema":{"type":"array","items":{"type":"string","enum":["open","done"]}}}"#
      ),
      (
        "/paths/~1orders/get/parameters/6",
        #"{"name":"theme","in":"cookie","schema":{"type":"string"}}"#
      ),
      (
        "/paths/~1orders/get/parameters/5",
        #"{"name":"X-Trace","in":"header","required":true,"schema":{"type":"string"}}"#
      ),
      (
        "/paths/~1orders/get/parameters/3",
        #"{"name":"where","in":"query","style":"deepObject","schema":{"type":"object"}}"#
      ),
      (
        "/paths/~1orders/get/parameters/7",
        #"{"name":"kind","in":"query","required":true,"schema":{"type":"string","enum":["all"]}}"#
      ),
      (
        "/paths/~1orders/get/parameters/8",
        #"{"name":"x-version","in":"header","required":true,"schema":{"type":"string","enum":["2"]}}"#
      ),
      ("/paths/~1orders/get/parameters/9", nil),
      (
        "/paths/~1orders/get/responses/200/content",
        ##"{"application/vnd.shop+json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/order"}}}}"##
      ),
      ("/paths/~1orders/get/responses/200/headers/Link/schema", #"{"type":"string"}"#),
      (
        "/paths/~1orders~1{id}/get/responses",
        ##"{"2XX":{"description":"Success","content":{"application/vnd.shop+json":{"schema":{"$ref":"#/components/schemas/order"}}}}}"##
      ),
      (
        "/paths/~1orders/post/requestBody",
        ##"{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/new_order"}}}}"##
      ),
      (
        "/paths/~1orders/post/responses/201/content/application~1vnd.shop+json",
        ##"{"schema":{"$ref":"#/components/schemas/list.responses.200"},"example":{"id":7}}"##
      ),
      (
        "/paths/~1orders/post/responses/409/content/application~1json",
        #"{"examples":{"1":{"summary":"for item = x","value":{"title":"No"}}}}"#
      ),
      ("/paths/~1orders~1{id}/patch/parameters/0/name", #""id""#),
      (
        "/paths/~1orders~1{id}/patch/requestBody/content/application~1x-www-form-urlencoded",
        #"{"schema":{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}},"note":{"type":"string"}}},"encoding":{"tags":{"explode":false}}}"#
      ),
      (
        "/paths/~1orders~1{id}~1photo/put/requestBody/content/multipart~1form-data",
        #"{"schema":{"type":"object","required":["photo"],"properties":{"photo":{"type":"string","format":"binary"},"about":{}}},"encoding":{"about":{"contentType":"application/json"}}}"#
      ),
      (
        "/paths/~1raw/post/requestBody",
        #"{"description":"Lines","required":true,"content":{"text/csv":{"schema":{"type":"string"}}}}"#
      ),
      ("/paths/~1open/get/deprecated", "true"),
      ("/paths/~1open/get/summary", #""Whether it is open""#),
      ("/paths/~1open/get/security", #"[{"key":[]}]"#),
      ("/paths/~1status/get/servers", #"[{"url":"https://other.example"}]"#),
      ("/components/schemas/unused", #"{"type":"null"}"#),
      (
        "/components/schemas/order",
        ##"{"type":"object","properties":{"id":{"type":"integer"},"$ref":{"const":{"$ref":"x"}},"parent":{"$ref":"#/components/schemas/order"},"name":{"$ref":"#/components/schemas/new_order/properties/item"}}}"##
      ),
      (
        "/components/schemas/list.responses.200",
        ##"{"type":"array","items":{"$ref":"#/components/schemas/order"}}"##
      ),
    ]
    for (pointer, json) in expected {
      #expect(text(pointer) == json, "\(pointer)\n\(ending.output)")
    }
    for told in [
      "lull: left out: the target of $ref '#/$defs/no such/thing': it does not exist",
      "lull: left out: 'columns' and 'rows' of call 'list': they only affect Lull's output",
      "lull: left out: the setting 'timeout': the connection is not part of an OpenAPI document",
    ] {
      #expect(ending.errors.contains(told), "\(told)\n\(ending.errors)")
    }
  }

  @Test func `EXT-02 what is imported, exported and imported again has the same calls`() throws {
    for (name, text) in [("sample", OpenAPISample.text), ("more", ExportSample.document)] {
      try folder.write("\(name).yaml", text)
      let first = try lull(
        "import", "openapi", "\(name).yaml", "-o", "\(name)/apis/shop.lua", folder: folder.path)
      #expect(first.code == 0, "\(first.errors)")
      let export = try lull(
        "export", "\(name)/apis/shop.lua", "--openapi", "-o", "\(name)/docs/shop.json",
        folder: folder.path)
      #expect(export.code == 0, "\(export.errors)")
      let second = try lull(
        "import", "openapi", "\(name)/docs/shop.json", "-o", "\(name)/again/shop.lua",
        folder: folder.path)
      #expect(second.code == 0, "\(second.errors)")
      // Parameters are in the order of their names by then, and names of headers in small letters.
      func words(_ path: String) -> [Substring] {
        let lines = (folder.text(path) ?? "").split(separator: "\n")
        return lines.filter { !$0.hasPrefix("-- ") }.joined(separator: " ").lowercased()
          .split { ", \n".contains($0) }.sorted()
      }
      #expect(
        words("\(name)/apis/shop.lua") == words("\(name)/again/shop.lua"),
        "\(folder.text("\(name)/docs/shop.json") ?? "")")
      #expect(words("\(name)/apis/shop.lua").count > 100)
      let checked = try lull("check", "\(name)/again/shop.lua", folder: folder.path)
      #expect(checked.code == 0 && checked.output == "", "\(checked.output)")
    }
  }

  @Test func `EXT-02 IMP-29 calls of the examples ask for the same after an export and an import`()
    throws
  {
    let examples = Binaries.tests + "/../Examples/apis/"
    for (name, calls) in [
      (
        "github",
        [
          ["user", "--user", "a b"],
          ["repos", "--user", "x", "--sort", "pushed", "--per-page", "7"],
          ["issues", "--owner", "a", "--repo", "b", "--state", "open"], ["search", "--q", "a:b c"],
          ["comment", "--owner", "a", "--repo", "b", "--number", "7", "--body", "x"],
        ]
      ),
      (
        "sample",
        [
          ["users", "--per-page", "10"], ["user", "--id", "7"], ["remove_user", "--id", "7"],
          ["add_user", "--name", "Ann", "--role", "admin"], ["article", "--id", "7"],
          ["feed"],
        ]
      ),
    ] {
      let export = try lull(
        "export", examples + "\(name).lua", "--openapi", "-o", "\(name).json",
        folder: folder.path)
      #expect(export.code == 0, "\(export.errors)")
      let imported = try lull(
        "import", "openapi", "\(name).json", "--base-url", "https://a.example", "-o",
        "again/\(name).lua", folder: folder.path)
      #expect(imported.code == 0, "\(imported.errors)")
      try folder.write(
        "\(name).lua",
        "local api = dofile('\(examples)\(name).lua'); api.environments = { a = { base_url = 'https://a.example' } }; return api"
      )
      for words in calls {
        func shown(_ file: String) throws -> [Substring] {
          let ending = try Child(
            Binaries.lull, ["call", file] + words + ["--dry-run"],
            environment: ["SAMPLE_API": "https://a.example"], folder: folder.path
          ).wait()
          #expect(ending.code == 0, "\(file) \(words) \(ending.errors)")
          // What it is answered with is said by documents, and not what is asked for.
          return ending.output.split(separator: "\n").filter {
            !$0.lowercased().hasPrefix("accept:")
          }
        }
        #expect(try shown("./\(name).lua@a") == shown("again/\(name).lua"), "\(words)")
      }
    }
  }

  @Test func `EXT-03 neither secrets nor what variables hold are in what is exported`() throws {
    let secret = "hunter2hunter3"
    try folder.write("token.txt", secret)
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = lull.env("SHOP_URL") or "https://ann:\(secret)@shop.example",
        headers = { ["X-Api-Key"] = "\(secret)", ["X-Other"] = lull.secret{ file = "token.txt" } } }
      if lull.env("SHOP_USER") then
        api:configure{ auth = lull.auth.basic(lull.env("SHOP_USER"), lull.secret{ env = "SHOP_PASSWORD" }) }
      end
      api:configure("/code", { auth = lull.auth.oauth2_code{ authorization_url = "https://login.example/a?key=\(secret)",
        token_url = "https://login.example/t", client_id = "\(secret)", client_secret = lull.secret{ command = "echo \(secret)" },
        scope = "read write" } })
      return { service = api, calls = {
        a = { path = "/a", params = { token = { type = "string", default = lull.secret{ env = "SHOP_TOKEN" } }, note = "string" } },
        b = { path = "/b", method = "POST", params = { password = { type = "string", default = lull.secret{ env = "SHOP_TOKEN" } } } },
        c = { path = "/code", headers = { Authorization = "Bearer \(secret)" } },
      } }
      """)
    let variables = [
      "SHOP_URL": "https://\(secret).example", "SHOP_USER": secret, "SHOP_PASSWORD": secret,
      "SHOP_TOKEN": secret,
    ]
    for form in ["--openapi", "--curl"] {
      let ending = try lull("export", "shop", form, environment: variables, folder: folder.path)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(!ending.output.contains(secret), "\(ending.output)")
      #expect(!ending.errors.contains(secret), "\(ending.errors)")
    }
    let (document, _) = try exported(environment: variables)
    #expect(document[pointer: "/servers/0/url"]?.string == "https://shop.example")
    // As where nothing is set, and perhaps with a password.
    #expect(document[pointer: "/paths/~1a/get/security"]?.count == nil)
    #expect(document[pointer: "/components/securitySchemes/basic/scheme"] == nil)
    let body = document[
      pointer: "/paths/~1b/post/requestBody/content/application~1json/schema/properties/password"]
    #expect(body?["format"]?.string == "password" && body?["default"] == nil)
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service("https://shop.example")
      if lull.env("SHOP_TOKEN") then api:configure{ auth = lull.auth.bearer(lull.secret{ env = "SHOP_TOKEN" }) } end
      return { service = api, calls = { a = { path = "/a" } } }
      """)
    let optional = try exported(environment: variables).document["security"]
    #expect(optional?.count == 2 && optional?[1]?.count == 0)
  }

  @Test func `EXT-04 what a document has no place for is told`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://shop.example", retry = 3 }
      api:configure{ mutate_requests = function(request) request.headers["X-Own"] = "1" end }
      return { service = api, calls = {
        list = { path = "/a", pages = { cursor = { param = "c", field = "next" } }, rows = "items" },
        other = { path = "/a", params = { x = { type = "string", option = "--ex" } } },
        mocked = { path = "/m", mock = function() return { status = 204 } end },
        paged = { path = "/p", pages = { next = function() return nil end } },
        move = { path = "/a", method = "MOVE" },
        odd = { path = "/a?q=user:{name}", params = { name = "string" } },
        deep = { path = "/{path}", params = { path = { type = "string", reserved = true } } },
      } }
      """)
    let (document, ending) = try exported()
    #expect(document["paths"]?.count == 5)
    #expect(document[pointer: "/paths/~1a#other/get/operationId"]?.string == "other")
    for told in [
      "the path of call 'other': another call has the same method and path, so '#' and the call's name are added (not sent)",
      "call 'move': OpenAPI has no method MOVE",
      "call 'odd': its query has 'q=user:{name}', which mixes a parameter with other text",
      "'pages' of call 'list': OpenAPI cannot describe paging",
      "'pages' of call 'paged': a function finds the next page",
      "the responses of 'mock' of call 'mocked': a function makes them",
      "'columns' and 'rows' of call 'list': they only affect Lull's output",
      "'reserved' of the parameter 'path' of call 'deep': OpenAPI escapes reserved characters in paths",
      "the setting 'retry': the connection is not part of an OpenAPI document",
      "functions cannot be exported",
    ] {
      #expect(
        ending.errors.contains("lull: left out: ") && ending.errors.contains(told),
        "\(told)\n\(ending.errors)")
    }
  }

  @Test func `EXT-05 -o writes a whole file, and none that was not exported`() throws {
    try folder.write("apis/shop.lua", ExportSample.shop)
    try folder.write("apis/shop.schemas.json", ExportSample.schemas)
    for form in ["--openapi", "--curl"] {
      let words = ["export", "shop", form, "-o", "docs/deep/shop\(form)"]
      for _ in 0..<2 {
        let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
        #expect(ending.code == 0, "\(ending.errors)")
        // A secret is not sent to another origin.
        let count = form == "--curl" ? 7 : 8
        #expect(ending.output == "docs/deep/shop\(form): \(count) calls\n")
      }
      let standard = try lull("export", "shop", form, "-o", "-", folder: folder.path)
      let text = folder.text("docs/deep/shop\(form)") ?? ""
      #expect(text.contains("lull export shop \(form) -o docs/deep/shop\(form)"))
      #expect(text.count > 1000 && standard.output.count > 1000)
    }
    try folder.write("own.json", "{}")
    let own = try lull("export", "shop", "--openapi", "-o", "own.json", folder: folder.path)
    #expect(own.code == 3 && own.errors.contains("was not exported by Lull"), "\(own.errors)")
    #expect(folder.text("own.json") == "{}")
    #expect(try lull("export", "shop", "--curl", "-o", "docs", folder: folder.path).code == 3)
    #expect(try lull("export", "shop", "--curl", "-o", "own.json/x", folder: folder.path).code == 3)
    for words in [
      ["shop"], ["shop", "--openapi", "--curl"], ["shop", "--curl", "-o", ""],
      ["shop", "--curl", "--only", ""], [],
    ] {
      #expect(try Child(Binaries.lull, ["export"] + words, folder: folder.path).wait().code == 2)
    }
    #expect(try lull("export", "none", "--curl", folder: folder.path).code == 3)
  }

  @Test func `EXT-06 --only chooses calls by name or path`() throws {
    try folder.write("apis/shop.lua", ExportSample.shop)
    try folder.write("apis/shop.schemas.json", ExportSample.schemas)
    let (document, _) = try exported("shop", "--only", "add", "--only", "/raw*")
    #expect(document["paths"]?.pairs.map(\.key) == ["/orders", "/raw"])
    #expect(document[pointer: "/paths/~1orders"]?.pairs.map(\.key) == ["post"])
    #expect(document[pointer: "/components/schemas/unused"] == nil)
    #expect(document[pointer: "/components/schemas/order"] != nil)
    let none = try lull("export", "shop", "--openapi", "--only", "x*", folder: folder.path)
    #expect(none.code == 2 && none.errors.contains("'x*' matches no name or path"))
  }

  @Test func `EXT-07 environments are servers besides`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service("https://shop.example")
      return { service = api, calls = { a = { path = "/a" } }, environments = {
        prod = { timeout = 7 }, test = { base_url = "https://test.example", headers = { ["X-Test"] = "1" } } } }
      """)
    let (document, ending) = try exported()
    #expect(
      document["servers"]?.plainValue
        == .array([
          .object([
            .init("url", .string("https://shop.example")), .init("description", .string("prod")),
          ]),
          .object([
            .init("url", .string("https://test.example")), .init("description", .string("test")),
          ]),
        ]))
    #expect(ending.errors.contains("headers and access of the environment 'test'"))
    let (test, _) = try exported("shop@test")
    #expect(test["servers"]?.count == 1)
    #expect(test[pointer: "/servers/0/url"]?.string == "https://test.example")
    #expect(test[pointer: "/paths/~1a/get/parameters/0/name"]?.string == "x-test")
    #expect(try lull("export", "shop@none", "--openapi", folder: folder.path).code == 3)
  }

  @Test func `EXT-10 a file is only looked at`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local file = io.open("ran", "w")
      if file then file:close() end
      return { service = lull.service("https://shop.example"), calls = { a = { path = "/a" } } }
      """)
    let ending = try lull("export", "shop", "--openapi", folder: folder.path)
    #expect(ending.code == 1 && ending.output == "", "\(ending)")
    #expect(
      ending.errors.contains("the API cannot be exported without running the file"),
      "\(ending.errors)")
    #expect(folder.text("ran") == nil)
    try folder.write(
      "apis/shop.lua", "return { service = require 'lull'.service('https://a.example') }")
    #expect(try lull("export", "shop", "--openapi", folder: folder.path).code == 3)
  }
}
