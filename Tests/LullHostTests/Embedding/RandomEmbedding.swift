import LullCore
import LullHost
import LullTesting
import LullTransport

/// A random sequence of calls of the embedding API on a home of its own, wrong ones included: values of all
/// kinds, closures that call back, tasks that are cancelled, runtimes that close while something runs.
final class RandomEmbedding {
  private var random: SeededGenerator
  private let stubs: Embedding.Stubs
  private let leaks: LeakCheck
  private var lua: Lua
  private var values: [Lua.Value] = []
  private var tasks: [Task<Void, any Error>] = []
  private(set) var callCount = 0

  /// What is found to be wrong, with the number of calls.
  static func run(seed: UInt64) throws -> (calls: Int, leaks: [String]) {
    let (calls, leaks) = try Lull.run { home in
      let leaks = LeakCheck()
      let run = try RandomEmbedding(seed, home, leaks)
      await run.run(home)
      return (run.callCount, leaks)
    }
    return (calls, leaks.leaks)
  }

  private init(_ seed: UInt64, _ home: isolated Home, _ leaks: LeakCheck) throws {
    random = SeededGenerator(seed: seed)
    self.leaks = leaks
    stubs = Embedding.Stubs(home)
    leaks.watch(stubs.api, "a service")
    lua = try RandomEmbedding.make(home, leaks, limited: seed % 2 == 0)
  }

  private static func make(
    _ home: isolated Home, _ leaks: LeakCheck, limited: Bool
  ) throws -> Lua {
    // Of endless loops there are some.
    let limits = Lua.Limits(memory: limited ? 32 << 20 : nil, instructions: 50_000)
    let lua = try Lua(home, limits: limits)
    lua.onError = { _, _ in }
    return leaks.watch(lua, "a runtime")
  }

  private func run(_ home: isolated Home) async {
    for _ in 0..<(20 + random.below(80)) {
      callCount += 1
      // Whatever is wrong with a call is an error, and nothing else.
      do {
        try step(home)
      } catch {
        if !(error is LuaError || error is RequestError) { callCount = .min }
      }
      for _ in 0..<random.below(3) { await Task.yield() }
    }
    stubs.provider.holdsAnswers = false
    while stubs.provider.heldCount > 0 { stubs.provider.release() }
    for task in tasks where random.chance(2) { task.cancel() }
    if random.chance(2) { lua.close() }
  }

  private func step(_ home: isolated Home) throws {
    switch random.below(16) {
    case 0, 1: try runNow()
    case 2, 3: spawnRun(home)
    case 4: try lua.set(name(), try value(depth: 0))
    case 5: keep(try lua.get(name()))
    case 6: try readAsSomething()
    case 7: try callNow()
    case 8: spawnCall(home)
    case 9: try workOnTable()
    case 10: try addClosure()
    case 11: try addWaitingClosure()
    case 12: try lua.set(name(), stubs.api)
    case 13: useService()
    case 14: letGo()
    default: try rarely(home)
    }
  }

  private func rarely(_ home: isolated Home) throws {
    switch random.below(6) {
    case 0: lua.close()
    case 1: lua = try RandomEmbedding.make(home, leaks, limited: random.chance(2))
    case 2: keep(.function(try lua.variadicFunction { $0 }))
    case 3: stubs.provider.holdsAnswers.toggle()
    default: if stubs.provider.heldCount > 0 { stubs.provider.release() }
    }
  }

  // MARK: Lua

  private static let texts = [
    "return 1", "return a, b, c", "a = { b, c, x = a }", "return (", "error(a)", "error({ a })",
    "error('text', 0)", "while true do end", "return function(...) b = ... return ... end",
    "return setmetatable({}, { __index = function() error('index') end, __len = function() return 'x' end })",
    "local t = {} t.t = t return t", "collectgarbage() collectgarbage()", "a, b, c = nil",
    "lull.sleep(0)", "return a(b, c)", "return pcall(a, b)", "lull.spawn(a, b)",
    "return lull.service('https://api.test')", "return api", "api = a",
    "return a('/a'):load():await()", "a('/a'):observe(function(_, event) c = event end)",
    "a:configure('/a', function(s) s.headers['X'] = tostring(b) end)", "return a('/gone'):load()",
    "return lull.entity{ content = { b } }", "return lull.null, 0/0, 1e400, '\\xff', 1 << 62",
    "return coroutine.create(function() end)", "return lull.error('mine')", "return ...",
    "local g <close> = setmetatable({}, { __close = function() a() end }) lull.sleep(1)",
    "return string.rep('x', 1000)", "setmetatable({}, { __gc = function() a = 1 end })",
    "return lull.custom_request{ start = function(complete) complete(lull.success{ content = a }) end }",
    "return lull.timeout(0.001, lull.sleep, 1)", "for i = 1, 100 do a = { a } end",
  ]

  private func name() -> String { random.pick(["a", "b", "c", "api"]) ?? "a" }
  private func text() -> String { random.pick(Self.texts) ?? "" }

