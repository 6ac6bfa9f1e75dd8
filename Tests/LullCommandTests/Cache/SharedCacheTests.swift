import LullLibC
import LullTesting
import Testing

/// Entities that hosts share by a server. Each process has a file of its own, as if it were another host.
@Suite(.timeLimit(.minutes(20)))
struct SharedCacheTests {
  private let folder: TemporaryFolder
  private let redis: Redis

  init() throws {
    folder = try TemporaryFolder()
    redis = try Redis()
  }

  /// Prints the number that a resource has, loaded if it needs to be.
  private func script(_ url: String, host: Int, _ options: String = "") -> String {
    """
    local api = lull.service { base_url = "\(url)" }
    api:configure {
      headers = { ["User-Agent"] = "host-\(host)" }, expiration_time = 60,
      pipeline = { parsing = { cache = lull.cache.shared { \(options) } } },
    }
    local resource = api("/a")
    local request = resource:load_if_needed()
    if request then assert(request:await()) end
    print(resource.latest_data.content.n)
    """
  }

  private func start(_ code: String, host: Int, _ words: [String] = []) throws -> Child {
    try Child(
      Binaries.lull, words + ["-e", code],
      environment: [
        "XDG_STATE_HOME": "\(folder.path)/\(host)", "XDG_CACHE_HOME": "\(folder.path)/\(host)",
        "LULL_SHARE": redis.url,
      ])
  }

  private static let answer = [
    HeldServer.head("200 OK", "Content-Type: application/json") + Array("{\"n\":7}".utf8)
  ]

  @Test func `SCA-20 of eight processes one asks, and all have the answer`() throws {
    let server = try HeldServer([SharedCacheTests.answer], released: 0)
    defer { server.stop() }
    let children = try (0..<8).map {
      try start(script(server.url, host: $0, "secret = 'geheim'"), host: $0)
    }
    try children[0].wait(until: "somebody asks") { !server.requests.isEmpty }
    usleep(1_500_000)
    #expect(server.requests.count == 1)
    server.releaseAll()
    for child in children {
      let ending = try child.wait()
      #expect(ending.errors == "")
      #expect(ending.output == "7\n")
    }
    #expect(server.requests.count == 1)
    let later = try start(script(server.url, host: 9, "secret = 'geheim'"), host: 9).wait()
    #expect(later.output == "7\n")
    #expect(server.requests.count == 1)
  }

  @Test func `SCA-23 when who asks is killed another one does`() throws {
    let server = try HeldServer([SharedCacheTests.answer], released: 0)
    defer { server.stop() }
    var children = try (0..<6).map { ($0, try start(script(server.url, host: $0), host: $0)) }
    for round in 1...2 {
      try children[0].1.wait(until: "somebody asks") { server.requests.count == round }
      // The others have begun to wait by then.
      usleep(1_000_000)
      let head = try #require(server.requests.last)
      let index = try #require(
        children.firstIndex { host, _ in head.contains("host-\(host)\r\n") })
      let (_, killed) = children.remove(at: index)
      killed.send(SIGKILL)
      _ = try killed.wait()
    }
    try children[0].1.wait(until: "somebody asks") { server.requests.count == 3 }
    usleep(500_000)
    server.releaseAll()
    for (_, child) in children { #expect(try child.wait().output == "7\n") }
    #expect(server.requests.count == 3)
  }

  @Test func `SCA-25 when the server is killed everybody asks, and none fails`() throws {
    let server = try HeldServer([SharedCacheTests.answer], released: 0)
    defer { server.stop() }
    let children = try (0..<4).map { try start(script(server.url, host: $0), host: $0) }
    try children[0].wait(until: "somebody asks") { !server.requests.isEmpty }
    usleep(1_000_000)
    redis.kill()
    try children[0].wait(until: "all ask") { server.requests.count == 4 }
    server.releaseAll()
    for child in children {
      let ending = try child.wait()
      #expect(ending.output == "7\n")
      #expect(ending.errors.split(separator: "\n").count == 1)
      #expect(ending.errors.contains("this machine stores its entities in a file"))
    }
  }

  @Test func `SCA-01 a program that ends at once has told the server what it has loaded`() throws {
    let body = "{\"n\":7,\"x\":\"" + String(repeating: "x", count: 1_000_000) + "\"}"
    let server = try HeldServer([
      [HeldServer.head("200 OK", "Content-Type: application/json") + Array(body.utf8)]
    ])
    defer { server.stop() }
    for host in 0..<3 {
      let ending = try start(script(server.url, host: host, "secret = 'geheim'"), host: host).wait()
      #expect(ending.output == "7\n")
      #expect(ending.errors == "")
    }
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    ("{ version = -1 }", "'version' must be a whole number"),
    ("{ max_size = 65536 }", "'max_size' must be a number of bytes, 1048576 or more"),
    ("{ secret = '' }", "'secret' must be a non-empty string"),
    ("{ secret = {} }", "'secret' must be a secret or a string, got table"),
    (
      "{ secret = lull.secret { command = { 'pass' } } }",
      "must be available when the cache is made"
    ),
    ("{ secret = lull.secret { env = 'NOT_THERE' } }", "must be available when the cache is made"),
    ("{ secrets = 'geheim' }", "did you mean 'secret'?"), ("1", "table expected"),
  ])
  func `SCA-14 options that make no sense are refused in one line`(options: String, message: String)
    throws
  {
    let ending = try start(
      "local ok, problem = pcall(lull.cache.shared, \(options)) print(ok, problem)", host: 0
    ).wait()
    #expect(ending.output.hasPrefix("false"))
    #expect(ending.output.contains(message), "\(ending.output)")
    #expect(!ending.output.contains("geheim"))
  }

  @Test func `SCA-14 it is not available in the sandbox`() throws {
    let refused = try start("lull.cache.shared()", host: 0, ["run", "--sandbox"]).wait()
    #expect(refused.code == 1)
    #expect(refused.errors.contains("lull.cache.shared is not available in the sandbox"))
  }

  @Test func `SHR-40 a script's server must be allowed for its cache too`() throws {
    let server = try HeldServer([SharedCacheTests.answer])
    defer { server.stop() }
    for (allowed, isAllowed) in [("127.0.0.1", true), ("127.0.0.1:\(server.port)", false)] {
      let code =
        "lull.share { url = 'redis://127.0.0.1:\(redis.port)' }\n" + script(server.url, host: 0)
      let ending = try start(code, host: 0, ["run", "--allow-host", allowed]).wait()
      #expect((ending.code == 0) == isAllowed, "\(ending.errors)")
    }
  }

  @Test func `SHR-41 what caches have on the server is shown`() throws {
    let server = try HeldServer([SharedCacheTests.answer])
    defer { server.stop() }
    let empty = try Child(Binaries.lull, ["share", "info", redis.url]).wait()
    #expect(empty.output.contains("entities   none\n"), "\(empty.output)")
    _ = try start(script(server.url, host: 0), host: 0).wait()
    let text = try Child(Binaries.lull, ["share", "info", redis.url]).wait()
    #expect(text.output.contains("entities   1, "), "\(text.output)")
    let json = try Child(Binaries.lull, ["share", "info", redis.url, "-o", "json"]).wait()
    #expect(json.output.contains("\"entities\": 1,"))
    #expect(json.output.contains("\"entity_bytes\": "))
  }
}
