import LullLibC
import LullTesting
import Testing

/// A limit of 5 requests per second against servers whose connections take long, counted by the log of the
/// server.
@Suite(.timeLimit(.minutes(20)))
struct LimitArrivalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// For the server.
    var server: [String] = ["--handshake", "0.5"]
    var limit = ""
    var settings = ""
    /// What each of the fifteen requests is, by its number `i`.
    var request = #"api("/a/" .. i):load()"#
    var arrivals = 15

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "slow handshakes"),
    Case(name: "slow handshakes, a limit of the machine", limit: ", shared = true"),
    Case(name: "slow handshakes, a limit by name", limit: #", shared = "token""#),
    Case(
      name: "a slow proxy", server: ["--proxy", "0.5"],
      settings: #"proxy = "http://127.0.0.1:" .. lull.env("PROXY"),"#),
    Case(
      name: "slow uploads", server: ["--read", "0.5"],
      request: #"api("/a/" .. i):post{ text = body }"#),
    Case(name: "redirects", request: #"api("/redirect/" .. i):load()"#, arrivals: 30),
    Case(
      name: "redirects, a limit of the machine", limit: ", shared = true",
      request: #"api("/redirect/" .. i):load()"#, arrivals: 30),
    Case(
      name: "retries", settings: "retry = { times = 2, on = { 503 }, backoff = { base = 0.01 } },",
      request: #"api("/flaky/" .. i):load()"#, arrivals: 30),
    Case(
      name: "repeats with credentials", settings: #"auth = lull.auth.digest("me", "secret"),"#,
      request: #"api("/auth/" .. i):load()"#),
    Case(name: "kept connections that end", request: #"api("/drop/" .. i):load()"#, arrivals: 16),
    Case(
      name: "strict, and requests that arrive late", server: ["--arrive", "0.5", "--plain"],
      limit: ", strict = true"),
    Case(
      name: "strict, and a limit of the machine", server: ["--arrive", "0.5", "--plain"],
      limit: ", strict = true, shared = true"),
    Case(
      name: "strict, and failures", server: ["--arrive", "0.5", "--plain"],
      limit: ", strict = true", request: #"api("/refuse/" .. i):load()"#),
  ]

  @Test(arguments: cases)
  func
    `LIM-85 LIM-86 LIM-87 the server never gets more than the limit, however slow connections are`(
      _ item: Case
    ) throws
  {
    try check(item, [:])
  }

  @Test func `LIM-85 SHR-16 the same holds for a limit that hosts share`() throws {
    let redis = try Redis()
    for limit in [#", shared = "token""#, #", shared = "token", strict = true"#] {
      try check(Case(name: "a limit of hosts", limit: limit), ["LULL_SHARE": redis.url])
    }
  }

  private func check(_ item: Case, _ environment: [String: String]) throws {
    let folder = try TemporaryFolder()
    let server = try Child(
      "python3", ["-B", Binaries.tests + "/Limits/arrivals.py", folder.path] + item.server)
    defer { server.send(SIGKILL) }
    try server.wait(until: "it listens") { access("\(folder.path)/port", F_OK) == 0 }
    let scheme = item.server.contains("--plain") ? "http" : "https"
    var environment = environment
    environment["XDG_STATE_HOME"] = folder.path
    environment["URL"] = "\(scheme)://127.0.0.1:\(try read("\(folder.path)/port"))"
    if item.server.contains("--proxy") {
      environment["PROXY"] = try read("\(folder.path)/proxy-port")
    }
    let code = """
      local body = ("x"):rep(16 << 20)
      local api = lull.service { base_url = lull.env("URL"), insecure = true, timeout = 30, \(item.settings)
        rate_limit = { requests = 5, per = 1\(item.limit) } }
      local list = {}
      for i = 1, 15 do list[i] = i end
      lull.map(list, function(i) return (\(item.request):await()) end, { concurrency = 5 })
      os.exit(0)
      """
    let ending = try Child(Binaries.lull, ["-e", code], environment: environment).wait()
    // It may say that the certificate of the server is not verified.
    #expect(ending.code == 0, "\(ending.errors)")
    let times = try read("\(folder.path)/arrivals").split(separator: "\n").compactMap {
      $0.split(separator: " ").first.flatMap { Double($0) }
    }
    #expect(times.count >= item.arrivals)
    // The server's thread may note an arrival late: windows are shorter by that.
    #expect(most(times, within: 0.7) <= 5, "\(times)")
  }

  private func read(_ path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  private func most(_ times: [Double], within seconds: Double) -> Int {
    let times = times.sorted()
    return times.map { time in times.filter { $0 >= time && $0 < time + seconds }.count }.max() ?? 0
  }
}
