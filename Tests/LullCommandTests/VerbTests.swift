import Testing

@Suite("Requests from the shell", .timeLimit(.minutes(20)))
struct VerbTests {
  private let sample: SampleAPI

  init() throws { sample = try SampleAPI() }

  private func url(_ path: String) -> String { sample.url + path }

  @Test func `get writes content on one line into a pipe`() throws {
    let ending = try lull("get", url("/users/2"))
    #expect(
      ending.output
        == #"{"id":2,"name":"Alan Turing","email":"alan2@example.com","role":"member","visits":7}"#
        + "\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `localhost has a short form`() throws {
    let port = sample.url.split(separator: ":").last ?? ""
    let ending = try lull("get", ":\(port)/users/2", "-f", "x.id")
    #expect(ending.output == "2\n")
  }

  @Test(arguments: ["post", "put", "patch", "delete"])
  func `sends items as JSON`(verb: String) throws {
    let ending = try lull(
      verb, url("/echo"), "name=Ann Lee", "age:=40", #"tags:=["a",{}]"#, "q==a b", "X-Tag:t",
      "-f", "{ x.method, x.json, x.query, x.headers['x-tag'], x.headers['content-type'] }")
    #expect(
      ending.output
        == #"["\#(verb.uppercased())",{"age":40,"name":"Ann Lee","tags":["a",{}]},{"q":"a b"},"t","#
        + #""application/json"]"# + "\n", "\(ending.errors)")
    #expect(ending.code == 0)
  }

