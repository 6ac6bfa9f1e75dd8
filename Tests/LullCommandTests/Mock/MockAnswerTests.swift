import LullLibC
import Testing

/// Which call a request is for, and what answers it.
@Suite("lull mock: answers", .timeLimit(.minutes(20)))
struct MockAnswerTests {
  @Test
  func
    `MCK-01 a call stands below the path of the base URL and below /, and what is most fixed counts`()
    throws
  {
    let mock = try MockProcess(
      calls: """
        user = { path = "/users/{name}", example = "by name" },
        me = { path = "/users/me", example = "me" },
        file = { path = "/users/{name}.json", example = "file" },
        number = { path = "/posts/{id}", params = { id = "integer" }, example = "by number" },
        slug = { path = "/posts/{slug}", example = "by slug" },
        found = { path = "/search?type=user", example = "users" },
        all = { path = "/search", example = "all" },
        root = { path = "/", example = "root" },
        """)
    for (path, content) in [
      ("/v2/users/ann", "by name"), ("/users/ann", "by name"), ("/users/a%20b", "by name"),
      ("/users/me", "me"), ("/v2/users/%6De", "me"), ("/users/ann.json", "file"),
      ("/posts/7", "by number"), ("/posts/seven", "by slug"), ("/search?q=1", "all"),
      ("/search?x&type=user", "users"), ("/v2/", "root"), ("/", "root"), ("/v2/search#x", "all"),
    ] {
      #expect(try mock.body(path) == "\"\(content)\"", "\(path)")
    }
    for path in ["/users", "/users/", "/users/a/b", "/users//ann", "/v3/users/ann", "/v2"] {
      #expect(try mock.curl(path).hasPrefix("HTTP/1.1 404 "), "\(path)")
    }
  }

