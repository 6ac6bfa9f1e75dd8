import Testing

/// A credential is what the server gets, and nobody else.
@Suite("Credentials", .timeLimit(.minutes(20)))
struct CredentialTests {
  private static let token = "tok-4f1c/9e+d2=7b"
  /// As it is, in a URL or form, and as part of `ann:…` in base64.
  private static let forms = [
    token, "tok-4f1c%2F9e%2Bd2%3D7b", "tok-4f1c/9e%2Bd2%3D7b", #"tok-4f1c\/9e+d2=7b"#, "tok-4f1c",
    "dG9rLTRmMWMvOWUrZDI9N2I", "YW5uOnRvay00ZjFjLzllK2QyPTdi",
  ]

  private let sample: SampleAPI
  private let folder: TemporaryFolder

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local token = lull.secret{ env = "TOKEN" }
      local api = lull.service{ base_url = "\(sample.url)", auth = lull.auth.bearer(token),
        headers = { ["X-Key"] = "key " .. token }, retry = { times = 1, backoff = { base = 0.01 } },
        pipeline = { parsing = { cache = lull.cache.file() } } }
      api:configure("/users/2", { auth = lull.auth.basic("ann", token) })
      return api
      """)
  }

  private var environment: [String: String] {
    [
      "TOKEN": Self.token, "LULL_LOG": "all", "XDG_CACHE_HOME": folder.path, "LULL_TRACE": "1",
      "NO_COLOR": "1",
    ]
  }

  private func expectNothingSeen(in text: String, _ place: String) {
    for form in Self.forms {
      #expect(!text.contains(form), "\(place) shows \(form)")
    }
  }

  /// What the server has got since the last look.
  private func received() throws -> String {
    try Child("curl", ["--silent", sample.url + "/received"]).wait().output
  }

  @Test func `are not seen in anything a script writes`() throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require "lull"
        local api = lull.api("shop").service
        local token = lull.secret{ env = "TOKEN" }
        print(token, token .. "!", string.format("%s", token), lull.json.encode{ t = token })
        print(lull.inspect{ token, nested = { [token] = token } })
        local user = api("/users/1")
        print(lull.inspect(api:configuration_for(user)), user:explain(), lull.inspect(user))
        api:configure("/echo", function(config)
          config:mutate_requests(function(http)
            print(lull.inspect(http), http.headers.authorization, http.headers["x-key"], http.body)
          end)
        end)
        assert(user:load():await())
        assert(api("/users/2"):load():await())
        local found = api("/status/503"):with_param("key", token)
        local _, err = found:load():await()
        print(found, found.url, err, lull.inspect(err), err.url, lull.inspect(err.attempts))
        assert(api("/echo"):post{ json = { t = token } }:await())
        assert(api("/echo"):with_param("q", token):post{ form = { t = token } }:await())
        print(select(2, lull.service("http://127.0.0.1:1")("/x"):with_param("k", token):load():await()))
        lull.spawn(function() error("with " .. token) end)
        user:observe(function() error(token) end)
        user:load():await()
        error{ token = token }
        """, environment: environment, folder: folder.path)
    #expect(ending.code == 1)
    #expect(ending.output.contains("‹secret TOKEN›"))
    // What the last line raises: all of it has run.
    #expect(ending.errors.contains("value: { token = ‹secret TOKEN› }"), "\(ending.errors)")
    expectNothingSeen(in: ending.output, "standard output")
    expectNothingSeen(in: ending.errors, "standard error")
    #expect(try received().contains(Self.token), "the server has not got it")
    let kept = try shell("cat lull/* | tr -c '[:print:]' '[\\n*]'", folder: folder.path).output
    #expect(kept.contains("/users/1"), "nothing was kept on disk")
    expectNothingSeen(in: kept, "the cache's file")
  }

  @Test(arguments: [
    ["get", "shop", "/users/1", "-v", "-i"], ["get", "shop", "/users/2", "--curl"],
    ["get", "shop", "/users/2", "--dry-run"], ["explain", "shop", "/users/2"],
    ["get", "shop", "/status/404", "-v"], ["check", "apis/shop.lua"],
    ["get", "shop", "http://127.0.0.1:1/x"],
  ])
  func `are not seen in anything the shell shows`(words: [String]) throws {
    let ending = try Child(
      Binaries.lull, words, environment: environment, folder: folder.path, input: .nothing
    ).wait()
    expectNothingSeen(in: ending.output, "standard output")
    expectNothingSeen(in: ending.errors, "standard error")
    #expect(!(ending.output + ending.errors).isEmpty || words[0] == "check")
  }

  @Test func `are not seen at the prompt`() throws {
    let ending = try lull(
      "repl",
      input: """
        token = lull.secret{ env = "TOKEN" }
        token
        { token, "x" .. token }
        api = lull.api("shop").service
        api("/users/1"):load():await()
        api:configuration_for("/users/1")
        .resources
        error(token)
        """, environment: environment, folder: folder.path)
    for part in [
      "\n‹secret TOKEN›\n", "{ ‹secret TOKEN›, x‹secret TOKEN› }", "Ada Lovelace",
      "Bearer ‹secret TOKEN›", "/users/1  data",
    ] {
      #expect("\n\(ending.output)".contains(part), "\(part) is missing: \(ending.output)")
    }
    #expect(ending.errors.contains("lull: ‹secret TOKEN›\n  at stdin:8\n"), "\(ending.errors)")
    expectNothingSeen(in: ending.output, "standard output")
    expectNothingSeen(in: ending.errors, "standard error")
  }
}
