import Testing

/// Expectations, what is told of those that are not met, and what tests leave behind.
@Suite("lull test: expectations", .timeLimit(.minutes(20)))
struct TestExpectationTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  @Test func `PRV-40 what is not met is told at its line, as errors are`() throws {
    let ending = try files.prove("  t.expect(1 + 1):to_equal(3)")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        """
          FAILED   one
            lull: one_test.lua:3: not equal: expected 3, got 2
              3 |   t.expect(1 + 1):to_equal(3)
                |                   ^^^^^^^^
            stack traceback:
            \tone_test.lua:3: in local 'test'

        """), "\(ending.output)")
  }

  @Test func `PRV-41 it fails the test also where the error is caught, and each is told once`()
    throws
  {
    let ending = try files.prove(
      """
        pcall(function() t.expect(1):to_equal(2) end)
        print(pcall(t.expect(1).to_equal, t.expect(1), 3))
        t.expect("a"):to_equal("b")
      """)
    #expect(ending.code == 1)
    #expect(ending.output.components(of: "lull: ") == 3, "\(ending.output)")
    #expect(ending.output.contains("lull: one_test.lua:3: not equal: expected 2, got 1\n"))
    #expect(ending.output.contains("lull: one_test.lua:5: not equal: expected \"b\", got \"a\"\n"))
    let thrown = try files.prove("  pcall(error, 'fine') assert(pcall(error))")
    #expect(thrown.code == 1)
  }

  @Test func `PRV-46 an expectation on which no method is called fails the test`() throws {
    let ending = try files.prove(
      """
        t.expect(1 == 2)
        t.expect(1):to_be(1)
        local _ = t.expect(3).never
      """)
    #expect(ending.code == 1)
    for line in [3, 5] {
      #expect(
        ending.output.contains(
          "lull: one_test.lua:\(line): t.expect(…) expects nothing: call a method, such as"),
        "\(ending.output)")
    }
    #expect(ending.output.components(of: "lull: ") == 2)
    // A test that has failed need not have come to its other expectations.
    let failed = try files.prove("  local one = t.expect(1) t.expect(1):to_be(2) one:to_be(1)")
    #expect(failed.output.components(of: "lull: ") == 1, "\(failed.output)")
  }

  private static let load = """
      local function load(t)
        t.network:on("GET", "https://a.example/x", { json = { 1 }, delay = 1 })
        return lull.service("https://a.example")("/x"):load()
      end
      local function helper(t, x) t.expect(x):to_be(2) end
      local checks = { two = helper, other = function() end }
      function shared(t, x) t.expect(x):to_be(2) end

    """

  @Test(arguments: [
    "lull.spawn(function() lull.sleep(10) t.expect(1):to_be(2) end)",
    "lull.spawn(function() t.expect(1):to_be(2) end)",
    "lull.spawn(function() lull.sleep(10) helper(t, 1) end)",
    "lull.spawn(function() lull.wait_until(function() return false end) t.expect(1):to_be(2) end)",
    "load(t):on_completion(function() lull.sleep(5) t.expect(1):to_be(2) end):await()",
    "load(t):on_completion(function() t.expect(1):to_be(2) end)",
    "load(t):on_success(print):on_completion(function() t.expect(1):to_be(2) end)",
    """
    local r = load(t).resource
      r:observe(function() lull.sleep(100) t.expect(1):to_be(2) end) r:load():await()
    """,
    "lull.spawn(function() lull.sleep(10) checks.two(t, 1) end)",
    "lull.spawn(function() lull.sleep(10) shared(t, 1) end)",
    "local e = t.expect lull.spawn(function() lull.sleep(10) e(1):to_be(2) end)",
    "lull.spawn(function(f) lull.sleep(10) f() end, function() t.expect(1):to_be(2) end)",
    """
    local r = load(t).resource
      r:child("b"):observe(function(_, e) if e == "new_data" then t.expect(1):to_be(2) end end)
    """,
  ])
  func `PRV-47 an expectation in a function that has not ended fails the test`(body: String) throws
  {
    let ending = try files.prove(Self.load + "  " + body)
    #expect(ending.code == 1, "\(ending.output)")
    #expect(
      ending.output.contains(", so its expectations were not checked: ")
        || ending.output.contains("expected 2, got 1"), "\(ending.output)")
  }

  @Test(arguments: [
    "lull.spawn(function() while true do lull.sleep(1) end end) t.expect(1):to_be(1)",
    """
    local task = lull.spawn(function() while true do lull.sleep(1) t.expect(1):to_be(1) end end)
      lull.sleep(3) task:cancel()
    """,
    "lull.spawn(function() checks.other() lull.sleep(10) end)",
    """
    local r = load(t).resource
      r:observe(function(_, e) if e == "error" then t.expect(1):to_be(2) end end) r:load():await()
      r:child("b"):observe(function() t.expect(1):to_be(1) end)
    """,
    """
    lull.spawn(function() lull.sleep(1) t.expect(1):to_be(1) end):await()
      load(t):on_completion(function() lull.sleep(5) t.expect(1):to_be(1) end):await() lull.sleep(6)
    """,
  ])
  func `PRV-47 what has no expectation, was cancelled or has ended fails no test`(body: String)
    throws
  {
    let ending = try files.prove(Self.load + "  " + body)
    #expect(ending.code == 0, "\(ending.output)")
  }

  @Test func `UNH-06 a failed request that the test has not looked at fails it`() throws {
    let ending = try files.prove(
      """
        t.network:on("GET", "/a", { status = 503 })
        t:service("https://x.test")("/a"):load()
        lull.sleep(1)
      """)
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        "in a request without an await\n      request: GET https://x.test/a → 503"),
      "\(ending.output)")
  }

  @Test func `PRV-41 in tasks, in coroutines and behind tail calls too`() throws {
    let ending = try files.prove(
      """
        lull.spawn(function() t.expect(1):to_equal(2) end)
        lull.sleep(1)
        local inner = coroutine.wrap(function() t.expect(3):to_equal(4) end)
        pcall(inner)
        local function last() return t.expect(5):to_equal(6) end
        pcall(last)
        return t.expect(7):to_equal(8)
      """)
    #expect(ending.output.components(of: "lull: ") == 4, "\(ending.output)")
    #expect(ending.output.contains("lull: one_test.lua:3: not equal: expected 2, got 1\n"))
    #expect(ending.output.contains("in task one_test.lua:3, which was not awaited\n"))
    #expect(ending.output.contains("lull: one_test.lua:5: not equal: expected 4, got 3\n"))
    #expect(ending.output.contains("not equal: expected 6, got 5\n"))
    // Where no line of it is left, that of the test.
    #expect(ending.output.contains("lull: one_test.lua:2: not equal: expected 8, got 7\n"))
  }

  @Test(arguments: [
    (
      #"t.expect({ a = { 1, 2, { b = "x" } }, c = 1 }):to_equal{ a = { 1, 3, { b = "y" } }, d = 1 }"#,
      """
      not equal, 4 differences:
            a[2]: expected 3, got 2
            a[3].b: expected "y", got "x"
            c: not expected: 1
            d: missing: 1
      """
    ),
    (#"t.expect({ 1, 2, 3, 4 }):to_equal{ 1, 3, 4 }"#, "not equal: [2]: not expected: 2\n"),
    (
      #"t.expect({ { id = 1 }, { id = 3 } }):to_equal{ { id = 1 }, { id = 2 }, { id = 3 } }"#,
      "not equal: [2]: missing: {\"id\":2}\n"
    ),
    (#"t.expect("a\nb\nc"):to_equal("a\nB\nc")"#, "not equal: line 2: expected \"B\", got \"b\"\n"),
    (#"t.expect({}):to_be({})"#, "which is equal but not the same (to_equal)\n"),
    (#"t.expect(5):to_be(6)"#, "expected 6, got 5\n"),
    (#"t.expect(5).never:to_be(5)"#, "is 5, which was not expected\n"),
    (#"t.expect({ 1 }).never:to_equal({ 1 })"#, "equal, which was not expected: [1]\n"),
    (#"t.expect({ 1, 2 }):to_have_count(3)"#, "expected 3, got 2:\n      1\n      2\n"),
    (#"t.expect("abc"):to_match("^b")"#, "expected what matches \"^b\", got \"abc\"\n"),
    (#"t.expect({ 1, 2 }):to_contain(3)"#, "3 is not in [1,2]\n"),
    (
      #"t.expect({ a = 1, b = 2 }):to_contain{ a = 1, b = 3 }"#,
      "expected to be in it:\n      b: expected 3, got 2\n"
    ),
    (#"t.expect(1.1):to_be_near(1, 0.05)"#, "expected 1, 0.05 more or less, got 1.1\n"),
    (#"t.expect(function() end):to_raise()"#, "it raised nothing\n"),
    (#"t.expect(function() error("a") end):to_raise("b")"#, "expected an error with \"b\", got "),
    (#"t.expect("x"):to_be_a("number")"#, "expected a number, got \"x\", which is a string\n"),
    (#"t.expect(lull.null):to_equal(nil)"#, "not equal: expected nil, got null\n"),
  ])
  func `PRV-42 the difference is told so that a person can read it`(
    text: String, difference: String
  ) throws {
    let ending = try files.prove("  " + text)
    #expect(ending.code == 1)
    #expect(ending.output.contains("lull: one_test.lua:3: "), "\(ending.output)")
    let expected = difference.split(separator: "\n").map { $0.drop { $0 == " " } }
    let told = ending.output.split(separator: "\n").map { $0.drop { $0 == " " } }
    for line in expected { #expect(told.contains { $0.contains(line) }, "\(ending.output)") }
  }

  @Test func `PRV-43 requests are awaited, and succeed or fail as expected`() throws {
    let good = try files.prove(
      """
        t.network:on("GET", "/a", { json = { n = 1 } })
        t.network:on("GET", "/b", { status = 404, json = { message = "no" } })
        local api = t:service("https://x.test")
        t.expect(t.expect(api("/a"):load()):to_succeed().content):to_equal{ n = 1 }
        local err = t.expect(api("/b"):load()):to_fail_with{ status = 404, message = "ot found" }
        t.expect(err.http_status):to_be(404)
        t.expect(api("/b"):load()).never:to_succeed()
        t.expect(api("/a"):load().await):to_be_a("function")
        t.expect(assert(api("/a"):load():await()).document):to_equal{ n = 1 }
        t.expect(lull.list):to_be_a("table")
      """)
    #expect(good.code == 0, "\(good.output)")
    let wrong = try files.prove(
      """
        t.network:on("GET", "/b", { status = 404 })
        local api = t:service("https://x.test")
        pcall(function() t.expect(api("/b"):load()):to_succeed() end)
        pcall(function() t.expect(api("/b"):load()):to_fail_with{ status = 500, kind = "tls" } end)
      """)
    #expect(
      wrong.output.contains("was to succeed, and failed: Not found (404)\n"), "\(wrong.output)")
    #expect(wrong.output.contains("has failed otherwise:\n"))
    #expect(wrong.output.contains("      status: expected 500, got 404\n"))
  }

  @Test(arguments: [
    (#"t.expect()"#, "t.expect needs a value"),
    (#"t.expect(1).to_be(1)"#, "a colon is missing: t.expect(x):to_be(…)"),
    (
      #"t.expect(1):to_equals(1)"#, "there is no expectation 'to_equals' (did you mean 'to_equal'?)"
    ),
    (#"t.expect(1):to_have_count(1)"#, "1 cannot be counted"),
    (#"t.expect(1):to_succeed()"#, "to_succeed is asked of a request, got 1"),
    (
      #"t.expect(1):to_fail_with{ satus = 1 }"#,
      "to_fail_with knows status, kind and message, not 'satus'"
    ),
    (
      #"t.expect(1):to_match_snapshot{ mask = { "id" } }"#,
      #"a mask is a JSON Pointer such as "/*/id", got "id""#
    ),
    (#"t.expect(print):to_match_snapshot()"#, "no snapshot can be made of this: it is a function"),
  ])
  func `PRV-44 what makes no sense is refused at its line`(text: String, problem: String) throws {
    let ending = try files.prove("  " + text)
    #expect(ending.code == 1)
    #expect(ending.output.contains("lull: one_test.lua:3: \(problem)"), "\(ending.output)")
  }

  @Test func `PRV-45 errors in callbacks and tasks that nobody has heard of fail the test`() throws
  {
    let ending = try files.prove(
      """
        t.network:on("GET", "/a", {})
        local resource = t:service("https://x.test")("/a")
        resource:observe(function(_, event) if event == "new_data" then error("observer") end end)
        lull.spawn(function() error("task") end)
        resource:load():await()
      """)
    #expect(ending.code == 1)
    #expect(ending.output.contains("lull: one_test.lua:5: observer\n"), "\(ending.output)")
    #expect(ending.output.contains("      in observer (one_test.lua:5) of /a\n"))
    #expect(ending.output.contains("lull: one_test.lua:6: task\n"))
  }

  @Test func `PRV-50 what a test leaves behind is cancelled, and told of; with --strict it fails`()
    throws
  {
    let body = """
        t.network:on("GET", "/a", { delay = 5 })
        api = t:service("https://x.test")
        api("/a"):observe(function() end)
        api("/a"):load()
        lull.spawn(function() lull.sleep(10) print("never") end)
      """
    let plain = try files.prove(body)
    #expect(plain.code == 0)
    let text =
      "left behind: 1 request in flight (GET https://x.test/a); 1 task unfinished; 1 observer of https://x.test/a"
    #expect(plain.output.contains("    note: \(text)\n"), "\(plain.output)")
    #expect(!plain.output.contains("never"))
    let strict = try files.prove(body, "--strict")
    #expect(strict.code == 1)
    #expect(strict.output.contains("    lull: \(text)\n"))
    // What nobody holds any more is not left behind.
    let clean = try files.prove(
      """
        t.network:on("GET", "/a", {})
        local api = t:service("https://x.test")
        api("/a"):observe(function() end)
        api("/a"):load():await()
      """, "--strict")
    #expect(clean.code == 0, "\(clean.output)")
  }

  @Test func `QRY-09 what answers does not name a credential in the query`() throws {
    let ending = try files.prove(
      """
        t.network:on("GET", "/a?q=1", { text = "one" })
        local api = t:service("https://a.test", { auth = lull.auth.query("key", "hush") })
        t.expect(api("/a"):with_params{ q = "1" }:load():await().content):to_be("one")
        assert(api("/a"):with_params{ q = "2" }:load():await())
      """)
    #expect(
      ending.output.contains(
        #"t.network:on("GET", "/a?q=2", { json = … }); stubs: GET /a?q=1"#),
      "\(ending)")
    #expect(!ending.output.contains("hush"))
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
