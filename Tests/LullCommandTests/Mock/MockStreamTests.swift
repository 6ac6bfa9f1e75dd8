import LullLibC
import Testing

/// Bodies that functions give piece by piece, and what a function learns of a request besides.
@Suite("lull mock: streams and the function of the file", .timeLimit(.minutes(20)))
struct MockStreamTests {
  private static let calls = """
    endless = { path = "/endless", mock = function(_, state)
      state.open = (state.open or 0) + 1
      return { body = function() return ("x"):rep(10000) end, close = function() state.open = state.open - 1 end }
    end },
    waits = { path = "/waits", mock = function(_, state)
      local n = 0
      return {
        status = 201, headers = { ["Content-Type"] = "text/event-stream" },
        body = function()
          n = n + 1
          if n == 3 then lull.sleep(3600) end
          return n == 2 and "" or "piece " .. n
        end,
      }
    end },
    open = { path = "/open", mock = function(_, state) return { text = tostring(state.open or 0) } end },
    chunked = { path = "/chunked", mock = function(_, state)
      local pieces = { "a", "", ("b"):rep(200000), "c" }
      state.open = (state.open or 0) + 1
      return {
        body = function() lull.sleep(0) return table.remove(pieces, 1) end,
        close = function() state.open = state.open - 1 end,
      }
    end },
    sized = { path = "/sized", mock = function(_, state)
      local pieces = { "abc", "def" }
      state.open = (state.open or 0) + 1
      return {
        headers = { ["Content-Length"] = "6" }, body = function() return table.remove(pieces, 1) end,
        close = function() state.open = state.open - 1 end,
      }
    end },
    """

  private func waitForClosed(_ mock: MockProcess) throws {
    // It is heard of when the server next writes.
    while try mock.body("/open") != "0" {}
  }

