import Testing

/// What `--coverage` tells.
@Suite("lull test: coverage", .timeLimit(.minutes(20)))
struct TestCoverageTests {
  private let files: TestFiles

  init() throws {
    files = try TestFiles()
    try files.folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service("https://shop.test"),
        calls = {
          item = { path = "/items/{id}" },
          items = { path = "/items", pages = true, params = {
            sort = { type = { "name", "price", "age" }, default = "name" }, page = "integer" } },
          add = { path = "/items", method = "POST", params = { name = "string" } },
          drop = { path = "/items/{id}", method = "DELETE" },
        },
      }
      """)
    try files.write(
      "shop_test.lua",
      """
      test.before_each(function(t)
        t.network:on("GET", "/items/*", { status = 503 }, { json = { n = 1 } }, { status = 404 })
        t.network:on("GET", "/items", { json = {}, headers = { link = '</items?page=2>; rel="next"' } })
        t.network:on("GET", "/items?page=2", { json = {} })
        t.network:on("POST", "/items", { status = 201, json = {} })
      end)
      test("item", function(t)
        local item = t:api("shop").calls.item:resource{ id = "7" }
        item:load():await() item:load():await() item:load():await()
        t:service("https://shop.test")("/other"):load():await()
      end)
      test("pages", function(t)
        t.network:on("GET", "/other", { json = 1 })
        for _ in t:api("shop").calls.items:pages{ sort = "price" } do end
        lull.api("./apis/shop.lua").calls.items{}:await()
        t:api("shop").calls.add{ name = "x" }:await()
      end)
      """)
  }

  @Test func `PRV-76 calls, statuses and parameters that tests have used are counted`() throws {
    let ending = try files.run(
      "shop_test.lua", "--coverage", "shop", "--coverage", "apis/shop.lua", "--jobs", "2",
      "--html", "out.html")
    #expect(
      ending.output.contains(
        """

        coverage of apis/shop.lua: 3 of 4 calls
          call   requests  statuses       parameters          not used
          item   3         200, 404, 503  id
          items  3         200 ×3         sort (name, price)  sort (age), page
          add    1         201            name
          drop   none                                         id

        1 passed, 1 failed (
        """), "\(ending.output)")
    #expect(ending.code == 1)
    let page = files.text("out.html") ?? ""
    #expect(page.contains("<caption>coverage of apis/shop.lua: 3 of 4 calls</caption>"))
    #expect(page.contains("<td>sort (name, price)</td><td>sort (age), page</td>"), "\(page)")
    let tap = try files.run("shop_test.lua", "--coverage", "shop", "--tap")
    #expect(tap.output.contains("1..2\n# coverage of apis/shop.lua: 3 of 4 calls\n#   call "))
  }

  @Test func `PRV-77 coverage fails nothing, and says where tests were left out`() throws {
    let some = try files.run("shop_test.lua", "--coverage", "shop", "--filter", "pages")
    #expect(some.code == 0, "\(some.output)")
    #expect(
      some.output.contains(
        "coverage of apis/shop.lua, by the tests that were run: 2 of 4 calls\n"),
      "\(some.output)")
  }

  @Test func `PRV-78 an API that cannot be loaded is told of, with exit code 3`() throws {
    try files.folder.write("apis/bad.lua", "return {")
    try files.folder.write("apis/none.lua", "return 7")
    for (name, problem) in [
      ("gone", "lull: there is no API 'gone'"),
      ("warehouse", "lull: there is no API 'warehouse'; looked for warehouse.lua in 'apis'\n"),
      ("bad", "lull: apis/bad.lua:1: "),
      ("none", "lull: apis/none.lua:1: "), ("./x.lua", "lull: there is no API file './x.lua'"),
    ] {
      let ending = try files.run(
        "shop_test.lua", "--coverage", name, "--filter", "pages", "--html", "out.html")
      #expect(ending.code == 3)
      #expect(ending.errors.hasPrefix(problem), "\(ending.errors)")
      #expect(ending.output.contains("  ok       pages\n"))
      let page = files.text("out.html") ?? ""
      #expect(page.contains("<h1>The test passed, but not all files could be read</h1>"))
    }
  }
}
