import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Runtimes that actors keep, and functions with many parameters.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedActorTests {
  /// As a program of somebody else's writes it.
  actor Plugins {
    private let home: Home
    private let lua: Lua
    private let api: Service
    nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

    init(home: Home, limits: Lua.Limits = .none) throws {
      self.home = home
      lua = try Lua(on: home, limits: limits)
      api = Service(baseURL: "https://api.test", on: home, networking: StubProvider())
    }

    isolated deinit {}

    func prepare() throws {
      try lua.set("api", api)
      try lua.set("double") { (n: Int) in n * 2 }
      try lua.set("later") { (n: Int) async throws -> Int in
        await Task.yield()
        return n + 1
      }
    }

    func run(_ text: String) async throws -> Int { try await lua.run(text) }

    func hear(_ tell: @escaping @Sendable (String) -> Void) {
      lua.onError = { error, _ in tell(error.message) }
    }

    func close() { lua.close() }

    var isClosed: Bool { lua.isClosed }
  }

  /// One that has forgotten the home's executor.
  actor Stray {
    private let lua: Lua
    init(home: Home) throws { lua = try Lua(on: home) }
    func run() async throws -> Int { try await lua.run("return 1") }
  }

  @Test func `EMB-162 used from another actor it ends the program with what is wrong`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stray = try Stray(home: try Home.start())
      print(try await stray.run())
    }
    let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Lua(on: home) was used outside its home"), "\(text)")
    #expect(text.contains("unownedExecutor is home.unownedExecutor"), "\(text)")
  }

  @Test func `EMB-27 an actor of a home keeps a runtime that its initialiser has made`()
    async throws
  {
    let home = try Home.start()
    do {
      let plugins = try Plugins(home: home)
      #expect(await !plugins.isClosed)
      try await plugins.prepare()
      #expect(try await plugins.run("return later(double(20)) + #api.base_url") == 41 + 17)
      async let first = plugins.run("lull.sleep(0.001) return 1")
      async let second = plugins.run("return 2")
      #expect(try await first + second == 3)
      await plugins.close()
      #expect(await plugins.isClosed)
      await #expect(throws: LuaError.self) { try await plugins.run("return 1") }
      // Closed before it was ever used; and one that nobody uses.
      let other = try Plugins(home: home)
      await other.close()
      #expect(await other.isClosed)
      await #expect(throws: LuaError.self) { try await other.run("return 1") }
      _ = try Plugins(home: home)
    }
    await home.shutdown()
  }

  @Test func `EMB-27 what is set before the first use holds, and limits are checked at once`()
    async throws
  {
    let home = try Home.start()
    do {
      let heard = Texts()
      let plugins = try Plugins(home: home, limits: .init(instructions: 20_000))
      await plugins.hear { heard.add($0) }
      await #expect(throws: LuaError.self) { try await plugins.run("while true do end") }
      _ = try await plugins.run(
        "lull.spawn(function() error('alone', 0) end) lull.sleep(0) return 1")
      _ = try await plugins.run("collectgarbage() collectgarbage() lull.sleep(0) return 1")
      #expect(heard.all == ["alone"])
      #expect(throws: LuaError.self) { _ = try Plugins(home: home, limits: .init(memory: 0)) }
    }
    await home.shutdown()
  }

  private final class Texts: @unchecked Sendable {
    // Used on the home thread, and after it has ended its work.
    private(set) var all: [String] = []
    func add(_ text: String) { all.append(text) }
  }

  @Test func `EMB-27 the end of the home closes it, used or not`() async throws {
    let home = try Home.start()
    let used = try Plugins(home: home)
    let unused = try Plugins(home: home)
    #expect(try await used.run("return 1") == 1)
    await home.shutdown()
    for plugins in [used, unused] {
      do {
        _ = try await plugins.run("return 1")
        Issue.record("it ran")
      } catch {
        #expect((error as? LuaError)?.kind == .closed)
      }
    }
  }

  @Test func `EMB-27 it is made in an actor of the running home as well`() throws {
    try Lull.run { home in
      let lua = try Lua(on: home)
      let n: Int = try lua.runNow("return 5")
      #expect(n == 5)
    }
  }

  @Test func `EMB-26 asynchronous closures have up to four parameters, some optional`() throws {
    try Embedding.run { lua, _ in
      try lua.set("three") { (a: Double, b: [Int], c: Int?) async throws -> String in
        await Task.yield()
        return "\(a) \(b) \(c ?? 0)"
      }
      var heard: [Int] = []
      try lua.set("four") { (a: Int, b: Int, c: Int, d: Int) async throws in
        await Task.yield()
        heard = [a, b, c, d]
      }
      try lua.set("none") { () async throws -> Int in 7 }
      let text: String = try await lua.run("return three(2.5, { 4 })")
      #expect(text == "2.5 [4] 0")
      try await lua.run("four(1, 2, 3, 4)")
      #expect(heard == Array(1...4))
      let seven: Int = try await lua.run("return none()")
      #expect(seven == 7)
      func message(_ text: String) async -> String? {
        await Embedding.error { try await lua.run(text, name: "s") }?.message
      }
      #expect(
        await message("four(1, 2, 3, 'x')")
          == "s:1: bad argument #4 (an integer expected, got the string 'x')")
      #expect(
        await message("three(2.5, {}, 1, 2)")
          == "s:1: too many arguments (3 expected, got 4)")
      let variadic = try lua.variadicFunction { arguments async throws in
        await Task.yield()
        return arguments.reversed()
      }
      let reversed: [Int] = try await lua.run(
        "return { (...)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }", variadic)
      #expect(reversed == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      #expect(await message("none(1)") == "s:1: too many arguments (0 expected, got 1)")
      #expect(heard == Array(1...4))
    }
  }
}
