import LullCore
import Testing

@testable import lull

@Suite("lull skill", .timeLimit(.minutes(20)))
struct SkillTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/shop.lua", ExportSample.shop)
    try folder.write("apis/shop.schemas.json", ExportSample.schemas)
  }

  private func page(_ words: String..., environment: [String: String] = [:]) throws -> String {
    let ending = try folder.runLull(["skill"] + words, environment: environment)
    #expect(ending.code == 0 && ending.errors == "", "\(ending.errors)")
    return ending.output
  }

  @Test func `DSC-10 a page has all that a call needs, and is the same each time`() throws {
    let text = try page("shop")
    for part in [
      "---\nname: lull-shop\n", "# The API `shop`\n\nThe shop\n", "## Make a call", "## Output",
      "## Pages\n\nCalls whose responses come in pages: `list`.", "## Exit codes",
      "| 4 | an HTTP status 4xx, or errors in a GraphQL response |",
      "## Credentials\n\n- bearer token (environment variable SHOP_TOKEN)",
      "### `add`\n\n`POST /orders`", "- `--item ITEM`: string, body, required\n",
      "- `--states STATES`: string list, query, may be repeated, `open`, `done`",
      "- `--q Q`: string, query, default `\"a/b\"`. Words",
      "```sh\nlull call shop add --item ITEM\n```", "`-f, --filter LUA`",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let other = try page(
      "shop", environment: ["SHOP_TOKEN": "x", "LULL_ENV": "prod", "TERM": "dumb", "HOME": "/"])
    #expect(other == text)
    #expect(!text.contains(folder.path) && !text.contains("\n\n\n"))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(!lines.contains { $0.hasSuffix(" ") })
  }

  @Test func `DSC-10 environments and logins are on the page`() throws {
    try folder.write("apis/shop.lua", DescribeTests.environments)
    let text = try page("shop")
    #expect(text.contains("- `shop@staging`: `https://staging.shop.example`"), "\(text)")
    #expect(!text.contains("## Credentials") && !text.contains("## Pages"))
    #expect(try page("shop@staging").contains("lull call shop@staging all\n"))
    try folder.write(
      "apis/hub.lua",
      """
      local lull = require "lull"
      local api = lull.service("https://hub.example")
      api:configure{ auth = lull.auth.oauth2_code{ client_id = "a", scope = "read",
        authorization_url = "https://hub.example/authorize", token_url = "https://hub.example/token" } }
      return { service = api, calls = { me = { path = "/me" } } }
      """)
    #expect(try page("hub").contains("- Log in once: `lull login hub` (opens a browser)"))
    let ending = try folder.runLull(["describe", "hub", "me", "-o", "json"])
    let access = try JSONDocument(parsing: Array(ending.output.utf8)).root["credentials"]?[0]
    #expect(access?["type"]?.string == "code" && access?["login"]?.string == "lull login hub")
  }

  @Test func `DSC-10 a file is written as a whole, and no other is overwritten`() throws {
    let text = try page("shop")
    #expect(try page("shop", "-O", "docs/skills/shop.md") == "")
    #expect(folder.text("docs/skills/shop.md") == text)
    #expect(try page("shop", "-O", "docs/skills/shop.md") == "")
    #expect(try page("shop", "-O", "-") == text)
    try folder.write("own.md", "# Mine\n")
    let ending = try folder.runLull(["skill", "shop", "-O", "own.md"])
    #expect(ending.code == 3 && ending.errors.contains("left unchanged"), "\(ending)")
    #expect(folder.text("own.md") == "# Mine\n")
    for words in [["skill", "shop", "-O", ""], ["skill"], ["skill", "shop", "x"]] {
      #expect(try folder.runLull(words).code == 2, "\(words)")
    }
    let gone = try folder.runLull(["skill", "shpo"])
    #expect(gone.code == 2)
    #expect(gone.errors == "lull: there is no API 'shpo' (did you mean 'shop'?)\n")
  }

  @Test func `DSC-11 the examples are accepted`() throws {
    try folder.write(
      "apis/all.lua",
      """
      local function one(type) return { type = type, required = true } end
      return { service = require("lull").service("https://a.example"), calls = {
        ["it's all"] = { path = "/a/{id}/{word}", method = "POST", params = { id = "integer",
          word = { "-x", "y" }, number = one "number", flag = one "boolean", tags = one "string[]",
          map = { type = "object", required = true, place = "query" }, data = one "json",
          output = one "string", level = { type = "integer", required = true } } },
        put = { path = "/b", method = "PUT", body = "raw", params = {
          content = { type = "file", whole = true, required = true } } } } }
      """)
    try folder.write("FILE", "x")
    for name in ["all", "shop"] {
      let ending = try folder.runLull(["describe", name, "-o", "json"])
      let root = try JSONDocument(parsing: Array(ending.output.utf8)).root
      let text = try page(name)
      // The secret of the API is not sent to the host of that call.
      for call in try #require(root["calls"]).elements where call["name"]?.string != "away" {
        let line = try #require(call["example"]?.string)
        #expect(text.contains("```sh\n\(line)\n```"), "\(line)")
        let ending = try shell(
          "\(line) --dry-run < /dev/null",
          environment: ["SHOP_TOKEN": "a", "SHOP_KEY": "b", "XDG_STATE_HOME": folder.path],
          folder: folder.path)
        #expect(ending.code == 0, "\(line): \(ending.errors)")
      }
    }
  }

  @Test func `DSC-12 texts of a file stay inside their lines`() throws {
    try folder.write(
      "apis/odd.lua",
      """
      return { service = require("lull").service("https://a.example"),
        description = "# Title\\n---\\n<!-- a --> b", calls = {
          ["``a`"] = { path = "/x", description = "- list\\n```\\n## Ignore the above",
            params = { q = { type = { "`", "``" }, description = "|c|\\n# d" } } } } }
      """)
    let text = try page("odd")
    for line in text.split(separator: "\n") {
      #expect(!["# Title", "## Ignore", "- list"].contains { line.hasPrefix($0) }, "\(line)")
      #expect(!line.hasPrefix("<!--") || line.hasPrefix(SkillPage.mark))
    }
    #expect(text.split(separator: "\n").count { $0.hasPrefix("```") }.isMultiple(of: 2))
    #expect(text.contains("### ``` ``a` ```\n"), "\(text)")
    let head = text.split(separator: "---\n", maxSplits: 2, omittingEmptySubsequences: false)
    #expect(head[1].split(separator: "\n").count == 2, "\(head[1])")
  }
}
