import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Functions of Swift's in Lua, and of Lua's in Swift.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedFunctionTests {
  struct Refusal: Error, CustomStringConvertible {
    let description = "not today"
  }

  @Test func `EMB-05 a closure is a function, with the parameters and the result it has`() throws {
    try Embedding.run { lua, _ in
      try lua.set("greet") { (name: String) in "hello \(name)" }
      try lua.set("add") { (a: Int, b: Int?) in a + (b ?? 100) }
      var heard: [String] = []
      try lua.set("note") { (text: String) in heard.append(text) }
      try lua.set("five") { 5 }
      let text: String = try await lua.run("return greet('x') .. #greet('x')")
      #expect(text == "hello x7")
      let sums: [Int] = try lua.runNow("return { add(1, 2), add(1), add(1, nil), five() }")
      #expect(sums == [3, 101, 101, 5])
      try lua.runNow("note('a') note('b')")
      #expect(heard == ["a", "b"])
      let kind: String = try lua.runNow("return type(greet)")
      #expect(kind == "function")
      let variadic = try lua.variadicFunction { arguments in
        arguments.reversed() + [.int(arguments.count)]
      }
      let all = try lua.runNow("return table.pack(...)", 1) as Lua.Value
      #expect(all.typeName == "table")
      try lua.set("reversed", variadic)
      let many: [Int] = try lua.runNow("return { reversed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) }")
      #expect(many == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 12])
    }
  }

  @Test func `EMB-05 what does not fit raises at the line of the call, and so does what it throws`()
    throws
  {
    try Embedding.run { lua, stubs in
      try lua.set("greet") { (name: String) in name }
      try lua.set("fail") { () throws -> Int in throw Refusal() }
      func message(_ text: String) -> String? {
        Embedding.errorNow { try lua.runNow(text, name: "s") }?.message
      }
      #expect(
        message("\ngreet(5)") == "s:2: bad argument #1 (a string expected, got the number 5)")
      #expect(message("greet()") == "s:1: bad argument #1 (a string expected, got no value)")
      #expect(message("greet('x', 2)") == "s:1: too many arguments (1 expected, got 2)")
      #expect(message("local x = fail()") == "s:1: not today")
      let caught: String = try lua.runNow("return tostring(select(2, pcall(fail)))")
      #expect(caught.hasSuffix("not today"))
      // An error of a request stays one.
      let missing = stubs.api.resource("/gone")
      _ = await missing.load().completed()
      let error = try #require(missing.latestError)
      try lua.set("raise") { () throws -> Int in throw error }
      let status: Int = try lua.runNow("return select(2, pcall(raise)).http_status")
      #expect(status == 404)
      #expect(Embedding.errorNow { try lua.runNow("raise()") }?.requestError?.httpStatusCode == 404)
    }
  }

  @Test func `EMB-06 Lua code waits for an asynchronous closure, and the loop goes on`() throws {
    try Embedding.run { lua, stubs in
      try lua.set("load") { (path: String) async throws -> Int in
        try await stubs.api.resource(path).load().entity().jsonDict["n"]?.int ?? 0
      }
      try lua.set("pause") { (seconds: Double) async throws in
        try await Task.sleep(for: .seconds(seconds))
      }
      let n: Int = try await lua.run(
        """
        local both = lull.all{ lull.spawn(load, "/a"), lull.spawn(load, "/a") }
        pause(0.001)
        return both[1] + both[2] + load("/a")
        """)
      #expect(n == 3)
      let error = await Embedding.error { try await lua.run("load('/gone')", name: "s") }
      #expect(error?.requestError?.httpStatusCode == 404)
      let refused = Embedding.errorNow { try lua.runNow("\nload('/a')", name: "s") }
      #expect(
        refused?.message == "s:2: cannot wait inside a call from Swift: it must return at once")
    }
  }

  @Test func `EMB-06 the task of a closure is cancelled with the Lua code that waits for it`()
    throws
  {
    try Embedding.run { lua, _ in
      var wasCancelled = false
      try lua.set("forever") { () async throws in
        do {
          try await Task.sleep(for: .seconds(1000))
        } catch {
          wasCancelled = true
        }
      }
      try await lua.run(
        """
        local task = lull.spawn(forever)
        lull.sleep(0.001)
        task:cancel()
        """)
      while !wasCancelled { await Task.yield() }
      #expect(wasCancelled)
    }
  }

  @Test func `EMB-07 a function of Lua's that waits suspends its caller, who may be cancelled`()
    throws
  {
    try Lull.run { home in
      let lua = try Lua(home)
      let stubs = Embedding.Stubs(home)
      try lua.set("api", stubs.api)
      let load: Lua.Function = try lua.runNow(
        "return function(path, ...) return api(path):load():await().content.n, ... end")
      let n: Int = try await load("/a")
      #expect(n == 1)
      let all = try await load.callForAll("/a", "two", ["three": 3])
      #expect(all.count == 3)

      stubs.provider.holdsAnswers = true
      let box = Reached()
      try lua.set("reached") { box.isReached = true }
      let task = home.spawn {
        try await lua.run("api('/a'):load():await() reached()")
        return
      }
      while stubs.provider.heldCount == 0 { await Task.yield() }
      task.cancel()
      let error = await Embedding.error { try await task.value }
      #expect(error?.kind == .cancelled)
      #expect(!box.isReached)
    }
  }

  private final class Reached { var isReached = false }

  @Test func `EMB-08 a call that must answer at once refuses to wait, with the line`() throws {
    try Embedding.run { lua, stubs in
      try lua.set("api", stubs.api)
      let error = Embedding.errorNow {
        try lua.runNow("local x = 1\napi('/a'):load():await()", name: "s")
      }
      #expect(error?.kind == .runtime && error?.place == nil || error?.place?.line == 2)
      #expect(
        error?.message == "s:2: cannot wait inside a call from Swift: it must return at once")
    }
  }

  @Test func `EMB-16 what Swift and Lua let go of is gone`() throws {
    try Embedding.run { lua, _ in
      final class Held {}
      weak var held: Held?
      do {
        let object = Held()
        held = object
        try lua.set("f") { withExtendedLifetime(object) { 1 } }
      }
      #expect(held != nil)
      try lua.runNow("f = nil collectgarbage() collectgarbage()")
      try lua.runNow("return")
      try await lua.run("lull.sleep(0)")
      #expect(held == nil)

      try lua.runNow("weak = setmetatable({}, { __mode = 'v' })")
      do {
        let table: Lua.Table = try lua.runNow("local t = {} weak[1] = t return t")
        let isThere: Bool = try lua.runNow(
          "collectgarbage() collectgarbage() return weak[1] ~= nil")
        #expect(isThere)
        withExtendedLifetime(table) {}
      }
      let isGone: Bool = try lua.runNow("collectgarbage() collectgarbage() return weak[1] == nil")
      #expect(isGone)
    }
  }
}