  @Test func `MCK-02 where nothing answers a call it is said what to add`() throws {
    let mock = try MockProcess(
      calls: """
        none = { path = "/none" },
        some = { path = "/some/{id}", examples = { { json = 1, when = { id = "1" } } } },
        """)
    let none = try mock.curl("/none")
    #expect(none.hasPrefix("HTTP/1.1 501 "))
    #expect(none.contains("content-type: application/problem+json"))
    #expect(
      none.contains(
        "there is no response for the call 'none': add 'example' (content), 'examples' (responses)")
    )
    #expect(none.contains("apis/shop.lua, or pass --cassette"))
    #expect(try mock.curl("/some/2").contains("no 'when' of the examples matches"))
    #expect(try mock.body("/some/1") == "1")
  }

  @Test func `MCK-03 functions share a table, may wait, and leave answers to others by nil`() throws
  {
    let mock = try MockProcess(
      calls: """
        list = { path = "/items", example = "nothing yet", mock = function(request, state)
          if state.items then return { json = state.items } end
        end },
        add = { path = "/items", method = "POST",
          params = { name = { type = "string", required = true }, tags = "json" },
          mock = function(request, state)
            lull.sleep(0.01)
            state.items = state.items or {}
            table.insert(state.items, request.params)
            return { status = 201, headers = { Location = request.url .. "/1" }, json = request.json }
          end },
        keys = { path = "/keys", method = "POST", mock = function(r)
          local keys = {}
          for key in pairs(r) do keys[#keys + 1] = key end
          table.sort(keys)
          return { text = table.concat(keys, " ") }
        end },
        slow = { path = "/slow", mock = function()
          lull.sleep(3600)
        end },
        echo = { path = "/echo", params = { n = { type = "integer", default = 3 } }, mock = function(r)
          return { text = table.concat({ r.call, r.method, r.path, r.params.n, r.query.x, r.headers["x-a"] }, " ") }
        end },
        """)
    // It waits for an hour, and nobody waits for it.
    let waiting = try RawClient(mock)
    waiting.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try mock.body("/items") == "\"nothing yet\"")
    let added = try mock.curl("/v2/items", "--json", #"{"name":"Ann","tags":[1,{"a":2}]}"#)
    #expect(added.hasPrefix("HTTP/1.1 201 Created\n"))
    #expect(added.contains("\nlocation: \(mock.url)/v2/items/1\n"))
    #expect(added.hasSuffix("\n\n" + #"{"name":"Ann","tags":[1,{"a":2}]}"#))
    #expect(try mock.body("/items") == #"[{"name":"Ann","tags":[1,{"a":2}]}]"#)
    #expect(
      try mock.body("/v2/echo?x=1&x=%C3%A9", "-H", "X-A: b") == "echo GET /v2/echo 3 é b")
    // Those that the reference has, and no others.
    #expect(
      try mock.body("/keys", "--json", "{}")
        == "body call headers json lines method params path query url")
    #expect(try mock.end().code == 130)
  }

  @Test func `MCK-04 an error in a function is a status of 500, and is told with its traceback`()
    throws
  {
    let mock = try MockProcess(
      calls: """
        raises = { path = "/raises", mock = function() error("no such luck") end },
        odd = { path = "/odd", mock = function() return { stats = 1 } end },
        early = { path = "/early", mock = function() return { status = 101 } end },
        word = { path = "/word", mock = function() return "text" end },
        fine = { path = "/fine", example = 1 },
        """)
    let raised = try mock.curl("/raises")
    #expect(raised.hasPrefix("HTTP/1.1 500 "))
    #expect(raised.contains(#""detail": "apis/shop.lua:5: no such luck""#))
    #expect(try mock.curl("/odd").contains("unknown setting 'stats' (did you mean 'status'?)"))
    #expect(try mock.curl("/early").contains("from 200 to 599, got 101"))
    #expect(try mock.curl("/word").contains("'mock' must return a table such as"))
    #expect(try mock.body("/fine") == "1")
    let errors = try mock.end().errors
    #expect(errors.contains("in mock of call 'raises'\nstack traceback:\n\tapis/shop.lua:5: in"))
    #expect(!errors.contains("lull.mock:"))
    #expect(errors.contains("in mock of call 'word'"))
  }

  @Test func `MCK-05 parameters are checked, and what does not fit is named`() throws {
    let mock = try MockProcess(
      calls: """
        list = { path = "/items", example = {}, params = {
          sort = { "up", "down" }, n = "integer", all = "boolean", x = "number",
          q = { type = "string", required = true } } },
        add = { path = "/items", method = "POST", example = {}, params = {
          name = { type = "string", required = true }, n = "integer", kind = { "a", "b" } } },
        form = { path = "/form", method = "POST", body = "form", example = {}, params = { n = "integer" } },
        free = { path = "/free", method = "PUT", example = {} },
        """)
    func parameter(_ path: String, _ words: String...) throws -> String? {
      let answer = try Child("curl", ["-s", mock.url + path] + words).wait().output
      return answer.firstMatch(of: /"parameter": "(\w+)"/).map { String($0.1) }
    }
    #expect(try parameter("/items?q=1&sort=sideways") == "sort")
    #expect(try parameter("/items?q=1&n=1.5") == "n")
    #expect(try parameter("/items?q=1&all=perhaps") == "all")
    #expect(try parameter("/items?q=1&x=many") == "x")
    #expect(try parameter("/items?sort=up") == "q")
    #expect(try parameter("/items?q=1&q=2") == "q")
    #expect(try parameter("/items?q=1&sort=up&n=-3&all=true&x=1e3&other=1") == nil)
    #expect(try parameter("/items", "--json", #"{"n":1}"#) == "name")
    #expect(try parameter("/items", "--json", #"{"name":7}"#) == "name")
    #expect(try parameter("/items", "--json", #"{"name":"x","n":"7"}"#) == "n")
    #expect(try parameter("/items", "--json", #"{"name":"x","kind":"c"}"#) == "kind")
    #expect(try parameter("/items", "--json", #"{"name":"x","kind":null,"n":7.0}"#) == nil)
    #expect(try parameter("/items", "-X", "POST") == "name")
    #expect(try parameter("/form", "-d", "n=x") == "n")
    #expect(try mock.curl("/items", "-d", "{").contains("the body is not JSON"))
    let form = try mock.curl("/items", "-d", "name=x")
    #expect(form.hasPrefix("HTTP/1.1 415 ") && form.contains("body = \\\"form\\\""), "\(form)")
    #expect(try mock.curl("/items", "-d", "[1]").contains("must be a JSON object"))
    #expect(try mock.curl("/form", "--json", "{}").hasPrefix("HTTP/1.1 415 "))
    #expect(try mock.curl("/form", "-d", "n=7").hasPrefix("HTTP/1.1 201 "))
    #expect(try mock.curl("/free", "-X", "PUT", "-d", "anything").hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `MCK-06 paths and methods that no call has, HEAD and OPTIONS`() throws {
    let mock = try MockProcess(
      calls: """
        users = { path = "/users", example = { 1, 2 } },
        add = { path = "/users", method = "POST", example = {} },
        user = { path = "/users/{id}", example = {} },
        things = { path = "/things", example = {} },
        """)
    let missing = try mock.curl("/usrs")
    #expect(missing.hasPrefix("HTTP/1.1 404 "))
    #expect(missing.contains("\"calls\": [\n    \"GET /v2/users (users)\","))
    let wrong = try mock.curl("/users", "-X", "DELETE")
    #expect(wrong.hasPrefix("HTTP/1.1 405 "))
    #expect(wrong.contains("\nallow: GET, HEAD, OPTIONS, POST\n"))
    let head = try mock.curl("/users", "-I")
    #expect(head.hasPrefix("HTTP/1.1 200 "))
    #expect(head.contains("\nContent-Length: 5\n") && head.hasSuffix("\n\n"))
    #expect(
      try mock.curl("/users", "-X", "OPTIONS").contains("\nallow: GET, HEAD, OPTIONS, POST\n"))
    let all = try mock.curl("", "-X", "OPTIONS", "--request-target", "*")
    #expect(all.hasPrefix("HTTP/1.1 204 "))
    for method in ["TRACE", "BREW", "get"] {
      #expect(try mock.curl("/users", "-X", method).hasPrefix("HTTP/1.1 405 "), "\(method)")
    }
  }

  @Test func `MCK-09 content has a validator, and a client that has it gets a 304`() throws {
    let mock = try MockProcess(
      calls: """
        a = { path = "/a", example = { b = 1, a = 2 } },
        dated = { path = "/dated", examples = { { text = "x", headers = {
          ["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT", ["Cache-Control"] = "max-age=5" } } } },
        tagged = { path = "/tagged", examples = { { text = "x", headers = { ETag = 'W/"1,2"' } } } },
        """)
    let first = try mock.curl("/a")
    #expect(first.hasSuffix(#"{"a":2,"b":1}"#))
    let tag = String(first.firstMatch(of: /\netag: ("[0-9a-f]+")\n/)?.1 ?? "")
    #expect(tag != "")
    let second = try mock.curl("/v2/a", "-H", "If-None-Match: \"x\", W/\(tag)")
    #expect(second.hasPrefix("HTTP/1.1 304 Not Modified\n"))
    #expect(second.contains("\netag: \(tag)\n") && second.hasSuffix("\n\n"))
    #expect(!second.contains("Content-Length: 0"))
    #expect(try mock.curl("/a", "-H", "If-None-Match: \"x\"").hasPrefix("HTTP/1.1 200 "))
    #expect(try mock.curl("/a", "-H", "If-None-Match: *").hasPrefix("HTTP/1.1 304 "))
    #expect(try mock.curl("/tagged", "-H", "If-None-Match: \"1,2\"").hasPrefix("HTTP/1.1 304 "))
    for (date, status) in [("06 Nov 1994 08:49:37", 304), ("06 Nov 1994 08:49:36", 200)] {
      let answer = try mock.curl("/dated", "-H", "If-Modified-Since: Sun, \(date) GMT")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("\ncache-control: max-age=5\n"))
    }
    // The same in each run, whatever the order of a table is.
    let again = try MockProcess(calls: "a = { path = \"/a\", example = { a = 2, b = 1 } },")
    #expect(try again.curl("/a").contains("\netag: \(tag)\n"))
  }

  @Test func `MCK-10 examples are for the parameters that they name, the first that fits`() throws {
    let mock = try MockProcess(
      calls: """
        user = { path = "/users/{id}", params = { id = "integer", full = "boolean" }, example = "last", examples = {
          { json = { id = 7, full = true }, when = { id = 7, full = true } },
          { json = { id = 7 }, when = { id = 7 } },
          { status = 404, text = "none", when = { id = 8 }, delay = 0.05 },
          { status = 204, when = { id = 9 } },
        } },
        put = { path = "/put", method = "PUT", params = { v = "json" }, examples = {
          { text = "same", when = { v = { a = 1, b = { 2 } } } }, { text = "other" } } },
        """)
    #expect(try mock.body("/users/7?full=true") == #"{"full":true,"id":7}"#)
    #expect(try mock.body("/users/7?full=false") == #"{"id":7}"#)
    #expect(try mock.curl("/users/8").hasPrefix("HTTP/1.1 404 "))
    #expect(try mock.curl("/users/9").hasPrefix("HTTP/1.1 204 "))
    #expect(try mock.body("/users/10") == #""last""#)
    #expect(try mock.body("/put", "-X", "PUT", "-d", #"{"v":{"b":[2],"a":1}}"#) == "same")
    #expect(try mock.body("/put", "-X", "PUT", "-d", #"{"v":{"b":[2]}}"#) == "other")
  }
}