  @Test func `BODY-01 BODY-06 BODY-08 a file that need not be JSON is read while it is sent`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write("note.bin", "a\0b")
    func sent(_ words: String...) throws -> Child.Ending {
      let common = ["post", url("/echo"), "-d", "@note.bin", "-H", "Content-Type: x/y"]
      return try Child(Binaries.lull, common + words, folder: folder.path, input: .nothing).wait()
    }
    let ending = try sent(
      "-f", "{ #x.body, x.headers['content-type'], x.headers['content-length'] }")
    #expect(ending.output == #"[3,"x/y","3"]"# + "\n", "\(ending.errors)")
    let dry = try sent("--dry-run")
    #expect(dry.output.hasSuffix("\ncontent-type: x/y\n\n(file 'note.bin', 3 bytes)\n"), "\(dry)")
    let curl = try sent("--curl", "--timeout", "7")
    #expect(curl.output.contains("--data-binary @note.bin"), "\(curl)")
    #expect(curl.output.contains("--max-time 7"), "\(curl)")
    #expect(try !sent("--curl").output.contains("--max-time"))
    let none = try lull("put", url("/echo"), "-d", "@none", "-H", "Content-Type: x/y")
    #expect(none.errors == "lull: cannot read 'none': No such file or directory\n")
    #expect(none.code == 2)
    let late = try lull(
      "post", url("/slow?seconds=3"), "-d", "@note.bin", "-H", "Content-Type: x/y", "--timeout",
      "0.1", folder: folder.path)
    #expect(late.errors.contains("within 0.1 s (timeout)"), "\(late)")
  }

  @Test func `BODY-10 BODY-12 files make a multipart form, in the order of the items`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.pdf", "%PDF")
    try folder.write("b;c", "bee")
    try folder.write("note.txt", "Hello")
    func sent(_ words: String...) throws -> Child.Ending {
      let items = [
        "title=x y", "n:=7", "file@a.pdf", "n=@note.txt", #"other@b\;c;type=x/y"#, "q==1",
        "password=s3cret",
      ]
      return try Child(
        Binaries.lull, ["post", url("/echo")] + items + words, folder: folder.path, input: .nothing
      ).wait()
    }
    let text = try sent("-f", #"(x.body:gsub("lull%-%x+", "B"):gsub("\r\n", "|"))"#)
    let form = #"content-disposition: form-data; name="#
    #expect(
      text.output.replacing("\\\"", with: "'").replacing("\"", with: "'")
        == "'--B|\(form)'title'||x y|--B|\(form)'n'||7|--B|\(form)'file'; filename='a.pdf'|"
        + "content-type: application/pdf||%PDF|--B|\(form)'n'||Hello|--B|\(form)'other'; "
        + "filename='b;c'|content-type: x/y||bee|--B|\(form)'password'||s3cret|--B--|'\n", "\(text)"
    )
    let dry = try sent("--dry-run")
    #expect(
      dry.output.hasSuffix(
        "\n\ntitle: x y\nn: 7\nfile: (file 'a.pdf', application/pdf)\nn: Hello\n"
          + "other: (file 'b;c', x/y)\npassword: ***\n"), "\(dry)")
    let curl = try sent("--curl").output
    for part in [
      #"--form 'title="x y"'"#, #"--form 'file=@"a.pdf";type=application/pdf;filename="a.pdf"'"#,
      #"--form 'other=@"b;c";type=x/y;filename="b;c"'"#, #"--form 'password="***"'"#,
    ] {
      #expect(curl.contains(part), "\(curl)")
    }
    #expect(!curl.contains("content-type"))
    #expect(!curl.contains("boundary"))
  }

  @Test func `keeps the order of items`() throws {
    let ending = try lull("post", url("/echo"), "z=1", "a=2", "m:=null", "-f", "x.body")
    #expect(ending.output == #""{\"z\":\"1\",\"a\":\"2\",\"m\":null}""# + "\n")
  }

  @Test func `sends a form and files`() throws {
    let folder = try TemporaryFolder()
    try folder.write("note.txt", "Hello\n")
    try folder.write("data.json", #"{ "a": [1] }"#)
    let form = try lull(
      "post", url("/echo"), "--form", "a=x y", "b=@note.txt", "-f", "x.body",
      folder: folder.path)
    #expect(form.output == #""a=x+y&b=Hello%0A""# + "\n", "\(form.errors)")
    let files = try lull(
      "post", url("/echo"), "a=@note.txt", "b:=@data.json", "-f", "x.json",
      folder: folder.path)
    #expect(files.output == #"{"a":"Hello\n","b":{"a":[1]}}"# + "\n", "\(files.errors)")
    let whole = try lull(
      "post", url("/echo"), "-d", "@data.json", "-f", "x.body",
      folder: folder.path)
    #expect(whole.output == #""{ \"a\": [1] }""# + "\n", "\(whole.errors)")
    let typed = try lull("post", url("/echo"), "-d", "-", "-f", "x.json", input: "[1,2]")
    #expect(typed.output == "[1,2]\n")
  }

  @Test func `sends JSON of items as it is written`() throws {
    let folder = try TemporaryFolder()
    // With a mark of its encoding, and spaces around.
    try folder.write("data.json", [0xEF, 0xBB, 0xBF] + Array(" { \"a\" : 1.0 }\n".utf8))
    let ending = try lull(
      "post", url("/echo"), "n:=0", "big:=123456789012345678901234567890", "price:= 1.10 ",
      "f:=@data.json", #"e:="\u00e9""#, "n:=-0.0", "-o", "raw", folder: folder.path)
    let body =
      #"{"n":-0.0,"big":123456789012345678901234567890,"price":1.10,"f":{ "a" : 1.0 },"#
      + #""e":"\u00e9"}"#
    let shown = body.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    #expect(ending.output.contains("\"body\":\"" + shown + "\""), "\(ending)")
  }

  @Test(arguments: [true, false])
  func `headers without value are not sent`(isItem: Bool) throws {
    let words = ["User-Agent:", "Accept:", "Accept-Encoding:", "X-Own:"]
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    let ending = try Child(
      Binaries.lull, ["get", server.url] + (isItem ? words : words.flatMap { ["-H", $0] })
    ).wait()
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(server.requests == ["GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"])
  }

  @Test func `settings leave headers out too`() throws {
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "api.lua",
      """
      local api = require "lull".service{ base_url = "\(server.url)",
        headers = { ["User-Agent"] = false, Accept = false, ["Accept-Encoding"] = "gzip" } }
      api:configure("/back", { headers = { ["User-Agent"] = "me" } })
      api:configure("/edited", function(config)
        config:mutate_requests(function(http) http.headers["Accept-Encoding"] = false end)
      end)
      return api
      """)
    for path in ["/x", "/back", "/edited"] {
      #expect(try lull("get", file, path).code == 0)
    }
    let explained = try lull("explain", file, "/back").output.split(separator: "\n")
    #expect(
      explained.filter { $0.contains("headers.") }.map {
        $0.split(separator: " ", omittingEmptySubsequences: true).prefix(3).joined(separator: " ")
      } == ["headers.accept-encoding gzip \(file):2", "headers.user-agent me \(file):3"]
        + ["headers.accept not sent"])
    let host = "Host: 127.0.0.1:\(server.port)\r\n"
    #expect(
      server.requests == [
        "GET /x HTTP/1.1\r\n\(host)accept-encoding: gzip\r\n\r\n",
        "GET /back HTTP/1.1\r\n\(host)accept-encoding: gzip\r\nuser-agent: me\r\n\r\n",
        "GET /edited HTTP/1.1\r\n\(host)\r\n",
      ])
  }

  @Test func `backslashes make separators plain`() throws {
    let ending = try lull("post", url("/echo"), #"a\:b=c\=d"#, #"p\q=r"#, "-f", "x.body")
    #expect(ending.output == #""{\"a:b\":\"c=d\",\"p\\\\q\":\"r\"}""# + "\n")
  }

  /// As HTTPie 3.2.4 has them.
  @Test(arguments: [
    (#"p:="a\\b""#, #"{"p":"a\\b"}"#),
    (#"re:="\\d+""#, #"{"re":"\\d+"}"#),
    (#"unc=\\srv\share"#, #"{"unc":"\\\\srv\\share"}"#),
    (#"a\\=b"#, #"{"a\\":"b"}"#),
    (#"a\\\=b=c"#, #"{"a\\=b":"c"}"#),
    (#"a=\"#, #"{"a":"\\"}"#),
    (#"a=b\\"#, #"{"a":"b\\\\"}"#),
    (#"a=b\=c\:d\@e\;f"#, #"{"a":"b=c:d@e;f"}"#),
    (#"a\;b=c"#, #"{"a;b":"c"}"#),
    (#"\n=\t"#, #"{"\\n":"\\t"}"#),
    (#"j:={"x":"\u00e9\n"}"#, #"{"j":{"x":"\u00e9\n"}}"#),
  ])
  func `backslashes before anything else stand for themselves`(item: String, body: String) throws {
    let ending = try lull("post", "http://a.invalid/", item, "--dry-run")
    #expect(
      ending.output == "POST http://a.invalid/\naccept: application/json, */*;q=0.5\n"
        + "content-type: application/json\n\n\(body)\n",
      "\(ending.errors)")
  }

  /// What the query says already stays as it is written.
  @Test(arguments: [
    (["?tag=a&tag=b&q=c+d&x=", "page==2", "tag==c"], "?tag=a&tag=b&q=c+d&x=&page=2&tag=c"),
    (["", "page==2", "a==b c", "page==3"], "?page=2&a=b+c&page=3"),
    (["?", "a==1"], "?a=1"),
  ])
  func `query items are added`(words: [String], query: String) throws {
    let words = ["get", "http://a.invalid/p" + words[0]] + words.dropFirst()
    let ending = try Child(Binaries.lull, words + ["--dry-run"]).wait()
    #expect(ending.output == "GET http://a.invalid/p\(query)\n", "\(ending.errors)")
  }

  @Test func `shows no head where nobody answers`() throws {
    for words in [["get", "-i"], ["head"], ["get", "-i", "-v"]] {
      let ending = try Child(Binaries.lull, [words[0], "http://127.0.0.1:9/"] + words.dropFirst())
        .wait()
      #expect(ending.output == "")
      #expect(ending.code == 6)
    }
    // An answer that cannot be read is one.
    let server = try HeldServer([
      [
        HeldServer.head("200 OK", "Content-Type: application/json", "Content-Length: 1"),
        Array("{".utf8),
      ]
    ])
    defer { server.stop() }
    #expect(try lull("get", server.url, "-i").output.hasPrefix("HTTP/1.1 200 OK\n"))
    #expect(try lull("get", url("/nothing"), "-i").output.hasPrefix("HTTP/1.1 404 "))
  }

  @Test func `head asks for status and headers`() throws {
    let ending = try lull("head", url("/users/2"))
    #expect(ending.output.hasPrefix("HTTP/1.1 200 OK\n"))
    #expect(ending.output.contains("\nETag: "))
    #expect(!ending.output.contains("Turing"))
    #expect(ending.code == 0)
  }

  @Test func `includes status and headers`() throws {
    let ending = try lull("get", url("/users/2"), "-i")
    let parts = ending.output.split(separator: "\n\n", maxSplits: 1)
    #expect(parts.count == 2)
    #expect(parts.first?.hasPrefix("HTTP/1.1 200 OK\n") == true)
    #expect(parts.last?.hasPrefix(#"{"id":2"#) == true)
  }

  @Test(
    arguments: [
      ("/status/404", 4), ("/status/418", 4), ("/status/500", 5), ("/status/503", 5),
    ] as [(String, Int32)])
  func `EXIT-04 tells HTTP errors by the exit code`(path: String, code: Int32) throws {
    let ending = try lull("get", url(path))
    #expect(ending.code == code)
    #expect(ending.errors.hasPrefix("lull: "))
    #expect(ending.errors.contains(String(path.suffix(3))))
  }

  @Test func `writes the content of an error as content`() throws {
    let ending = try lull("get", url("/nothing"), "-f", "x.nonsense.more")
    #expect(ending.code == 4)
    #expect(ending.output.hasPrefix(#"{"error":"not_found""#))
  }

  @Test func `EXIT-05 tells that nobody answers`() throws {
    let ending = try lull("get", "http://127.0.0.1:9/", "--timeout", "20")
    #expect(ending.code == 6)
    #expect(ending.output == "")
    #expect(ending.errors.contains("127.0.0.1:9"))
    let late = try lull("get", url("/slow?seconds=20"), "--timeout", "0.2")
    #expect(late.code == 6)
  }

  /// Where it is in the expression, and nothing of what surrounds that.
  @Test(arguments: [
    ("1/0", ["-f:1: the result cannot be written as JSON: a number is not finite", "1 | 1/0"]),
    (
      "{ a = { print } }",
      ["-f:1: the result cannot be written as JSON: a function has no JSON form"]
    ),
    ("x.a.b", ["-f:1: attempt to index a nil value (field 'a')", "1 | x.a.b"]),
    (
      "map({ 1 }, 'id')",
      ["-f:1: map takes the field 'id', got the number 1 in element 1\n", "1 | map({ 1 }, 'id')"]
    ),
    (
      "sum({ {} })",
      ["-f:1: sum needs numbers, got a record for element 1: write sum(x, \"name\")\n"]
    ),
    ("map(3, 'id')", ["-f:1: map needs a list or a record, got the number 3"]),
    ("first({ 1 }, 'x')", ["-f:1: first needs a whole number, 0 or more, got the text 'x'"]),
    ("{ 1,\n  nil .. 2 }", ["-f:2: attempt to concatenate a nil value", "2 |   nil .. 2 }"]),
    ("{ 1,\n  0/0 }", ["-f: the result cannot be written as JSON: a number is not finite"]),
    ("error('boo')", ["-f:1: boo", "1 | error('boo')"]),
    (
      "map({ 1 }, function(n) return n.a.b end)",
      ["-f:1: attempt to index a number value (local 'n')"]
    ),
  ])
  func `shows the expression that fails`(expression: String, parts: [String]) throws {
    let ending = try lull("get", url("/users/2"), "-f", expression)
    #expect(ending.output == "")
    #expect(ending.code == 1)
    for part in parts { #expect(ending.errors.contains(part), "\(ending.errors)") }
    for part in ["prelude", "lull:", "traceback", "lull.json"] {
      #expect(!ending.errors.dropFirst("lull:".count).contains(part), "\(ending.errors)")
    }
  }

  @Test func `saves the body byte for byte`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/saved"
    let ending = try lull("get", url("/bytes/3000"), "-O", file)
    #expect(ending.output == "")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    let sum = try shell(
      "curl -s '\(url("/bytes/3000"))' | cmp - \(file) && ls -A \(folder.path)")
    #expect(sum.output == "saved\n")
  }

  @Test func `shows the exchange beside the data`() throws {
    let ending = try lull("get", url("/users/2"), "-v", "Authorization:Bearer abc")
    #expect(ending.output.hasPrefix(#"{"id":2"#))
    for part in [
      "> GET ", "> authorization: ***", "< HTTP/1.1 200 OK", "* a new connection to 127.0.0.1:",
      "dns ", "connect ", "tls ", "first byte ", "total ",
    ] {
      #expect(ending.errors.contains(part), "\(part) is missing: \(ending.errors)")
    }
    #expect(!ending.errors.contains("abc"))
  }

  @Test func `goes on quietly if nobody reads`() throws {
    let ending = try shell("lull get '\(url("/large?items=50000"))' -o ndjson | head -1")
    #expect(ending.errors == "")
    #expect(ending.output.split(separator: "\n").count == 1)
  }
}
