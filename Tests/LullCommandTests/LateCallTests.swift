import Testing

@Suite("Calls that are read when they are used", .timeLimit(.minutes(20)))
struct LateCallTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example/v1"), calls = {
        list = { path = "/items", description = "All items",
          params = { page = "integer", key = { default = lull.secret{ env = "SHOP_KEY" } } } },
        wrong = {
          path = "/wrong",
          description = "What is wrong",
          method = "GO NOW",
        },
        get = { path = "/items/{id}", description = "One \\u{2713}\\z
                  item" },
        odd = { path = "/odd", mock = function() return 1 end, colums = { "a" } },
      } }
      """)
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, words, environment: ["SHOP_KEY": "hush"], folder: folder.path).wait()
  }

  @Test func `APIF-09 a call can be made beside one that is wrong`() throws {
    let made = try run("call", "shop", "list", "--page", "2", "--dry-run")
    #expect(made.output.hasPrefix("GET https://a.example/v1/items?"), "\(made)")
    #expect(made.errors == "")
    let other = try run("call", "shop", "get", "--id", "7", "--help")
    #expect(other.output.contains("GET /items/{id}"), "\(other)")
    #expect(other.output.contains("One ✓item"), "\(other)")
    #expect(try run("get", "shop", "/items", "--dry-run").code == 0)
  }

  @Test func `APIF-09 one that is wrong is told with its line by whoever uses it`() throws {
    for words in [["call", "shop", "wrong", "--dry-run"], ["call", "shop", "wrong", "--help"]] {
      let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
      #expect(ending.code == 1)
      #expect(
        ending.errors.hasPrefix(
          "lull: apis/shop.lua:8: call 'wrong': 'GO NOW' is not an HTTP method\n"), "\(ending)")
      #expect(ending.errors.contains("8 |     method = \"GO NOW\","), "\(ending)")
    }
    let odd = try run("call", "shop", "odd", "--dry-run")
    #expect(
      odd.errors.hasPrefix(
        "lull: apis/shop.lua:12: call 'odd': unknown setting 'colums' (did you mean 'columns'?)"),
      "\(odd)")
  }

  @Test(arguments: [
    ["call", "shop", "--help"], ["call", "shop"], ["types", "shop", "-o", "-"],
    ["mock", "shop"], ["diff", "apis/shop.lua", "apis/shop.lua"], ["drift", "shop"],
    ["test", "--coverage", "shop", "tests"],
  ]) func `APIF-09 it is told by what needs all calls`(words: [String]) throws {
    try folder.write("tests/a_test.lua", "require('lull.test').test('a', function() end)")
    let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
    #expect(ending.code != 0)
    #expect(ending.errors.contains("call 'wrong': 'GO NOW' is not an HTTP method"), "\(ending)")
  }

  @Test func `APIF-09 lull check tells all that is wrong`() throws {
    let ending = try run("check", "apis/shop.lua")
    #expect(ending.code == 1)
    #expect(ending.output.contains("apis/shop.lua:8: call 'wrong'"), "\(ending)")
    #expect(ending.output.contains("apis/shop.lua:12: call 'odd'"), "\(ending)")
  }

  @Test func `APIF-11 lists of names have it too`() throws {
    #expect(try run("apis").output.contains("shop  4"))
    #expect(
      try run("--complete", "call", "shop", "").output
        == "list\tAll items\nwrong\nget\tOne ✓item\nodd\n")
    let paths = try run("--complete", "get", "shop", "/")
    #expect(paths.output == "/items\tAll items\n/items/\tOne ✓item\n", "\(paths)")
    #expect(try run("--complete", "call", "shop", "list", "--pa").output.contains("--page"))
    #expect(try run("--complete", "call", "shop", "wrong", "--pa").output == "")
    let unknown = try run("call", "shop", "lst")
    #expect(unknown.code == 2)
    #expect(unknown.errors.contains("'shop' has no call 'lst' (did you mean 'list'?)"))
  }

  @Test func `APIF-09 a call sees the variables of its environment`() throws {
    try folder.write(
      "apis/env.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example"),
        environments = { prod = { env_file = "prod.env", base_url = "https://p.example" } },
        calls = {
          a = { path = "/a", headers = { ["X-Key"] = lull.secret{ env = "OWN_KEY" } } },
        } }
      """)
    try folder.write("apis/prod.env", "OWN_KEY=of-prod\n", mode: 0o600)
    let made = try run("call", "env@prod", "a", "--curl")
    #expect(made.output.contains("https://p.example/a"), "\(made)")
    #expect(made.errors == "")
  }

  @Test(arguments: [
    ("params = { x = \"strng\" }", 0 as Int32), ("method = \"GO NOW\"", 1),
  ]) func `SCH-25 APIF-09 a call of which not even the path is known fails what is validated`(
    wrong: String, code: Int32
  ) throws {
    try folder.write(
      "apis/valid.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example", validate = "fail",
        networking = function() return { json = { id = 1 } } end }
      return { service = api, calls = {
        user = { path = "/user", schema = { type = "object", required = { "id" } } },
        wrong = { path = "/wrong", \(wrong) },
      } }
      """)
    let ending = try run("get", "valid", "/user")
    #expect(ending.code == code, "\(ending)")
    let isTold = ending.errors.contains("apis/valid.lua:6: call 'wrong': ")
    #expect(isTold == (code != 0), "\(ending)")
  }
}
