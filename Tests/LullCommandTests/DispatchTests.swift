import Testing

/// What the first word of a command line is taken for.
@Suite("The first word of a command line", .timeLimit(.minutes(20)))
struct DispatchTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua", "return require('lull').service('http://a.example/v1?page=1')")
    try folder.write("apis/b.example.lua", "return require('lull').service('http://c.example')")
  }

  private func request(_ words: String..., input: String? = nil) throws -> String {
    let ending = try Child(
      Binaries.lull, words + ["--dry-run"], folder: folder.path,
      input: input.map { .text($0) } ?? .nothing
    ).wait()
    let line = ending.output.prefix { $0 != "\n" }
    return ending.code == 0 ? String(line) : ending.errors
  }

  @Test(arguments: [
    (["http://a.example/x"], "GET http://a.example/x"),
    (["http://a.example/x", "a=1"], "POST http://a.example/x"),
    (["http://a.example/x", "-d", "{}"], "POST http://a.example/x"),
    (["http://a.example/x", "a==1"], "GET http://a.example/x?a=1"),
    (["-v", "http://a.example/x"], "GET http://a.example/x"),
    (["--timeout", "5", "http://a.example/x"], "GET http://a.example/x"),
    (["GET", "http://a.example/x"], "GET http://a.example/x"),
    (["--form", "PUT", "http://a.example/x", "a=1"], "PUT http://a.example/x"),
    (["--form", "delete", "shop", "/users"], "DELETE http://a.example/v1/users?page=1"),
    (["--form", "http://a.example/x", "a=1"], "POST http://a.example/x"),
    (["Get", "http://a.example/x"], "GET http://a.example/x"),
    (["POST", "http://a.example/x"], "POST http://a.example/x"),
    (["options", "http://a.example/x"], "OPTIONS http://a.example/x"),
    (["OPTIONS", "http://a.example/x"], "OPTIONS http://a.example/x"),
    (["PURGE", "http://a.example/x"], "PURGE http://a.example/x"),
    (["M-SEARCH", ":8080/x"], "M-SEARCH http://localhost:8080/x"),
    (["propfind", "a.example/x"], "PROPFIND http://a.example/x"),
    (["PURGE", "a.example/x", "a=1"], "PURGE http://a.example/x"),
    (["shop", "/users"], "GET http://a.example/v1/users?page=1"),
    (["shop", "/users", "a=1"], "POST http://a.example/v1/users?page=1"),
    (["PURGE", "shop", "/users"], "PURGE http://a.example/v1/users?page=1"),
  ])
  func `CMD-02 CMD-03 a request needs no command, and may have any method`(
    words: [String], line: String
  ) throws {
    let ending = try Child(Binaries.lull, words + ["--dry-run"], folder: folder.path).wait()
    #expect(ending.output.prefix { $0 != "\n" } == line)
    #expect(ending.code == 0)
  }

  @Test func `CMD-03 a body on standard input makes a POST`() throws {
    #expect(try request("a.example", input: "[1]") == "POST http://a.example/")
    #expect(try request("a.example", input: "") == "GET http://a.example/")
    #expect(try request("a.example", "--ignore-stdin", input: "[1]") == "GET http://a.example/")
    #expect(try request("get", "a.example", input: "[1]") == "GET http://a.example/")
  }

  @Test(arguments: [
    ("localhost", "http://localhost/"),
    ("localhost:7002/x", "http://localhost:7002/x"),
    ("127.0.0.1/x", "http://127.0.0.1/x"),
    ("[::1]:80/x", "http://[::1]:80/x"),
    ("example.com", "http://example.com/"),
    ("example.com/a/b?c=d", "http://example.com/a/b?c=d"),
    ("box:80", "http://box:80/"),
    ("HTTPS://example.com/X", "https://example.com/X"),
    (":8080#there", "http://localhost:8080/"),
    (":/x", "http://localhost/x"),
    ("münchen.example/ü", "http://xn--mnchen-3ya.example/%C3%BC"),
  ])
  func `CMD-04 a URL may go without its scheme`(word: String, url: String) throws {
    #expect(try request(word) == "GET \(url)")
    #expect(try request("get", word) == "GET \(url)")
  }

  @Test(arguments: [
    ("http://a.example/a b?q=c d&ü=ö", "http://a.example/a%20b?q=c%20d&%C3%BC=%C3%B6"),
    ("http://a.example/a%20b/ü%zz", "http://a.example/a%20b/%C3%BC%zz"),
    (
      "a.example/?a=\"b\"<c>`{d}|^\\[e]#f g",
      "http://a.example/?a=%22b%22%3Cc%3E%60%7Bd%7D%7C%5E%5C[e]"
    ),
    (" http://a.example/x ", "http://a.example/x"),
  ])
  func `CMD-06 what cannot stand in a URL is escaped`(word: String, url: String) throws {
    #expect(try request(word) == "GET \(url)")
  }

  @Test(arguments: [
    ("/search?q=1 2&ü=3", "http://a.example/v1/search?page=1&q=1%202&%C3%BC=3"),
    ("?x=1", "http://a.example/v1/?page=1&x=1"),
    ("/a b/%20#f", "http://a.example/v1/a%20b/%20?page=1"),
  ])
  func `CMD-06 CMD-07 a path may have a query behind it`(path: String, url: String) throws {
    #expect(try request("get", "shop", path) == "GET \(url)")
  }

  @Test func `CMD-01 commands come before files, files before methods, APIs and hosts`() throws {
    for name in ["get", "shop", "PURGE", "example.com", "b.example"] {
      try folder.write(name, "print('script', ...)")
    }
    #expect(try lull("example.com", "a", folder: folder.path).output == "script\ta\n")
    #expect(try lull("shop", "/users", folder: folder.path).output == "script\t/users\n")
    #expect(try lull("PURGE", "/x", folder: folder.path).output == "script\t/x\n")
    #expect(try lull("./get", "a", folder: folder.path).output == "script\ta\n")
    #expect(try request("get", "a.example") == "GET http://a.example/")
    #expect(try request("get", "b.example", "/x") == "GET http://c.example/x")
  }

  @Test func `CMD-01 a folder of that name hides neither an API nor a host`() throws {
    try folder.write("shop/x", "")
    try folder.write("a.example/x", "")
    #expect(try request("shop", "/x") == "GET http://a.example/v1/x?page=1")
    #expect(try request("a.example") == "GET http://a.example/")
    try folder.write("gte/x", "")
    let ending = try lull("gte", folder: folder.path)
    #expect(ending.errors.hasPrefix("lull: 'gte' is neither a command nor a file"))
    #expect(ending.code == 2)
  }

  @Test(arguments: [
    (["gte"], "'gte' is neither a command nor a file, an API or a URL (did you mean 'get'?)"),
    (
      ["shpo", "/x"],
      "'shpo' is neither a command nor a file, an API or a URL (did you mean 'shop'?)"
    ),
    (["nonsense"], "'nonsense' is neither a command nor a file, an API or a URL\n"),
    (["PURGE"], "'PURGE' is neither a command"),
    (["purge", "nonsense"], "'purge' is neither a command"),
    (["foo/bar"], "'foo/bar' is neither a command nor a file, an API or a URL\n"),
    (["help", "gte"], "there is no command or topic 'gte' (did you mean 'get'?)"),
    (
      ["ftp://a.example/x"],
      "requests do not support the scheme 'ftp': a URL begins with http:// or https://"
    ),
    (["get", "ftp://a.example/x"], "requests do not support the scheme 'ftp'"),
    (["http:///x"], "'http:///x' is not a URL"),
    (["http://a.example", "/x"], "write the URL and its path as one word: http://a.example/x"),
    (["post", "a.example", "--formt"], "unknown option '--formt' (did you mean '--form'?)"),
    (["a.example", "--formt"], "unknown option '--formt' (did you mean '--form'?)"),
    (["apis", "--outptu"], "unknown option '--outptu' (did you mean '--output'?)"),
    (["-i", "http://a.example"], "for status and headers write lull http://a.example -i"),
  ])
  func `CMD-05 a word or option that nobody knows is wrong usage`(
    words: [String], problem: String
  ) throws {
    let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
    #expect(ending.errors.contains("lull: \(problem)") || ending.errors.contains(problem))
    #expect(ending.output == "")
    #expect(ending.code == 2)
  }

  @Test func `CMD-05 what is plainly a file is one that cannot be read`() throws {
    for word in ["nowhere.lua", "./nowhere", "../nowhere", "example.com/x.lua"] {
      let ending = try lull(word, folder: folder.path)
      #expect(ending.errors == "lull: cannot read '\(word)': No such file or directory\n")
      #expect(ending.code == 3)
    }
  }

  @Test(arguments: [
    ("lull sh", ["share", "shop"]),
    ("lull https://a.example --tim", ["--timeout"]),
    ("lull PURGE a.example --tim", ["--timeout"]),
    ("lull OPTIONS sh", ["shop"]),
    ("lull shop /x --outp", ["--output"]),
    ("lull opt", ["options"]),
  ])
  func `CMD-02 CMD-03 shells complete such lines too`(line: String, words: [String]) throws {
    let parts = line.split(separator: " ").dropFirst().map(String.init)
    let ending = try Child(Binaries.lull, ["--complete"] + parts, folder: folder.path).wait()
    let offered = ending.output.split(separator: "\n").filter { $0 != "//files" }
      .map { String($0.prefix { $0 != "\t" }) }
    #expect(offered == words)
  }

  @Test func `SVC-42 a query in the path of a script is warned of once for each line`() throws {
    try folder.write(
      "x.lua",
      """
      local service = require("lull").service("http://a.example")
      for _ = 1, 3 do local _ = service("/x?y=1&z=2") end
      local _ = service:resource("/x?token=abc")
      local _ = service("/x"):child("a?b=c")
      local _ = service("/what?"), service("/a?b/c=d"), service("/x"):with_param("y", "?a=b")
      local _ = service:resource_at("http://a.example/x?y=1"), service("/x"):relative("?a=b")
      print(service("/x?y=1").url)
      """)
    let ending = try lull("x.lua", folder: folder.path)
    let text = "'?' is part of the path here, and sent as %3F: for a query write :with_param("
    #expect(
      ending.errors == """
        lull: warning: x.lua:2: \(text)"y", "1")
        lull: warning: x.lua:3: \(text)"token", "…")
        lull: warning: x.lua:4: \(text)"b", "c")
        lull: warning: x.lua:7: \(text)"y", "1")

        """)
    #expect(ending.output == "http://a.example/x%3Fy=1\n")
    #expect(ending.code == 0)
  }

  @Test func `SVC-42 a check finds a query in a path`() throws {
    let checked = try folder.check(
      "local s = require('lull').service('http://a.example')\nlocal _ = s('/x?y=1')\nreturn s\n")
    #expect(checked.output.contains("a.lua:2: '?' is part of the path here"))
    #expect(checked.code == 1)
  }
}
