import Testing

/// What `lull check` takes for a secret in a file, and what it does not.
@Suite("Secrets that lull check finds", .timeLimit(.minutes(20)))
struct CheckSecretTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    (#"local t = "ghp_abcdefghijklmnopqrstuvwxyz0123456789""#, "a GitHub token"),
    (#"local t = "Bearer sk-abcdefghijklmnopqrstuvwxyz""#, "an API key"),
    (#"local t = "AKIAABCDEFGHIJKLMNOP""#, "an AWS access key"),
    (#"local t = "-----BEGIN RSA PRIVATE KEY-----""#, "a private key"),
    (#"local t = "https://ann:hunter2@a.example""#, "a password in a URL"),
    (#"local h = { Authorization = "Bearer x1" }"#, "the value of the header 'authorization'"),
    (#"local h = {} h["X-Api-Key"] = "x1""#, "the value of the header 'x-api-key'"),
    (#"local h = { ["Authorization"] = "Basic eDox" }"#, "the value of the header 'authorization'"),
    (#"local a = lull.auth.bearer("x1")"#, "the secret of lull.auth.bearer"),
    (#"local a = lull.auth.basic("ann", "x1")"#, "the secret of lull.auth.basic"),
    (#"local a = lull.auth.digest("ann", "x1")"#, "the secret of lull.auth.digest"),
    (#"local api_token = "q8ZkL2mN0pRx7TvB""#, "a value that looks like a secret ('api_token')"),
    (
      #"local c = { password = "q8ZkL2mN0pRx7TvB" }"#,
      "a value that looks like a secret ('password')"
    ),
  ])
  func `finds secrets`(line: String, what: String) throws {
    let ending = try folder.check(
      "local lull = require 'lull'\n\n\(line)\nreturn lull.service('https://a.example')\n")
    #expect(
      ending.output
        == "a.lua:3: \(what) is written in the file: read it from the environment, a file or a "
        + "command, for example with lull.secret{ env = \"NAME\" }\n")
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    #"local h = { Authorization = "Bearer " .. lull.secret{ env = "T" } }"#,
    #"local a = lull.auth.bearer(lull.secret{ env = "GITHUB_TOKEN" })"#,
    #"local p = { password = "string", token = { type = "string" } }"#,
    #"local token = "short""#,
    #"-- Authorization = "Bearer abc""#,
    #"local a = lull.auth.header("X-Api-Key", lull.secret{ file = "~/.key" })"#,
    #"local h = { token_url = "https://a.example/oauth/token" }"#,
  ])
  func `leaves alone what is none`(line: String) throws {
    let ending = try folder.check(
      "local lull = require 'lull'\n\(line)\nreturn lull.service('https://a.example')\n")
    #expect(ending.output == "")
    #expect(ending.code == 0)
  }

  /// Each with the line and what stands there.
  @Test(arguments: [
    (
      #"api:configure(function(c) c.headers.Authorization = "Bearer abc" end)"#,
      "header 'authorization'"
    ),
    (
      "local key = 'abc'\napi:configure(function(c) c.headers['X-Api-Key'] = key end)",
      "header 'x-api-key'"
    ),
    (
      "local key = 'abc'\napi:configure{ headers = { Authorization = 'Bearer ' .. key } }",
      "header 'authorization'"
    ),
    (
      "local key = 'abcdef'\napi:configure(function(c) c.headers.Authorization = ('X %s'):format(key) end)",
      "header 'authorization'"
    ),
    (
      "local key = 'abc'\napi:configure(function(c) c.auth = lull.auth.bearer(key) end)",
      "an 'auth'"
    ),
    (
      "local key = 'abc'\napi:configure{ mutate_requests = function(h) h.headers['X-Api-Key'] = key end }",
      "header 'x-api-key'"
    ),
    (
      "local key = 'abc'\napi:configure{ auth = lull.auth.oauth2_client_credentials{ client_id = 'x', "
        + "client_secret = key, token_url = 'https://a.example/token' } }", "'client_secret'"
    ),
    (
      "api:configure{ headers = { ['X-Session'] = 'abcd-1234' } }", "header 'x-session'"
    ),
    (
      "api:configure{ headers = { ['Access-Key'] = 'abc' } }", "header 'access-key'"
    ),
    ("calls.a = { path = '/x?api_key=sk_live_abcdefghijklmnopqrstuvwxyz' }", "an API key"),
    ("calls.a = { path = '/x?a=1&api_key=abc' }", "query parameter 'api_key'"),
    ("calls.a = { path = '/x/ghp_abcdefghijklmnopqrstuvwxyz0123456789/y' }", "a GitHub token"),
    (
      "local key = 'abc'\ncalls.a = { path = '/x?access_token=' .. key }",
      "query parameter 'access_token'"
    ),
    (
      "local key = 'abc'\ncalls.a = { path = '/x', headers = { ['X-Api-Key'] = key } }",
      "header 'x-api-key'"
    ),
    (
      "calls.a = { path = '/x', params = { api_key = { default = 'abc' } } }", "parameter 'api_key'"
    ),
    ("local base = 'https://a.example/?token=q8ZkL2mN0pRx7TvB'", "query parameter 'token'"),
  ])
  func `finds secrets that are used`(lines: String, what: String) throws {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api, calls = lull.service("https://a.example"), {}
      \(lines)
      return { service = api, calls = calls }
      """)
    let reports = ending.output.split(separator: "\n")
    #expect(reports.count == 1)
    #expect(ending.output.hasPrefix("a.lua:3: "))
    #expect(ending.output.contains(what + " is written in the file"), "\(ending.output)")
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    "api:configure(function(c) c.headers.Authorization = 'Bearer ' .. lull.secret{ env = 'T' } end)",
    "api:configure(function(c) c.headers.Authorization = 'Bearer ' .. os.getenv('NO_SUCH_TOKEN') end)",
    "api:configure(function(c) c.headers.Authorization = 'Bearer ' .. (os.getenv('HOME')) end)",
    "local key = os.getenv('HOME')\napi:configure(function(c) c.headers['X-Api-Key'] = key end)",
    "api:configure(function(c) c.auth = lull.auth.bearer(os.getenv('HOME')) end)",
    "api:configure(function(c) c.headers.Accept = 'application/json' end)",
    "calls.a = { path = '/x?api_key={api_key}', params = { api_key = 'string' } }",
    "calls.a = { path = '/x?api_key=' .. os.getenv('HOME') }",
    "calls.a = { path = '/x?key=name&page_token=first&sort_key=stargazers_count' }",
    "calls.a = { path = '/x', params = { api_key = { default = lull.secret{ env = 'K' } } } }",
    "calls.a = { path = '/x', params = { api_key = { default = os.getenv('HOME') } } }",
    "calls.a = { path = '/x', description = 'Takes ?api_key=KEY' }",
    "calls.a = { path = 'https://a.example/x' }",
    "api:configure{ auth = lull.auth.bearer(os.getenv('NO_SUCH_TOKEN') or 'none') }",
    "calls.a = { path = '/x', params = { output_format = 'string', o = 'string', f = 'string' } }",
    "calls.a = { path = '/x', params = { output = { type = 'string', option = '--form' } } }",
    "calls.a = { path = '/x', params = { pages = 'integer' } }",
  ])
  func `leaves alone what is fine`(lines: String) throws {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api, calls = lull.service("https://a.example"), {}
      \(lines)
      return { service = api, calls = calls }
      """)
    #expect(ending.output == "")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }
}
