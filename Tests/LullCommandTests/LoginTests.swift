import LullLibC
import Testing

/// `lull login`, `lull logout`, and what a login is for.
@Suite("lull login", .timeLimit(.minutes(20)))
struct LoginTests {
  private let server: LoginServer
  private let folder: TemporaryFolder

  init() throws {
    server = try LoginServer()
    folder = try TemporaryFolder()
    for name in ["shop", "other"] { try folder.write("apis/\(name).lua", file(code)) }
    try folder.write("apis/device.lua", file(device))
  }

  private var code: String {
    "oauth2_code{ authorization_url = url .. '/authorize', revocation_url = url .. '/revoke', "
  }

  private var device: String { "oauth2_device{ device_url = url .. '/device', " }

  private func file(_ way: String) -> String {
    """
    local lull = require "lull"
    local url = "\(server.url)"
    return lull.service{ base_url = url, auth = lull.auth.\(way)
      token_url = url .. "/token", client_id = "me", scope = "read" } }
    """
  }

  private var environment: [String: String] {
    [
      "XDG_STATE_HOME": folder.path + "/state", "LULL_LOG": "all", "NO_COLOR": "1", "DISPLAY": "",
      "WAYLAND_DISPLAY": "",
    ]
  }

  private var tokens: String { folder.path + "/state/lull/tokens" }

