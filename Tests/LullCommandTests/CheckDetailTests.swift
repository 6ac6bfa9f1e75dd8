import Testing

/// What `lull check` finds beyond what a file declares: by running its settings, and by looking at it.
@Suite("Findings of lull check", .timeLimit(.minutes(20)))
struct CheckDetailTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `finds what settings functions do`() throws {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://api.example.com" }
      api:configure("/never/*", function(config)
        config.timout = 3
        config.timeout = "long"
        config.retry = { tmes = 3 }
        config.retry_time = 5
      end)
      api:configure("/**", function(config)
        config.pipeline.parsng:clear()
      end, { methods = { "POST" } })
      api:configure(function(config) config.heders["X"] = "1" end)
      api:configure(function() os.exit(3) end)
      api:configure(function() local x = nil; return x.y end)
      api:configure(function(url) return #url > "x" end, { timeout = 1 })
      return { service = api, calls = { a = { path = "/{x}", params = { x = "integer" } } } }
      """)
    let expected = [
      "a.lua:4: unknown setting 'timout' (did you mean 'timeout'?)",
      "a.lua:5: 'timeout' must be a number of seconds, 0 or more, got 'long'",
      "a.lua:6: unknown setting 'tmes' (did you mean 'times'?)",
      "a.lua:10: there is no stage 'parsng'; the stages are raw_data, decoding, parsing, model, "
        + "cleanup, and those named in pipeline.order",
      "a.lua:12: unknown setting 'heders' (did you mean 'headers'?)",
      "a.lua:13: calls os.exit, which ends the program that uses the file",
      "a.lua:14: attempt to index a nil value (local 'x')",
      "a.lua:15: attempt to compare string with number",
    ]
    #expect(ending.output.split(separator: "\n").map(String.init) == expected)
    #expect(ending.errors == "")
    #expect(ending.code == 1)
  }

  @Test func `SVC-39 it finds ways that lead above the base URL`() throws {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api = lull.service("https://api.example.com/v1")
      local up = api("../admin")
      up = api("/a"):child("../../x"):child("y")
      up = api:resource_at("https://api.example.com/v1/a/%2e%2e/..")
      up = api("/a"):relative("../../x")
      up = api("/a/../b")
      return up and api
      """)
    func finding(_ line: Int, _ url: String) -> String {
      "a.lua:\(line): https://api.example.com/v1/\(url) leads above the base URL "
        + "https://api.example.com/v1/: its dot segments are sent unchanged, and the server "
        + "resolves them"
    }
    let expected = [
      finding(3, "../admin"), finding(4, "a/../../x"), finding(4, "a/../../x/y"),
      finding(5, "a/%2e%2e/.."),
    ]
    #expect(ending.output.split(separator: "\n").map(String.init) == expected)
    #expect(ending.code == 1)
  }

  @Test func `finds paths and parameters of calls`() throws {
    let ending = try folder.check(
      """
      local lull = require "lull"
      local api = lull.service("https://api.example.com/v1")
      return { service = api, calls = {
        open = { path = "/x/{" },
        close = { path = "/x/}" },
        none = { path = "/x/{}" },
        nested = {
          params = { a = "string" },
          path = "/x/{a{b}}",
        },
        host = { path = "https://elsewhere.example/x?api=1" },
        slashes = { path = "//elsewhere.example/x" },
        any = { path = "https://{host}/x", params = { host = "string" } },
        up = { path = "../x" }, dots = { path = "/a/%2e%2E/x" },
        mark = { path = "/x#y" },
        taken = { path = "/x", params = {
          help = "string",
          per_page = "string",
          output = "string",
          all = "boolean" } },
        paged = { path = "/x", pages = true, params = { all = "boolean" } },
        form = { path = "/x", body = "form" },
      } }
      """)
    let braces = "; write a literal brace as %7B or %7D"
    let advice = "; another host needs its own service in another API file"
    let below = ": the path of a call must be below the base URL of its service" + advice
    let base = "https://api.example.com/v1/"
    func taken(_ call: String, _ name: String) -> String {
      "call '\(call)': parameter '\(name)' has the name of the option --\(name) of 'lull call', so "
        + "it is --param-\(name) there; choose another name, such as "
        + "{ option = \"--\(call)-\(name)\" }"
    }
    let expected = [
      "a.lua:4: call 'open': its path has a '{' that no '}' closes" + braces,
      "a.lua:5: call 'close': its path has a '}' that no '{' opens" + braces,
      "a.lua:6: call 'none': its path has '{}', a parameter without a name",
      "a.lua:9: call 'nested': its path has a '{' inside of '{a'" + braces,
      "a.lua:11: call 'host': its path leads to https://elsewhere.example, another host than \(base)"
        + below,
      "a.lua:12: call 'slashes': its path begins with two slashes, but is relative to \(base): "
        + "begin it with one" + advice,
      "a.lua:13: call 'any': its path leads to another host than \(base)" + below,
      "a.lua:14: call 'dots': its path has the segment '%2e%2E', which is sent unchanged: on the "
        + "server it leads outside \(base), or to nothing",
      "a.lua:14: call 'up': its path has the segment '..', which is sent unchanged: on the server it "
        + "leads outside \(base), or to nothing",
      "a.lua:15: call 'mark': its path has a '#': the text after it is not sent; write a literal "
        + "# as %23",
      "a.lua:17: " + taken("taken", "help"),
      "a.lua:19: " + taken("taken", "output"),
      "a.lua:21: " + taken("paged", "all"),
      "a.lua:22: call 'form': 'body' has no effect: a GET has no body",
    ]
    #expect(ending.output.split(separator: "\n").map(String.init) == expected)
    #expect(ending.errors == "")
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    ("", "1: an API file returns a service, or { service =, calls =, description = }, not nil"),
    (
      "local x = 1\nreturn nil",
      "2: an API file returns a service, or { service =, calls =, "
        + "description = }, not nil"
    ),
    ("return {}", "1: an API file needs a 'service'"),
    ("return {\n  service = 'x' }", "2: 'service' must be a service, got 'x'"),
    ("\nreturn { service = s, calls = 5 }", "2: 'calls' must be a table, got 5"),
    ("\nreturn { service = s, calls = 'x' }", "2: 'calls' must be a table, got 'x'"),
    (
      "return { service = s, calls = { a = {\n  path = '/x', params = 3 } } }",
      "2: call 'a': 'params' must be a table, got 3"
    ),
    (
      "return { service = s, calls = { a = {\n  path = '/x', params = 'x' } } }",
      "2: call 'a': 'params' must be a table, got 'x'"
    ),
    ("return { service = s, calls = {\n  a = 7 } }", "2: call 'a' must be a table, got 7"),
    (
      "return { service = s, calls = { x = { path = '/x' },\n  q = {\n    path = '/x',\n    columns = 'a' } } }",
      "4: call 'q': 'columns' must be a list of strings, got 'a'"
    ),
    (
      "return { service = s, calls = {\n  a = { path = '/x', pages = 5 } } }",
      "2: call 'a': 'pages' must be true, a table of the options of 'resource:pages', or \"relay\", got 5"
    ),
    (
      "return { service = s, calls = { a = { path = '/x', params = {\n  b = 5 } } } }",
      "2: call 'a': parameter 'b' must be a type, a list of words or a table, got 5"
    ),
    // Each key in its own table, though the one before has one of that name.
    (
      "return { service = s, calls = { a = { path = '/x', params = { path = 'string' } },\n"
        + "  path = {\n    path = 5 } } }", "3: call 'path': 'path' must be a string, got number"
    ),
    ("\nreturn s s", "2: <eof> expected near 's'"),
    ("\nerror('boo', 0)", "2: boo"),
    ("\nerror({})", "2: (error object is a table value)"),
    ("\nrequire 'no.such'", "2: module 'no.such' not found"),
    ("\nos.exit(3)", "2: calls os.exit, which ends the program that uses the file"),
    ("\npcall(os.exit, 3)", "2: calls os.exit, which ends the program that uses the file"),
    ("\nlull.sleep(1)", "2: cannot wait inside a file of an API: it must return at once"),
    ("\nlull.spawn(function() error('boo') end)\nreturn s", "2: boo"),
    (
      "return lull.service{\n  base_url = 'a.example' }",
      "2: the base URL 'a.example' is not valid: it must begin with https:// or http://"
    ),
    (
      "return { service = lull.service{}, calls = {\n  a = { path = '/x' } } }",
      "2: call 'a': its path is relative, but its service has no base URL"
    ),
    (
      "s:configure('//b.example/x', {}) return s",
      "1: pattern '//b.example/x' begins with two slashes, but is relative to https://a.example/, whose "
        + "paths begin with one"
    ),
    (
      "s:configure('/{id}', {}) return s",
      "1: pattern '/{id}' cannot match: braces are literal; * matches within a path segment"
    ),
    (
      "s:configure('https://*.b.example/x', {}) return s",
      "1: pattern 'https://*.b.example/x' is on another host than https://a.example/: no path of the "
        + "service matches it"
    ),
  ])
  func `says what is wrong and where`(text: String, report: String) throws {
    let head = "local lull = require 'lull' local s = lull.service('https://a.example') "
    let ending = try folder.check(head + text)
    #expect(ending.output == "a.lua:\(report)\n")
    #expect(ending.errors == "")
    #expect(ending.code == 1)
  }

  /// What a file prints is not a finding, and what is wrong with a setting hides no other.
  @Test func `tells only what it finds`() throws {
    let ending = try folder.check(
      """
      print("printed")
      print("and", printed)
      local lull = require "lull"
      local api = lull.service{
        base_url = "https://a.example",
        timeout = "x",
        retry = { times = "y",
          base = 3 },
        headers = { ["X y"] = "1" },
      }
      api:configure("/c", function(config) print("configured") config.timout = 1 end)
      api:configure("/y", function() api("/x"):load() end)
      return api
      """)
    let expected = [
      "a.lua: sends a request in a settings function: GET https://a.example/x",
      "a.lua:6: 'timeout' must be a number of seconds, 0 or more, got 'x'",
      "a.lua:7: 'retry.times' must be a whole number, 0 or more, got 'y'",
      "a.lua:8: unknown setting 'base'; there are times, on, backoff, unsafe",
      "a.lua:9: 'X y' is not a valid header name",
      "a.lua:11: unknown setting 'timout' (did you mean 'timeout'?)",
    ]
    #expect(ending.output.split(separator: "\n").map(String.init) == expected)
    #expect(ending.errors == "printed\nand\tnil\nconfigured\n")
    #expect(ending.code == 1)
    try folder.write(
      "apis/loud.lua",
      "print('printed') return { service = require('lull').service('https://a.example'), calls = { a = { path = '/x' } } }"
    )
    let completion = try lull("--complete", "call", "loud", "", folder: folder.path)
    #expect(completion.output == "a\n")
    #expect(try lull("apis", "-o", "lines", folder: folder.path).output.contains("loud"))
  }

  @Test func `matches hosts with wildcards`() throws {
    let ending = try folder.check(
      """
      local s = require("lull").service("https://a.example")
      s:configure("https://*.example/x", {})
      s:configure("https://**", {})
      s:configure("/x/**", {})
      return s
      """)
    #expect(ending.output == "")
    #expect(ending.code == 0)
  }

  /// Of long names the interpreter's messages keep the end.
  @Test func `names files of long names`() throws {
    let name = String(repeating: "long", count: 30) + ".lua"
    try folder.write(name, "\nlocal x\nx.y = 1")
    let ending = try lull("check", name, folder: folder.path)
    #expect(ending.output == "\(name):3: attempt to index a nil value (local 'x')\n")
    try folder.write(name, "\nreturn {")
    #expect(try lull("check", name, folder: folder.path).output.hasPrefix("\(name):2: "))
  }

  @Test func `ends a settings function that does not end`() throws {
    let ending = try folder.check(
      """
      local api = require("lull").service("https://a.example")
      api:configure("/a", function() while true do end end)
      api:configure("/b", function(config) config.timout = 3 end)
      return api
      """)
    #expect(ending.output == "a.lua:2: does not finish\n")
    #expect(ending.errors == "")
    #expect(ending.code == 1)
  }

  @Test func `goes on behind a file that does not end`() throws {
    try folder.write("endless.lua", "\nwhile true do pcall(function() while true do end end) end")
    try folder.write("bad.lua", "return 17")
    let ending = try lull("check", "endless.lua", "bad.lua", folder: folder.path)
    let lines = ending.output.split(separator: "\n")
    #expect(lines.first == "endless.lua:2: does not finish")
    #expect(lines.last?.hasPrefix("bad.lua:1: ") == true)
    #expect(ending.errors == "")
    #expect(ending.code == 1)
  }
}
