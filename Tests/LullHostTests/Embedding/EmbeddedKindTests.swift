import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Kinds and texts of errors of Lua's that pass through Swift into Lua code again.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedKindTests {
  /// A runtime without limits, whose functions run texts in another one that has some.
  private static func run(
    _ limits: Lua.Limits = .none,
    _ body: @escaping @Sendable (_ lua: Lua, _ inner: Lua) async throws -> Void
  ) throws {
    try Embedding.run { lua, stubs in
      let inner = try Lua(on: stubs.home, limits: limits)
      try lua.set("now") { (text: String) throws -> Lua.Value in
        try inner.runNow(text, name: "inner")
      }
      try lua.set("later") { (text: String) async throws -> Lua.Value in
        try await inner.run(text, name: "inner")
      }
      try await body(lua, inner)
    }
  }

  private static let ways = [
    "now(...)", "later(...)", "local ok, e = pcall(later, ...) error(e)",
    "local text = ... lull.spawn(function() later(text) end):await()",
    "local text = ... coroutine.wrap(function() later(text) end)()",
    "local ok, e = pcall(later, ...) lull.sleep(0) error(e, 0)",
  ]

  @Test(arguments: ways)
  func `EMB-161 a limit that was passed in another runtime keeps its kind`(way: String) throws {
    let limits: [(Lua.Limits, String, LuaError.Kind)] = [
      (.init(seconds: 0.05), "while true do end", .timeLimit),
      (.init(instructions: 10_000), "while true do end", .instructionLimit),
      (
        .init(memory: 4 << 20),
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", .memoryLimit
      ),
    ]
    for (limit, text, kind) in limits {
      try Self.run(limit) { lua, inner in
        let plain = await Embedding.error { try await inner.run(text, name: "inner") }
        let passed = await Embedding.error { try await lua.run(way, name: "s", text) }
        #expect(plain?.kind == kind && passed?.kind == kind, "\(passed as Any)")
        #expect(passed?.message.contains("s:1:") == false, "\(passed?.message ?? "")")
        #expect(passed?.place?.file == plain?.place?.file)
      }
    }
  }

  @Test func `EMB-161 so does the limit of the same runtime, after a pause`() throws {
    try Embedding.run(limits: .init(seconds: 0.05)) { lua, _ in
      try lua.set("later") { [unowned lua] () async throws -> Void in
        do {
          try await lua.run("while true do end", name: "inner")
        } catch {
          // A new stretch begins, which has passed no limit.
          try await Task.sleep(for: .milliseconds(80))
          throw error
        }
      }
      let error = await Embedding.error { try await lua.run("later()", name: "s") }
      #expect(error?.kind == .timeLimit, "\(error as Any)")
      #expect(error?.message.contains("s:1:") == false)
      let two: Int = try await lua.run("return 2")
      #expect(two == 2)
    }
  }

  @Test func `EMB-161 what is no Lua, and what was closed or cancelled, keeps its kind`() throws {
    try Self.run { lua, inner in
      for way in Self.ways {
        let syntax = await Embedding.error { try await lua.run(way, name: "s", "x x") }
        #expect(syntax?.kind == .syntax && syntax?.place?.description == "inner:1", "\(way)")
        #expect(syntax?.message.hasPrefix("inner:1: ") == true)
      }
      inner.close()
      let closed = await Embedding.error { try await lua.run("later('return 1')") }
      #expect(closed?.kind == .closed && closed?.message == "the Lua runtime is closed")
    }
  }

  @Test func `EMB-161 each crossing leaves the message as it was`() throws {
    try Self.run { lua, inner in
      try inner.set("back") { [unowned lua] (text: String) async throws -> Lua.Value in
        try await lua.run(text, name: "outer")
      }
      for way in Self.ways {
        let raised = await Embedding.error { try await lua.run(way, name: "s", "\nerror('boom')") }
        #expect(raised?.kind == .runtime)
        // `error` itself puts its place before a text, and so does `coroutine.wrap`.
        let addsPlace = way.contains("error(e)") || way.contains("wrap")
        #expect(raised?.message.contains("s:1:") == addsPlace, "\(way)")
        #expect(raised?.message.hasSuffix("inner:2: boom") == true)
        let bare = await Embedding.error { try await lua.run(way, name: "s", "error('bare', 0)") }
        #expect(bare?.message.hasSuffix("bare") == true && bare?.message.contains("inner") == false)
      }
      let far = await Embedding.error {
        try await lua.run("later([[back('later(\"error(1 .. nil)\")')]])", name: "s")
      }
      #expect(far?.message.hasPrefix("inner:1: ") == true, "\(far?.message ?? "")")
      #expect(far?.message.contains("s:1:") == false && far?.message.contains("outer") == false)
    }
  }

  @Test func `EMB-161 Lua code sees the text and the kind of what it lets through`() throws {
    try Self.run(.init(instructions: 10_000)) { lua, _ in
      let seen: [String] = try await lua.run(
        "local ok, e = pcall(later, 'while true do end') return { e.type, tostring(e), e.message }")
      #expect(seen[0] == "LuaError" && seen[1] == seen[2] && !seen[1].isEmpty)
    }
  }
}
