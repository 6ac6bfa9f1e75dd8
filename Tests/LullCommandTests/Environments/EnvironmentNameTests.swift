import LullLibC
import Testing

/// Names of environments, files, keys and limits that look alike, and words that name none.
@Suite("Names of environments", .timeLimit(.minutes(20)))
struct EnvironmentNameTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/shop.lua", EnvironmentNameTests.shop)
  }

  private static let shop = """
    local name, environment = ...
    return { service = require"lull".service("https://" .. (environment or "none") .. ".example"),
      environments = { prod = {}, Prod = {}, _ = {}, ["1"] = {} } }
    """

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> Child.Ending {
    try folder.runLull(words, environment: environment)
  }

  @Test(arguments: ["prod", "Prod", "_", "1"])
  func `ENV-19 letter case counts, and digits and underscores are names`(name: String) throws {
    let ending = try run("get", "shop@\(name)", "/", "--dry-run")
    #expect(ending.output.hasPrefix("GET https://\(name).example/"), "\(ending)")
    #expect(try run("get", "shop@\(name)", "/", "-o", "nope").code == 2)
  }

  @Test(arguments: ["", "..", ".", "a b", "-x", "a/b", "ä", String(repeating: "x", count: 65)])
  func `ENV-19 what cannot be the name of an environment is refused with what can`(word: String)
    throws
  {
    let ending = try run("get", "shop@\(word)", "/")
    #expect(ending.code != 0)
    #expect(
      ending.errors
        == "lull: there is no API 'shop@\(word)': an environment name consists of letters, "
        + "digits, '-' and '_'\n", "\(ending)")
    let path = try run("get", "./apis/shop.lua@\(word)", "/")
    #expect(path.errors.contains("an environment name consists of letters"), "\(path)")
    let scripted = try run(
      "-e", "print(pcall(require'lull'.api, arg[1]))", "shop@\(word)")
    #expect(
      scripted.output.hasPrefix("false\tthere is no API 'shop@\(word)': an environment name"),
      "\(scripted)")
  }

  @Test func `ENV-19 an @ without an API before it, and what is not UTF-8, name nothing`() throws {
    for word in ["@prod", "@", "@@prod", "nobody@prod", "nobody@.."] {
      let ending = try run("get", word, "/")
      #expect(ending.code != 0 && ending.errors.hasPrefix("lull: "), "\(word): \(ending)")
    }
    try folder.write("look.lua", "print(pcall(require'lull'.api, 'shop@\\xFF'))")
    #expect(
      try run("look.lua").output.hasPrefix(
        "false\tthere is no API 'shop@\\xFF': an environment name"))
    let hostile = try run("get", "shop", "/", environment: ["LULL_ENV": "a\nb\u{1B}[31m"])
    #expect(
      hostile.errors.split(separator: "\n").count == 1 && !hostile.errors.contains("\u{1B}"),
      "\(hostile)")
    let variable = try run("get", "shop", "/", environment: ["LULL_ENV": "../x"])
    #expect(
      variable.errors.hasPrefix("lull: 'shop' has no environment '../x', which LULL_ENV names"),
      "\(variable)")
  }

  @Test func `ENV-19 a file that is called a@b is not a in b, in one process either`() throws {
    try folder.write("apis/a.lua", EnvironmentNameTests.shop)
    // By path it is a file, and by name an environment, since the folder of names is another one.
    try folder.write(
      "apis/a.lua@prod", "return require'lull'.service('https://whole.example')")
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      local function show(name) print(name, lull.api(name).environment, lull.api(name).service.base_url) end
      for _, name in ipairs{ ... } do show(name) end
      """)
    let lines = [
      "a@prod\tprod\thttps://prod.example/", "./apis/a.lua@prod\tnil\thttps://whole.example/",
      "a\tnil\thttps://none.example/",
    ]
    let first = try run("look.lua", "a@prod", "./apis/a.lua@prod", "a")
    #expect(first.output == lines.map { $0 + "\n" }.joined(), "\(first)")
    let second = try run("look.lua", "a", "./apis/a.lua@prod", "a@prod")
    #expect(second.output == lines.reversed().map { $0 + "\n" }.joined(), "\(second)")
  }

  @Test func `ENV-19 limits and keys that end as those of environments do are others`() throws {
    let server = try EchoServer { _, count in
      EchoServer.Answer(headers: ["Content-Type: application/json"], body: "\(count)")
    }
    defer { server.stop() }
    func file(_ limit: String) -> String {
      """
      local lull = require "lull"
      package.path = "apis/?.lua;" .. package.path
      return { service = lull.service{ base_url = "http://127.0.0.1:\(server.port)",
        rate_limit = { requests = 1, per = 600, shared = "\(limit)" },
        pipeline = { parsing = { cache = require"held" } } },
        environments = { one = {} } }
      """
    }
    try folder.write("apis/x.lua", file("ours"))
    try folder.write("apis/y.lua", file("ours @one"))
    try folder.write(
      "apis/held.lua",
      """
      local kept = {}
      return {
        key = function(_, resource) return resource.url:match("/[^/]*$"):gsub("%%20", " ") end,
        read = function(_, key) print("read " .. key) return kept[key] end,
        write = function(_, key, entity) kept[key] = entity end,
        remove = function(_, key) kept[key] = nil end,
      }
      """)
    for name in ["x@one", "y", "x"] { #expect(try run("get", name, "/").code == 0) }
    #expect(server.requests.count == 3)
    try folder.write("apis/x.lua", file("x").replacing("rate_limit", with: "--"))
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      local one, plain = lull.api("x@one").service, lull.api("x").service
      print(one("/a"):load_if_needed():await().content ~= plain("/a @one"):load_if_needed():await().content)
      """)
    let ending = try run("look.lua")
    #expect(ending.output == "read /a @one\nread /a @one @\ntrue\n", "\(ending)")
  }

  @Test func `ENV-19 a script's cache has texts as keys in an environment, and nothing by others`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "http://127.0.0.1:\(server.port)",
        pipeline = { parsing = { cache = {
          key = function() return 7 end, read = function() print("read") end,
          write = function() print("write") end, remove = function() end } } } },
        environments = { one = {} } }
      """)
    let one = try run("-e", "require'lull'.api('x@one').service('/a'):load_if_needed():await()")
    #expect(one.output == "", "\(one)")
    #expect(
      one.errors.contains("in an environment ('one') a cache's 'key' must return a string"),
      "\(one)"
    )
    let plain = try run("-e", "require'lull'.api('x').service('/a'):load_if_needed():await()")
    #expect(plain.output.hasPrefix("read\n") && plain.errors == "", "\(plain)")
  }

  @Test func `ENV-20 LULL_ENV is refused where the file does not show that it has environments`()
    throws
  {
    try folder.write(
      "apis/made.lua",
      """
      local made = { service = require"lull".service("https://a.example") }
      made["environ" .. "ments"] = { prod = {} }
      return made
      """)
    #expect(try run("get", "made@prod", "/", "--dry-run").code == 0)
    let ending = try run("get", "made", "/", "--dry-run", environment: ["LULL_ENV": "prod"])
    #expect(ending.code != 0)
    #expect(
      ending.errors.contains(
        "LULL_ENV names the environment 'prod', but LULL_ENV only applies if the file itself has "
          + "'environments = { … }': use 'made@prod'"), "\(ending)")
  }

  @Test func `ENV-21 at the prompt Tab completes environments, and no file is run`() throws {
    try folder.write(
      "apis/run.lua", "print('it runs')\nreturn { environments = { staging = {}, prod = {} } }")
    let screen = try Screen(folder: folder.path, environment: ["NO_COLOR": "1"])
    for (typed, shown) in [
      ("lull.api(\"run@st", "lull.api(\"run@staging\""),
      ("lull.api('run@pr", "lull.api('run@prod'"),
    ] {
      try screen.type(typed)
      try screen.wait(end: "> " + typed)
      try screen.press("Tab")
      try screen.wait(end: "> " + shown)
      try screen.press("C-c")
      try screen.wait(end: "^C\n>")
    }
  }

  @Test func `ENV-05 explain tells the file in which an environment keeps its cookies`() throws {
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "https://a.example", cookies = "jar.txt" },
        environments = { one = {} } }
      """)
    func cookies(_ name: String) throws -> String {
      let page = try run("explain", name, "/").output
      return page.split(separator: "\n").first { $0.contains("cookies") }.map(String.init) ?? page
    }
    #expect(try cookies("x@one").contains(" jar.txt@one "))
    #expect(try cookies("x").contains(" jar.txt "))
  }
}
