import LullLibC
import Testing

/// What differs between two API files, and between two revisions of one.
@Suite("lull diff", .timeLimit(.minutes(20)))
struct DiffTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    mkdir(folder.path + "/tmp", 0o700)
  }

  static let old = """
    local lull = require "lull"
    local api = lull.service{ base_url = "https://api.example/v1", timeout = 5 }
    api:configure("/orders/*", { retry_time = 7 })
    api:configure(function(settings)
      settings:mutate_requests(function(http) http.headers["x-a"] = "1" end)
    end)
    return { service = api, calls = {
      orders = { path = "/orders/{id}", params = { id = "integer", size = "integer" } },
      gone = { path = "/gone" },
    } }
    """

  static let new = """
    local lull = require "lull"

    local api = lull.service{ base_url = "https://api.example/v1", timeout = 9 }
    api:configure("/orders/*", { retry_time = 8 })
    api:configure(function(settings)
      -- The same, but for this line.
      settings:mutate_requests(function(http) http.headers["x-a"] = "1" end)
    end)
    return { service = api, calls = {
      orders = { path = "/orders/{id}", params = { id = "integer", size = "string" } },
      come = { path = "/come", method = "POST" },
    } }
    """

  private func run(_ words: [String]) throws -> Child.Ending {
    try folder.runLull(words, environment: ["NO_COLOR": "1", "TMPDIR": folder.path + "/tmp"])
  }

  private func diff(_ words: String...) throws -> Child.Ending { try run(["diff"] + words) }

  private func commit() throws { try folder.commit() }

  @Test func `REV-01 settings that differ are told once, with both lines, and for which URLs`()
    throws
  {
    try folder.write("a.lua", DiffTests.old)
    try folder.write("b.lua", DiffTests.new)
    let ending = try diff("a.lua", "b.lua")
    #expect(
      ending.output == """
        a.lua → b.lua
          retry_time  7 s → 8 s
            - a.lua:3  (/orders/*)
            + b.lua:4  (/orders/*)
            1 URL: GET /orders/{id}
          timeout  5 s → 9 s
            - a.lua:2
            + b.lua:3
            3 URLs: GET /orders/{id}, GET /gone, POST /come
          call orders: changed  (a.lua:8 → b.lua:10)
            parameter size  query, integer, --size → query, string, --size
          call come: added  POST /come  (b.lua:11)
          call gone: removed  GET /gone  (a.lua:9)

        """, "\(ending)")
    #expect(ending.errors == "")
    #expect(ending.code == 7)
    let same = try diff("a.lua", "a.lua")
    #expect(same.code == 0)
    #expect(same.output + same.errors == "")
  }

  @Test func `REV-02 a revision of Git is compared with what is there, with the modules of each`()
    throws
  {
    try folder.write(
      "apis/x.lua",
      "local lull = require 'lull'\nreturn lull.service{ base_url = 'https://a.example',\n timeout = require('lib.time') }\n"
    )
    try folder.write("apis/lib/time.lua", "return 5\n")
    try folder.write("apis/gone.lua", "return require'lull'.service('https://gone.example')")
    try commit()
    #expect(try diff("HEAD", "apis/x.lua").code == 0)
    try folder.write("apis/lib/time.lua", "return 6\n")
    let ending = try diff("HEAD", "apis/x.lua", "apis/gone.lua")
    #expect(
      ending.output == """
        HEAD:apis/x.lua → apis/x.lua
          timeout  5 s → 6 s
            - HEAD:apis/x.lua:3
            + apis/x.lua:3
            1 URL: /

        """, "\(ending)")
    #expect(ending.code == 7)
    try folder.write("apis/new.lua", "return require'lull'.service('https://new.example')")
    let new = try diff("HEAD", "apis/new.lua")
    #expect(new.output.contains("base_url  default → https://new.example/"), "\(new)")
    #expect(new.code == 7)
    #expect(try shell("ls tmp", folder: folder.path).output == "", "nothing is left there")
  }

  @Test func `REV-03 URLs of a file are compared, one a line, and those alike are one entry`()
    throws
  {
    try folder.write("a.lua", DiffTests.old)
    try folder.write("b.lua", DiffTests.new)
    let paths =
      (0..<500).map { "/orders/\($0)" } + [
        "", "# a comment", "https://else.example/x?token=s3cret",
      ]
    try folder.write("urls.txt", paths.joined(separator: "\n"))
    let ending = try diff("a.lua", "b.lua", "--urls", "urls.txt")
    #expect(
      ending.output.contains("    501 URLs: /orders/0, /orders/1, /orders/2, and 498 more\n"),
      "\(ending)")
    #expect(ending.output.contains("    500 URLs: /orders/0, /orders/1, /orders/2, and 497 more\n"))
    let json = try run(["diff", "a.lua", "b.lua", "--urls", "urls.txt", "-o", "json"])
    #expect(json.code == 7)
    #expect(json.output.contains(#""count": 501"#), "\(json.output.prefix(2000))")
    #expect(!json.output.contains("s3cret"))
  }

  @Test func `REV-04 functions are compared by their text, and secrets without showing them`()
    throws
  {
    let start = "local lull = require 'lull'\nlocal api = lull.service('https://a.example')\n"
    try folder.write(
      "a.lua",
      start
        + "api:configure(function(s) s:mutate_requests(function(h) h.headers.a = '1' end) end)\n"
        + "api:configure{ headers = { authorization = 'Bearer s3cret-one' } }\nreturn api")
    try folder.write(
      "b.lua",
      start
        + "api:configure(function(s) s:mutate_requests(function(h) h.headers.a = '2' end) end)\n"
        + "api:configure{ headers = { authorization = 'Bearer s3cret-two' } }\nreturn api")
    let ending = try diff("a.lua", "b.lua")
    #expect(
      ending.output.contains(
        "  mutate_requests  a function → a function\n    - a.lua:3\n    + b.lua:3\n"), "\(ending)")
    #expect(ending.output.contains("  headers.authorization  "))
    #expect(!ending.output.contains("s3cret"))
    #expect(ending.code == 7)
  }

  @Test
  func `REV-05 environments are compared each, or the one that is meant, or two with each other`()
    throws
  {
    let text = """
      local lull = require "lull"
      return { service = lull.service{ base_url = "https://a.example" }, environments = {
        one = { timeout = 1 },
        two = { timeout = 2 },
      } }
      """
    try folder.write("a.lua", text)
    try folder.write(
      "b.lua", text.replacing("timeout = 1", with: "timeout = 3").replacing("two", with: "three"))
    let all = try diff("a.lua", "b.lua")
    #expect(
      all.output == """
        a.lua → b.lua
          environment two: removed
          environment three: added
          timeout  1 s → 3 s
            - a.lua:3  (environment one)
            + b.lua:3  (environment one)
            1 URL: /; @one

        """, "\(all)")
    #expect(try diff("a.lua", "b.lua", "--env", "one").output.contains("1 s → 3 s"))
    let pair = try diff("a.lua@one", "a.lua@two")
    #expect(pair.output.contains("timeout  1 s → 2 s"), "\(pair)")
    #expect(try diff("a.lua", "b.lua", "--env", "two").code == 3)
    #expect(try diff("a.lua@one", "b.lua", "--env", "one").code == 2)
  }

  @Test func `REV-06 Markdown has a table, in which texts mean nothing else`() throws {
    let start = "local lull = require 'lull'\nlocal api = lull.service('https://a.example')\n"
    try folder.write("a.lua", start + "return api")
    try folder.write(
      "b.lua",
      start
        + "api:configure('/*', { headers = { ['x-a'] = '| <b> @team `x` [a](b)' } })\nreturn api")
    let ending = try run(["diff", "a.lua", "b.lua", "-o", "markdown"])
    #expect(
      ending.output == """
        ### a.lua → b.lua

        | Setting | Before | After | Where |
        | --- | --- | --- | --- |
        | headers.x-a | default | \\| &lt;b&gt; &#64;team \\`x\\` \\[a\\]\\(b\\) \\(b.lua:3  \\(/\\*\\)\\) | 1 URL: / |

        """, "\(ending)")
    #expect(ending.code == 7)
  }

  @Test func `REV-07 what cannot be read or run has the code 3, and what cannot be meant 2`() throws
  {
    try folder.write("a.lua", DiffTests.old)
    try folder.write("bad.lua", "return {")
    try folder.write("io.lua", "return require'lull'.service(io.open('x'):read())")
    #expect(try diff("a.lua", "bad.lua").code == 3)
    let sandbox = try diff("a.lua", "io.lua")
    #expect(sandbox.code == 3)
    #expect(sandbox.errors.contains("needs io"), "\(sandbox)")
    #expect(try diff("a.lua", "none.lua").code == 3)
    #expect(try diff("none.lua", "a.lua").code == 2)
    #expect(try diff("a.lua").code == 2)
    for word in ["./a.lua@", "./a.lua@@b"] {
      let name = try diff(word, "a.lua")
      #expect(name.code == 2)
      #expect(
        name.errors.hasPrefix("lull: there is no API '\(word)': an environment name"),
        "\(name)")
    }
    let nothing = try diff("a.lua", "a.lua", "--urls", "")
    #expect(
      nothing.errors.hasPrefix("lull: --urls needs the name of a file, got ''\n"), "\(nothing)")
    #expect(nothing.code == 2)
    mkfifo(folder.path + "/pipe", 0o600)
    let pipe = try diff("a.lua", "a.lua", "--urls", "pipe")
    #expect(
      pipe.errors
        == "lull: cannot read pipe: is a pipe: only regular files can be read and written\n")
    #expect(try diff("a.lua", "a.lua", "a.lua").code == 2)
    #expect(try diff("a.lua", "a.lua", "--urls", "none.txt").code == 3)
    let outside = try diff("HEAD", "a.lua")
    #expect(outside.errors.hasPrefix("lull: git: "), "\(outside)")
    #expect(outside.code == 3)
    try commit()
    let unknown = try diff("no-such-revision", "a.lua")
    #expect(
      unknown.errors == "lull: the repository of '.' has no revision 'no-such-revision'\n")
    #expect(unknown.code == 3)
    #expect(try diff("$(touch sly)", "a.lua").code == 3)
    #expect(access(folder.path + "/sly", F_OK) != 0)
  }
}
