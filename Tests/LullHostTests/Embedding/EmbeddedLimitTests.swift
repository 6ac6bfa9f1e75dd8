import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// What ends at the limits of an embedded runtime although no instruction of Lua runs meanwhile.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedLimitTests {
  /// Each would take hours, or for ever. All of them run in the sandbox too.
  static let endless = [
    "table.move({}, 1, 1 << 60, 2)",
    "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 'x')",
    "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
    "table.concat(setmetatable({}, { __index = type }), '', 1, 1 << 60)",
    "table.sort(setmetatable({}, { __index = type, __len = function() return 1 << 30 end }))",
    """
    table.sort(setmetatable({}, { __index = type, __newindex = type, __len = function() return 1 << 30 end }),
      rawequal)
    """,
    "string.find(('a'):rep(28), ('a?'):rep(28) .. ('a'):rep(28))",
    "('x'):rep(1000000):find(('x*'):rep(50) .. 'y')",
    "('x'):rep(1000000):match(('x-'):rep(50) .. 'y')",
    "for _ in ('x'):rep(1000000):gmatch(('x*'):rep(50) .. 'y') do end",
    "('x'):rep(1000000):gsub(('x*'):rep(50) .. 'y', '')",
    "('('):rep(1000000):find('%b()')",
    "load(math.random)",
    """
    local text = {} for i = 1, 30000 do text[i] = '::a' .. i .. '::' end text = table.concat(text, ' ')
    while true do load(text) end
    """,
    "local t = {} for i = 1, 60 do t = { t, t } end lull.inspect(t, { depth = 100 })",
    "local t = {} for i = 1, 60 do t = { t, t } end lull.json.encode(t)",
    """
    local t, u = {}, {} for i = 1, 60 do t, u = { t, t }, { u, u } end lull.json.equal(t, u)
    """,
    "while true do pcall(string.find, ('a'):rep(28), ('a?'):rep(28) .. ('a'):rep(28)) end",
    "coroutine.wrap(function() table.move({}, 1, 1 << 60, 2) end)()",
    "xpcall(table.move, function() while true do end end, {}, 1, 1 << 60, 2)",
  ]

  @Test(arguments: endless)
  func `EMB-50 what a function of the library does ends at the limit of seconds`(code: String)
    throws
  {
    try expectEnd(of: code, .init(memory: 256 << 20, seconds: 0.1), .timeLimit)
  }

  @Test(arguments: endless)
  func `EMB-50 what a function of the library does ends at the limit of instructions`(code: String)
    throws
  {
    try expectEnd(of: code, .init(memory: 256 << 20, instructions: 3_000_000), .instructionLimit)
  }

  private func expectEnd(of code: String, _ limits: Lua.Limits, _ kind: LuaError.Kind) throws {
    for access in [Lua.Access.sandbox, .full] {
      try Embedding.run(limits: limits, access: access) { lua, _ in
        let error = await Embedding.error { try await lua.run(code, name: "s") }
        #expect(error?.kind == kind, "\(String(describing: error))")
        #expect(error?.place?.file == "s")
        let two: Int = try await lua.run("return #('xx'):gsub('x', 'y')")
        #expect(two == 2)
      }
    }
  }

  @Test func `EMB-50 what would make too long a text is refused`() throws {
    try Embedding.run(limits: .init(seconds: 10), access: .full) { lua, _ in
      let empty: String = try await lua.run("return (''):rep(1 << 60)")
      #expect(empty == "")
      for code in ["('x'):rep(1 << 40)", "string.pack('c' .. (1 << 40), '')"] {
        let error = await Embedding.error { try await lua.run(code) }
        #expect(error?.message.contains("longer than 256 MB") == true)
      }
    }
  }

  @Test func `PAT-43 a regular expression that takes too long fails the request`() throws {
    try Embedding.run(limits: .init(seconds: 1)) { lua, stubs in
      try lua.set("api", stubs.api)
      let message: String = try await lua.run(
        """
        api:configure(lull.regex("(a+)+$"), { expiration_time = 1 })
        local _, err = api("/" .. ("a"):rep(60) .. "b"):load():await()
        return tostring(err)
        """)
      let problem = "lull.regex '(a+)+$' takes too many steps for this URL"
      #expect(message.contains(problem), "\(message)")
    }
  }

  @Test func `PAT-43 searches count as instructions`() throws {
    try Embedding.run(limits: .init(instructions: 1_000_000)) { lua, stubs in
      try lua.set("api", stubs.api)
      let error = await Embedding.error {
        try await lua.run(
          """
          local regex = lull.regex("(a+)+b$")
          for i = 1, 200 do api:configure(regex, { expiration_time = i }) end
          api("/" .. ("a"):rep(18) .. "!b"):load():await()
          """)
      }
      #expect(error?.kind == .instructionLimit, "\(String(describing: error))")
    }
  }

  // MARK: Recursion through asynchronous functions

  @Test func `EMB-51 recursion through an asynchronous function is one stretch`() throws {
    try Embedding.run(limits: .init(memory: 256 << 20, instructions: 200_000)) { lua, _ in
      var calls = 0
      try lua.set("again") { [unowned lua] () async throws -> Void in
        calls += 1
        try await lua.run("recurse()")
      }
      try lua.runNow(
        "function recurse() for i = 1, 1000 do end again() for i = 1, 1000 do end end")
      let error = await Embedding.error { try await lua.run("recurse()") }
      #expect(error?.kind == .instructionLimit, "\(String(describing: error))")
      #expect(calls > 10 && calls < 500, "\(calls)")
      let two: Int = try await lua.run("return 2")
      #expect(two == 2)
    }
  }

  @Test func `EMB-51 what calls Lua code again and again without a pause is one stretch`() throws {
    try Embedding.run(limits: .init(instructions: 200_000)) { lua, _ in
      try lua.set("call") { [unowned lua] () async throws -> Void in
        try await lua.run("for i = 1, 10000 do end")
      }
      let error = await Embedding.error { try await lua.run("while true do call() end") }
      #expect(error?.kind == .instructionLimit, "\(String(describing: error))")
    }
  }

  @Test func `EMB-51 a pause begins a new stretch, as does a call that runs no Lua code`() throws {
    try Embedding.run(limits: .init(instructions: 200_000)) { lua, _ in
      try lua.set("pause") { [unowned lua] () async throws -> Void in
        try await lua.run("for i = 1, 50000 do end")
        try await Task.sleep(for: .milliseconds(80))
      }
      try lua.set("nothing") { () async -> Void in }
      try await lua.run(
        """
        for i = 1, 5 do for j = 1, 50000 do end pause() end
        for i = 1, 20 do for j = 1, 50000 do end nothing() end
        """)
    }
  }
}
