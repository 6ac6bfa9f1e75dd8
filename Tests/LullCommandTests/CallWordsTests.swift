import Testing

@Suite("Parameters that are called like options", .timeLimit(.minutes(20)))
struct CallWordsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service "https://a.example",
        calls = {
          find = { path = "/x", params = {
            filter = { type = "object", style = "deepObject", option = "--query-filter" },
            output = "string", fresh = "boolean" } },
          search = { path = "/x", params = { filter = "string" } },
          count = { path = "/x/{of}", params = {
            n = "number", ids = "integer[]", of = "integer" } },
          own = { path = "/x", params = { filter = { type = "object", style = "deepObject" } } },
        },
      }
      """)
  }

  private func dryRun(_ words: [String]) throws -> Child.Ending {
    try Child(
      Binaries.lull, ["call", "./shop.lua"] + words + ["--dry-run"],
      environment: ["XDG_CONFIG_HOME": folder.path + "/home"], folder: folder.path
    ).wait()
  }

  @Test func `JSN-111 integers beyond 64 bits keep their digits`() throws {
    let large = "12345678901234567890"
    let ending = try dryRun(
      ["count", "--of", large, "--n", large, "--ids", "-\(large)", "--ids", "7"])
    #expect(
      ending.output == "GET https://a.example/x/\(large)?n=\(large)&ids=-\(large)&ids=7\n",
      "\(ending.errors)")
    let fraction = try dryRun(["count", "--of", large + ".5"])
    #expect(fraction.code == 2 && fraction.errors.contains("must be a whole number"))
  }

  @Test(arguments: [
    (["find", "--filter", "kind=cat"], "?filter%5Bkind%5D=cat"),
    (["find", "--filter=kind=cat"], "?filter%5Bkind%5D=cat"),
    (["find", "--filter", "a=1", "--filter=b=", "-f", "x"], "?filter%5Ba%5D=1&filter%5Bb%5D="),
    (["find", "--filter", "a=1", "--query-filter", "b=2"], "?filter%5Ba%5D=1&filter%5Bb%5D=2"),
    (["own", "--filter", "kind=a==b"], "?filter%5Bkind%5D=a%3D%3Db"),
  ])
  func `PAR-17 pairs are the parameter's`(words: [String], query: String) throws {
    let ending = try dryRun(words)
    #expect(ending.output == "GET https://a.example/x\(query)\n", "\(ending.errors)")
    #expect(ending.errors == "")
  }

  @Test(arguments: [
    (["find", "--filter", "x.kind"], "--filter", "like -f", "--query-filter"),
    (["find", "--filter", "kind==1"], "--filter", "like -f", "--query-filter"),
    (["find", "--filter", "{ a = 1 }"], "--filter", "like -f", "--query-filter"),
    (["own", "--filter=x.kind"], "--filter", "like -f", "--param-filter"),
    (["search", "--filter", "a=b"], "--filter", "like -f", "--param-filter"),
    (["find", "--output", "json"], "--output", "like -o", "--param-output"),
    (["find", "--fresh"], "--fresh", nil, "--param-fresh"),
  ])
  func `PAR-16 options keep their meaning, and that is told`(
    words: [String], given: String, short: String?, option: String
  ) throws {
    let ending = try dryRun(words)
    #expect(ending.code == 0)
    #expect(ending.output == "GET https://a.example/x\n")
    let also = short.map { ", \($0)" } ?? ""
    #expect(
      ending.errors == "lull: note: \(given) is an option of lull call\(also); give the parameter "
        + "'\(given.dropFirst(2))' as \(option)\n")
  }

  @Test func `PAR-17 what stands behind -- is no option`() throws {
    let ending = try dryRun(["own", "--", "--filter", "kind=cat"])
    #expect(ending.code == 2)
    #expect(ending.errors.contains("'--filter'"), "\(ending.errors)")
  }

  @Test(arguments: [
    ["find", "-f", "x.kind"], ["find", "-o", "json"], ["search", "-f", "x", "--param-filter", "a"],
    ["find", "--output", "json", "--param-output", "a"], ["own"],
  ])
  func `PAR-16 nothing is told where it is clear`(words: [String]) throws {
    #expect(try dryRun(words).errors == "")
  }
}
