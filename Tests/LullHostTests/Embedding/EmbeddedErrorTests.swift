import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Errors, limits, access and the end of embedded runtimes.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedErrorTests {
  @Test func `EMB-11 an error has its kind, its place and its traceback`() throws {
    try Embedding.run { lua, stubs in
      let syntax = await Embedding.error { try await lua.run("\nreturn (", name: "s") }
      #expect(syntax?.kind == .syntax && syntax?.place?.description == "s:2")
      let runtime = await Embedding.error {
        try await lua.run(
          """
          local function inner() error("boom") end
          function outer() inner() end
          outer()
          """, name: "s")
      }
      #expect(runtime?.kind == .runtime && runtime?.message == "s:1: boom")
      #expect(runtime?.place?.line == 1 && runtime?.place?.file == "s")
      #expect(runtime?.traceback.contains("s:2: in function 'outer'") == true)
      #expect("\(try #require(runtime))" == "s:1: boom")
      let table = await Embedding.error { try await lua.run("error({ code = 7, why = 'x' })") }
      #expect(table?.value?["code"]?.int == 7 && table?.requestError == nil)
      try lua.set("api", stubs.api)
      let request = await Embedding.error {
        try await lua.run("error(select(2, api('/gone'):load():await()))")
      }
      #expect(request?.requestError?.httpStatusCode == 404)
      let nested = await Embedding.error {
        try await lua.run("lull.spawn(function() error('inner') end):await()", name: "s")
      }
      #expect(nested?.traceback.contains("awaited by:") == true)
    }
  }

  @Test func `EMB-12 a stretch that takes too long fails, and the next one begins anew`() throws {
    try Embedding.run(limits: .init(instructions: 100_000)) { lua, _ in
      let error = await Embedding.error {
        try await lua.run("while true do pcall(function() while true do end end) end", name: "s")
      }
      #expect(error?.kind == .instructionLimit)
      #expect(error?.message == "s:1: Lua code ran more than 100000 instructions without a pause")
      let fine: Int = try await lua.run("local n = 0 for i = 1, 1000 do n = n + 1 end return n")
      #expect(fine == 1000)
      // Waiting begins a new stretch.
      let many: Int = try await lua.run(
        """
        local n = 0
        for i = 1, 10 do for j = 1, 10000 do n = n + 1 end lull.sleep(0) end
        return n
        """)
      #expect(many == 100_000)
    }
    try Embedding.run(limits: .init(seconds: 0.05)) { lua, _ in
      let error = Embedding.errorNow { try lua.runNow("while true do end", name: "s") }
      #expect(error?.kind == .timeLimit)
      #expect(error?.message == "s:1: Lua code ran for more than 0.05 s without a pause")
      let two: Int = try lua.runNow("return 2")
      #expect(two == 2)
    }
  }

  @Test func `EMB-13 a runtime that needs too much memory fails, and is of use again without it`()
    throws
  {
    try Embedding.run(limits: .init(memory: 8 << 20)) { lua, _ in
      let error = await Embedding.error {
        try await lua.run("local t = {} for i = 1, math.huge do t[i] = ('x'):rep(1000) .. i end")
      }
      #expect(error?.kind == .memoryLimit)
      let two: Int = try await lua.run("return 2")
      #expect(two == 2)
      let kept = await Embedding.error {
        try await lua.run("kept = {} for i = 1, math.huge do kept[i] = ('x'):rep(1000) .. i end")
      }
      #expect(kept?.kind == .memoryLimit)
    }
  }

  @Test func `EMB-12 limits that limit nothing are refused`() throws {
    try Lull.run { home in
      for limits in [
        Lua.Limits(memory: 0), .init(instructions: -1), .init(seconds: .nan), .init(seconds: 0),
      ] {
        #expect(Embedding.errorNow { _ = try Lua(home, limits: limits) }?.kind == .misuse)
      }
    }
  }

  @Test func `EMB-14 the sandbox has no files and no processes, full access has no os.exit`() throws
  {
    try Embedding.run { lua, _ in
      let missing: [Bool] = try lua.runNow(
        "return { not pcall(load, 'return io.open'), not pcall(function() return io.open end), not pcall(function() return os.execute('x') end) }"
      )
      #expect(missing == [false, true, true])
      let refused = Embedding.errorNow { try lua.runNow("lull.read_file('/etc/passwd')") }
      #expect(refused?.message.contains("not available in the sandbox") == true)
    }
    try Embedding.run(access: .full) { lua, _ in
      let has: Bool = try lua.runNow("return io ~= nil and os.getenv('PATH') ~= nil")
      #expect(has)
      let exit = Embedding.errorNow { try lua.runNow("os.exit(3)", name: "s") }
      #expect(
        exit?.message
          == "s:1: os.exit is not available in an embedded script: return instead")
    }
  }

  @Test func `EMB-15 closing cancels what runs, and everything afterwards says that it is closed`()
    throws
  {
    try Lull.run { home in
      let lua = try Lua(home)
      let stubs = Embedding.Stubs(home)
      stubs.provider.holdsAnswers = true
      try lua.set("api", stubs.api)
      let function: Lua.Function = try lua.runNow("return function() end")
      let table = try lua.makeTable()
      let task = home.spawn {
        try await lua.run("api('/a'):load():await()")
        return
      }
      while stubs.provider.heldCount == 0 { await Task.yield() }
      let own = stubs.api.resource("/b").load()
      lua.close()
      lua.close()
      #expect(lua.isClosed)
      #expect(await Embedding.error { try await task.value }?.kind == .closed)
      #expect(await Embedding.error { try await lua.run("return 1") }?.kind == .closed)
      #expect(await Embedding.error { try await function() }?.kind == .closed)
      #expect(Embedding.errorNow { try table.set(1, 2) }?.kind == .closed)
      #expect(Embedding.errorNow { try lua.set("f") { 1 } }?.kind == .closed)
      // What Swift has begun goes on.
      #expect(!own.isCompleted)
      #expect(stubs.provider.cancelledCount == 1)
    }
  }

  @Test func `EMB-15 a runtime that closes inside its own call ends when that has returned`() throws
  {
    try Embedding.run { lua, _ in
      try lua.set("stop") { lua.close() }
      let value: Int = try lua.runNow("stop() return 5")
      #expect(value == 5)
      #expect(Embedding.errorNow { try lua.runNow("return 1") }?.kind == .closed)
    }
  }

  @Test func `EMB-15 the last reference, and the end of the home, close it`() throws {
    var kept: (Lua, Lua.Function)?
    try Lull.run { home in
      var function: Lua.Function?
      do {
        let lua = try Lua(home)
        function = try lua.runNow("return function() return 1 end") as Lua.Function
      }
      try await Task.sleep(for: .milliseconds(1))
      #expect(await Embedding.error { try await function?() }?.kind == .closed)
    }
    kept = try Lull.run { home in
      let lua = try Lua(home)
      return (lua, try lua.runNow("return function() return 1 end") as Lua.Function)
    }
    #expect(kept?.0.isClosed == true)
    #expect(Embedding.errorNow { try kept?.1.callNow() }?.kind == .closed)
    kept = nil
  }

  @Test
  func
    `EMB-17 a service outlives the runtime that has configured it, and sends nothing without that`()
    throws
  {
    try Lull.run { home in
      let stubs = Embedding.Stubs(home)
      do {
        let lua = try Lua(home)
        try lua.set("api", stubs.api)
        try lua.runNow(
          """
          api:configure("/new", function(c) c.headers["X-Token"] = "t" end)
          api:transform("/t", function(content) return content end)
          api("/a"):observe(function() end)
          api("/a"):load():on_completion(function() end)
          """)
        lua.close()
      }
      for _ in 0..<10 { await Task.yield() }
      let before = stubs.provider.requests.count
      let response = await stubs.api.resource("/new").load().completed()
      #expect(!response.isSuccess)
      #expect(stubs.provider.requests.count == before)
      stubs.provider.stub("GET", "https://api.test/t", .json("[1]"))
      #expect(await !stubs.api.resource("/t").load().completed().isSuccess)
      let other = stubs.api.resource("/gone")
      #expect(
        await other.load().completed().isSuccess == false
          && other.latestError?.httpStatusCode == 404)
      stubs.api.resource("/a").wipe()
      // Another runtime may have it now.
      let next = try Lua(home)
      try next.set("api", stubs.api)
      let status: Int = try await next.run(
        "return select(2, api('/gone'):load():await()).http_status")
      #expect(status == 404)
    }
  }

  @Test func `EMB-19 several runtimes on one home know nothing of each other`() throws {
    try Lull.run { home in
      let stubs = Embedding.Stubs(home)
      let runtimes = try (0..<5).map { _ in try Lua(home) }
      for (index, lua) in runtimes.enumerated() {
        try lua.set("index", index)
        try lua.set("api", stubs.other(home))
        try lua.runNow(
          """
          heard = 0
          api("/a"):observe(function(_, event) heard = heard + 1 end)
          """)
      }
      for lua in runtimes {
        let n: Int = try await lua.run("return index + api('/a'):load():await().content.n")
        let index: Int = try lua.get("index")
        #expect(n == index + 1)
      }
      let heard: [Int] = try runtimes.map { try $0.get("heard") }
      #expect(heard == Array(repeating: heard[0], count: 5) && heard[0] >= 2)
      runtimes[2].close()
      let still: Int = try await runtimes[3].run("return api('/a'):load():await().content.n")
      #expect(still == 1)
    }
  }

  @Test func `EMB-20 errors that go nowhere else come to the program`() throws {
    try Embedding.run { lua, stubs in
      var heard: [(String, String)] = []
      lua.onError = { error, place in heard.append((error.message, place)) }
      try lua.set("api", stubs.api)
      try await lua.run(
        """
        api("/a"):observe(function(_, event) if event == "requested" then error("seen", 0) end end)
        api("/a"):load():await()
        """)
      #expect(heard.map(\.0) == ["seen"])
      #expect(heard.first?.1.contains("/a") == true)
    }
  }

  @Test func `STA-79 EMB-20 changed content is reported to the program`() throws {
    try Embedding.run { lua, stubs in
      var heard: [String] = []
      lua.onError = { error, _ in heard.append(error.message) }
      try lua.set("api", stubs.api)
      let n: Int = try await lua.run(
        """
        local a = api("/a")
        assert(a:load():await())
        a.content.n = 7
        return a.content.n
        """)
      #expect(n == 1)
      #expect(heard.count == 1)
      #expect(heard.first?.contains("was changed at /n: edit a copy (lull.copy)") == true)
    }
  }

  @Test func `EMB-21 a runtime on a pump of one's own is driven by its turns`() throws {
    let clock = ManualClock()
    let pump = Pump(clock: clock)
    let provider = StubProvider()
    let lua = try Lua(pump: pump, networking: provider)
    provider.stub("GET", "https://api.test/a", .json(#"{"n": 4}"#))
    var heard: [Int] = []
    try lua.set("note") { (n: Int) in heard.append(n) }
    try lua.runNow(
      """
      lull.spawn(function()
        lull.sleep(10)
        note(lull.service("https://api.test")("/a"):load():await().content.n)
      end)
      """)
    for _ in 0..<5 { pump.turn() }
    #expect(heard.isEmpty)
    clock.advance(by: 10)
    for _ in 0..<20 { pump.turn() }
    #expect(heard == [4])
    #expect(
      Embedding.errorNow { try lua.set("wait") { () async -> Int in 1 } }?.kind == .misuse)
    lua.close()
    #expect(Embedding.errorNow { try lua.runNow("return 1") }?.kind == .closed)
  }

  @Test func `EMB-22 a runtime on another thread ends the program with what is wrong`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Inside the body, whose thread is busy: the task has another one.
      try Lull.run { home in
        let lua = Unchecked(try Lua(home))
        await Task.detached { _ = try? lua.value.runNow("return 1") as Int }.value
      }
    }
    let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("used on another thread"), "\(text)")
  }

  private struct Unchecked: @unchecked Sendable {
    // The test is about what the compiler would refuse.
    let value: Lua
    init(_ value: Lua) { self.value = value }
  }

  @Test func `EMB-24 a file runs under its name, and one that cannot be read says why`() throws {
    try Embedding.run { lua, _ in
      let missing = await Embedding.error { try await lua.run(file: "/nowhere/x.lua") }
      #expect(missing?.kind == .unreadable)
      #expect(missing?.message == "/nowhere/x.lua: No such file or directory")
      #expect(await Embedding.error { try await lua.run(file: "") }?.kind == .misuse)
      #expect(await Embedding.error { try await lua.run(file: "/tmp") }?.kind == .unreadable)
      let file = GeneratedFile("Examples/swift-embed/plugin.lua")
      let loaded: Lua.Table = try await lua.run(file: file.path)
      #expect(try loaded.get("name") == "plugin")
    }
  }
}
