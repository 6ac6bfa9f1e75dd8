import LullLibC
import LullTesting
import Testing

/// Rate limits that processes share.
@Suite(.timeLimit(.minutes(20)))
struct SharedLimitTests {
  private let folder: TemporaryFolder
  private var environment: [String: String] { ["XDG_STATE_HOME": folder.path] }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Makes so many requests at once, and writes when each was sent.
  private func script(_ count: Int, _ limit: String, path: String = "/a") -> String {
    """
    io.stdout:setvbuf("line")
    local api = lull.service { base_url = "http://api.test", networking = function(http)
      print(string.format("%.6f", lull.now()))
      return { body = "" }
    end }
    api:configure { rate_limit = \(limit) }
    for i = 1, \(count) do api("\(path)"):get() end
    lull.run()
    """
  }

  private func start(_ code: String) throws -> Child {
    try Child(Binaries.lull, ["-e", code], environment: environment)
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

  @Test func `LIM-31 eight processes never send more than one may, also when some are killed`()
    throws
  {
    let code = script(30, "{ requests = 20, per = 0.5, shared = true }")
    var children = try (0..<8).map { _ in try start(code) }
    var outputs: [String] = []
    for round in 0..<4 {
      usleep(700_000)
      let killed = children.remove(at: (round * 5) % children.count)
      killed.send(SIGKILL)
      outputs.append(try killed.wait().output)
      children.append(try start(code))
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
    // Between the note that it sends and the time that it writes, a process may have to let others run: in
    // windows shorter by that there are never more, and by the log there are none (LIM-02).
    #expect(most(sent, within: 0.4) <= 20)
    let span = (sent.max() ?? 0) - (sent.min() ?? 0)
    let shortest = Double((sent.count - 1) / 20) * 0.5
    print("\(sent.count) requests in \(span) s, \(Int(100 * shortest / span)) % of what is allowed")
  }

  @Test func `LIM-32 what a killed process was about to send is given back`() throws {
    // Credentials that never come: the request is let through and not sent.
    let asked = "\(folder.path)/asked"
    let waiting = try start(
      """
      io.stdout:setvbuf("line")
      local api = lull.service { base_url = "http://api.test", networking = function(http)
        io.open("\(asked)", "w"):close()
        lull.sleep(100)
      end }
      api:configure {
        rate_limit = { requests = 1, per = 3600, shared = "token" },
        auth = lull.auth.oauth2_client_credentials {
          token_url = "http://api.test/token", client_id = "a", client_secret = "b",
        },
      }
      api("/a"):get()
      lull.run()
      """)
    try waiting.wait(until: "it asks for credentials") { access(asked, F_OK) == 0 }
    let next = try start(script(1, "{ requests = 1, per = 3600, shared = \"token\" }"))
    usleep(700_000)
    #expect(!next.hasEnded, "the place is taken")
    waiting.send(SIGKILL)
    _ = try waiting.wait()
    let ending = try next.wait()
    #expect(times(ending.output).count == 1)
    #expect(ending.errors == "")
  }

  @Test func `LIM-33 a process that comes later finds what those before it have sent`() throws {
    let code = script(2, "{ requests = 3, per = 3600, shared = true }")
    #expect(times(try start(code).wait().output).count == 2)
    let second = try start(code)
    try second.waitForOutput("\n")
    usleep(300_000)
    second.send(SIGTERM)
    #expect(times(try second.wait().output).count == 1)
  }

  @Test
  func `LIM-84 processes that start one after another beyond the span never wait for each other`()
    throws
  {
    let code = script(5, "{ requests = 5, per = 0.5, shared = true }")
    for _ in 0..<3 {
      let ending = try start(code).wait()
      #expect(times(ending.output).count == 5)
      #expect(ending.errors == "")
      usleep(700_000)
    }
  }

  @Test
  func `LIM-34 other patterns and other credentials count apart, other names of a base do not`()
    throws
  {
    let code = """
      io.stdout:setvbuf("line")
      local function send(base, pattern, limit, headers)
        local api = lull.service { base_url = base, networking = function() print(base) return { body = "" } end }
        api:configure(pattern, { rate_limit = limit, headers = headers })
        api("/a"):get()
      end
      local limit = { requests = 1, per = 3600, shared = true }
      send("http://one.test", "/**", limit)
      send("http://one.test/", "/**", limit)
      send("http://one.test", "/*", limit)
      send("http://two.test", "/**", limit)
      send("http://one.test", "/**", limit, { ["X-Token"] = "somebody" })
      lull.sleep(0.3)
      os.exit(0)
      """
    let ending = try start(code).wait()
    #expect(
      ending.output == "http://one.test\nhttp://one.test\nhttp://two.test\nhttp://one.test\n")
  }

  @Test
  func
    `LIM-35 without a place for the file, the limit holds within the process, and a line says so`()
    throws
  {
    let code = script(1, "{ requests = 1, per = 3600, shared = true }")
    let ending = try Child(
      Binaries.lull, ["-e", code], environment: ["XDG_STATE_HOME": "/dev/null/none"]
    ).wait()
    #expect(times(ending.output).count == 1)
    #expect(ending.code == 0)
    #expect(
      ending.errors.contains(
        "lull: warning: limits are shared only within this process: cannot create"))
  }

