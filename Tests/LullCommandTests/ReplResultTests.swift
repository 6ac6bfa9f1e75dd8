import Testing

/// What a person sees of the values of lines: their numbers, requests that are waited for, help.
@Suite("Values at a prompt", .timeLimit(.minutes(20)))
struct ReplResultTests {
  private static let service = "api = lull.service(lull.demo())\n"

  @Test func `PRM-01 a terminal is greeted, a pipe is not`() throws {
    let screen = try Screen()
    let first = try screen.text().prefix { $0 != "\n" }
    #expect(first.hasPrefix("Lull 0."))
    #expect(first.contains(".help"))
    #expect(try lull("repl", input: "1 + 1\n").output == "2\n")
  }

  @Test func `PRM-02 PRM-03 values have numbers, under which the last hundred stay`() throws {
    let child = try Child.prompt()
    try child.type(
      ("1 + 1\n", "Out[1]: 2\r\n> "), ("'a', 'b'\n", "Out[2]: \"a\"\t\"b\"\r\n> "),
      ("nil\n", "\r\nnil\r\n> "), ("x = 5\n", "\r\n> "),
      ("Out[1], Out[2], _\n", "Out[3]: 2\t\"a\"\tnil\r\n> "),
      (
        "{ ('x'):rep(50), ('y'):rep(50) }\n",
        "Out[4]:\r\n{\r\n  \"" + String(repeating: "x", count: 50)
      ))
    // In one paste, which runs them one after the other.
    let lines = (1...97).map(String.init).joined(separator: "\n")
    try child.type((Child.pasted(lines), "97"), ("\n", "Out[101]: 97\r\n> "))
    try child.type(("Out[1], Out[2]\n", "\r\nnil\t\"a\"\r\n> "))
    // A variable of that name is the script's.
    try child.type(("Out = 7\n", "\r\n> "), ("Out\n", "]: 7\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-02 there are no numbers in a pipe`() throws {
    let ending = try lull("repl", input: "1 + 1\nOut\n")
    #expect(ending.output == "2\nnil\n")
  }

  @Test func `PRM-04 a request is waited for, and what it has brought is shown`() throws {
    let screen = try Screen(environment: ["NO_COLOR": "1"])
    try screen.type(Self.service)
    try screen.type("api('/users/1'):load()\n")
    let text = try screen.wait(end: "}\n>")
    #expect(text.contains("\nOut[1]:\nRequest(GET /users/1 completed)\n{\n  id = 1,\n"))
    try screen.type("_.name, Out[1].request.url:match('%d$'), Out[1].data.id\n")
    try screen.wait(for: "Out[2]: \"Ada Lovelace\"  \"1\"     1")
  }

  @Test func `PRM-153 an explanation is shown as it is`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.service, "\r\n> "),
      ("api('/users/1'):explain()\n", "\r\nSettings\r\n  expiration_time "),
      ("'a\\nb'\n", "]: \"a\\nb\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-151 long help goes through the pager`() throws {
    let screen = try Screen(environment: ["NO_COLOR": "1", "PAGER": "sed s/^/P:/"])
    try screen.type("Resource?\n")
    try screen.wait(until: "the help went through the pager, and the prompt is there") {
      $0.contains("\nP:  ") && $0.hasSuffix("\n>")
    }
    // What fits the screen does not.
    try screen.type("lull.now?\n")
    try screen.wait(for: "lull.now(")
    #expect(!(try screen.text().contains("P:lull.now(")))
  }

  @Test func `PRM-152 PRM-154 what is called otherwise is found`() throws {
    let child = try Child.prompt(environment: ["PAGER": "cat"])
    try child.type(
      (Self.service, "\r\n> "), ("api.load?\n", "Service has no 'load'. Other types have:"),
      ("1\n", "]: 1\r\n> "), ("api.lod?\n", "Nothing is called 'api.lod'"),
      (".lod x\n", "'.lod' (did you mean '.load'?); .help lists the commands\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-04 several are, and values of scripts are shown as such`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.service, "\r\n> "),
      ("api:transform('/users/*', function(c) return { only = c.id } end)\n", "\r\n> "),
      (
        "api('/users/1'):load(), 5, api('/users/2'):load()\n",
        "]:\r\nRequest(GET /users/1 completed)\r\n{ only = 1 }\r\n5\r\n"
          + "Request(GET /users/2 completed)\r\n{ only = 2 }\r\n> "
      ))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-05 the error of one that fails is shown, and the session goes on`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.service, "\r\n> "),
      ("api('/users/999'):load()\n", "/users/999 → 404\r\n> "),
      ("_, Out[1].error.http_status\n", "nil\t404\r\n> "),
      ("Out[1].request\n", "Request(GET /users/999 completed)\r\nlull: Not found\r\n  request"))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-06 Ctrl-C ends the wait and cancels the request`() throws {
    let server = try HeldServer([[Array("HTTP/1.1 200 OK\r\n\r\n".utf8)]], released: 0)
    defer { server.stop() }
    let child = try Child.prompt()
    try child.type(("api = lull.service('\(server.url)')\n", "\r\n> "))
    let before = child.output.count
    child.type("'line', api('/x'):load()\n")
    try child.wait(until: "the server has been asked") { !server.requests.isEmpty }
    // The line has run: what is left is the wait.
    child.type(Child.controlC)
    try child.waitForOutput("interrupted!\r\n> ", after: before)
    try child.type(("_, api('/x').is_loading\n", "]: \"line\"\tfalse\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-07 one that has not begun is not waited for, nor is any in a pipe`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.service, "\r\n> "),
      (
        "api('/users/1'):load():await() _ = nil return api('/users/1'):load():repeated()\n",
        "Request(GET /users/1 not started)\r\n> "
      ))
    #expect(try child.leave() == 0)
    let ending = try lull("repl", input: Self.service + "api('/users/1'):load()\n")
    #expect(ending.output == "Request(GET /users/1 in progress)\n")
  }

  @Test func `PRM-08 a question mark shows the help for a name`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.service, "\r\n> "), ("api.configure?\n", "service:configure(pattern?, settings"),
      ("?api:configure\n", "service:configure(pattern?, settings"),
      ("user = api('/users/1')\n", "\r\n> "), ("user.load?\n", "resource:load("),
      ("lull.map?\n", "lull.map(list, fn, options?)"), ("user?\n", "Resource\r\n"),
      ("lull.json?\n", "lull.json\r\n"), ("Settings?\n", "Settings\r\n"),
      ("Resource.load?\n", "resource:load("), (".help user.load\n", "resource:load("),
      ("lull.mpa?\n", "Nothing is called 'lull.mpa'"),
      (".help 1 + 1\n", "lull: .help takes a name"), ("1\n", "Out[1]: 1\r\n> "))
    #expect(try child.leave() == 0)
    let same = try lull("repl", input: ".help lull.map\nhelp(lull.map)\n").output
    #expect(same.prefix(same.count / 2) == same.suffix(same.count / 2))
    #expect(try lull("repl", input: "lull.map?\n").errors.contains("syntax error near '?'"))
  }

  @Test func `PRM-09 PRM-16 of a call of an API file it shows the parameters`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("https://shop.test"), calls = {
        order = { path = "/orders/{id}", description = "One order.",
          params = { id = "integer", view = { type = { "short", "long" }, default = "short" } } } } }
      """)
    try folder.write("apis/never.lua", "io.stderr:write('run!')")
    let screen = try Screen(folder: folder.path, environment: ["NO_COLOR": "1"])
    try screen.type("lull.api('ne")
    try screen.press("Tab")
    try screen.wait(end: "> lull.api('never'")
    try screen.press("C-c")
    try screen.wait(end: "^C\n>")
    try screen.type("shop = lull.api('shop')\nshop.calls.order?\n")
    // The prompt between the two lines is not the one that follows the help.
    let text = try screen.wait(until: "the help is there, and a prompt") {
      $0.contains("default short") && $0.hasSuffix("\n>")
    }
    #expect(
      text.contains(
        """
        shop.order
          GET /orders/{id}
          One order.

          id    integer, required
          view  short or long, default short
        """))
  }

  @Test func `the session of the article is what a terminal shows`() throws {
    let api = try SampleAPI()
    let path = Binaries.tests + "/../Sources/LullHost/LullHost.docc/Prompt.md"
    let article = try Child("cat", [path]).wait().output
    let start = try #require(article.firstRange(of: "```text\n$ lull repl\n")).upperBound
    let end = try #require(article[start...].firstRange(of: "\n```")).lowerBound
    let session = article[start..<end].replacing("https://api.example.com", with: api.url)
    let screen = try Screen(columns: 100, rows: 60, environment: ["NO_COLOR": "1"])
    var prompts = 1
    for line in session.split(separator: "\n") where line.hasPrefix("> ") {
      try screen.type(line.dropFirst(2) + "\n")
      prompts += 1
      try screen.wait(until: "the prompt is there again") { text in
        text.split(separator: "\n").count { $0.hasPrefix(">") } == prompts
          && text.hasSuffix("\n>")
      }
    }
    #expect(try screen.text() == session + "\n>")
  }
}