  @Test func `MCK-170 a function gives a body piece by piece, and others are answered meanwhile`()
    throws
  {
    let mock = try MockProcess(calls: MockStreamTests.calls)
    let waiting = try RawClient(mock)
    waiting.send("GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let begun = waiting.read(until: "piece 1")
    #expect(begun.hasPrefix("HTTP/1.1 201 Created\r\n"), "\(begun)")
    let chunked = try mock.curl("/chunked")
    #expect(chunked.contains("\nTransfer-Encoding: chunked\n"))
    #expect(!chunked.contains("etag"))
    #expect(chunked.hasSuffix("\n\na" + String(repeating: "b", count: 200_000) + "c"))
    let sized = try mock.curl("/sized")
    #expect(sized.contains("\nContent-Length: 6\n") && sized.hasSuffix("\n\nabcdef"), "\(sized)")
    // In HTTP/1.0 the end of the connection is that of the body.
    let old = try RawClient(mock)
    old.send("GET /chunked HTTP/1.0\r\n\r\n")
    #expect(old.readToEnd().hasSuffix("bbc"))
    // A connection goes on behind a stream.
    let both = try Child("curl", ["-s", mock.url + "/sized", mock.url + "/chunked"]).wait().output
    #expect(both.hasPrefix("abcdefabb"))
  }

  @Test func `MCK-171 a body breaks off where its function says so, fails or gives something else`()
    throws
  {
    let mock = try MockProcess(
      calls: """
        cut = { path = "/cut", mock = function()
          local n = 0
          return { body = function() n = n + 1 if n == 1 then return "part" end return nil, "cut" end }
        end },
        short = { path = "/short", mock = function()
          local pieces = { "part" }
          return { headers = { ["content-length"] = 10 }, body = function() return table.remove(pieces) end }
        end },
        raises = { path = "/raises", mock = function()
          return { body = function() error("no more") end }
        end },
        odd = { path = "/odd", mock = function() return { body = function() return {} end } end },
        closes = { path = "/closes", mock = function()
          return { body = function() return nil end, close = 7 }
        end },
        alone = { path = "/alone", mock = function() return { text = "x", close = print } end },
        """)
    for path in ["/cut", "/short", "/raises", "/odd"] {
      let ending = try Child("curl", ["-s", "--max-time", "120", mock.url + path]).wait()
      #expect(ending.code == 18, "\(path) \(ending)")
      #expect(ending.output == (["/cut", "/short"].contains(path) ? "part" : ""), "\(path)")
    }
    for path in ["/closes", "/alone"] {
      #expect(
        try mock.curl(path).contains("'close' must be a function, and needs a 'body' function"))
    }
    let errors = try mock.end().errors
    #expect(errors.contains("apis/shop.lua:14: no more\n"), "\(errors)")
    #expect(errors.contains("in body of mock of call 'raises'\nstack traceback:"), "\(errors)")
    #expect(
      errors.contains("'body' must return strings, and nil at the end of the body, got"),
      "\(errors)")
    #expect(!errors.contains("lull.mock:"))
  }

  @Test func `MCK-172 a stream is closed once, when it was sent or its client has gone`() throws {
    let mock = try MockProcess(calls: MockStreamTests.calls)
    for path in ["/sized", "/chunked"] {
      #expect(try mock.body(path) != "")
      let head = try mock.curl(path, "-I")
      #expect(head.hasPrefix("HTTP/1.1 200 OK\n") && head.hasSuffix("\n\n"), "\(head)")
    }
    try waitForClosed(mock)
    do {
      let client = try RawClient(mock)
      client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(client.read(until: "xxx").contains("xxx"))
      // It does not read, and holds up nobody.
      #expect(try mock.body("/open") == "1")
    }
    try waitForClosed(mock)
  }

  @Test func `MCK-173 the function of a file answers what no call is declared for`() throws {
    let mock = try MockProcess(
      calls: "a = { path = \"/a\", example = 1 },",
      fields: """
        mock = function(request, state)
          if request.path == "/nil" then return nil end
          state.count = (state.count or 0) + 1
          return { text = table.concat({ request.method, request.path, tostring(request.call), state.count }, " ") }
        end,
        """)
    #expect(try mock.body("/a") == "1")
    let other = try mock.curl("/x/y%20z?q", "-X", "BREW")
    #expect(other.hasSuffix("\n\nBREW /x/y%20z nil 1") && !other.contains("etag"), "\(other)")
    #expect(try mock.body("/a", "-X", "DELETE") == "DELETE /a nil 2")
    #expect(try mock.body("", "-X", "OPTIONS", "--request-target", "*") == "OPTIONS * nil 3")
    #expect(try mock.curl("/nil").hasPrefix("HTTP/1.1 404 "))
    #expect(try mock.end().errors.contains("BREW /x/y%20z?q 200 mock of shop "))
    let folder = try TemporaryFolder()
    try folder.write("apis/shop.lua", MockProcess.file(calls: "", fields: "mock = 7,"))
    let wrong = try lull("mock", "shop", folder: folder.path)
    #expect(wrong.errors.contains("'mock' must be a function (request, state), got 7"))
    #expect(try lull("check", "apis/shop.lua", folder: folder.path).code != 0)
  }

  @Test func `MCK-174 MCK-175 a function gets header lines as they came, and the other origin`()
    throws
  {
    let mock = try MockProcess(
      calls: """
        lines = { path = "/lines", mock = function(request)
          local lines = {}
          for i, line in ipairs(request.lines) do lines[i] = line[1] .. "=" .. line[2] end
          return { text = table.concat(lines, ";") }
        end },
        other = { path = "/other", mock = function(request, state)
          state.count = (state.count or 0) + 1
          return { text = request.url .. " " .. request.other_origin .. " " .. state.count }
        end },
        """, "--other-origin")
    let lines = try mock.body(
      "/lines", "-H", "User-Agent:", "-H", "Accept:", "-H", "X-A: 1", "-H", "B: 2", "-H", "x-a: 3")
    #expect(lines == "host=127.0.0.1:\(mock.port);x-a=1;b=2;x-a=3")
    let words = try mock.body("/other").split(separator: " ").map(String.init)
    try #require(words.count == 3)
    #expect(words[0] == mock.url + "/other" && words[2] == "1")
    #expect(
      try Child("curl", ["-s", words[1] + "/other"]).wait().output
        == "\(words[1])/other \(mock.url) 2")
  }

  @Test func `MCK-176 a TLS handshake ends the connection at once`() throws {
    let mock = try MockProcess(calls: MockStreamTests.calls)
    let client = try RawClient(mock)
    client.send([0x16, 3, 1, 2])
    #expect(client.readToEnd() == "")
    #expect(try mock.body("/open") == "0")
  }
}