  private func start(
    _ words: String..., terminal: Bool = false, more: [String: String] = [:]
  ) throws -> Child {
    try Child(
      Binaries.lull, words, environment: environment.merging(more) { $1 }, folder: folder.path,
      terminal: terminal)
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, words, environment: environment, folder: folder.path).wait()
  }

  /// What a URL shown says to a listener, as `127.0.0.1:1234`, and the state it wants.
  private func listener(of login: Child) throws -> (host: String, state: String) {
    try login.waitForOutput("(Ctrl-C cancels).")
    func value(_ name: String) -> Substring {
      let text = login.outputText
      guard let start = text.firstRange(of: "&\(name)=")?.upperBound else { return "" }
      return text[start...].prefix { !"& \r\n".contains($0) }
    }
    let host =
      value("redirect_uri").split(separator: "/").dropFirst().first?
      .replacing("%3A", with: ":") ?? ""
    return (String(host), String(value("state")))
  }

  private func browse(_ login: Child, _ query: String = "code=c0de-77") throws -> Child.Ending {
    let (host, state) = try listener(of: login)
    return try Child(
      "curl", ["-s", "-g", "-i", "http://\(host)/callback?\(query)&state=\(state)"]
    ).wait()
  }

  private func logIn(_ name: String = "shop") throws -> Child.Ending {
    let login = try start("login", name)
    #expect(try browse(login).output.hasPrefix("HTTP/1.1 200 "))
    return try login.wait()
  }

  private func expectNothingSeen(in ending: Child.Ending) {
    let text = ending.output + ending.errors
    for secret in ["c0de-77", "access-1", "refresh-1", "dev1ce-c0de"] {
      #expect(!text.contains(secret))
    }
    let verifier = server.requests.lazy.compactMap { request in
      request.firstRange(of: "code_verifier=").map { request[$0.upperBound...].prefix(43) }
    }.first
    if let verifier { #expect(!text.contains(verifier)) }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `OAU-01 OAU-02 OAU-10 a request says what to run and does once that has been`() throws
  {
    let without = try run("get", "shop", "/me")
    #expect(without.code == 6)
    #expect(without.errors.contains("there is no login 'shop' yet; run 'lull login shop'"))
    #expect(server.requests.isEmpty)
    let login = try logIn()
    #expect(login.code == 0)
    #expect(login.output.hasSuffix("Logged in: 'shop' is stored in \(tokens)/shop.json\n"))
    #expect(mode(tokens) == 0o700)
    #expect(mode(tokens + "/shop.json") == 0o600)
    let request = try run("get", "shop", "/me", "-f", "x.user")
    #expect(request.output == "\"ann\"\n")
    server.expire()
    let renewed = try run("get", "shop", "/me", "-f", "x.user")
    #expect(renewed.output == "\"ann\"\n")
    #expect(server.requests.filter { $0.contains("grant_type=refresh_token") }.count == 1)
    for ending in [without, login, request, renewed] { expectNothingSeen(in: ending) }
    server.stop()
  }

  @Test func `OAU-02 without XDG_STATE_HOME tokens stand in the home folder`() throws {
    let home = ["XDG_STATE_HOME": "relative", "HOME": folder.path]
    let login = try start("login", "shop", more: home)
    _ = try browse(login)
    let ending = try login.wait()
    #expect(ending.output.contains("\(folder.path)/.local/state/lull/tokens/shop.json"))
    server.stop()
  }

  @Test func `OAU-06 a refusal ends it with what the server says`() throws {
    let login = try start("login", "shop")
    let page = try browse(login, "error=access_denied&error_description=%1b[31mno")
    #expect(page.output.contains("access_denied"))
    let ending = try login.wait()
    #expect(ending.code == 1)
    #expect(
      ending.errors.contains("lull: the login 'shop' failed: the server reports access_denied: "))
    #expect(mode(tokens + "/shop.json") == 0)
    server.stop()
  }

  @Test func `OAU-12 by a device it shows a code and waits`() throws {
    let login = try start("login", "device", terminal: true)
    try login.waitForOutput("Open this URL anywhere:")
    try login.waitForOutput("WDJB-MJHT")
    let ending = try login.wait()
    #expect(ending.code == 0)
    #expect(ending.output.contains("Logged in: 'device'"))
    expectNothingSeen(in: ending)
    #expect(try run("get", "device", "/me", "-f", "x.user").output == "\"ann\"\n")
    server.stop()
  }

  // MARK: At a terminal

  /// A program that notes what it is to open.
  private func browser() throws -> [String: String] {
    try folder.write(
      "bin/xdg-open", "#!/bin/sh\necho \"$1\" >>\(folder.path)/opened\n", mode: 0o755)
    return ["PATH": folder.path + "/bin:/usr/bin:/bin"]
  }

  private var opened: String {
    guard let file = fopen(folder.path + "/opened", "r") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  @Test func `OAU-19 a browser is opened where there are a terminal and a display`() throws {
    let login = try start(
      "login", "shop", terminal: true, more: try browser().merging(["DISPLAY": ":7"]) { $1 })
    try login.waitForOutput("Continue in the browser, or open this URL on this machine:")
    try login.wait(until: "a browser is opened") { opened.hasSuffix("\n") }
    #expect(opened.hasPrefix(server.url + "/authorize?response_type=code&"))
    _ = try browse(login)
    #expect(try login.wait().code == 0)
    server.stop()
  }

  @Test(
    arguments: [
      (["--no-browser"], true, ":7"), ([], true, ""), ([], false, ":7"),
    ] as [([String], Bool, String)])
  func `OAU-19 and nowhere else`(words: [String], terminal: Bool, display: String) throws {
    let login = try Child(
      Binaries.lull, ["login", "shop"] + words,
      environment: environment.merging(try browser()) { $1 }.merging(["DISPLAY": display]) { $1 },
      folder: folder.path, terminal: terminal)
    try login.waitForOutput("Open this URL on this machine:")
    _ = try browse(login)
    #expect(try login.wait().code == 0)
    #expect(opened == "")
    server.stop()
  }

  @Test func `OAU-08 Ctrl-C ends it and nothing is left`() throws {
    let login = try start("login", "shop", terminal: true)
    let (host, _) = try listener(of: login)
    login.type("\u{3}")
    let ending = try login.wait()
    #expect(ending.code == 130)
    #expect(ending.output.hasSuffix("Waiting (Ctrl-C cancels).\r\n^C"))
    #expect(Port(ofURL: host).isClosed(within: 10))
    #expect(mode(tokens + "/shop.json") == 0)
    server.stop()
  }

  // MARK: Which login

  @Test func `OAU-03 a script runs up to its first request that needs a login`() throws {
    try folder.write(
      "report.lua",
      """
      local lull = require "lull"
      local url = "\(server.url)"
      local open = lull.service(url)
      open("/open"):load():await()
      local api = lull.service{ base_url = url, auth = lull.auth.\(device)
        token_url = url .. "/token", client_id = "me" } }
      print((api("/me"):load():await() or error("none")).content.user)
      lull.write_file("done", "x")
      """)
    let without = try run("report.lua")
    #expect(without.code == 1)
    #expect(mode(folder.path + "/done") == 0)
    let login = try run("login", "report.lua")
    #expect(login.code == 0)
    #expect(login.output.contains("'report' is stored in"))
    #expect(mode(folder.path + "/done") == 0)
    #expect(!server.requests.contains("GET /me"))
    #expect(server.requests.filter { $0 == "GET /open" }.count == 2)
    let with = try run("report.lua")
    #expect(with.output == "ann\n")
    server.stop()
  }

  @Test(arguments: [
    ("reports/x.lua", "lull login reports/x.lua"), ("apis/y.lua", "lull login y"),
    ("a b.lua", "lull login 'a b.lua'"),
  ])
  func `OAU-01 the command that is told is one that works`(path: String, command: String) throws {
    let name = path == "a b.lua" ? "name = 'x', " : ""
    try folder.write(path, file(device + name))
    let without = try run(
      "-e", "print(select(2, lull.api(...).service('/me'):load():await()).cause.message)", path)
    let expected = command + (name.isEmpty ? "" : " --name x")
    #expect(without.output.hasSuffix("run '\(expected)'\n"))
    let login = try shell(
      expected + " && lull get '\(path)' /me -f x.user", environment: environment,
      folder: folder.path)
    #expect(login.output.hasSuffix("\"ann\"\n"))
    server.stop()
  }

  @Test func `OAU-03 of several logins all are fetched or the one that is named`() throws {
    try folder.write(
      "apis/two.lua",
      """
      local lull = require "lull"
      local url = "\(server.url)"
      local function login(name) return lull.auth.\(device) name = name,
        token_url = url .. "/token", client_id = "me" } end
      local api = lull.service{ base_url = url, auth = login("one") }
      api:configure("/admin/**", { auth = login("admin") })
      return api
      """)
    let wrong = try run("login", "two", "--name", "three")
    #expect(wrong.code == 1)
    #expect(wrong.errors.contains("'apis/two.lua' has no login 'three'; it has one, admin"))
    let one = try run("login", "two", "--name", "admin")
    #expect(one.code == 0)
    #expect(mode(tokens + "/admin.json") == 0o600)
    #expect(mode(tokens + "/one.json") == 0)
    #expect(try run("login", "two").code == 0)
    #expect(mode(tokens + "/one.json") == 0o600)
    server.stop()
  }

  @Test(arguments: [
    (["login"], 2, "the argument 'API' is missing"),
    (["login", "nobody"], 3, "there is no API 'nobody'"),
    (["login", "none"], 1, "'apis/none.lua' has no login: declare one with"),
    (["login", "broken"], 1, "apis/broken.lua:1: "),
    (["login", "syntax"], 3, "apis/syntax.lua:1: "),
    (["logout", "none"], 1, "'apis/none.lua' has no login: "),
    (["login", "shop", "more"], 2, "unexpected argument 'more'"),
  ])
  func `what is no login is told`(words: [String], code: Int32, problem: String) throws {
    try folder.write("apis/none.lua", "return require('lull').service('https://x.test')")
    try folder.write("apis/broken.lua", "error('no')")
    try folder.write("apis/syntax.lua", "return return")
    let ending = try Child(Binaries.lull, words, environment: environment, folder: folder.path)
      .wait()
    #expect(ending.code == code)
    #expect(ending.errors.contains(problem))
    server.stop()
  }

  // MARK: Logging out

  @Test func `OAU-15 logging out revokes the tokens and removes them`() throws {
    _ = try logIn()
    _ = try logIn("other")
    let logout = try run("logout", "shop")
    #expect(logout.code == 0)
    #expect(logout.output == "Logged out: the tokens of 'shop' were revoked and deleted\n")
    #expect(
      server.requests.last
        == "POST /revoke client_id=me&token=refresh-1&token_type_hint=refresh_token")
    expectNothingSeen(in: logout)
    #expect(mode(tokens + "/shop.json") == 0)
    #expect(mode(tokens + "/other.json") == 0o600)
    #expect(try run("get", "shop", "/me").errors.contains("run 'lull login shop'"))
    let again = try run("logout", "shop")
    #expect(again.code == 0)
    #expect(again.output == "'shop' was not logged in\n")
    server.stop()
  }

  @Test func `OAU-15 what cannot be revoked is removed and told of`() throws {
    _ = try logIn()
    server.stop()
    #expect(Port(ofURL: server.url).isClosed(within: 10))
    let logout = try run("logout", "shop")
    #expect(logout.code == 1)
    #expect(logout.errors.contains("lull: the tokens of 'shop' were deleted, but not revoked at "))
    #expect(mode(tokens + "/shop.json") == 0)
  }

  // MARK: Around it

  @Test func `OAU-16 the token endpoint is a host that has to be allowed`() throws {
    _ = try logIn()
    server.expire()
    let api = try LoginServer()
    try folder.write(
      "hosts.lua",
      """
      local lull = require "lull"
      local url = "\(server.url)"
      local api = lull.service{ base_url = "\(api.url)", auth = lull.auth.\(code) name = "shop",
        token_url = url .. "/token", client_id = "me", scope = "read" } }
      local _, err = api("/me"):load():await()
      print(err.cause.kind, err.cause.message)
      """)
    let count = server.requests.count
    let ending = try run("run", "--allow-host", "127.0.0.1:\(api.port)", "hosts.lua")
    #expect(ending.output.contains("auth_failed\tno token from \(server.url)/token: "))
    #expect(server.requests.count == count)
    api.stop()
    server.stop()
  }

  @Test func `explain and check know a login`() throws {
    let explained = try run("explain", "shop", "/me")
    #expect(explained.output.contains("Bearer ‹token of \(server.url)/token, by lull login shop›"))
    #expect(try run("check", "shop").output == "")
    try folder.write("apis/bad.lua", file("oauth2_code{ athorization_url = 'x', port = 70000, "))
    let checked = try run("check", "bad")
    #expect(checked.code == 1)
    #expect(
      checked.output.contains(
        "unknown setting 'athorization_url' (did you mean 'authorization_url'?)"))
    #expect(checked.output.contains("'port' must be a whole number from 0 to 65535, got 70000"))
    server.stop()
  }

  @Test func `help and completion have both commands`() throws {
    #expect(try run("--help").output.contains("lull login API"))
    #expect(try run("login", "--help").output.contains("--no-browser"))
    #expect(try run("--complete", "log").output.hasPrefix("login\t"))
    #expect(try run("--complete", "logout", "s").output.hasPrefix("shop\n"))
    #expect(try run("--complete", "login", "shop", "--no").output.hasPrefix("--no-browser\t"))
    server.stop()
  }
}
