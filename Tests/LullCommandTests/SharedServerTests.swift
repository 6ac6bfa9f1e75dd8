import LullLibC
import LullTesting
import Testing

/// Rate limits that hosts share by a server. Each process has a file of its own, as if it were another host.
@Suite(.timeLimit(.minutes(10)))
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
    let kept = try redis.say("zrange", String(try #require(log)), "0", "-1", "withscores")
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
}
