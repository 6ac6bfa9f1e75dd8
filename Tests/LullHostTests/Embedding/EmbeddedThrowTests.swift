import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Errors of Swift's on their way through Lua code.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedThrowTests {
  struct OutOfStock: Error, Equatable, CustomStringConvertible {
    let left: Int
    var description: String { "only \(left) left" }
  }

  final class Broken: Error {}

  /// A runtime with functions that throw: `fail` at once, `failLater` when somebody has waited.
  private static func run(
    _ body: @escaping @Sendable (_ lua: Lua, _ stubs: Embedding.Stubs) async throws -> Void
  ) throws {
    try Embedding.run { lua, stubs in
      try lua.set("fail") { (left: Int?) throws in throw OutOfStock(left: left ?? 3) }
      try lua.set("failLater") { (left: Int?) async throws in
        await Task.yield()
        throw OutOfStock(left: left ?? 4)
      }
      try await body(lua, stubs)
    }
  }

  @Test func `EMB-25 what a closure throws comes back as the same value, with Lua's place`() throws
  {
    try Self.run { lua, _ in
      let error = Embedding.errorNow { try lua.runNow("\nfail(7)", name: "s") }
      #expect(error?.thrown as? OutOfStock == OutOfStock(left: 7))
      #expect(error?.kind == .runtime && error?.message == "s:2: only 7 left")
      #expect(error?.place?.line == 2 && error?.traceback.contains("s:2: in main chunk") == true)
      #expect(error?.value == nil && error?.requestError == nil)
      let later = await Embedding.error { try await lua.run("\n\nfailLater()", name: "s") }
      #expect(later?.thrown as? OutOfStock == OutOfStock(left: 4))
      #expect(later?.message == "s:3: only 4 left")
      let plain = Embedding.errorNow { try lua.runNow("error('only 7 left')") }
      #expect(plain != nil && plain?.thrown == nil)
    }
  }

  @Test func `EMB-25 an object that is thrown is that very object`() throws {
    try Embedding.run { lua, _ in
      let broken = Broken()
      try lua.set("fail") { () throws in throw broken }
      let error = Embedding.errorNow { try lua.runNow("fail()") }
      #expect(error?.thrown as? Broken === broken)
    }
  }

  @Test(arguments: [
    "fail()", "local ok, e = pcall(fail) error(e)", "local ok, e = pcall(fail) error(e, 0)",
    "assert(pcall(fail))", "assert(false, select(2, pcall(fail)))",
    "xpcall(fail, function(e) kept = e end) error(kept)",
    "coroutine.wrap(function() fail() end)()",
    "local ok, e = coroutine.resume(coroutine.create(fail)) error(e)",
    "lull.spawn(fail):await()", "lull.spawn(function() lull.sleep(0) fail() end):await()",
    "lull.timeout(5, fail)", "failLater(3)", "lull.spawn(failLater, 3):await()",
    "coroutine.wrap(function() failLater(3) end)()",
    "local ok, e = pcall(failLater, 3) lull.sleep(0) collectgarbage() error(e)",
    "local t <close> = setmetatable({}, { __close = function() end }) fail()",
    "setmetatable({}, { __index = function() fail() end })[1] = 1 return setmetatable({}, { __index = function() fail() end })[1]",
    "table.sort({ 1, 2, 3 }, function() fail() end)",
    "string.gsub('x', 'x', function() fail() end)",
    "for _ in function() fail() end do end",
  ])
  func `EMB-25 it stays itself whichever way Lua code passes it on`(text: String) throws {
    try Self.run { lua, _ in
      let error = await Embedding.error { try await lua.run(text, name: "s") }
      #expect(error?.thrown as? OutOfStock == OutOfStock(left: 3), "\(error?.message ?? "none")")
      #expect(error?.message.hasSuffix("only 3 left") == true)
    }
  }

  @Test func `EMB-25 Lua code sees a text with its place, the parts, and no pointer`() throws {
    try Self.run { lua, _ in
      let seen: [String] = try lua.runNow(
        """
        local ok, e = pcall(function() fail(1) end)
        return { type(e), tostring(e), e.message, e.type, ("%s"):format(e), lull.inspect(e) }
        """, name: "s")
      #expect(
        Array(seen.prefix(5)) == [
          "userdata", "s:1: only 1 left", "only 1 left", "OutOfStock", "s:1: only 1 left",
        ])
      #expect(!seen.joined().contains("0x"))
      let wrong = Embedding.errorNow { try lua.runNow("return select(2, pcall(fail)).mesage") }
      #expect(
        wrong?.message.hasSuffix(
          "a SwiftError has no field 'mesage' (did you mean 'message'?)") == true)
      #expect(Embedding.errorNow { try lua.runNow("select(2, pcall(fail)).message = 1") } != nil)
    }
  }

  @Test func `EMB-25 it passes through Swift, Lua, Swift and Lua again`() throws {
    try Self.run { lua, _ in
      try lua.set("again") { (text: String) throws -> Lua.Value in
        try lua.runNow(text, name: "inner")
      }
      try lua.set("againLater") { (text: String) async throws -> Lua.Value in
        try await lua.run(text, name: "inner")
      }
      let deep = Embedding.errorNow { try lua.runNow("again('again([[fail(9)]])')", name: "s") }
      #expect(deep?.thrown as? OutOfStock == OutOfStock(left: 9))
      let later = await Embedding.error {
        try await lua.run("againLater('againLater([[failLater(8)]])')", name: "s")
      }
      #expect(later?.thrown as? OutOfStock == OutOfStock(left: 8))
      // What Lua raised is raised again: as a text, as what JSON says of it.
      let text = Embedding.errorNow { try lua.runNow("again('error([[boom]])')", name: "s") }
      #expect(text?.message == "inner:1: boom" && text?.thrown == nil)
      let code: Int = try lua.runNow(
        "return select(2, pcall(again, 'error{ code = 7 }')).code")
      #expect(code == 7)
    }
  }

  @Test func `EMB-25 Swift gets it as a value, and may give one`() throws {
    try Self.run { lua, _ in
      let caught: Lua.Value = try lua.runNow("return select(2, pcall(fail, 5))")
      guard case .swiftError(let error) = caught else {
        Issue.record("\(caught)")
        return
      }
      #expect(error as? OutOfStock == OutOfStock(left: 5))
      let value = Lua.Value.swiftError(OutOfStock(left: 6))
      let text: String = try lua.runNow("return tostring((...))", value)
      #expect(text == "only 6 left")
      let raised = Embedding.errorNow { try lua.runNow("error((...))", value) }
      #expect(raised?.thrown as? OutOfStock == OutOfStock(left: 6))
      // One of a request is one of a request.
      let kind: String = try lua.runNow(
        "return (...).user_message", Lua.Value.swiftError(RequestError(userMessage: "no")))
      #expect(kind == "no")
      let wrong = Embedding.errorNow { let _: Int = try lua.runNow("return (...)", value) }
      #expect(wrong?.kind == .mismatch && wrong?.message == "an integer expected, got SwiftError")
    }
  }

  @Test func `EMB-25 observers, transformers and tasks that nobody awaits keep it too`() throws {
    try Self.run { lua, stubs in
      var heard: [OutOfStock?] = []
      lua.onError = { error, _ in heard.append(error.thrown as? OutOfStock) }
      try lua.set("api", stubs.api)
      try await lua.run(
        """
        api("/a"):observe(function(_, event) if event == "requested" then fail(1) end end)
        api("/a"):load():await()
        lull.spawn(function() fail(2) end)
        lull.sleep(0)
        setmetatable({}, { __close = function() end })
        """)
      for _ in 0..<20 where heard.count < 2 { await Task.yield() }
      try lua.runNow("collectgarbage() collectgarbage()")
      for _ in 0..<20 where heard.count < 2 { try await lua.run("lull.sleep(0.001)") }
      #expect(heard.contains(OutOfStock(left: 1)))
      try lua.runNow("api:transform('/list', function() fail(11) end)")
      stubs.provider.stub("GET", "https://api.test/list", .json("[1]"))
      let response = await stubs.api.resource("/list").load().completed()
      guard case .failure(let error) = response.outcome, case .script(let cause)? = error.cause
      else {
        Issue.record("\(response)")
        return
      }
      #expect(cause.thrown as? OutOfStock == OutOfStock(left: 11))
    }
  }

  @Test func `EMB-25 it is let go of with Lua's last reference`() throws {
    try Embedding.run { lua, _ in
      weak var held: Broken?
      do {
        let broken = Broken()
        held = broken
        let errors = [broken]
        try lua.set("fail") { () throws in throw errors[0] }
        try lua.runNow("kept = select(2, pcall(fail)) fail = nil")
      }
      try lua.runNow("collectgarbage() collectgarbage()")
      #expect(held != nil)
      try lua.runNow("kept = nil collectgarbage() collectgarbage()")
      try await lua.run("lull.sleep(0)")
      #expect(held == nil)
    }
  }
}
