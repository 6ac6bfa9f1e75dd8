import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Values on their way between Swift and Lua.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedValueTests {
  @Test func `EMB-01 a text runs, and its first result comes as the type asked for`() throws {
    try Embedding.run { lua, _ in
      let two: Int = try await lua.run("return 1 + 1")
      #expect(two == 2)
      let text: String = try await lua.run("return ('x'):rep(...)", 3)
      #expect(text == "xxx")
      let all = try await lua.runForAll("return ...", 1, "two", true)
      #expect(all.map(\.typeName) == ["number", "string", "boolean"])
      #expect(try await lua.run("return").isNil)
      let now: Double = try lua.runNow("return 0.5")
      #expect(now == 0.5)
      let skipped: Int = try lua.runNow("#!/usr/bin/lua\nreturn 3")
      #expect(skipped == 3)
    }
  }

  @Test func `EMB-02 numbers, texts and bytes stay what they are both ways`() throws {
    try Embedding.run { lua, _ in
      let same: Lua.Function = try lua.runNow("return function(...) return ... end")
      func back<T: LuaEncodable & LuaDecodable>(_ value: T) throws -> T {
        try same.callNow(value)
      }
      #expect(try back(Int.max) == .max && back(Int.min) == .min)
      #expect(try back(1.5) == 1.5 && back(Double.infinity) == .infinity)
      #expect(try back(Double.nan).isNaN)
      #expect(try back("h\u{e9}\0x") == "h\u{e9}\0x" && back("") == "")
      #expect(try back([UInt8]([0xff, 0, 0xfe])) == [0xff, 0, 0xfe])
      #expect(try back(true) && !back(false))
      #expect(try back(UInt8(200)) == 200 && back(Int32(-5)) == -5)
      #expect(try back(Int?.none) == nil && back(Int?(4)) == 4)
      let kinds: String = try lua.runNow(
        "local a, b = ... return math.type(a) .. ' ' .. math.type(b)", 1, 1.0)
      #expect(kinds == "integer float")
      if case .bytes(let bytes) = try lua.runNow(#"return "\xff""#) as Lua.Value {
        #expect(bytes == [0xff])
      } else {
        Issue.record("not valid UTF-8 comes as bytes")
      }
      if case .null = try lua.runNow("return lull.null") as Lua.Value {
      } else {
        Issue.record("lull.null comes as null")
      }
    }
  }

  @Test func `EMB-02 a number that the type does not have is refused`() throws {
    try Embedding.run { lua, _ in
      func message(_ body: () throws -> Void) -> String? {
        let error = Embedding.errorNow(body)
        return error?.kind == .mismatch ? error?.message : nil
      }
      #expect(
        message { let _: Int8 = try lua.runNow("return 200") } == "200 does not fit Int8")
      #expect(
        message { let _: Int = try lua.runNow("return 1.5") }
          == "an integer that fits Int expected, got the number 1.5")
      #expect(
        message { let _: String = try lua.runNow("return 5") }
          == "a string expected, got the number 5")
      #expect(
        message { let _: String = try lua.runNow(#"return "\xff""#) }
          == "a string expected, got bytes that are not valid UTF-8")
      #expect(
        message { let _: Double = try lua.runNow("return (1 << 53) + 1") }
          == "9007199254740993 does not fit a Double exactly")
      #expect(
        message { try lua.set("n", UInt64.max) }
          == "18446744073709551615 is beyond Lua's integers of 64 bits")
      #expect(
        message { let _: Int = try lua.get("none") } == "field 'none': an integer expected, got nil"
      )
    }
  }

  @Test func `EMB-03 arrays, dictionaries and JSON are tables, and come back from them`() throws {
    try Embedding.run { lua, _ in
      let sum: Int = try lua.runNow(
        "local s = 0 for _, n in ipairs(...) do s = s + n end return s", [1, 2, 3])
      #expect(sum == 6)
      let map: [String: [Int]] = try lua.runNow("local t = ... t.b = { 7 } return t", ["a": [1]])
      #expect(map == ["a": [1], "b": [7]])
      let numbers: [Int: String] = try lua.runNow("return { 'x', 'y', [10] = 'z' }")
      #expect(numbers == [1: "x", 2: "y", 10: "z"])
      let holes: [Int?] = try lua.runNow("return ...", [1, nil, 3])
      #expect(holes == [1, nil, 3])
      let json: JSONValue = .object([
        .init("list", .array([.int(1), .double(2.5), .null])), .init("text", .string("t")),
      ])
      let back: JSONValue = try lua.runNow("local t = ... t.more = { true } return t", json)
      #expect(back["list"]?[1]?.double == 2.5 && back["list"]?[2]?.isNull == true)
      #expect(back["more"]?[0]?.bool == true)
      #expect(try lua.runNow("return {}") == [Int]())
    }
  }

  @Test func `EMB-03 a table that is not what was asked for says where`() throws {
    try Embedding.run { lua, _ in
      func message<T: LuaDecodable>(_ type: T.Type, _ text: String) -> String? {
        Embedding.errorNow { let _: T = try lua.runNow(text) }?.message
      }
      #expect(
        message([Int].self, "return { 1, 'x' }")
          == "element 2: an integer expected, got the string 'x'")
      #expect(
        message([String: [Int]].self, "return { a = { 1, true } }")
          == "field 'a': element 2: an integer expected, got boolean")
      #expect(
        message([Int].self, "return { 1, x = 2 }")
          == "a table expected with elements from 1 to 2 only, got one with the key 'x'"
      )
      #expect(message([Int].self, "return 'x'") == "a table expected, got the string 'x'")
      #expect(
        message(JSONValue.self, "return { f = print }")?.contains("f") == true)
      #expect(message(Service.self, "return {}") == "a Service expected, got table")
    }
  }

  @Test func `EMB-04 tables that hold themselves, or too many inside each other, are refused`()
    throws
  {
    try Embedding.run { lua, _ in
      struct Node: LuaDecodable {
        static func from(lua value: Lua.Value) throws(LuaError) -> Node {
          guard case .table(let table) = value else { return Node() }
          let _: [Node] = try [Node].from(lua: .table(table))
          return Node()
        }
      }
      let error = Embedding.errorNow {
        let _: [Node] = try lua.runNow("local t = {} t[1] = t return t")
      }
      #expect(
        error?.kind == .mismatch && error?.message.contains("does a table contain itself?") == true)
      #expect(
        Embedding.errorNow { let _: JSONValue = try lua.runNow("local t = {} t.t = t return t") }?
          .kind
          == .mismatch)
      var deep = JSONValue.array([])
      for _ in 0..<300 { deep = .array([deep]) }
      #expect(
        Embedding.errorNow { try lua.set("deep", deep) }?.message
          == "more than 200 nested tables cannot be passed to Lua")
      #expect(
        Embedding.errorNow { try lua.set("bad", Lua.Value.map([(.nil, .int(1))])) }?.message
          == "the key of a table cannot be nil")
      #expect(
        Embedding.errorNow { try lua.set("bad", Lua.Value.map([(.number(.nan), .int(1))])) }?
          .message
          == "the key of a table cannot be NaN")
    }
  }

  @Test func `EMB-03 a table is shared, and heeds its metatable`() throws {
    try Embedding.run { lua, _ in
      let table = try lua.makeTable()
      try table.set("x", 5)
      try table.set(1, "one")
      try lua.set("shared", table)
      try lua.runNow("shared.y = shared.x * 2")
      let y: Int = try table.get("y")
      #expect(y == 10)
      #expect(try table.count() == 1)
      #expect(try table.entries().count == 3)
      #expect(try table.json()["y"]?.int == nil || table.json()["y"]?.int == 10)
      let defaults: Lua.Table = try lua.runNow(
        "return setmetatable({}, { __index = function(_, key) error('no ' .. key) end })")
      let error = Embedding.errorNow { let _: Int = try defaults.get("z") }
      #expect(error?.kind == .runtime && error?.message.hasSuffix("no z") == true)
      let isSame: Bool = try lua.runNow("return shared == ...", table)
      #expect(isSame)
    }
  }

  @Test func `EMB-09 a service is the same object on both sides`() throws {
    try Embedding.run { lua, stubs in
      try lua.set("api", stubs.api)
      let back: Service = try lua.get("api")
      #expect(back === stubs.api)
      let n: Int = try await lua.run("return api('/a'):load():await().content.n")
      #expect(n == 1 && stubs.api.resource("/a").jsonDict["n"]?.int == 1)
      let resource: Resource = try lua.runNow("return api('/a')")
      #expect(resource === stubs.api.resource("/a"))
      try lua.runNow("api:configure('/a', function(c) c.headers['X-Lua'] = 'yes' end) api = nil")
      try lua.runNow("collectgarbage() collectgarbage()")
      _ = try await stubs.api.resource("/a").load().entity()
      #expect(stubs.provider.requests.last?.headers["X-Lua"] == "yes")

      let made: Service = try lua.runNow(
        """
        made = lull.service("https://lua.test")
        made:configure(function(c) c.expiration_time = 77 end)
        return made
        """)
      try lua.runNow("made = nil collectgarbage() collectgarbage()")
      #expect(made.baseURL?.text.hasPrefix("https://lua.test") == true)
      try lua.set("again", made)
      let time: Int = try lua.runNow("return again:configuration_for(again('/x')).expiration_time")
      #expect(time == 77)
    }
  }

  @Test func `EMB-09 entities and errors that scripts have made can be read in Swift`() throws {
    try Embedding.run { lua, _ in
      let entity: Entity = try lua.runNow("return lull.entity{ content = { name = 'Ann' } }")
      try lua.runNow("collectgarbage() collectgarbage()")
      #expect(entity.jsonDict["name"]?.string == "Ann")
      let error: RequestError = try lua.runNow("return lull.error('mine')")
      #expect(error.userMessage == "mine")
      let text: String = try lua.runNow("return (...).user_message", error)
      #expect(text == "mine")
      let request: Request = try lua.runNow(
        """
        return lull.custom_request{ start = function(complete)
          complete(lull.success{ content = "done" })
        end }
        """)
      try lua.runNow("collectgarbage() collectgarbage()")
      let done = try await request.start().entity()
      #expect(done.text == "done")
    }
  }

  @Test func `EMB-10 what belongs elsewhere is refused with what to do`() throws {
    try Lull.run { home in
      let lua = try Lua(home)
      let second = try Lua(home)
      let stubs = Embedding.Stubs(home)
      try lua.set("api", stubs.api)
      #expect(
        Embedding.errorNow { try second.set("api", stubs.api) }?.message
          == "the service stubs is shared with another Lua runtime: make one for each")
      let table = try lua.makeTable()
      #expect(
        Embedding.errorNow { try second.set("t", table) }?.message
          == "a table of another Lua runtime: pass its content instead")
      let foreign = Service(
        baseURL: "https://x.test", networking: stubs.provider,
        pump: Pump(clock: ManualClock()))
      #expect(
        Embedding.errorNow { try lua.set("foreign", foreign) }?.message
          == "the service https://x.test/ belongs to another home: make one on this runtime's home")
    }
  }
}
