import LullCassettes
import LullLibC
import Testing

/// Answers that take their time, and requests that are told of.
@Suite("lull mock: patience", .timeLimit(.minutes(20)))
struct MockPatienceTests {
  @Test func `MCK-25 with --delays recorded answers come as late as they were recorded`() throws {
    let entry = HAREntry(
      started: 1, milliseconds: 700,
      request: HARRequest(method: "GET", url: "https://api.shop.test/v2/a"),
      response: HARResponse(status: 200, body: HARBody(Array("late".utf8), type: "text/plain")))
    let file = HARFile(creator: .init(name: "test", version: "1"), entries: [entry]).encoded()
    let mock = try MockProcess(
      calls: "a = { path = \"/a\" }", files: ["a.har": file], "--cassette", "a.har", "--delays")
    #expect(try mock.body("/a") == "late")
    let line = try mock.end().errors
    // Of the log, and no more than what it says: it has waited at all.
    let time = try #require(line.firstMatch(of: /cassette (\d+)\.\d ms/)).1
    #expect(Int(time) ?? 0 >= 700, "\(line)")
  }

  @Test func `MCK-26 what a terminal obeys is spelled out where requests are told of`() throws {
    let mock = try MockProcess(calls: "a = { path = \"/a\" }")
    let client = try RawClient(mock)
    client.send("GET /a\u{1B}[31m\u{9B}x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    _ = client.readToEnd()
    client.send("")
    let bytes = try mock.end().errors
    #expect(!bytes.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B }, "\(bytes)")
    #expect(bytes.isEmpty || bytes.contains("GET /a"), "\(bytes)")
  }

  @Test
  func `MCK-27 a function that does not wait is ended after --max-time, and the next is answered`()
    throws
  {
    let mock = try MockProcess(
      calls: """
        busy = { path = "/busy", mock = function(_, state)
          state.begun = true
          while true do end
        end },
        stubborn = { path = "/stubborn", mock = function()
          while true do pcall(function() while true do end end) end
        end },
        inner = { path = "/inner", mock = function()
          coroutine.wrap(function() while true do end end)()
        end },
        later = { path = "/later", mock = function() lull.sleep(0.01) while true do end end },
        task = { path = "/task", mock = function()
          lull.spawn(function() while true do end end)
          return { text = "spawned" }
        end },
        waits = { path = "/waits", mock = function(_, state)
          lull.sleep(1.5)
          return { text = tostring(state.begun) }
        end },
        """, "--max-time", "1")
    for (path, line) in [("busy", 7), ("stubborn", 10), ("inner", 13), ("later", 15)] {
      let answer = try mock.curl("/" + path)
      #expect(answer.hasPrefix("HTTP/1.1 500 "))
      #expect(answer.contains("\"detail\": \"mock of call '\(path)': apis/shop.lua:\(line): "))
      #expect(
        answer.contains(
          "apis/shop.lua:\(line): a function ran for more than 1 s without waiting (--max-time)\""),
        "\(answer)")
    }
    #expect(try mock.body("/task") == "spawned")
    // Waiting is not running, and what was there before is.
    #expect(try mock.body("/waits") == "true")
    let ending = try mock.end()
    #expect(ending.code == 130)
    #expect(ending.errors.contains("GET /busy 500 mock of busy"), "\(ending.errors)")
    #expect(ending.errors.contains("\tapis/shop.lua:7: in local 'answer'"), "\(ending.errors)")
    #expect(ending.errors.contains("apis/shop.lua:17: a function ran for more"), "\(ending.errors)")
  }

  @Test func `MCK-50 what a function of the library does is ended too, and the next is answered`()
    throws
  {
    let codes = [
      "string.find(string.rep(\"a\", 30000), string.rep(\"a*\", 12) .. \"b\")",
      "table.move({}, 1, 1 << 60, 2)",
      "kept(string.rep(\"a\", 30000), string.rep(\"a*\", 12) .. \"b\")",
      "table.concat(setmetatable({}, { __index = type }), \"\", 1, 1 << 60)",
      "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
    ]
    let calls = codes.enumerated().map { index, code in
      """
      c\(index) = { path = "/c\(index)", mock = function() \(code) return { text = "" } end },
      """
    }
    let fine = "fine = { path = \"/fine\", mock = function() return { text = \"fine\" } end }"
    // The file keeps a function while it is loaded, before there are limits.
    let base = "https://api.shop.test/v2\" .. (function() kept = string.find return '' end)() .. \""
    let mock = try MockProcess(
      calls: calls.joined(separator: "\n") + fine, base: base, "--max-time", "0.3")
    for index in codes.indices {
      let answer = try mock.curl("/c\(index)")
      #expect(answer.hasPrefix("HTTP/1.1 500 "), "\(codes[index]): \(answer)")
      #expect(answer.contains("a function ran for more than 0.3 s without waiting (--max-time)"))
    }
    #expect(try mock.body("/fine") == "fine")
    #expect(try mock.end().code == 130)
  }

  @Test func `MCK-28 what nothing can interrupt ends the mock, which says so`() throws {
    let mock = try MockProcess(
      calls: """
        stuck = { path = "/stuck", mock = function() os.execute("sleep 30") end },
        """, "--max-time", "1")
    #expect(try mock.curl("/stuck") == "")
    let ending = try mock.child.wait()
    #expect(ending.code == 1)
    #expect(
      ending.errors.contains(
        "lull: a function ran for more than 1 s without waiting (--max-time)\n"),
      "\(ending.errors)")
  }
}
