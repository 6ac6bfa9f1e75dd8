import Testing

/// What a session promises to people, in a terminal as they have it.
@Suite("A session on a screen", .timeLimit(.minutes(20)))
struct ReplScreenTests {
  private static let plain = ["NO_COLOR": "1"]

  @Test func `PRM-04 PRM-05 PRM-07 requests are waited for, those inside of tables are not`() throws
  {
    let api = try SampleAPI()
    let screen = try Screen(columns: 100, rows: 40, environment: Self.plain)
    try screen.type("api = lull.service('\(api.url)')\nr = api('/users/2'):load()\nr\n")
    try screen.wait(end: "\nOut[1]:\nRequest(GET /users/2 completed)\n" + Self.alan + "\n>")
    try screen.type("api('/users/999'):load()\n")
    try screen.wait(
      end: "\nOut[2]: Request(GET /users/999 completed)\nlull: Not found\n"
        + "  request: GET \(api.url)/users/999 → 404\n>")
    try screen.type("{ api('/users/3'):load() }\n")
    try screen.wait(end: "\nOut[3]: { Request(GET /users/3 in progress) }\n>")
    try screen.type("lull.map({ 1, 2 }, function(i) return api('/users/' .. i):load() end)\n")
    try screen.wait(until: "it is a table") { $0.contains("\nOut[4]:") && $0.hasSuffix("\n>") }
    try screen.type("api('/users/2'):load():chained(function() return lull.USE_RESPONSE end)\n")
    try screen.wait(until: "the chain is there") {
      $0.contains("\nOut[5]:\nRequest(") && $0.hasSuffix(Self.alan + "\n>")
    }
  }

  private static let alan =
    "{ id = 2, name = \"Alan Turing\", email = \"alan2@example.com\", role = \"member\", visits = 7 }"

  @Test func `PRM-06 Ctrl-C ends the wait, and so does a limit of time`() throws {
    let server = try HeldServer([[Array("HTTP/1.1 200 OK\r\n\r\n".utf8)]], released: 0)
    defer { server.stop() }
    let screen = try Screen(environment: Self.plain)
    try screen.type("api = lull.service('\(server.url)')\napi('/x'):load()\n")
    while server.requests.isEmpty { try screen.wait(for: "api('/x'):load()") }
    try screen.press("C-c")
    try screen.wait(end: "interrupted!\n>")
    try screen.type("api('/x').is_loading\n")
    try screen.wait(end: "]: false\n>")
    let limited = try Screen(["--max-time", "1"], environment: Self.plain)
    try limited.type("api = lull.service('\(server.url)')\napi('/x'):load()\n")
    try limited.wait(for: "lull: ")
    try limited.wait(end: "\n>")
    try limited.type("1 + 1\n")
    try limited.wait(end: ": 2\n>")
  }

  @Test func `PRM-08 PRM-17 a name is explained, and what was typed is saved`() throws {
    let folder = try TemporaryFolder()
    let screen = try Screen(rows: 50, folder: folder.path, environment: Self.plain)
    try screen.type("lull.map?\n")
    try screen.wait(for: "\nlull.map(list, fn, options?)\n")
    try screen.type("x = 1\nx + 1\n.save s.lua\n")
    try screen.wait(end: "\n2 statements in s.lua\n>")
    #expect(try shell("cat s.lua", folder: folder.path).output == "x = 1\n_ = x + 1\n")
  }