  @Test func `LIM-36 a file that makes no sense is set aside, with a line that says so`() throws {
    let code = script(1, "{ requests = 1, per = 3600, shared = true }")
    _ = try start(code).wait()
    // What SQLite has not put into the file yet is beside it.
    unlink("\(folder.path)/lull/limits.db-wal")
    try folder.write(
      "lull/limits.db", "this is no database, but long enough to be taken for one", mode: 0o600)
    let ending = try start(code).wait()
    #expect(ending.errors.contains("lull/limits.db' cannot be read"))
    #expect(times(ending.output).count == 1)
  }

  @Test func `LIM-37 in the sandbox there are none`() throws {
    let ending = try Child(
      Binaries.lull,
      [
        "--sandbox", "-e",
        "lull.service('http://api.test'):configure{ rate_limit = { requests = 1, per = 1, shared = true } }",
      ],
      environment: environment
    ).wait()
    #expect(ending.code != 0)
    #expect(
      ending.errors.contains("a rate limit that processes share is not available in the sandbox"))
  }

  // MARK: lull limits

  private func limits(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["limits"] + words, environment: environment).wait()
  }

  @Test func `LIM-38 lull limits says what is used of each, who waits, and when it opens`() throws {
    _ = try start(script(2, "{ requests = 3, per = 3600, shared = true }")).wait()
    var ending = try limits()
    #expect(ending.output.hasPrefix("http://api.test\n  2 of 3 in 3600 s, open\n"))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    let waiting = try start(script(2, "{ requests = 3, per = 3600, shared = true }"))
    try waiting.wait(until: "one waits") {
      (try? limits().output.contains("  waiting: 1\n")) ?? false
    }
    ending = try limits()
    #expect(ending.output.contains("  3 of 3 in 3600 s, opens in 3"))
    waiting.send(SIGKILL)
    _ = try waiting.wait()
    #expect(!(try limits().output.contains("waiting")), "it is no more")
    let json = try limits("-o", "json").output
    #expect(json.contains("\"used\": 3"))
    #expect(json.contains("\"name\": \"http://api.test\""))
  }

  @Test func `LIM-39 where there is no limit it says so, and makes no file`() throws {
    let ending = try limits()
    #expect(ending.output == "no limit is in use\n")
    #expect(ending.code == 0)
    #expect(access("\(folder.path)/lull", F_OK) != 0)
    #expect(try limits("-o", "json").output == "[]\n")
    #expect(try limits("-o", "yaml").code == 2)
    #expect(try limits("more").code == 2)
    let other = try limits("--path", "/dev/null/none/limits.db")
    #expect(other.code == 0, "there is none")
  }

  @Test func `LIM-40 it tells what the server has said`() throws {
    let code = """
      local api = lull.service { base_url = "http://api.test", networking = function()
        return { headers = { ["X-RateLimit-Remaining"] = "7", ["X-RateLimit-Reset"] = "600" }, body = "" }
      end }
      api:configure { rate_limit = { requests = 100, per = 3600, shared = "token", learn = true } }
      assert(api("/a"):get():await())
      """
    #expect(try start(code).wait().errors == "")
    #expect(
      try limits().output.contains(
        "token\n  1 of 100 in 3600 s, open\n  the server: 7 left, reset in 600 s\n"))
  }

  @Test func `LIM-44 what is no file of limits is left as it is`() throws {
    try folder.write("notes.txt", "notes")
    let ending = try limits("--path", "\(folder.path)/notes.txt")
    #expect(ending.code == 1)
    #expect(ending.errors == "lull: '\(folder.path)/notes.txt' is not a limits file\n")
    #expect(access("\(folder.path)/notes.txt", F_OK) == 0)
    #expect(access("\(folder.path)/notes.txt-lock", F_OK) != 0)
  }

  @Test func `LIM-45 a process that is stopped while it waits holds nobody up`() throws {
    let limit = "{ requests = 1, per = 1, shared = true }"
    let waiting = try start(script(30, limit))
    try waiting.waitForOutput("\n")
    try waiting.wait(until: "it waits") {
      (try? limits().output.contains("  waiting: 1\n")) ?? false
    }
    waiting.send(SIGSTOP)
    let next = try start(script(2, limit)).wait()
    #expect(times(next.output).count == 2)
    #expect(next.errors.replacing(/lull: still waiting.*\n/, with: "") == "")
    waiting.send(SIGKILL)
    _ = try waiting.wait()
  }
}
