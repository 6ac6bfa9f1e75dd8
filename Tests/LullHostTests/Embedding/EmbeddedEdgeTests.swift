import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// What one tries who does not trust an embedding.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedEdgeTests {
  @Test func `EMB-02 integers beyond 2^53 and bytes that are no UTF-8 stay what they are`() throws {
    try Embedding.run { lua, _ in
      try lua.set("same") { (n: Int) in n }
      for n in [(1 << 53) + 1, Int.max, Int.min] {
        let back: Int = try lua.runNow("local n = same(...) return n", n)
        #expect(back == n)
      }
      let refused = Embedding.errorNow {
        let _: Double = try lua.runNow("return (1 << 53) + 1")
      }
      #expect(refused?.message == "9007199254740993 does not fit a Double exactly")
      #expect(Embedding.errorNow { let _: Int = try lua.runNow("return 2^63") }?.kind == .mismatch)
      #expect(Embedding.errorNow { try lua.set("n", UInt64.max) }?.kind == .mismatch)
      try lua.set("count") { (bytes: [UInt8]) in bytes.count }
      try lua.set("text") { (text: String) in text }
      let count: Int = try lua.runNow(#"return count("a\xff\0b")"#)
      #expect(count == 4)
      let wrong = Embedding.errorNow { try lua.runNow(#"text("\xff")"#, name: "s") }
      #expect(
        wrong?.message
          == "s:1: bad argument #1 (a string expected, got bytes that are not valid UTF-8)")
      let back: [UInt8] = try lua.runNow("return ...", [0xff, 0, 0xc3] as [UInt8])
      #expect(back == [0xff, 0, 0xc3])
    }
  }

  @Test func `EMB-03 nested values and nil in lists go there and back`() throws {
    try Embedding.run { lua, _ in
      let value: [String: [[Int?]]] = ["a": [[1, nil, 3], []], "b": []]
      let back: [String: [[Int?]]] = try lua.runNow("return ...", value)
      #expect(back == value)
      let isNull: Bool = try lua.runNow("return (...).a[1][2] == lull.null", value)
      #expect(isNull)
      let hole = Embedding.errorNow { let _: [Int] = try lua.runNow("return { 1, nil, 3 }") }
      #expect(hole?.kind == .mismatch)
      let many: [[String: Double]] = try lua.runNow(
        "local t = {} for i = 1, 1000 do t[i] = { x = i / 2 } end return t")
      #expect(many.count == 1000 && many[999] == ["x": 500])
    }
  }

  @Test func `EMB-28 calls may go back and forth, and without an end they fail`() throws {
    try Embedding.run { lua, _ in
      try lua.set("down") { (n: Int) throws -> Int in
        n == 0 ? 0 : 1 + (try lua.runNow("return down(...)", n - 1) as Int)
      }
      let depth: Int = try lua.runNow("return down(20)")
      #expect(depth == 20)
      try lua.set("endless") { () throws -> Int in try lua.runNow("return endless()") }
      let error = Embedding.errorNow { try lua.runNow("endless()") }
      #expect(error?.kind == .runtime)
      let fine: Int = try lua.runNow("return down(5)")
      #expect(fine == 5)
      try lua.set("endlessLater") { () async throws -> Int in
        try await lua.run("return depth() and endlessLater() or 0")
      }
      var left = 300
      try lua.set("depth") { () -> Bool in
        left -= 1
        return left > 0
      }
      let zero: Int = try await lua.run("return endlessLater()")
      #expect(zero == 0)
    }
  }

  @Test func `EMB-12 a limit that is passed in a nested call is the outer call's as well`() throws {
    try Embedding.run(limits: .init(instructions: 50_000)) { lua, _ in
      var inner: LuaError.Kind?
      try lua.set("inner") { () throws in
        do {
          try lua.runNow("while true do end")
        } catch {
          inner = (error as? LuaError)?.kind
          throw error
        }
      }
      let error = Embedding.errorNow { try lua.runNow("pcall(inner) while true do end") }
      #expect(inner == .instructionLimit)
      #expect(error?.kind == .instructionLimit)
      let again = Embedding.errorNow { try lua.runNow("inner()") }
      #expect(again?.kind == .instructionLimit)
      try lua.set("innerLater") { () async throws -> Int in
        try await lua.run("while true do end return 1")
      }
      let later = await Embedding.error { try await lua.run("innerLater()") }
      #expect(later?.message.contains("without a pause") == true)
      let two: Int = try lua.runNow("return 2")
      #expect(two == 2)
    }
  }

  @Test func `EMB-07 cancelling who waits for Lua code cancels the closure it waits for`() throws {
    try Lull.run { home in
      let lua = try Lua(home)
      let log = Events()
      try lua.set("forever") { () async throws in
        log.add("began")
        do {
          try await Task.sleep(for: .seconds(1000))
        } catch {
          log.add("cancelled")
          throw error
        }
      }
      try lua.set("note") { (text: String) in log.add(text) }
      let task = home.spawn { _ = try await lua.run("pcall(forever) note('behind')") as Lua.Value }
      while log.all.isEmpty { await Task.yield() }
      task.cancel()
      let error = await Embedding.error { _ = try await task.value }
      #expect(error?.kind == .cancelled)
      while log.all.count < 2 { await Task.yield() }
      #expect(log.all == ["began", "cancelled"])
    }
  }

  @Test func `EMB-15 a runtime that closes while a closure waits cancels it, and its caller`()
    throws
  {
    try Lull.run { home in
      let lua = try Lua(home)
      let log = Events()
      try lua.set("forever") { () async throws in
        log.add("began")
        do {
          try await Task.sleep(for: .seconds(1000))
        } catch {
          log.add("cancelled")
          throw error
        }
      }
      let task = home.spawn { _ = try await lua.run("forever()") as Lua.Value }
      while log.all.isEmpty { await Task.yield() }
      lua.close()
      #expect(await Embedding.error { try await task.value }?.kind == .closed)
      while log.all.count < 2 { await Task.yield() }
      #expect(log.all == ["began", "cancelled"])
    }
  }

  private final class Events {
    private(set) var all: [String] = []
    func add(_ text: String) { all.append(text) }
  }

  @Test func `EMB-10 functions, tables and services of another runtime are refused both ways`()
    throws
  {
    try Lull.run { home in
      let first = try Lua(home)
      let second = try Lua(home)
      let stubs = Embedding.Stubs(home)
      let function: Lua.Function = try first.runNow("return function(n) return n + 1 end")
      let table: Lua.Table = try first.runNow("return { 1 }")
      #expect(Embedding.errorNow { try second.set("f", function) }?.kind == .misuse)
      #expect(Embedding.errorNow { try second.set("t", table) }?.kind == .misuse)
      try first.set("api", stubs.api)
      #expect(Embedding.errorNow { try second.set("api", stubs.api) }?.kind == .misuse)
      let made: Service = try second.runNow("return lull.service('https://api.test')")
      #expect(Embedding.errorNow { try first.set("other", made) }?.kind == .misuse)
      let resource: Resource = try first.runNow("return api('/a')")
      #expect(Embedding.errorNow { try second.set("r", resource) }?.kind == .misuse)
      // A closure takes a call from one to the other.
      try second.set("inc") { (n: Int) throws -> Int in try function.callNow(n) }
      let three: Int = try second.runNow("return inc(2)")
      #expect(three == 3)
    }
  }
}