  @Test func `PRM-14 PRM-15 PRM-16 Tab completes what calls, elements and headers have`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("https://shop.test"), calls = {
        orders = { path = "/orders", params = { limit = "integer", status = { "open", "paid" } } } } }
      """)
    let screen = try Screen(folder: folder.path, environment: Self.plain)
    for (typed, shown) in [
      ("lull.api(\"sh", "lull.api(\"shop\""), ("c[1].na", "c[1].name"),
      ("Out[1].na", "Out[1].name"),
      ("s.calls.orders{ st", "s.calls.orders{ status"),
      ("s.calls.orders{ status = \"op", "s.calls.orders{ status = \"open\""),
      (
        "s.service:configure{ headers = { [\"user-a",
        "s.service:configure{ headers = { [\"user-agent\"]"
      ),
      ("s.service('/x').latest_data:header('etA", "s.service('/x').latest_data:header('etAg'"),
    ] {
      if typed.hasPrefix("c[1]") {
        try screen.type("s = lull.api('shop') c = { { name = 1 } }\nc[1]\n")
        try screen.wait(end: "{ name = 1 }\n>")
      }
      try screen.type(typed)
      try screen.wait(end: "> " + typed)
      try screen.press("Tab")
      try screen.wait(end: "> " + shown)
      try screen.press("C-c")
      try screen.wait(end: "^C\n>")
    }
    try screen.type("s.calls.orders{ ")
    try screen.press("Tab")
    try screen.wait(end: "\nlimit   status\n> s.calls.orders{")
  }

  @Test func `PRM-20 columns are in the order of the server, numbers at the right`() throws {
    let screen = try Screen(environment: Self.plain)
    try screen.type(
      "lull.json.decode('[{\"zeta\":1,\"alpha\":\"x\"},{\"zeta\":22,\"alpha\":\"yy\"}]')\n")
    try screen.wait(end: "\nzeta  alpha\n   1  x\n  22  yy\n>")
  }

  @Test func `PRM-21 exit leaves, unless it is a variable`() throws {
    let child = try Child.prompt()
    try child.type(
      ("exit = 5\n", "\r\n> "), ("exit\n", "]: 5\r\n> "), ("exit = nil\n", "\r\n> "))
    child.type("exit()\n")
    #expect(try child.wait().code == 0)
    // In a pipe it is a name as any other.
    #expect(try lull("repl", input: "exit\n1\n").output == "nil\n1\n")
  }

  @Test func `PRM-22 habits of others are answered in a line`() throws {
    let screen = try Screen(columns: 100, environment: Self.plain)
    for (line, answer) in [
      ("lull.map??", "lull: source cannot be shown: lull.map? describes it"),
      ("%edit", "lull: there is no %edit: .edit opens the last input"),
      ("%save x", "lull: there is no %save: .save FILE writes the statements that succeeded"),
      (
        "!ls",
        "lull: ! does not run shell commands: use os.execute(\"ls\"), outside the sandbox"
      ),
      (
        "In[2]",
        "lull: there is no In: .edit 2 opens the input of Out[2], Ctrl-R searches the history"
      ),
    ] {
      try screen.type(line + "\n")
      try screen.wait(end: "> " + line + "\n" + answer + "\n>")
    }
    #expect(try lull("repl", input: "!ls\n").errors.contains("unexpected symbol near '!'"))
  }

  /// Narrower than what is typed, wide letters at the edge, and longer than the screen.
  @Test(arguments: [12, 5, 2])
  func `PRM-11 a narrow screen shows what was typed`(columns: Int) throws {
    let screen = try Screen(columns: columns, rows: 24, environment: ["NO_COLOR": ""])
    let line = "x = '語語語' -- and more of it"
    try screen.type(line)
    try screen.press("C-a", "C-e")
    try screen.wait(until: "all of it is shown") { text in
      text.filter { !$0.isWhitespace }.hasSuffix(line.filter { !$0.isWhitespace })
    }
    try screen.type("\nx\n")
    try screen.wait(until: "it has run") { $0.filter { !$0.isWhitespace }.hasSuffix("\"語語語\">") }
  }

  @Test func `PRM-11 a line longer than the screen is run whole`() throws {
    let screen = try Screen(columns: 40, rows: 8, environment: ["NO_COLOR": ""])
    try screen.type("#{ " + String(repeating: "1, ", count: 400) + "}\n")
    try screen.wait(end: "Out[1]: 400\n>")
  }
}
