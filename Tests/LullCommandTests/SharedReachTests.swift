import LullLibC
import LullTestSupport
import Testing

/// How a program gets to the server that it shares by, and what may not.
@Suite(.timeLimit(.minutes(20)))
struct SharedReachTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> Child.Ending {
    let own = ["XDG_STATE_HOME": folder.path, "XDG_CACHE_HOME": folder.path]
    return try Child(
      Binaries.lull, arguments, environment: environment.merging(own) { given, _ in given }
    ).wait()
  }

  /// Makes so many requests by a limit of 5 in ten minutes.
  private func script(_ count: Int, _ before: String = "") -> String {
    """
    \(before)
    local api = lull.service { base_url = "http://api.test", networking = function()
      return { body = "" }
    end }
    api:configure { rate_limit = { requests = 5, per = 600, shared = "token" } }
    for i = 1, \(count) do assert(api("/a"):get():await()) end
    """
  }

  private static let tokens = """
    local api = lull.service { base_url = "http://api.test", networking = function(http)
      local json = { ["Content-Type"] = "application/json" }
      if http.method == "POST" then
        return { headers = json, body = '{"access_token":"t","token_type":"bearer","expires_in":60}' }
      end
      return { headers = json, body = "{}" }
    end }
    api:configure { auth = lull.auth.oauth2_client_credentials {
      token_url = "http://api.test/token", client_id = "me", client_secret = "geheim",
    } }
    assert(api("/a"):get():await())
    """

  @Test func `SHR-50 in the sandbox nothing gets to the server that the environment names`() throws
  {
    let redis = try Redis()
    let server = ["LULL_SHARE": redis.url]
    let refused = try run(
      ["run", "--sandbox", "--allow-host", "unix:\(redis.socket)", "-e", SharedReachTests.tokens],
      server)
    #expect((refused.code, refused.errors) == (0, ""))
    #expect(try redis.say("--scan").trimmed == "")
    let free = try run(["-e", SharedReachTests.tokens], server)
    #expect((free.code, free.errors) == (0, ""))
    #expect(try redis.say("--scan").contains(":token:"))
  }

  @Test func `SHR-43 limits of a server are shown by its URL and namespace`() throws {
    let redis = try Redis()
    let code = script(3, "lull.share { url = '\(redis.url)', namespace = 'team-a' }")
    #expect(try run(["-e", code]).errors == "")
    let shown = "token  on \(redis.url)\n  3 of 5 in 600 s, open\n"
    let given = try run(["limits", redis.url, "--namespace", "team-a"])
    #expect((given.code, given.output, given.errors) == (0, shown, ""))
    let named = try run(["limits", "--namespace", "team-a"], ["LULL_SHARE": redis.url])
    #expect((named.code, named.output) == (0, shown))
    #expect(try run(["limits", redis.url]).output == "no limit is in use\n")
    for (arguments, message) in [
      (["--namespace", "a"], "--namespace needs a server"),
      (["redis://h", "--namespace", "a b"], "namespace: 'a b' must have only letters"),
      (["http://u:geheim@h"], "must begin with redis://"),
      (["redis://h", "--ca-file", "/nowhere"], "--ca-file: cannot read '/nowhere'"),
    ] {
      let ending = try run(["limits"] + arguments)
      #expect(ending.code == 2)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(!ending.errors.contains("geheim"))
    }
  }

  @Test func `SHR-21 a password that is a secret is what the server is told`() throws {
    let redis = try Redis(["--requirepass", "geheim"])
    func code(_ password: String) -> String {
      script(2, "lull.share { url = '\(redis.url)', password = \(password) }")
    }
    _ = try folder.write("password", "geheim\n", mode: 0o600)
    for password in [
      "lull.secret { env = 'PASSWORD' }", "lull.secret { file = '\(folder.path)/password' }",
    ] {
      let ending = try run(["-e", code(password)], ["PASSWORD": "geheim"])
      #expect((ending.code, ending.errors) == (0, ""))
    }
    let url = redis.url.replacing("unix://", with: "unix://:geheim@")
    #expect(try run(["limits", url]).output.contains("4 of 5 in 600 s"))
    // One that is not there is told of, and nobody fails.
    let missing = try run(["-e", code("lull.secret { env = 'NO_PASSWORD' }")])
    #expect(missing.code == 0)
    #expect(missing.errors.split(separator: "\n").count == 1)
    #expect(missing.errors.contains("NO_PASSWORD"))
  }

  @Test(.enabled(if: Redis.hasTLS))
  func `SHR-39 SHR-41 a server is looked at by TLS with the certificates that are named`() throws {
    let nginx = try Nginx()
    let port = try #require(RawSocket.freePorts(1).first)
    let redis = try Redis([
      "--tls-port", "\(port)", "--tls-cert-file", nginx.file("server.pem"), "--tls-key-file",
      nginx.file("server.key"), "--tls-auth-clients", "no",
    ])
    let url = "rediss://localhost:\(port)"
    let authority = nginx.file("ca.pem")
    let code = script(2, "lull.share { url = '\(url)', ca_file = '\(authority)' }")
    #expect(try run(["-e", code]).errors == "")
    let limits = try run(["limits", url, "--ca-file", authority])
    #expect(limits.output.contains("2 of 5"), "\(limits.errors)")
    let info = try run(["share", "info", url, "--ca-file", authority])
    #expect(info.code == 0)
    #expect(info.output.contains("can be used"))
    let untrusted = try run(["share", "info", url])
    #expect(untrusted.code == 1)
    #expect(untrusted.output.contains("certificate"))
    withExtendedLifetime(redis) {}
  }

  @Test func `SHR-51 a proxy that the environment names is asked for a way to the server`() throws {
    let redis = try Redis()
    let proxy = try Child("python3", ["-u", "-c", SharedReachTests.proxy])
    try proxy.waitForOutput("\n")
    let port = try #require(UInt16(proxy.outputText.trimmed))
    let url = "redis://localhost:\(redis.port)"
    let ending = try run(
      ["-e", script(2, "lull.share { url = '\(url)' }")],
      ["http_proxy": "http://127.0.0.1:\(port)", "no_proxy": ""])
    #expect((ending.code, ending.errors) == (0, ""))
    try proxy.waitForOutput("CONNECT localhost:\(redis.port) HTTP/1.1")
    proxy.send(SIGKILL)
    #expect(try run(["limits", url]).output.contains("2 of 5"))
  }

  private static let proxy = """
    import socket, threading
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1])
    def pass_on(one, other):
        while data := one.recv(65536):
            other.sendall(data)
    while True:
        client, _ = server.accept()
        head = b""
        while not head.endswith(b"\\r\\n\\r\\n"):
            head += client.recv(1)
        print(head.split(b"\\r\\n")[0].decode())
        host, port = head.split()[1].decode().rsplit(":", 1)
        inner = socket.create_connection(("127.0.0.1", int(port)))
        client.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
        threading.Thread(target=pass_on, args=(client, inner), daemon=True).start()
        threading.Thread(target=pass_on, args=(inner, client), daemon=True).start()
    """

  @Test func `SHR-52 a user who may do no more than is documented may share`() throws {
    let redis = try Redis()
    let rights = [
      "~lull:*", "&lull:*", "+@connection", "+evalsha", "+eval", "+time", "+hset", "+hmget",
      "+hget",
      "+hgetall", "+hdel", "+hlen", "+hincrby", "+zadd", "+zrem", "+zcard", "+zcount", "+zscore",
      "+zrangebyscore", "+zremrangebyscore", "+expire", "+pexpire", "+del",
    ]
    let made = try Child(
      "redis-cli", ["-s", redis.socket, "acl", "setuser", "lull", "on", ">geheim"] + rights
    ).wait()
    #expect(made.output.trimmed == "OK")
    let url = redis.url.replacing("unix://", with: "unix://lull:geheim@")
    let server = ["LULL_SHARE": url]
    let limited = try run(["-e", script(3)], server)
    #expect((limited.code, limited.errors) == (0, ""))
    let ending = try run(["-e", SharedReachTests.tokens], server)
    #expect((ending.code, ending.errors) == (0, ""))
    #expect(try redis.say("--scan").contains(":token:"))
    // Caches and news take more.
    _ = try redis.say(
      "acl", "setuser", "lull", "+@read", "+@write", "+@scripting", "+publish", "+subscribe")
    let cached = """
      local api = lull.service { base_url = "http://api.test", networking = function()
        return { headers = { ["Content-Type"] = "application/json" }, body = "{}" }
      end }
      api:configure { pipeline = { parsing = { cache = lull.cache.shared() } } }
      api("/a"):observe(function() end)
      assert(api("/a"):load():await())
      lull.sleep(0.3)
      """
    let kept = try run(["-e", cached], server)
    #expect((kept.code, kept.errors) == (0, ""))
    #expect(try redis.say("--scan").contains(":e:"))
    _ = try redis.say("acl", "setuser", "lull", "+info", "+scan", "+pubsub")
    for arguments in [["share", "info", url], ["limits", url]] {
      #expect(try run(arguments).code == 0)
    }
    #expect(try redis.say("acl", "log").trimmed == "")
  }

  @Test func `SHR-53 nothing is loaded for sharing by those who do not`() throws {
    let redis = try Redis()
    let maps = """
      local maps = assert(io.open("/proc/self/maps")):read("a")
      print(maps:find("libhiredis", 1, true) ~= nil)
      """
    for (code, isLoaded) in [
      ("", false), (script(1).replacing("shared = \"token\"", with: "shared = false"), false),
      (script(1), false), (script(1, "lull.share { url = '\(redis.url)' }"), true),
    ] {
      let ending = try run(["-e", code + "\n" + maps])
      #expect((ending.output, ending.errors) == ("\(isLoaded)\n", ""))
    }
    let alone = try run(["-e", maps.replacing("libhiredis", with: "libcurl")])
    #expect(alone.output == "false\n")
  }

  @Test func `LIM-53 the file of limits is its user's alone, and no cache to be cleared`() throws {
    #expect(try run(["-e", script(2)]).errors == "")
    let path = folder.path + "/lull/limits.db"
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let cached = """
      local api = lull.service { base_url = "http://api.test", networking = function()
        return { headers = { ["Content-Type"] = "application/json" }, body = "{}" }
      end }
      api:configure { pipeline = { parsing = { cache = lull.cache.file() } } }
      assert(api("/a"):load():await())
      """
    #expect(try run(["-e", cached]).errors == "")
    #expect(try run(["cache", "clear"]).code == 0)
    #expect(try run(["limits"]).output == "token\n  2 of 5 in 600 s, open\n")
  }
}

extension String {
  fileprivate var trimmed: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
