import LullLibC
import Testing

@Suite("Bars of scripts", .timeLimit(.minutes(20)))
struct ScriptProgressTests {
  private static let clear = "\r\u{1B}[K"

  /// Runs code at a terminal of 60 columns and 12 rows.
  private func start(_ code: String, redirection: String = "") throws -> Child {
    try Child(
      "bash", ["-c", "stty cols 60 rows 12; \"$LULL\" -e \"$CODE\" \(redirection)"],
      environment: ["TERM": "xterm", "NO_COLOR": "1", "LULL": Binaries.lull, "CODE": code],
      terminal: true)
  }

  /// What the terminal shows in the end, line by line, as far as these sequences go.
  private func screen(_ output: String) -> [String] {
    var lines: [[Unicode.Scalar]] = [[]]
    var row = 0
    var column = 0
    var rest = Array(output.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        row += 1
        if row == lines.count { lines.append([]) }
      case "\u{1B}":
        _ = rest.popFirst()
        if rest.popFirst() == "A" {
          row -= 1
        } else {
          lines[row] = Array(lines[row].prefix(column))
        }
      default:
        while lines[row].count <= column { lines[row].append(" ") }
        lines[row][column] = scalar
        column += 1
      }
    }
    return lines.map { line in
      var text = String.UnicodeScalarView()
      text.append(contentsOf: line)
      return String(text)
    }
  }

  @Test func `PROG-02 a total has a bar and per cent`() throws {
    let child = try start(
      """
      local progress = lull.progress(4, "reading")
      progress:advance()
      lull.sleep(0.25)
      io.read()
      progress:set(4):finish()
      """)
    try child.waitForOutput(
      "reading \(String(repeating: "█", count: 7))\(String(repeating: "░", count: 23)) 25 % 1 of 4")
    child.type("\n")
    let ending = try child.wait()
    #expect(ending.output.contains("\(Self.clear)reading: 4 of 4 in "), "\(ending.output)")
    #expect(ending.code == 0)
  }

  @Test func `PROG-02 without a total it is a count, and of 0 all is done`() throws {
    let child = try start(
      """
      local count <close> = lull.progress(nil, "rows")
      count:advance(7)
      local none = lull.progress(0)
      lull.sleep(0.3)
      """)
    let ending = try child.wait()
    #expect(ending.output.contains("rows 7\r\n"), "\(ending.output)")
    #expect(ending.output.contains("█ 100 % 0 of 0"), "\(ending.output)")
    #expect(screen(ending.output).filter { !$0.isEmpty }.count == 1)
  }

  @Test func `DWN-120 a download has a bar that counts bytes, and leaves a line`() throws {
    let child = try start(
      """
      local service = lull.service{ base_url = "https://x.test", networking = function()
        lull.sleep(0.25)
        return { body = ("x"):rep(3 << 20) }
      end }
      local path = os.tmpname()
      assert(service("/large"):download(path, { progress = "large" }):await())
      os.remove(path)
      """)
    let ending = try child.wait()
    #expect(ending.output.contains("\(Self.clear)large: 3.0 MB in "), "\(ending.output)")
    #expect(ending.code == 0)
  }

  @Test func `PROG-03 what is written meanwhile goes above, whoever writes it`() throws {
    let child = try start(
      """
      local one, two = lull.progress(30, "one"), lull.progress(30, "two")
      for i = 1, 30 do
        print("line " .. i)
        if i % 10 == 0 then io.stderr:write("error " .. i .. "\\n") end
        if i == 5 then io.write("half ") end
        if i == 8 then lull.spawn(function() error("oops") end) end
        one:advance() two:advance()
        lull.sleep(0.02)
      end
      one:finish()
      two:finish()
      """)
    let ending = try child.wait()
    let lines = screen(ending.output)
    let printed = lines.filter { $0.hasPrefix("line ") || $0.hasPrefix("half ") }
    #expect(
      printed == (1...30).map { $0 == 6 ? "half line 6" : "line \($0)" }, "\(lines)")
    #expect(lines.filter { $0.hasPrefix("error ") } == ["error 10", "error 20", "error 30"])
    #expect(lines.contains { $0.contains("oops") })
    #expect(!lines.contains { $0.contains("█") || $0.contains("░") }, "\(lines)")
    #expect(
      lines.filter { $0.hasPrefix("one: 30 of 30 in ") || $0.hasPrefix("two: 30 of 30 in ") }.count
        == 2)
    #expect(ending.code == 1)
  }

  @Test func `PROG-03 a script that never waits is seen too`() throws {
    let child = try start(
      """
      local progress = lull.progress(3)
      for i = 1, 3 do
        print("line " .. i)
        progress:advance()
        local until_ = os.clock() + 0.15
        while os.clock() < until_ do end
      end
      """)
    let ending = try child.wait()
    #expect(ending.output.contains("66 % 2 of 3"), "\(ending.output)")
    #expect(screen(ending.output).filter { !$0.isEmpty } == ["line 1", "line 2", "line 3"])
  }

  @Test func `PROG-04 many bars, and long labels, fit`() throws {
    let child = try start(
      """
      local bars = {}
      for i = 1, 30 do bars[i] = lull.progress(2, ("länger "):rep(20) .. i):advance() end
      bars[31] = lull.progress(nil, "\\27[2J\\n日本語")
      lull.sleep(0.3)
      for i = 1, 29 do bars[i] = nil end
      collectgarbage()
      lull.sleep(0.3)
      """)
    let ending = try child.wait()
    #expect(ending.output.contains("… and 21 more"), "\(ending.output)")
    #expect(ending.output.contains("\\x1B[2J 日本語 0"), "\(ending.output)")
    let lines = ending.output.replacing("\u{1B}[K", with: "").replacing("\u{1B}[A", with: "\r")
      .split { $0.isNewline || $0 == "\r" }
    #expect(!lines.contains { $0.count > 59 }, "\(lines)")
    #expect(screen(ending.output).joined() == "", "\(ending.output)")
  }

  @Test func `PROG-05 what is left at the end leaves nothing`() throws {
    for end in ["", "os.exit(3)", "error('boom')"] {
      let ending = try start(
        "bar = lull.progress(2, 'left') bar:advance() lull.sleep(0.2) \(end)"
      ).wait()
      #expect(ending.output.contains("left "))
      #expect(!screen(ending.output).contains { $0.contains("left █") }, "\(ending.output)")
    }
  }

  @Test func `PROG-05 Ctrl-C leaves nothing either`() throws {
    let child = try start("bar = lull.progress(2, 'left') print('ready') lull.sleep(60)")
    try child.waitForOutput("left ░")
    child.type(Child.controlC)
    let ending = try child.wait()
    #expect(screen(ending.output).filter { !$0.isEmpty } == ["ready"], "\(ending.output)")
  }

  @Test func `PROG-01 nothing is written where standard error is no terminal`() throws {
    let ending = try start(
      "local p = lull.progress(2, 'x') print('a') lull.sleep(0.25) p:finish()",
      redirection: "2>&1 >/dev/null | cat"
    ).wait()
    #expect(ending.output == "", "\(ending.output)")
    let piped = try lull("-e", "local p = lull.progress(2) print('a') lull.sleep(0.2) p:finish()")
    #expect(piped.output == "a\n" && piped.errors == "")
  }

  @Test func `PROG-01 what is redirected is not held back`() throws {
    let ending = try start(
      "local p = lull.progress(2, 'x') print('a') lull.sleep(0.25) p:finish() print('b')",
      redirection: "| cat"
    ).wait()
    for text in ["a\r\n", "b\r\n", "x ░"] {
      #expect(ending.output.contains(text), "\(ending.output)")
    }
  }

  @Test func `PROG-07 lull.map counts what has ended`() throws {
    let child = try start(
      """
      lull.map({ 1, 2, 3, 4 }, function(n) lull.sleep(0.2) print("done " .. n) end,
        { concurrency = 2, progress = "items" })
      pcall(lull.map, { 1, 2 }, function(n) lull.sleep(0.2 * n) if n == 2 then error("no") end end,
        { progress = "bad" })
      """)
    let ending = try child.wait()
    #expect(ending.output.contains(" 50 % 2 of 4"), "\(ending.output)")
    let lines = screen(ending.output)
    #expect(lines.filter { $0.hasPrefix("done ") }.count == 4, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("items: 4 of 4 in ") })
    #expect(ending.output.contains("bad ") && !lines.contains { $0.hasPrefix("bad") }, "\(lines)")
  }

  @Test func `PROG-01 a session shows none`() throws {
    let session = try Child.prompt()
    try session.type(("p = lull.progress(3, 'inside'):advance()\r", "> "))
    try session.type(("lull.sleep(0.3) print('a' .. 'wake')\r", "awake\r\n> "))
    #expect(!session.outputText.contains("░"))
    #expect(try session.leave() == 0)
  }
}
