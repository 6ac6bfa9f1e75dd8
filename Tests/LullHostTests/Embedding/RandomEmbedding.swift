import LullCore
import LullHost
import LullTestSupport
import LullTesting
import LullTransport

/// A random sequence of calls of the embedding API on a home or in a test of its own, wrong ones included: values of
/// all kinds and of another runtime, closures that call back, tasks that are cancelled, runtimes that close while
/// something runs.
final class RandomEmbedding {
  /// Where it runs.
  private struct Place {
    let provider = StubProvider()
    let makeService: (StubProvider) -> Service
    let make: (_ limits: Lua.Limits, _ isNamed: Bool) throws -> Lua
    let spawn: (@escaping () async throws -> Void) -> Task<Void, any Error>
  }

  private var random: SeededGenerator
  private let place: Place
  private let provider: StubProvider
  private let api: Service
  private let log: FuzzLog
  private let leaks: LeakCheck
  private var lua: Lua
  /// Another runtime, whose values are none of the first one's.
  private var other: Lua
  private var values: [Lua.Value] = []
  private var tasks: [Task<Void, any Error>] = []
  private(set) var callCount = 0

  /// What is found to be wrong, with the number of calls.
  static func run(seed: UInt64) throws -> (calls: Int, leaks: [String]) {
    let (calls, leaks) = try seed % 3 == 0 ? inTest(seed) : onHome(seed)
    return (calls, leaks.leaks)
  }

  private static func onHome(_ seed: UInt64) throws -> (Int, LeakCheck) {
    try Lull.run { home in
      let place = Place(
        makeService: { provider in
          Service(
            baseURL: "https://api.test", name: "stubs", networking: provider, pump: home.pump)
        },
        make: { limits, isNamed in
          isNamed ? try Lua(on: home, limits: limits) : try Lua(home, limits: limits)
        },
        spawn: { body in home.spawn { try await body() } })
      let leaks = LeakCheck()
      let run = try RandomEmbedding(seed, place, leaks)
      await run.run()
      return (run.callCount, leaks)
    }
  }

  private static func inTest(_ seed: UInt64) throws -> (Int, LeakCheck) {
    try Lull.test { test in
      let place = Place(
        makeService: { provider in
          Service(
            baseURL: "https://api.test", name: "stubs", networking: provider, pump: test.pump)
        },
        make: { limits, isNamed in
          isNamed ? try Lua(on: test, limits: limits) : try Lua(test, limits: limits)
        },
        spawn: { body in test.spawn { try await body() } })
      let leaks = LeakCheck()
      let run = try RandomEmbedding(seed, place, leaks)
      await run.run()
      await test.advance(by: 2)
      return (run.callCount, leaks)
    }
  }