  private func runNow() throws { keep(try lua.runNow(text(), name: "r", try value(depth: 0))) }

  private func spawnRun(_ home: isolated Home) {
    let text = text()
    let lua = lua
    tasks.append(home.spawn { [weak self] in self?.keep(try await lua.run(text)) })
    cancelSome()
  }

  private func cancelSome() {
    if random.chance(4) { random.pick(tasks)?.cancel() }
  }

  private func function() -> Lua.Function? {
    for value in values.shuffled(using: &random) {
      if case .function(let function) = value { return function }
    }
    return nil
  }

  private func callNow() throws {
    guard let function = function() else { return }
    keep(try function.callNow(try value(depth: 0), try value(depth: 0)))
  }

  private func spawnCall(_ home: isolated Home) {
    guard let function = function() else { return }
    let argument = random.pick(values) ?? .nil
    tasks.append(home.spawn { [weak self] in self?.keep(try await function(argument)) })
    cancelSome()
  }

  // MARK: Values

  private func keep(_ value: Lua.Value) {
    if values.count < 40 { values.append(value) } else { values[random.below(40)] = value }
  }

  private func value(depth: Int) throws -> Lua.Value {
    switch random.below(depth > 3 ? 9 : 12) {
    case 0: .nil
    case 1: .null
    case 2: .bool(random.chance(2))
    case 3: .int(random.pick([0, 1, -1, .max, .min]) ?? 0)
    case 4: .number(random.pick([0.5, .nan, .infinity, 1e300]) ?? 0)
    case 5: .string(random.pick(["", "x", "h\u{e9}\0", "/a"]) ?? "")
    case 6: .bytes([0xff, 0])
    case 7: .resource(stubs.api.resource("/a"))
    case 8: random.pick(values) ?? .nil
    case 9: .list(try (0..<random.below(4)).map { _ in try value(depth: depth + 1) })
    case 10:
      .map(
        try (0..<random.below(3)).map { _ in
          (try value(depth: 5), try value(depth: depth + 1))
        })
    default: try [1, 2, 3].luaValue()
    }
  }

  private func readAsSomething() throws {
    let name = name()
    switch random.below(8) {
    case 0: let _: Int = try lua.get(name)
    case 1: let _: String? = try lua.get(name)
    case 2: let _: [Lua.Value] = try lua.get(name)
    case 3: let _: [String: JSONValue] = try lua.get(name)
    case 4: let _: JSONValue = try lua.get(name)
    case 5: let _: Service = try lua.get(name)
    case 6: let _: [UInt8] = try lua.get(name)
    default: let _: [[Double]] = try lua.get(name)
    }
  }

  private func workOnTable() throws {
    var table: Lua.Table?
    for case .table(let found) in values.shuffled(using: &random) { table = found }
    let used = try table ?? lua.makeTable()
    keep(.table(used))
    switch random.below(5) {
    case 0: try used.set(try value(depth: 5), try value(depth: 2))
    case 1: keep(try used.get(try value(depth: 5)))
    case 2: for entry in try used.entries() { keep(entry.value) }
    case 3: _ = try used.json()
    default: _ = try used.count()
    }
  }

  private func letGo() {
    if random.chance(3) { values = [] } else { values.removeLast(min(values.count, 5)) }
  }

  // MARK: Closures

  private final class Held {}

  private struct Refusal: Error {}

  private func addClosure() throws {
    let held = leaks.watch(Held(), "a closure")
    let what = random.below(6)
    let text = text()
    // A closure that held the runtime it is in would keep itself.
    try lua.set(name()) { [weak self, weak lua] (argument: Lua.Value, count: Int?) -> Lua.Value in
      withExtendedLifetime(held) {}
      switch what {
      case 0: throw Refusal()
      case 1: return try lua?.runNow(text, name: "inside", argument) ?? .nil
      case 2: try lua?.set("b", argument)
      case 3: self?.keep(argument)
      case 4: lua?.close()
      default: break
      }
      return argument
    }
  }

  private func addWaitingClosure() throws {
    let held = leaks.watch(Held(), "an asynchronous closure")
    let what = random.below(4)
    let stubs = stubs
    try lua.set(name()) { (argument: Lua.Value) async throws -> Lua.Value in
      withExtendedLifetime(held) {}
      switch what {
      case 0: throw Refusal()
      case 1: _ = try await stubs.api.resource("/gone").load().entity()
      case 2: _ = try await stubs.api.resource("/a").load().entity()
      default: await Task.yield()
      }
      return argument
    }
  }

  // MARK: The model

  private func useService() {
    let resource = stubs.api.resource(random.pick(["/a", "/gone"]) ?? "/a")
    switch random.below(5) {
    case 0: resource.wipe()
    case 1: resource.invalidate()
    case 2: stubs.api.configure("/gone") { $0.expirationTime = 5 }
    default: resource.load()
    }
  }
}
