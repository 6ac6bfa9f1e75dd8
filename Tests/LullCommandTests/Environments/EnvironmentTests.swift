import Testing

/// Environments of API files, as they are named with the API.
@Suite("Environments of API files", .timeLimit(.minutes(20)))
struct EnvironmentTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/shop.lua", EnvironmentTests.shop)
    try folder.write("apis/plain.lua", "return require'lull'.service('https://plain.example')")
  }

  private static let shop = """
    local lull = require "lull"
    local name, environment = ...
    local api = lull.service{ base_url = "https://dev.example/v1", timeout = 5 }
    api:configure("/orders/*", { retry_time = 7 })
    return {
      service = api,
      description = name .. " in " .. tostring(environment),
      calls = { orders = { path = "/orders/{id}", params = { id = "string" } } },
      environments = {
        staging = {
          base_url = "https://staging.example/v2",
          timeout = 9,
        },
        prod = {
          base_url = "https://prod.example",
          headers = { ["x-place"] = "prod" },
          confirm_writes = true,
        },
      },
    }
    """

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> Child.Ending {
    try folder.runLull(words, environment: environment)
  }

  @Test func `ENV-01 an environment is named behind the API, wherever an API is named`() throws {
    let plain = try run("get", "shop", "/orders/1", "--dry-run")
    #expect(plain.output.hasPrefix("GET https://dev.example/v1/orders/1\n"), "\(plain)")
    let staging = try run("get", "shop@staging", "/orders/1", "--dry-run")
    #expect(staging.output.hasPrefix("GET https://staging.example/v2/orders/1\n"), "\(staging)")
    let prod = try run("call", "shop@prod", "orders", "--id", "1", "--dry-run")
    #expect(prod.output.hasPrefix("GET https://prod.example/orders/1\n"), "\(prod)")
    #expect(prod.output.contains("x-place: prod"))
    let path = try run("shop@prod", "/orders/1", "--dry-run")
    #expect(path.output.hasPrefix("GET https://prod.example/orders/1\n"), "\(path)")
    let file = try run("get", "./apis/shop.lua@prod", "/", "--curl")
    #expect(file.output.contains("https://prod.example/"), "\(file)")
    let help = try run("call", "shop@prod", "--help")
    #expect(help.output.contains("shop in prod"), "\(help)")
    #expect(help.code == 0)
  }

  @Test func `ENV-01 a file that is called so as a whole is meant as a whole`() throws {
    try folder.write("apis/a@prod.lua", "return require'lull'.service('https://whole.example')")
    try folder.write("apis/a.lua", EnvironmentTests.shop)
    let ending = try run("get", "a@prod", "/", "--dry-run")
    #expect(ending.output.hasPrefix("GET https://whole.example/"), "\(ending)")
  }

  @Test func `ENV-02 LULL_ENV chooses one of files that have some`() throws {
    let prod = ["LULL_ENV": "prod"]
    let chosen = try run("get", "shop", "/", "--dry-run", environment: prod)
    #expect(chosen.output.hasPrefix("GET https://prod.example/"), "\(chosen)")
    let named = try run("get", "shop@staging", "/", "--dry-run", environment: prod)
    #expect(named.output.hasPrefix("GET https://staging.example/v2"), "\(named)")
    let plain = try run("get", "plain", "/", "--dry-run", environment: prod)
    #expect(plain.output.hasPrefix("GET https://plain.example/"), "\(plain)")
    let empty = try run("get", "shop", "/", "--dry-run", environment: ["LULL_ENV": ""])
    #expect(empty.output.hasPrefix("GET https://dev.example/"), "\(empty)")
  }

  @Test func `ENV-02 an environment that is not there is refused with those that are`() throws {
    let near = try run("get", "shop@prdo", "/", "--dry-run")
    #expect(
      near.errors
        == "lull: 'shop' has no environment 'prdo' (did you mean 'prod'?); it has staging, prod\n")
    #expect(near.code == 3)
    let variable = try run("get", "shop", "/", environment: ["LULL_ENV": "nowhere"])
    #expect(
      variable.errors
        == "lull: 'shop' has no environment 'nowhere', which LULL_ENV names; it has staging, prod\n"
    )
    #expect(variable.code == 3)
    let none = try run("get", "plain@prod", "/")
    #expect(none.errors == "lull: 'plain' has no environment 'prod': it has none\n")
    let missing = try run("get", "shpo@prod", "/")
    #expect(missing.errors == "lull: there is no API 'shpo' (did you mean 'shop'?)\n", "\(missing)")
    #expect(try run("get", "shop@", "/").code != 0)
  }

  @Test
  func `ENV-03 its settings are laid over those of the file, and patterns are below its base`()
    throws
  {
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      for _, name in ipairs{ "shop", "shop@staging", "shop@prod" } do
        local api = lull.api(name)
        local settings = api.service:configuration_for(api.service("/orders/1"))
        print(api, api.environment, settings.timeout, settings.retry_time, settings.headers["x-place"])
      end
      assert(lull.api("shop@prod") == lull.api("shop@prod"))
      assert(lull.api("shop@prod").service ~= lull.api("shop").service)
      print(table.concat(lull.api("shop").environments, " "))
      print(pcall(lull.api, "shop@x"))
      """)
    let ending = try run("look.lua")
    #expect(
      ending.output == """
        API(shop, 1 calls)\tnil\t5.0\t7.0\tnil
        API(shop@staging, 1 calls)\tstaging\t9.0\t7.0\tnil
        API(shop@prod, 1 calls)\tprod\t5.0\t7.0\tprod
        staging prod
        false\t'shop' has no environment 'x'; it has staging, prod

        """, "\(ending)")
  }

  @Test func `ENV-04 what is wrong with an environment is told with its line`() throws {
    func problem(_ text: String) throws -> String {
      try folder.write("apis/x.lua", text)
      let ending = try run("get", "x@prod", "/", "--dry-run")
      #expect(ending.code != 0)
      let line = ending.errors.split(separator: "\n").first.map(String.init) ?? ""
      #expect(line.hasPrefix("lull: "))
      return String(line.dropFirst(6))
    }
    let start = "local lull = require 'lull'\nlocal api = lull.service('https://a.example')\n"
    #expect(
      try problem(start + "return { service = api, environments = {\n prod = {\n timeuot = 5 } } }")
        .hasPrefix(
          "apis/x.lua:5: environment 'prod': unknown setting 'timeuot' (did you mean 'timeout'?)"))
    #expect(
      try problem(
        start + "return { service = api, environments = {\n prod = {\n timeout = {} } } }"
      )
      .hasPrefix("apis/x.lua:5: environment 'prod': 'timeout' must be"))
    #expect(
      try problem(start + "return { service = api, environments = {\n prod = 5 } }")
        .hasPrefix("apis/x.lua:4: environment 'prod' must be a table, got "))
    #expect(
      try problem(start + "return { service = api, environments = {\n ['pr od'] = {} } }")
        .hasPrefix("apis/x.lua:4: environment names have letters, digits, '-' and '_', got ")
    )
    #expect(
      try problem(
        start + "return { service = api, environments = {\n prod = { base_url = 'x' } } }"
      )
      .hasPrefix("apis/x.lua:4: environment 'prod': 'base_url' must begin with https:// or http://")
    )
    #expect(
      try problem(
        start + "local root = api('/')\nreturn { service = api, environments = {\n"
          + "prod = {\nbase_url = 'https://b.example' } } }"
      ).hasPrefix("apis/x.lua:6: environment 'prod': 'base_url' comes too late"))
    #expect(
      try problem(start + "return { service = api, environments = 5 }")
        .hasPrefix("apis/x.lua:3: 'environments' must be a table, got "))
  }

  @Test func `ENV-04 of several mistakes the first in the file is told`() throws {
    // The interpreter's order of keys is another one in each run.
    for (environments, problem) in [
      ("{\n b = 1,\n a = 2,\n c = 3,\n ['d d'] = {} }", "2: environment 'b' must be a table"),
      ("{\n ['b b'] = {},\n a = 2,\n ['a a'] = {} }", "2: environment names have"),
      ("{\n b = {},\n ['c c'] = {},\n a = 4, ['b b'] = {} }", "3: environment names have"),
      (
        "{\n prod = { timeout = 'x',\n retry_time = 'y', nope = 1 } }",
        "2: environment 'prod': 'timeout' must be"
      ),
    ] {
      try folder.write(
        "apis/x.lua",
        "return { service = require'lull'.service('https://a.example'), environments = \(environments) }"
      )
      for _ in 0..<8 {
        let ending = try run("get", "x@prod", "/", "--dry-run")
        #expect(ending.errors.hasPrefix("lull: apis/x.lua:\(problem)"), "\(ending)")
      }
    }
  }

  @Test func `ENV-05 lists, completion, checks and explanations know environments`() throws {
    let apis = try run("apis", "-o", "json")
    #expect(apis.output.contains(#""environments":["staging","prod"]"#), "\(apis)")
    let words = try run("--complete", "get", "shop@")
    #expect(words.output == "shop@staging\nshop@prod\n", "\(words)")
    #expect(try run("--complete", "call", "shop@p").output == "shop@prod\n")
    let calls = try run("--complete", "call", "shop@prod", "")
    #expect(calls.output == "orders\n", "\(calls)")
    let explained = try run("explain", "shop@prod", "/orders/1")
    #expect(
      explained.output.hasPrefix(
        "GET https://prod.example/orders/1\nenvironment prod  apis/shop.lua:14, base_url apis/shop.lua:15\n"
      ), "\(explained)")
    let line = explained.output.split(separator: "\n").first { $0.contains("x-place") } ?? ""
    #expect(line.contains("apis/shop.lua:16  (environment prod)"), "\(explained)")
    #expect(explained.output.contains("apis/shop.lua:4  (/orders/*)"))
    try folder.write(
      "apis/bad.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example"), environments = {
        one = { timeuot = 5 },
        two = { timeout = {} },
      } }
      """)
    let check = try run("check", "bad")
    #expect(check.output.contains("apis/bad.lua:3: environment 'one': unknown setting 'timeuot'"))
    #expect(check.output.contains("apis/bad.lua:4: environment 'two': 'timeout' must be"))
    #expect(check.code == 1)
    let one = try run("check", "bad@two")
    #expect(one.output.contains("'two'") && !one.output.contains("'one'"), "\(one)")
    let fine = try run("check", "shop", "shop@prod")
    #expect(fine.code == 0, "\(fine)")
  }

  @Test func `ENV-06 -v names the environment`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "apis/here.lua",
      """
      return { service = require"lull".service("http://127.0.0.1:1"), environments = {
        prod = { base_url = "http://127.0.0.1:\(server.port)" } } }
      """)
    let ending = try run("get", "here@prod", "/a", "-v")
    #expect(ending.errors.hasPrefix("* environment prod\n"), "\(ending)")
    #expect(server.requests.map(\.line) == ["GET /a"])
  }

  @Test func `ENV-05 a trusted file is trusted in its environments`() throws {
    #expect(try run("trust", "shop@prod").output.hasPrefix("trusted: apis/shop.lua"))
    #expect(try run("--complete", "call", "shop@prod", "").output == "orders\n")
  }
}