  private init(_ seed: UInt64, _ place: Place, _ leaks: LeakCheck) throws {
    random = SeededGenerator(seed: seed)
    log = FuzzLog(seed: seed)
    self.leaks = leaks
    self.place = place
    provider = place.provider
    provider.stub("GET", "https://api.test/a", .json(#"{"n": 1, "list": [1, 2]}"#))
    provider.stub("GET", "https://api.test/gone", .json(#"{"message": "gone"}"#, status: 404))
    api = leaks.watch(place.makeService(provider), "a service")
    lua = try RandomEmbedding.make(place, leaks, limited: seed % 2 == 0, isNamed: seed % 5 == 0)
    other = try RandomEmbedding.make(place, leaks, limited: false, isNamed: seed % 7 == 0)
  }

  private static func make(
    _ place: Place, _ leaks: LeakCheck, limited: Bool, isNamed: Bool
  ) throws -> Lua {
    // Of endless loops there are some.
    let limits = Lua.Limits(memory: limited ? 32 << 20 : nil, instructions: 50_000)
    let lua = try place.make(limits, isNamed)
    lua.onError = { _, _ in }
    return leaks.watch(lua, "a runtime")
  }

  private func run() async {
    for _ in 0..<(20 + random.below(80)) {
      callCount += 1
      // Whatever is wrong with a call is an error, and nothing else.
      do {
        try step()
      } catch {
        if !(error is LuaError || error is RequestError) { callCount = .min }
      }
      for _ in 0..<random.below(3) { await Task.yield() }
    }
    log.note("the end")
    provider.holdsAnswers = false
    while provider.heldCount > 0 { provider.release() }
    for task in tasks where random.chance(2) { task.cancel() }
    if random.chance(2) { lua.close() }
    if random.chance(2) { other.close() }
  }

  private func step() throws {
    let number = random.below(18)
    log.note("step \(number)")
    switch number {
    case 0, 1: try runNow()
    case 2, 3: spawnRun()
    case 4: try lua.set(name(), try value(depth: 0))
    case 5: keep(try lua.get(name()))
    case 6: try readAsSomething()
    case 7: try callNow()
    case 8: spawnCall()
    case 9: try workOnTable()
    case 10: try addClosure()
    case 11: try addWaitingClosure()
    case 12: try lua.set(name(), api)
    case 13: useService()
    case 14: letGo()
    case 15: try addLongClosure()
    case 16: try useOther()
    default: try rarely()
    }
  }

  private func rarely() throws {
    let number = random.below(7)
    log.note("rarely \(number)")
    switch number {
    case 0: lua.close()
    case 1:
      lua = try RandomEmbedding.make(
        place, leaks, limited: random.chance(2), isNamed: random.chance(2))
    case 2: keep(.function(try lua.variadicFunction { $0 }))
    case 3: provider.holdsAnswers.toggle()
    case 4: swap(&lua, &other)
    default: if provider.heldCount > 0 { provider.release() }
    }
  }

  /// Values of two runtimes meet, which is an error wherever it is seen.
  private func useOther() throws {
    let text = text()
    log.note("other: \(text)")
    switch random.below(4) {
    case 0: keep(try other.runNow(text, name: "o", try value(depth: 0)))
    case 1: try other.set(name(), try value(depth: 0))
    case 2: try other.set(name(), api)
    default: keep(.table(try other.makeTable()))
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
  private func text() -> String {
    let text = random.pick(Self.texts) ?? ""
    log.note("  \(text)")
    return text
  }

  private func runNow() throws { keep(try lua.runNow(text(), name: "r", try value(depth: 0))) }

  private func spawnRun() {
    let text = text()
    let lua = lua
    tasks.append(place.spawn { [weak self] in self?.keep(try await lua.run(text)) })
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

  private func spawnCall() {
    guard let function = function() else { return }
    let argument = random.pick(values) ?? .nil
    tasks.append(place.spawn { [weak self] in self?.keep(try await function(argument)) })
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
    case 7: .resource(api.resource("/a"))
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
    let api = api
    try lua.set(name()) { (argument: Lua.Value) async throws -> Lua.Value in
      withExtendedLifetime(held) {}
      switch what {
      case 0: throw Refusal()
      case 1: _ = try await api.resource("/gone").load().entity()
      case 2: _ = try await api.resource("/a").load().entity()
      default: await Task.yield()
      }
      return argument
    }
  }

  /// Ones of several parameters, of more than one kind.
  private func addLongClosure() throws {
    let held = leaks.watch(Held(), "a closure of several parameters")
    switch random.below(3) {
    case 0:
      try lua.set(name()) { (a: Int, b: String?, c: Lua.Value, d: [Double]?) -> Lua.Value in
        withExtendedLifetime(held) {}
        return try [Lua.Value.int(a), .string(b ?? ""), c, .int(d?.count ?? 0)].luaValue()
      }
    case 1:
      try lua.set(name()) {
        (a: Lua.Value, b: Lua.Value, c: [String: JSONValue]?) async throws -> Lua.Value in
        withExtendedLifetime(held) {}
        await Task.yield()
        return c == nil ? a : b
      }
    default:
      keep(
        .function(
          try lua.function("five") { (a: Bool?, b: Int?, c: Lua.Value, d: Lua.Value, e: Double?) in
            withExtendedLifetime(held) {}
            return a == true ? c : d
          }))
    }
  }

  // MARK: The model

  private func useService() {
    let resource = api.resource(random.pick(["/a", "/gone"]) ?? "/a")
    switch random.below(5) {
    case 0: resource.wipe()
    case 1: resource.invalidate()
    case 2: api.configure("/gone") { $0.expirationTime = 5 }
    default: resource.load()
    }
  }
}
