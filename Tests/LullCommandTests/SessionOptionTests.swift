import Testing

/// What is kept between requests under a name.
@Suite("--session", .timeLimit(.minutes(20)))
struct SessionOptionTests {
  private let state: TemporaryFolder

  init() throws { state = try TemporaryFolder() }

  private func run(_ words: String...) throws -> Child.Ending { try run(words) }

  private func run(_ words: [String]) throws -> Child.Ending {
    try Child(Binaries.lull, words, environment: ["XDG_STATE_HOME": state.path]).wait()
  }

  private func files() throws -> String {
    try shell("find lull -type f -name '*.json' -printf '%m %P\\n' | sort", folder: state.path)
      .output
  }

  private func server(_ headers: String...) throws -> HeldServer {
    let head = ["HTTP/1.1 200 OK", "Content-Length: 0"] + headers + ["Connection: close", "", ""]
    return try HeldServer([[Array(head.joined(separator: "\r\n").utf8)]])
  }

  private func cookies(_ request: String) -> String {
    let line = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("cookie:") }
    return line.map { String($0.dropFirst(8)) } ?? ""
  }

  @Test func `SES-01 cookies are kept and sent again, where and as long as the server wants`()
    throws
  {
    let server = try server(
      "Set-Cookie: a=1", "Set-Cookie: deep=2; Path=/deep",
      "Set-Cookie: old=4; Max-Age=0", "Set-Cookie: raw=\u{FC}; Path=/")
    defer { server.stop() }
    #expect(try run("get", server.url, "--session", "x").code == 0)
    #expect(try run("get", server.url, "--session", "x").code == 0)
    #expect(try run("get", "\(server.url)/deep", "--session", "x").code == 0)
    #expect(try run("get", server.url, "--session", "y").code == 0)
    #expect(try run("get", server.url).code == 0)
    #expect(
      server.requests.map(cookies) == ["", "raw=\u{FC}; a=1", "deep=2; raw=\u{FC}; a=1", "", ""])
    let port = server.port
    #expect(
      try files() == """
        600 sessions/http_127.0.0.1_\(port)/x.json
        600 sessions/http_127.0.0.1_\(port)/y.json

        """)
  }

  @Test func `SES-01 a cookie that is Secure is not taken of plain HTTP`() throws {
    let proxy = try server("Set-Cookie: a=1", "Set-Cookie: safe=3; Secure")
    defer { proxy.stop() }
    for _ in 0..<2 {
      let ending = try run("get", "http://a.invalid/", "--proxy", proxy.url, "--session", "x")
      #expect(ending.code == 0)
    }
    #expect(proxy.requests.map(cookies) == ["", "a=1"])
  }

  @Test func `SES-02 who asks is kept, and headers that are credentials`() throws {
    let server = try server()
    defer { server.stop() }
    #expect(
      try run("get", server.url, "--session", "x", "-a", "ann:pw", "X-Api-Key:k", "X-Tag:t").code
        == 0)
    #expect(try run("get", server.url, "--session", "x").code == 0)
    #expect(
      try run("get", server.url, "--session", "x", "-A", "bearer", "-a", "t", "X-Api-Key:other")
        .code == 0)
    #expect(try run("get", server.url, "--session", "x").code == 0)
    #expect(
      try run("get", server.url, "--session", "x", "Authorization:mine", "X-Api-Key:").code == 0)
    #expect(try run("get", server.url, "--session", "x").code == 0)
    let sent = server.requests.map { request in
      request.split(separator: "\r\n").map { $0.lowercased() }.filter {
        $0.hasPrefix("authorization") || $0.hasPrefix("x-")
      }.sorted()
    }
    let basic = "authorization: basic yw5uonb3"
    #expect(
      sent == [
        [basic, "x-api-key: k", "x-tag: t"], [basic, "x-api-key: k"],
        ["authorization: bearer t", "x-api-key: other"],
        ["authorization: bearer t", "x-api-key: other"],
        ["authorization: mine"], ["authorization: mine"],
      ])
  }

  @Test func `SES-02 who asks may be in the URL`() throws {
    let server = try server()
    defer { server.stop() }
    let named = server.url.replacing("http://", with: "http://ann:p%40@")
    for url in [named, server.url] {
      #expect(try run("get", url, "--session", "x").code == 0)
    }
    #expect(
      server.requests.allSatisfy { $0.lowercased().contains("authorization: basic yw5uonba") })
    #expect(server.requests.count == 2)
  }

  @Test func `SES-03 what listens at a socket is another server`() throws {
    let server = try server()
    defer { server.stop() }
    let words = ["get", server.url, "--session", "x"]
    // Nobody listens there; what is typed is kept all the same.
    #expect(try run(words + ["--unix-socket", state.path + "/none", "-a", "a:b"]).code == 6)
    #expect(try run(words).code == 0)
    #expect(server.requests.count == 1)
    #expect(!server.requests.joined().lowercased().contains("authorization"))
  }

  @Test func `SES-03 nothing of it goes to another origin, by no redirect either`() throws {
    let other = try server("Set-Cookie: b=2")
    defer { other.stop() }
    let first = try HeldServer([
      [
        HeldServer.head(
          "302 Found", "Location: \(other.url)/there", "Set-Cookie: a=1", "Content-Length: 0")
      ]
    ])
    defer { first.stop() }
    for _ in 0..<2 {
      #expect(try run("get", first.url, "--session", "x", "-a", "ann:pw", "X-Api-Key:k").code == 0)
    }
    #expect(try run("get", other.url, "--session", "x").code == 0)
    #expect(first.requests.map(cookies) == ["", "a=1"])
    for request in other.requests {
      #expect(cookies(request) == "")
      #expect(!request.lowercased().contains("authorization"))
      #expect(!request.lowercased().contains("x-api-key"))
    }
    #expect(other.requests.count == 3)
  }

  @Test func `SES-04 one process at a time has it, unless it only reads`() throws {
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: 0", "Set-Cookie: a=1")]], released: 0)
    defer { server.stop() }
    let environment = ["XDG_STATE_HOME": state.path]
    let first = try Child(
      Binaries.lull, ["get", server.url, "--session", "x"], environment: environment)
    try first.wait(until: "it has asked") { server.requests.count == 1 }
    let second = try Child(
      Binaries.lull, ["get", server.url, "--session", "x"], environment: environment)
    let reader = try Child(
      Binaries.lull, ["get", server.url, "--session-read-only", "x"], environment: environment)
    try reader.wait(until: "it has asked too") { server.requests.count == 2 }
    server.release(2)
    #expect(try first.wait().code == 0)
    #expect(try reader.wait().code == 0)
    try second.wait(until: "it asks") { server.requests.count == 3 }
    server.release()
    #expect(try second.wait().code == 0)
    #expect(server.requests.map(cookies) == ["", "", "a=1"])
  }

  @Test func `SES-04 a wait for another process ends with a signal`() throws {
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]], released: 0)
    defer { server.stop() }
    let environment = ["XDG_STATE_HOME": state.path]
    let first = try Child(
      Binaries.lull, ["get", server.url, "--session", "x"], environment: environment)
    try first.wait(until: "it has asked") { server.requests.count == 1 }
    let second = try shell(
      """
      XDG_STATE_HOME='\(state.path)' timeout -s INT 3 lull get \(server.url) --session x; echo $?
      """)
    #expect(second.errors.contains("waiting for another process that uses the session 'x'"))
    #expect(server.requests.count == 1)
    first.send(2)
    #expect(try first.wait().code == 130)
  }

  @Test func `SES-05 to read is not to write, and neither is to show`() throws {
    let server = try server("Set-Cookie: a=1")
    defer { server.stop() }
    #expect(try run("get", server.url, "--session-read-only", "x", "-a", "ann:pw").code == 0)
    for option in ["--curl", "--dry-run"] {
      #expect(try run("get", server.url, "--session", "x", option, "-a", "ann:pw").code == 0)
    }
    #expect(try files() == "")
    #expect(
      try run("get", server.url, "--session", "x", "-a", "ann:hunter2", "X-Api-Key:hunter3").code
        == 0)
    let before = try shell("cat lull/sessions/*/x.json", folder: state.path).output
    #expect(try run("get", server.url, "--session-read-only", "x").code == 0)
    for option in ["--curl", "--dry-run", "-v"] {
      let ending = try run("get", server.url, "--session-read-only", "x", option)
      #expect(!(ending.output + ending.errors).contains("hunter"), "\(ending)")
    }
    #expect(
      try run("get", server.url, "--session", "x", "--curl").errors
        == "lull: curl does not get the cookies of the session\n")
    #expect(try shell("cat lull/sessions/*/x.json", folder: state.path).output == before)
  }

  @Test(arguments: [
    (["--session", ""], "--session needs a name of letters, digits, '.', '_' and '-', got ''"),
    (["--session", ".."], "--session needs a name of letters"),
    (["--session", "a/b"], "--session needs a name of letters"),
    (["--session", "ü"], "--session needs a name of letters"),
    (
      ["--session", "a", "--session-read-only", "a"],
      "--session cannot be combined with --session-read-only"
    ),
    (["--session", "a", "--session", "b"], "'--session' is given twice"),
  ])
  func `SES-06 other names are refused`(words: [String], problem: String) throws {
    let ending = try Child(
      Binaries.lull, ["get", "http://127.0.0.1:1"] + words,
      environment: ["XDG_STATE_HOME": state.path]
    ).wait()
    #expect(ending.errors.contains(problem))
    #expect(ending.code == 2)
    #expect(try shell("ls -A", folder: state.path).output == "")
  }

  @Test func `SES-07 a file that others may read, or that is none of ours, is left alone`() throws {
    let server = try server("Set-Cookie: a=1")
    defer { server.stop() }
    #expect(try run("get", server.url, "--session", "x").code == 0)
    let file = "lull/sessions/http_127.0.0.1_\(server.port)/x.json"
    try state.write(file, "nonsense", mode: 0o600)
    let damaged = try run("get", server.url, "--session", "x")
    #expect(damaged.errors.contains("is not JSON; delete it to start again"))
    #expect(damaged.code == 1)
    try state.write(file, "{\"lull_session\":1,\"origin\":\"http://a.example\"}", mode: 0o600)
    let foreign = try run("get", server.url, "--session", "x")
    #expect(foreign.errors.contains("belongs to http://a.example, not to \(server.url)"))
    try state.write(file, "{}", mode: 0o644)
    let open = try run("get", server.url, "--session", "x")
    #expect(
      open.errors.contains("can be read by other users, and is not used: run chmod 600 on it"))
    #expect(server.requests.count == 1)
    let nowhere = try lull("get", server.url, "--session", "x")
    #expect(nowhere.errors.contains("cannot be written"))
    #expect(nowhere.code == 1)
  }

  @Test func `SES-01 calls of an API have sessions too`() throws {
    let server = try server("Set-Cookie: a=1")
    defer { server.stop() }
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("\(server.url)"),
        calls = { things = { path = "/things" } } }
      """)
    for words in [["call", "shop", "things"], ["get", "shop", "/x"]] {
      let ending = try Child(
        Binaries.lull, words + ["--session", "x"], environment: ["XDG_STATE_HOME": state.path],
        folder: folder.path
      ).wait()
      #expect(ending.code == 0, "\(ending.errors)")
    }
    #expect(server.requests.map(cookies) == ["", "a=1"])
  }
}
