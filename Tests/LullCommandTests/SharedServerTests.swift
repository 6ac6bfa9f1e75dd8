import LullLibC
import LullTesting
import Testing

/// Rate limits that hosts share by a server. Each process has a file of its own, as if it were another host.
@Suite(.timeLimit(.minutes(20)))
struct SharedServerTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Makes so many requests at once, and writes when each was sent.
  private func script(_ count: Int, _ limit: String) -> String {
    """
    io.stdout:setvbuf("line")
    local api = lull.service { base_url = "http://api.test", networking = function(http)
      print(string.format("%.6f", lull.now()))
      return { body = "" }
    end }
    api:configure { rate_limit = \(limit) }
    for i = 1, \(count) do api("/a"):get() end
    lull.run()
    """
  }

  private func start(_ code: String, _ url: String, host: Int) throws -> Child {
    try Child(
      Binaries.lull, ["-e", code],
      environment: ["XDG_STATE_HOME": "\(folder.path)/\(host)", "LULL_SHARE": url])
  }

  private func times(_ text: String) -> [Double] {
    text.split(separator: "\n").compactMap { Double($0) }
  }

  /// The most in any window of that many seconds.
  private func most(_ times: [Double], within seconds: Double) -> Int {
    let times = times.sorted()
    var most = 0
    var first = 0
    for index in times.indices {
      while times[index] - times[first] >= seconds { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }

  @Test func `SHR-30 eight hosts never send more than one may, also when some are killed`() throws {
    let redis = try Redis()
    let code = script(30, "{ requests = 20, per = 0.5, shared = true }")
    // Times stay on the server by a rule that is never reached.
    let keeper = try start(
      """
      \(script(1, "{ requests = 100000, per = 100, shared = true }"))
      """, redis.url, host: 100)
    _ = try keeper.wait()
    var children = try (0..<8).map { try start(code, redis.url, host: $0) }
    var outputs: [String] = []
    for round in 0..<4 {
      usleep(700_000)
      let killed = children.remove(at: (round * 5) % children.count)
      killed.send(SIGKILL)
      outputs.append(try killed.wait().output)
      children.append(try start(code, redis.url, host: 10 + round))
    }
    for child in children {
      let ending = try child.wait()
      #expect(ending.errors == "")
      #expect(ending.code == 0)
      #expect(times(ending.output).count == 30)
      outputs.append(ending.output)
    }
    let sent = outputs.flatMap(times)
    #expect(sent.count >= 240)
    let log = try redis.say("--scan").split(separator: "\n").first { $0.hasSuffix(":log") }
    let kept = try redis.say(
      "zrangebyscore", String(try #require(log)), "(-inf", "+inf", "withscores")
    let admissions = kept.split(separator: "\n").enumerated().filter { $0.offset % 2 == 1 }
      .compactMap { Double($0.element).map { $0 / 1e6 } }
    #expect(admissions.count >= sent.count, "each by leave of the server")
    #expect(most(admissions, within: 0.5 - 2e-6) <= 20, "by the server's time, exactly")
    // Between leave and its own clock a process may have to let others run.
    #expect(most(sent, within: 0.4) <= 20)
    let span = (sent.max() ?? 0) - (sent.min() ?? 0)
    let shortest = Double((sent.count - 1) / 20) * 0.5
    print("\(sent.count) requests in \(span) s, \(Int(100 * shortest / span)) % of what is allowed")
  }

  @Test func `SHR-31 no request fails because the server is killed, and each host says so once`()
    throws
  {
    let redis = try Redis()
    let code = script(60, "{ requests = 20, per = 0.3, shared = true }")
    let children = try (0..<3).map { try start(code, redis.url, host: $0) }
    for child in children { try child.waitForOutput("\n") }
    usleep(300_000)
    redis.kill()
    for child in children {
      let ending = try child.wait()
      #expect(ending.code == 0)
      #expect(times(ending.output).count == 60)
      #expect(ending.errors.split(separator: "\n").count == 1)
      #expect(ending.errors.contains("warning: the shared server unix://"))
    }
  }

  @Test func `SHR-100 hosts that start together send twice the limit at most without the server`()
    throws
  {
    let redis = try Redis()
    // More than they can send before the server is killed, below.
    let code = script(100, "{ requests = 50, per = 1, shared = true }")
    let children = try (0..<8).map { try start(code, redis.url, host: $0) }
    defer { for child in children { child.send(SIGKILL) } }
    for (host, child) in children.enumerated() {
      try child.wait(until: "it knows of all") { known("\(folder.path)/\(host)/lull") == "8" }
    }
    // What was sent before they knew of each other is over.
    usleep(1_200_000)
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    redis.kill()
    var sent: [Double] = []
    for child in children {
      let ending = try child.wait()
      #expect(ending.code == 0)
      sent += times(ending.output)
    }
    #expect(sent.count == 800)
    sent.removeAll { $0 < Double(end.tv_sec) }
    #expect(sent.count > 100, "they were at it when the server was killed")
    // Between leave and its own clock a process may have to let others run.
    #expect(most(sent, within: 0.9) <= 100)
  }

  /// How many hosts a machine remembers.
  private func known(_ folder: String) -> String? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix("limits.db-share-"), !name.hasSuffix("-tokens") else { continue }
      return SharedServerTests.text("\(folder)/\(name)")
    }
    return nil
  }

  private static func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, 64, file) != nil else { return nil }
    return String(
      decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func run(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> Child.Ending {
    try Child(
      Binaries.lull, arguments,
      environment: environment.merging(["XDG_STATE_HOME": folder.path]) { own, _ in own }
    ).wait()
  }

  @Test(arguments: [
    ("{}", "'url' is missing"), ("{ url = 1 }", "'url' must be a non-empty string"),
    ("{ url = '' }", "'url' must be a non-empty string"),
    ("{ url = 'redis://\\xff' }", "UTF-8"),
    ("{ url = 'http://u:geheim@h' }", "must begin with redis://"),
    ("{ url = 'redis://h', namespace = 'a b' }", "namespace: 'a b' must have only letters"),
    ("{ url = 'redis://h', namespace = '{}' }", "must have only letters"),
    ("{ url = 'redis://:geheim@h', password = 'geheim' }", "the url has one too"),
    ("{ url = 'redis://h', password = {} }", "'password' must be a secret or a string, got table"),
    ("{ url = 'redis://h', pasword = 'geheim' }", "did you mean"),
    ("nil", "table expected"),
    ("{ url = 'redis://h', ca_file = 1 }", "'ca_file' must be a non-empty string"),
  ])
  func `SHR-32 settings that make no sense are refused in one line, which shows no password`(
    _ options: String, _ message: String
  ) throws {
    let ending = try run([
      "-e", "local ok, problem = pcall(lull.share, \(options)) print(ok, problem)",
    ])
    #expect(ending.output.hasPrefix("false"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains(message), "\(ending.output)")
    #expect(!ending.output.contains("geheim"))
    #expect(ending.output.split(separator: "\n").count == 1)
  }

  @Test func `SHR-32 in the sandbox there is no sharing, and nobody waits for what is not there`()
    throws
  {
    let refused = try run(["run", "--sandbox", "-e", "lull.share { url = 'redis://127.0.0.1' }"])
    #expect(refused.code == 1)
    #expect(refused.errors.contains("lull.share is not available in the sandbox"))
    let url = "unix:///nowhere/redis.sock"
    let code = "lull.share { url = '\(url)' } lull.share { url = '\(url)', namespace = 'b' }\n"
    let ending = try run([
      "-e", code + script(3, "{ requests = 20, per = 0.3, shared = true }"),
    ])
    #expect(ending.code == 0)
    #expect(times(ending.output).count == 3)
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(ending.errors.contains("each machine counts separately, and may use the whole limit"))
  }

  @Test func `SHR-32 a variable that names no server is told of, and nothing else happens`() throws
  {
    let code = script(3, "{ requests = 20, per = 0.3, shared = true }")
    let ending = try run(["-e", code], ["LULL_SHARE": "ftp://u:geheim@host"])
    #expect(ending.code == 0)
    #expect(times(ending.output).count == 3)
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(ending.errors.contains("LULL_SHARE: url: "))
    #expect(!ending.errors.contains("geheim"))
    let silent = try run(["-e", "print(1)"], ["LULL_SHARE": "ftp://host"])
    #expect(silent.errors == "", "nothing is shared")
  }

  @Test func `SHR-40 a script's server must be allowed, by its host and port or its socket`() throws
  {
    let redis = try Redis()
    func code(_ url: String) -> String {
      "lull.share { url = '\(url)' }\n" + script(1, "{ requests = 1, per = 1, shared = true }")
    }
    let plain = "redis://127.0.0.1:\(redis.port)"
    for (hosts, url, isAllowed) in [
      ("127.0.0.1", plain, true), ("127.0.0.1:\(redis.port)", plain, true),
      ("127.0.0.1:6380", plain, false), ("example.com", plain, false),
      ("unix:\(redis.socket)", redis.url, true), ("127.0.0.1", redis.url, false),
    ] {
      let ending = try run(["run", "--allow-host", hosts, "-e", code(url)])
      #expect((ending.code == 0) == isAllowed, "\(hosts) \(url): \(ending.errors)")
      if !isAllowed { #expect(ending.errors.contains("is not allowed (--allow-host)")) }
    }
    #expect(try redis.say("--scan").contains(":log"))
  }

  @Test func `SHR-41 the server is shown, and its password is not`() throws {
    let redis = try Redis(["--requirepass", "geheim"])
    let url = redis.url.replacing("unix://", with: "unix://:geheim@")
    let code = script(1, "{ requests = 1, per = 1, shared = true }") + " lull.sleep(0.2)"
    #expect(try run(["-e", code], ["LULL_SHARE": url]).errors == "")
    let text = try run(["share", "info"], ["LULL_SHARE": url])
    #expect(text.code == 0)
    for part in [
      "url        unix:///", "state      can be used", "server     \(Redis.shownName) ",
      "latency    ",
      "hosts      1", "namespace  lull", "listeners  0 processes",
    ] { #expect(text.output.contains(part), "\(part): \(text.output)") }
    let json = try run(["share", "info", url, "-o", "json", "--namespace", "other"])
    #expect(json.output.contains("\"patience\": "))
    #expect(json.output.contains("\"usable\": true"))
    #expect(json.output.contains("\"hosts\": 0"))
    let wrong = try run(["share", "info", redis.url.replacing("unix://", with: "unix://:falsch@")])
    #expect(wrong.code == 1)
    #expect(wrong.output.contains("cannot be used: it does not accept the user and password"))
    for ending in [text, json, wrong] {
      #expect(!(ending.output + ending.errors).contains("geheim"))
      #expect(!(ending.output + ending.errors).contains("falsch"))
    }
    #expect(try run(["share", "info", "unix:///nowhere"]).code == 1)
    for (arguments, message) in [
      ([], "no server is named: give its URL, or set LULL_SHARE"),
      (["inf"], "there is no 'lull share inf' (did you mean 'info'?)"),
      (["info", "http://u:geheim@host"], "must begin with redis://"),
      (["redis://u:geheim@host"], "there is no 'lull share redis://host'"),
      (["info", "redis://h", "--namespace", ""], "namespace: "),
    ] {
      let ending = try run(["share"] + arguments)
      #expect(ending.code == 2)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(!ending.errors.contains("geheim"))
    }
  }

  @Test func `SHR-42 what goes to another machine unencrypted is told of`() throws {
    // Nothing is asked of it: no limit is used.
    for (url, isTold) in [
      ("redis://192.0.2.1", true), ("rediss://192.0.2.1", false), ("redis://localhost", false),
      ("unix:///x", false),
    ] {
      let ending = try run(["-e", "lull.share { url = '\(url)' }"])
      #expect(ending.code == 0)
      #expect(ending.errors.contains("are sent unencrypted") == isTold, "\(ending.errors)")
    }
  }

  @Test func `SHR-43 what the server counts is shown beside what this machine does`() throws {
    let redis = try Redis()
    let server = ["LULL_SHARE": redis.url]
    _ = try run(["-e", script(3, "{ requests = 5, per = 600, shared = 'token' }")], server)
    _ = try run(["-e", script(2, "{ requests = 4, per = 600, shared = 'local' }")])
    let text = try run(["limits"], server)
    #expect(text.code == 0)
    #expect(
      text.output
        == "token  on \(redis.url)\n  3 of 5 in 600 s, open\nlocal\n  2 of 4 in 600 s, open\n")
    let json = try run(["limits", "-o", "json"], server)
    #expect(json.output.contains("\"shared_by\": \"\(redis.url)\""))
    redis.kill()
    usleep(100_000)
    let alone = try run(["limits"], server)
    #expect(alone.code == 1)
    #expect(alone.output == "local\n  2 of 4 in 600 s, open\n")
    #expect(alone.errors.contains("the shared server \(redis.url) cannot be used"))
  }
}
