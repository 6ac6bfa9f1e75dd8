import LullLibC
import Testing

/// The page that `--html` writes.
@Suite("lull test: the page for people", .timeLimit(.minutes(20)))
struct TestPageTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  /// What a parser finds in a page: one line for each element with its attributes, and its texts by class.
  private static let reader = """
    import html.parser, sys
    VOID = {"meta", "link", "br", "wbr", "input"}
    class Reader(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.problems, self.tags, self.texts = [], [], [], {}
        def handle_starttag(self, tag, attributes):
            self.tags.append((tag, dict(attributes)))
            if tag not in VOID:
                self.open.append((tag, dict(attributes).get("class") or tag))
        def handle_endtag(self, tag):
            if not self.open or self.open.pop()[0] != tag:
                self.problems.append("wrong end of " + tag)
        def handle_data(self, text):
            for _, kind in self.open:
                self.texts[kind] = self.texts.get(kind, "") + text
    reader = Reader()
    reader.feed(open("out.html", encoding="utf-8").read())
    reader.close()
    for problem in reader.problems + [tag for tag, _ in reader.open]:
        print("wrong:", problem)
    for tag, attributes in reader.tags:
        if tag in ("script", "img", "iframe", "object", "base", "svg") or any(
                name.startswith("on") or name in ("src", "action", "style") and "url(" in (value or "")
                or name == "href" and not (value or "").startswith(("#", "data:,")) for name, value in attributes.items()):
            print("harm:", tag, attributes)
    names = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    print("ids:", len(names) == len(set(names)))
    print("landmarks:", *(tag for tag, _ in reader.tags if tag in ("header", "nav", "main", "footer", "h1", "h2", "h3")))
    for kind, text in sorted(reader.texts.items()):
        if kind not in ("html", "head", "body", "style", "main"):
            print(kind + ":", " ".join(text.split()))
    """

  private func read() throws -> [Substring] {
    try files.folder.write("read.py", TestPageTests.reader)
    let read = try shell("/usr/bin/python3 read.py", folder: files.folder.path)
    #expect(read.code == 0, "\(read.errors)")
    let lines = read.output.split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("wrong:") || $0.hasPrefix("harm:") }, "\(read.output)")
    #expect(lines.contains("ids: True"))
    return lines
  }

  private func text(of kind: String, in lines: [Substring]) -> Substring {
    lines.first { $0.hasPrefix(kind + ": ") }?.dropFirst(kind.count + 2) ?? ""
  }

  @Test func `PRV-72 the page has failures, differences, notes, output and exchanges`() throws {
    try files.write(
      "page_test.lua",
      """
      test("good", function(t)
        t.network:on("GET", "/a", { json = { n = 1 }, delay = 3 }, { status = 503 })
        local a = t:service("https://x.test")("/a")
        a:load():await()
        t.clock:advance(7)
        a:with_param("token", "sesame"):load():await()
        print("hello")
        Kept = a:load()
      end)
      test("bad", function(t) t.expect({ n = 1 }):to_equal{ n = 2 } end)
      test.skip("later", function() end)
      """)
    let ending = try files.run("page_test.lua", "--html", "out.html", "--junit", "out.xml")
    #expect(ending.code == 1)
    #expect(ending.output.contains("  ok       good"))
    #expect(files.text("out.xml")?.contains("<testsuites") == true)
    let lines = try read()
    #expect(text(of: "h1", in: lines) == "1 of 2 tests failed")
    #expect(text(of: "landmarks", in: lines) == "header h1 main nav h2 h2 h3 footer", "\(lines)")
    #expect(text(of: "problem", in: lines) == "page_test.lua:11: not equal: n: expected 2, got 1")
    #expect(text(of: "want", in: lines) == "2")
    #expect(text(of: "got", in: lines) == "1")
    #expect(text(of: "note", in: lines).hasPrefix("Note: left behind: 1 request in flight"))
    #expect(text(of: "printed", in: lines) == "hello")
    #expect(text(of: "url", in: lines).hasPrefix("https://x.test/a"))
    #expect(text(of: "url", in: lines).contains("token=***"))
    #expect(text(of: "status", in: lines).hasPrefix("200503"))
    #expect(text(of: "when", in: lines).hasPrefix("at 0 ms, 3 sat 10 s, 0 ms"), "\(lines)")
    let page = files.text("out.html") ?? ""
    #expect(!page.contains("sesame"))
    #expect(
      page.contains("left:0%;width:30%") || page.contains("left:0.00%;width:30.00%"), "\(page)")
  }

  @Test func `PRV-73 nothing that others have written is markup in the page`() throws {
    try files.write(
      "page_test.lua",
      """
      local tag = "</script></style></pre><script>alert(1)</script><img src=x onerror=alert(2)>"
      test("name " .. tag .. " \\" ' &amp;", function(t)
        print(tag, "\\27[31m\\0\\u{202E}]]>")
        t.network:on("GET", "/**", { status = 500, text = tag })
        t:service("https://x.test")(tag):with_param("q", tag):load():await()
        t.expect(tag):to_equal("b" .. tag)
        error(tag)
      end)
      """)
    #expect(try files.run("page_test.lua", "--html", "out.html").code == 1)
    let lines = try read()
    let page = files.text("out.html") ?? ""
    #expect(
      !page.unicodeScalars.contains {
        $0.value < 32 && $0 != "\n" && $0 != "\t" || $0 == "\u{202E}"
      })
    #expect(text(of: "printed", in: lines).contains("<script>alert(1)</script>"))
    #expect(text(of: "printed", in: lines).contains(#"\x1B[31m\x00\u{202E}]]>"#), "\(lines)")
    #expect(text(of: "name", in: lines).contains("&amp;"))
  }

  @Test func `PRV-74 a test of many exchanges has some of them in the page, and their number`()
    throws
  {
    try files.write(
      "page_test.lua",
      """
      test("many", function(t)
        t.network:on("GET", "/a", { json = 1 })
        local a = t:service("https://x.test")("/a")
        for _ = 1, 250 do a:load():await() end
        print(("x"):rep(100000))
      end)
      """)
    #expect(try files.run("page_test.lua", "--html", "out.html").code == 0)
    let lines = try read()
    #expect(text(of: "h1", in: lines) == "The test passed")
    #expect(text(of: "h4", in: lines).hasPrefix("250 exchanges"))
    #expect(text(of: "method", in: lines).count == 600)
    #expect(text(of: "quiet", in: lines).contains("and 50 more, not shown in this report"))
    #expect(text(of: "printed", in: lines).contains("more bytes, not shown in this report"))
  }

  @Test func `PRV-75 reports are written whole, each in a file of its own, and over no script`()
    throws
  {
    try files.write("a_test.lua", #"test("a", function() end)"#)
    for (words, problem) in [
      (
        ["--html", "x.html", "--junit", "./x.html"],
        "--junit and --html would both write 'x.html'"
      ),
      (
        ["--html", "a_test.lua"],
        "--html would write its report over 'a_test.lua', which is a script"
      ),
      (["--junit", "a_test.lua"], "--junit would write its report over 'a_test.lua'"),
      (["--html", ""], "--html needs the name of a file"),
      (["--coverage", ""], "--coverage needs the name or the path of an API file"),
      (["--watch", "--tap"], "--watch cannot be combined with --tap"),
    ] {
      let refused = try files.run(["a_test.lua"] + words)
      #expect(refused.code == 2)
      #expect(refused.errors.contains(problem), "\(refused.errors)")
    }
    let unwritable = try files.run("a_test.lua", "--html", "none/x.html")
    #expect(unwritable.code == 1)
    #expect(unwritable.errors == "lull: cannot write 'none/x.html': No such file or directory\n")
    let both = try files.run("a_test.lua", "--html", "x.html", "--tap")
    #expect(both.code == 0)
    #expect(both.output.hasPrefix("TAP version 13\nok 1 - a_test.lua: a\n"))
    #expect(files.text("x.html")?.hasSuffix("</html>\n") == true)
  }
}
