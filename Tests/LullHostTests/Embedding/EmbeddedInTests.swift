import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Runtimes inside `Lull.test`, by what is public alone.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedInTests {
  /// As a program of somebody else's writes it, to be tested.
  actor Plugins {
    private let home: any ServiceHome
    private let lua: Lua
    private let api: Service
    nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

    init(home: any ServiceHome) throws {
      self.home = home
      lua = try Lua(on: home, limits: .init(seconds: 5))
      api = Service(baseURL: "https://api.test", on: home, networking: nil)
    }

    isolated deinit {}

    func run(_ text: String) async throws -> Int {
      try lua.set("api", api)
      try lua.set("later") { (n: Int) async throws -> Int in
        await Task.yield()
        return n + 1
      }
      return try await lua.run(text)
    }

    var isClosed: Bool { lua.isClosed }
  }

  @Test func `EMB-29 a runtime uses the network of the test, for services that its code makes too`()
    throws
  {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("5"))
      let lua = try Lua(test)
      try lua.set("api", test.service())
      let sum: Int = try await lua.run(
        """
        local own = lull.service("https://api.test")
        return assert(api("/a"):load():await()).content + assert(own("/a"):load():await()).content
        """)
      #expect(sum == 10)
      #expect(test.network.requests.count == 2)
    }
  }

  @Test(arguments: ["/a", "/b"])
  func `AWT-13 a circle through transformers of Swift's and of Lua's is told`(first: String) throws
  {
    try Lull.test(patience: 1) { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      test.network.stub("GET", "https://api.test/b", .text("rice"))
      let (lua, api) = (try Lua(test), test.service())
      try lua.set("api", api)
      try await lua.run(
        """
        api:transform("/b", function(text) return text .. assert(api("/a"):load():await()).content end)
        """)
      api.configureTransformer("/a") { [unowned api] (text: String, _) async throws -> String in
        try await text + api.resource("/b").fresh(String.self)
      }
      let response = await api.resource(first).load().completed()
      #expect(response.error?.userMessage.contains("for itself") == true, "\(response)")
    }
  }

  @Test func `AWT-12 a function of Lua's that a transformer calls is told`() throws {
    try Lull.test(patience: 1) { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      let (lua, api) = (try Lua(test), test.service())
      try lua.set("api", api)
      let wait: Lua.Function = try await lua.run(
        "return function() return assert(api('/a').load_requests[1]:await()).text end")
      api.configureTransformer("/a") { (_: String, _) async throws -> String in try await wait() }
      let response = await api.resource("/a").load().completed()
      let cause = response.error.map { String(describing: $0.cause) } ?? ""
      #expect(cause.contains("would wait for itself"), "\(response), \(cause)")
    }
  }

  @Test func `EMB-29 its code waits by the clock of the test`() throws {
    try Lull.test { test in
      let lua = try Lua(test)
      var steps: [Int] = []
      try lua.set("step") { (n: Int) in steps.append(n) }
      let end = test.spawn { () -> Double in
        try await lua.run(
          "local t = lull.now() step(1) lull.sleep(60) step(2) lull.sleep(60) return lull.now() - t"
        )
      }
      await test.settle()
      #expect(steps == [1])
      await test.advance(by: 60)
      #expect(steps == [1, 2])
      await test.advance(by: 60)
      #expect(try await end.value == 120)
    }
  }

  @Test
  func `TEST-22 TEST-24 EMB-29 code that never rests holds up neither the clock nor the test`()
    throws
  {
    try Lull.test { test in
      let lua = try Lua(test)
      try lua.runNow("lull.spawn(function() while true do lull.sleep(0) end end)")
      await test.advance(by: 5)
      #expect(test.clock.uptime == 1005)
    }
    let error = #expect(throws: TestIsStuck.self) {
      try Lull.test(patience: 0.1) { test in
        let lua = try Lua(test)
        try lua.set("later") { () async in await Task.yield() }
        try lua.runNow("lull.spawn(function() while true do later() end end)")
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
      }
    }
    #expect(
      error?.description.contains("only tasks outside its body are running") == true,
      "\(error as Any)")
  }

  @Test func `EMB-29 asynchronous closures run on it, and settling waits for them`() throws {
    try Lull.test { test in
      let lua = try Lua(test)
      try lua.set("later") { (n: Int) async throws -> Int in
        for _ in 0..<5 { await Task.yield() }
        return n + 1
      }
      let end = test.spawn { () -> Int in try await lua.run("return later(1) + later(2)") }
      await test.settle()
      #expect(try await end.value == 5)
    }
  }

  @Test func `EMB-29 an actor that takes any home keeps one, in a test and on a home`() async throws
  {
    let text = "return later(assert(api('/a'):load():await()).content)"
    try await Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("5"))
      let plugins = try Plugins(home: test)
      #expect(try await plugins.run(text) == 6)
    }
    let home = try Home.start()
    do {
      let plugins = try Plugins(home: home)
      #expect(try await plugins.run("lull.sleep(0.001) return later(1)") == 2)
    }
    await home.shutdown()
  }

  @Test func `EMB-15 EMB-29 the end of the test closes it, and tells who waits`() async throws {
    let (plugins, waiting) = try await Lull.test { test in
      let plugins = try Plugins(home: test)
      // One that is not the test's own, which would be cancelled.
      let waiting = Task {
        _ = test
        return try await plugins.run("lull.sleep(60) return 1")
      }
      await test.settle()
      #expect(test.clock.activeTimerCount > 0, "it waits")
      return (plugins, waiting)
    }
    let error = await #expect(throws: LuaError.self) { try await waiting.value }
    #expect(error?.kind == .closed)
    let late = await #expect(throws: LuaError.self) { try await plugins.run("return 1") }
    #expect(late?.kind == .closed)
    #expect(await plugins.isClosed)
  }

  @Test func `EMB-29 code that waits for what nobody brings about is a test that is stuck`() {
    let error = #expect(throws: TestIsStuck.self) {
      try Lull.test(patience: 0.05) { test in
        let lua = try Lua(test)
        _ = try await lua.run("lull.sleep(60)")
      }
    }
    #expect(error?.description.contains("60") == true, "\(String(describing: error))")
  }
}
