import LullLibC
import LullTesting
import Testing

/// Scripts that hear of what others have loaded, by a cache on a server. Each has folders of its own, as if it were
/// on another host.
@Suite(.timeLimit(.minutes(20)))
struct SharedUpdatesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A service whose answers are counted, with a cache on the server.
  private let api = """
    io.stdout:setvbuf("line")
    local count = 0
    local api = lull.service { base_url = "http://api.test", networking = function(http)
      count = count + 1
      return { headers = { ["Content-Type"] = "application/json" }, body = ('{"count":%d}'):format(count) }
    end }
    api:configure { pipeline = { parsing = { cache = lull.cache.shared() } } }

    """

  private func start(
    _ code: String, _ redis: Redis, host: Int, input: Child.Input = .nothing
  ) throws -> Child {
    try Child(
      Binaries.lull, ["-e", api + code],
      environment: [
        "XDG_STATE_HOME": "\(folder.path)/\(host)", "XDG_CACHE_HOME": "\(folder.path)/\(host)",
        "LULL_SHARE": redis.url,
      ], input: input)
  }

  /// Until so many processes listen.
  private func wait(for count: Int, _ redis: Redis, _ child: Child) throws {
    try child.wait(until: "\(count) listen") {
      let said = (try? redis.say("pubsub", "numsub", "lull:{lull}:news")) ?? ""
      return said.split(separator: "\n").last == "\(count)"
    }
  }

  @Test func `NEWS-01 NEWS-30 a script that observes hears of what another has loaded`() throws {
    let redis = try Redis()
    let listener = try start(
      """
      local done
      api("/a"):observe(function(resource, event, source)
        print(event, source or "", resource.content and resource.content.count or "")
        if source == "shared" and resource.content.count == 2 then done = true end
      end)
      lull.wait_until(function() return done end, { every = 0.01, timeout = 60 })
      print("requests", count)
      """, redis, host: 1)
    try wait(for: 1, redis, listener)
    let info = try Child(Binaries.lull, ["share", "info", redis.url]).wait()
    #expect(info.output.contains("listeners  1 process\n"))
    do {
      let other = try start(
        """
        for _ = 1, 2 do
          print(api("/a"):load():await().content.count)
          lull.sleep(0.3)
        end
        """, redis, host: 2)
      #expect(try other.wait().output == "1\n2\n")
    }
    let ending = try listener.wait()
    #expect(ending.errors == "")
    #expect(
      ending.output
        == "observer_added\t\t\nnew_data\tshared\t1\nnew_data\tshared\t2\nrequests\t0\n")
  }

  @Test func `NEWS-13 a watch gives what another has loaded, and does not poll`() throws {
    let redis = try Redis()
    let listener = try start(
      """
      for content in api("/a"):watch { every = 1000 } do
        print(content.count, count)
        if content.count == 5 then break end
      end
      """, redis, host: 1)
    try listener.waitForOutput("1\t1\n")
    try wait(for: 1, redis, listener)
    let other = try start(
      "for i = 1, 5 do api('/a'):load():await() lull.sleep(0.2) end", redis, host: 2)
    #expect(try other.wait().code == 0)
    let ending = try listener.wait()
    #expect(ending.errors == "")
    #expect(ending.output.hasSuffix("5\t1\n"), "\(ending.output)")
  }

  @Test func `NEWS-38 a script that listens ends when it has nothing else to do`() throws {
    let redis = try Redis()
    let ending = try start(
      """
      local resource = api("/a")
      resource:observe(function() end)
      resource:load():await()
      lull.sleep(0.2)
      print("over")
      """, redis, host: 1
    ).wait()
    #expect(ending.output == "over\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    // One that ends at once.
    let short = try start("api('/a'):observe(function() end)", redis, host: 2).wait()
    #expect(short.code == 0)
    #expect(short.errors == "")
  }

  @Test func `NEWS-34 without the server a script goes on with what it has, after one warning`()
    throws
  {
    let redis = try Redis()
    let listener = try start(
      """
      local resource = api("/a")
      resource:observe(function(_, event, source)
        if event == "new_data" then print(source, resource.content.count) end
      end)
      resource:load():await()
      io.read()
      resource:load():await()
      lull.sleep(0.5)
      resource:load():await()
      """, redis, host: 1, input: .held)
    try listener.waitForOutput("network\t1\n")
    try wait(for: 1, redis, listener)
    redis.kill()
    listener.type("\n")
    let ending = try listener.wait()
    #expect(ending.output == "network\t1\nnetwork\t2\nnetwork\t3\n")
    #expect(ending.code == 0)
    #expect(ending.errors.split(separator: "\n").count <= 1, "\(ending.errors)")
  }
}
