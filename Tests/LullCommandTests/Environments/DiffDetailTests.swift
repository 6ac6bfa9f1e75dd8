import Testing

/// What two files do not have in common although they look alike, and what they have although they do not.
@Suite("lull diff: what is behind", .timeLimit(.minutes(20)))
struct DiffDetailTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func diff(_ words: String...) throws -> Child.Ending {
    try folder.runDiff(words)
  }

  private func write(_ name: String, _ setting: String) throws {
    try folder.write(
      name,
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "https://a.example/v1", \(setting) },
        calls = { x = { path = "/x" } } }
      """)
  }

  private static let hosts = String(repeating: "host.example,", count: 20)

  @Test(arguments: [
    ("auth = lull.auth.bearer(TEXT)", "\"hunter-1\"", "\"hunter-2\""),
    ("auth = lull.auth.query('key', TEXT)", "\"hunter-1\"", "\"hunter-2\""),
    ("auth = lull.auth.basic(TEXT, lull.secret{ env = 'S' })", "'ann'", "'bob'"),
    ("auth = lull.auth.digest(TEXT, lull.secret{ env = 'S' })", "'ann'", "'bob'"),
    (
      "auth = lull.auth.oauth2_client_credentials{ token_url = 'https://a.example/t', client_id = 'c', client_secret = lull.secret{ env = 'S' }, TEXT }",
      "scope = 'a'", "scope = 'b'"
    ),
    (
      "auth = lull.auth.oauth2_client_credentials{ token_url = 'https://a.example/t', client_id = 'c', client_secret = lull.secret{ env = 'S' }, TEXT }",
      "", "token_file = 'x'"
    ),
    (
      "auth = lull.auth.oauth2_client_credentials{ token_url = 'https://a.example/t', client_id = 'c', client_secret = lull.secret{ env = TEXT } }",
      "'S'", "'T'"
    ),
    ("auth = lull.auth.aws_sigv4{ env = true, region = TEXT }", "'a'", "'b'"),
    ("auth = lull.auth.netrc{ path = TEXT }", "'a'", "'b'"),
    ("auth = lull.auth.netrc{ optional = TEXT }", "true", "false"),
    (
      "auth = lull.auth.bearer(lull.secret{ TEXT, name = 'T' })", "command = 'pass show a'",
      "command = 'pass show b'"
    ),
    (
      "auth = lull.auth.bearer(lull.secret{ env = 'T', TEXT })", "",
      "origins = { 'https://evil.example' }"
    ),
    (
      "headers = { ['X-A'] = 'a ' .. lull.secret{ TEXT, name = 'T' } }", "env = 'T'", "file = 'T'"
    ),
    ("proxy = 'http://ann:TEXT@p.example:1'", "hunter-1", "hunter-2"),
    ("no_proxy = '\(hosts)TEXT'", "a.example", "b.example"),
    ("pipeline = { model = { cache = lull.cache.file{ version = TEXT } } }", "1", "2"),
    (
      "pipeline = { model = { cache = lull.cache.shared{ secret = lull.secret{ env = TEXT } } } }",
      "'A'", "'B'"
    ),
    ("TEXT", "offline = false", "offline = true"),
  ])
  func `REV-13 what masks hide, or is behind an end, is compared all the same`(
    setting: String, before: String, after: String
  ) throws {
    try write("a.lua", setting.replacing("TEXT", with: before))
    try write("same.lua", setting.replacing("TEXT", with: before))
    try write("b.lua", setting.replacing("TEXT", with: after))
    let ending = try diff("a.lua", "b.lua")
    #expect(ending.code == 7 && ending.errors == "", "\(ending)")
    #expect(!ending.output.contains("hunter"))
    let same = try diff("a.lua", "same.lua")
    #expect(same.code == 0, "\(same)")
  }

  @Test func `REV-14 a transformer is known by its text, wherever it stands`() throws {
    let text = """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example/v1" }
      api:transform("/x", function(c) return c.a end)
      return { service = api, calls = { x = { path = "/x" } } }
      """
    try folder.write("apis/t.lua", text)
    try folder.commit()
    #expect(try diff("HEAD", "apis/t.lua").code == 0)
    try folder.write("apis/t.lua", "-- moved\n" + text)
    #expect(try diff("HEAD", "apis/t.lua").code == 0)
    try folder.write("apis/copy.lua", text)
    #expect(try diff("apis/t.lua", "apis/copy.lua").code == 0)
    try folder.write("apis/t.lua", text.replacing("c.a", with: "c.b"))
    let changed = try diff("HEAD", "apis/t.lua")
    #expect(changed.code == 7 && changed.output.contains("HEAD:apis/t.lua:3"), "\(changed)")
    #expect(!changed.output.contains("/tmp/"))
  }

  @Test func `REV-15 calls are compared with all that they send, in each environment`() throws {
    let text = """
      local lull = require "lull"
      local _, environment = ...
      local api = lull.service{ base_url = "https://a.example/v1" }
      return { service = api, environments = { prod = { base_url = "https://b.example", env_file = "a.env" } },
        calls = environment == "prod" and { x = { path = "/prod" } } or { x = { path = "/x",
          pages = { cursor = { param = "c", field = "next" } }, headers = { ["X-Key"] = "hunter-1" },
          params = { q = { type = "string[]", name = "query", style = "pipeDelimited", explode = false },
            api_key = { type = "string", default = "hunter-1" } } } } }
      """
    try folder.write("apis/x.lua", text)
    try folder.write("apis/a.env", "")
    try folder.write("apis/b.env", "")
    try folder.commit()
    #expect(try diff("HEAD", "apis/x.lua").code == 0)
    for (old, new, shown) in [
      ("\"next\"", "\"nxt\"", "pages  cursor 'c' of 'next' → cursor 'c' of 'nxt'"),
      ("\"query\"", "\"search\"", "called 'query'"), ("pipeDelimited", "spaceDelimited", "style"),
      (
        "[\"X-Key\"] = \"hunter-1\"", "[\"X-Key\"] = \"hunter-2\"",
        "header x-key  *** → *** (another)"
      ),
      ("default = \"hunter-1\"", "default = \"hunter-2\"", "default *** (another)"),
      ("\"/prod\"", "\"/other\"", "call x in prod: changed"),
      ("a.env", "b.env", "env_file  a.env → b.env"),
    ] {
      try folder.write("apis/x.lua", text.replacing(old, with: new))
      let ending = try diff("HEAD", "apis/x.lua")
      #expect(ending.code == 7 && ending.output.contains(shown), "\(new) \(ending)")
      #expect(!ending.output.contains("hunter"))
    }
  }

  @Test func `REV-16 modules beside the files of a revision are left out, and told`() throws {
    try folder.write("apis/mod.lua", "return function(t) return t * 2 end")
    try write("apis/x.lua", "")
    try folder.commit()
    let ending = try diff("HEAD", "apis/mod.lua", "apis/x.lua")
    #expect(ending.code == 0, "\(ending)")
    #expect(ending.errors == "lull: left out: apis/mod.lua is a module, not an API\n")
    #expect(try diff("HEAD", "apis/mod.lua").code == 3)
    try folder.write("apis/other.lua", "return function() end")
    #expect(try diff("HEAD", "apis/mod.lua", "apis/other.lua").code == 3, "nothing is compared")
    // What was an API is no module that one need not look at.
    try folder.write("apis/x.lua", "return { x = 1 }")
    try write("apis/y.lua", "")
    let turned = try diff("HEAD", "apis/x.lua", "apis/y.lua")
    #expect(turned.code == 3 && turned.errors.contains("apis/x.lua"), "\(turned)")
  }

  @Test
  func `REV-17 schemas are compared with whatever they refer to, in any way, and in any order`()
    throws
  {
    try write("x.lua", "")
    let file = { (reference: String, type: String) in
      """
      {"calls":{"x":{"responses":{"200":{"$ref":"\(reference)"}}},"f":{"responses":{"200":{"type":"\(type)"}}}},
       "$defs":{"o":{"$anchor":"o","properties":{"x":{"type":"\(type)"}}},"a/b":{"type":"\(type)"},"c d":{"type":"\(type)"}}}
      """
    }
    for name in ["a", "b"] {
      try folder.write(
        "\(name).lua",
        """
        local lull = require "lull"
        return { service = lull.service("https://a.example"), schemas = "\(name).json", calls = { x = { path = "/x" } } }
        """)
    }
    for reference in [
      "#/$defs/o/properties/x", "#/calls/f/responses/200", "#o", "#/$defs/a~1b", "#/$defs/c%20d",
    ] {
      try folder.write("a.json", file(reference, "string"))
      try folder.write("b.json", file(reference, "integer"))
      #expect(try diff("a.lua", "b.lua").code == 7, "\(reference)")
      try folder.write("b.json", file(reference, "string"))
      #expect(try diff("a.lua", "b.lua").code == 0, "\(reference)")
    }
    try folder.write(
      "a.json", #"{"calls":{"x":{"responses":{"200":{"type":"object","title":"t"}}}}}"#)
    try folder.write(
      "b.json", #"{"calls":{"x":{"responses":{"200":{"title":"t","type":"object"}}}}}"#)
    let same = try diff("a.lua", "b.lua")
    #expect(same.code == 0, "\(same)")
  }

  @Test(arguments: ["ftp://x/y", "mailto:a@b", "POST /posts/1"])
  func `REV-10 what is neither a path nor a URL is told with its line`(line: String) throws {
    try write("a.lua", "")
    try folder.write("urls.txt", "/x\n\(line)\n")
    let ending = try diff("a.lua", "a.lua", "--urls", "urls.txt")
    #expect(ending.code == 3 && ending.errors.hasPrefix("lull: urls.txt:2: '"), "\(ending)")
  }
}
