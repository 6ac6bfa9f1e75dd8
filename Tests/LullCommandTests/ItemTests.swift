import Testing

/// What items become beside what the table of HTTPie's says.
@Suite("Items of requests from the shell", .timeLimit(.minutes(20)))
struct ItemTests {
  /// The last lines of what would be sent: the body.
  private func body(_ words: String...) throws -> String {
    let ending = try Child(
      Binaries.lull, ["post", "http://a.invalid/"] + words + ["--dry-run"]
    ).wait()
    #expect(ending.errors == "")
    let parts = ending.output.split(separator: "\n\n", maxSplits: 1)
    return parts.count == 2 ? String(parts[1].dropLast()) : ""
  }

  @Test func `ITM-02 names lead into the body`() throws {
    #expect(
      try body("user[name]=Ann", "user[tags][]=a", "user[tags][]=b", "rows[1][id]:=2")
        == #"{"user":{"name":"Ann","tags":["a","b"]},"rows":[null,{"id":2}]}"#)
    #expect(try body("[1]=b", "[]=c") == #"[null,"b","c"]"#)
    #expect(try body(#"a\[b\]=c"#, #"d[\1]=e"#) == #"{"a[b]":"c","d":{"1":"e"}}"#)
  }

  @Test func `ITM-04 JSON is sent as it is written until a name leads into it`() throws {
    #expect(
      try body(#"a:={ "k": 1.10, "k": 2 }"#, "b:=1e300", #"c:="\u00e9""#)
        == #"{"a":{ "k": 1.10, "k": 2 },"b":1e300,"c":"\u00e9"}"#)
    #expect(
      try body(#"a:={ "x": 1.10, "y": [1, 2] }"#, "a[z]=3", "a[y][]:=4.0")
        == #"{"a":{"x":1.10,"y":[1,2,4.0],"z":"3"}}"#)
    // A name is its bytes: these two look alike.
    #expect(try body("e\u{301}=1", "é=2") == "{\"e\u{301}\":\"1\",\"é\":\"2\"}")
  }

  @Test(arguments: [
    (["a[=1"], "'a[=1': expected a text, a number or ']'\n  a[\n    ^\n"),
    (
      ["a=1", "a[b]=2"],
      "'a[b]=2': 'a' is already a string, but this key needs an object\n  a[b]\n   ^^^\n"
    ),
    (
      ["a:=1", "a[]=2"],
      "'a[]=2': 'a' is already a number, but this key needs a list\n  a[]\n   ^^\n"
    ),
    (
      ["a[b]=1", "[]=2"],
      "'[]=2': the body is already an object, but this key needs a list\n  []\n  ^^\n"
    ),
    (
      ["a[b]:=true", "a[b][c]=2"],
      "'a[b][c]=2': 'a[b]' is already true, but this key needs an object\n  a[b][c]\n      ^^^\n"
    ),
    (["日本[=1"], "'日本[=1': expected a text, a number or ']'\n  日本[\n       ^\n"),
    (["a\u{1B}[=1"], "'a\\x1B[=1': expected a text, a number or ']'\n  a\\x1B[\n        ^\n"),
    (["a[-1]=b"], "'a[-1]=b': the index of a list cannot be negative\n  a[-1]\n    ^^\n"),
  ])
  func `ITM-03 what does not fit is marked`(items: [String], saying: String) throws {
    let ending = try Child(Binaries.lull, ["post", "http://a.invalid/"] + items).wait()
    #expect(ending.errors == "lull: " + saying)
    #expect(ending.output == "")
    #expect(ending.code == 2)
  }

  @Test func `ITM-05 queries and forms stay in the order typed`() throws {
    let ending = try lull(
      "post", "http://a.invalid/?z=a+b&y", "--form", "--dry-run", "q==", "b==x y", "a==1", "b==2",
      "r[][a]=1", "r[][b]=2", "r[][a]=x y")
    #expect(
      ending.output.hasPrefix("POST http://a.invalid/?z=a+b&y&q=&b=x+y&a=1&b=2\n"), "\(ending)")
    #expect(ending.output.hasSuffix("\n\nr%5B%5D%5Ba%5D=1&r%5B%5D%5Bb%5D=2&r%5B%5D%5Ba%5D=x+y\n"))
  }

  /// The headers of a name as they arrive.
  private func headers(_ name: String, _ words: [String], folder: String? = nil) throws -> [String]
  {
    let server = try EchoServer()
    defer { server.stop() }
    let words = words.map { $0.replacing("URL", with: "http://127.0.0.1:\(server.port)") }
    let ending = try Child(
      Binaries.lull, words, environment: ["URL": "http://127.0.0.1:\(server.port)"], folder: folder
    ).wait()
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = (server.requests.first?.head ?? "").split(separator: "\r\n").map(String.init)
    return lines.compactMap { line in
      guard line.lowercased().hasPrefix(name + ":") else { return nil }
      return String(line.dropFirst(name.count + 1).drop { $0 == " " })
    }
  }

  @Test func `ITM-06 ITM-10 items and options say more than the configuration`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "api.lua",
      """
      local lull = require "lull"
      return lull.service{ base_url = lull.env "URL",
        headers = { ["X-A"] = "configured", Accept = "text/x" } }
      """)
    func sent(_ name: String, _ words: String...) throws -> [String] {
      try headers(name, ["post", "./api.lua", "/"] + words, folder: folder.path)
    }
    #expect(try sent("x-a") == ["configured"])
    #expect(try sent("x-a", "X-A:b", "x-a:c") == ["b", "c"])
    #expect(try sent("x-a", "-H", "X-A: b", "-H", "X-A: c", "X-A:d") == ["b", "c", "d"])
    #expect(try sent("x-a", "X-A:b", "X-A:") == [])
    #expect(try sent("x-a", "X-A;") == [""])
    #expect(try sent("x-a", "-H", "X-A;") == [""])
    #expect(try sent("accept", "a=b") == ["text/x"])
    #expect(try headers("accept", ["post", "URL", "a=b"]) == ["application/json, */*;q=0.5"])
    #expect(try headers("accept", ["post", "URL", "--form", "a=b"]) == ["*/*"])
    #expect(try headers("accept", ["get", "URL", "Accept:", "a=b"]) == [])
  }

  @Test func `ITM-07 files are read at once`() throws {
    let folder = try TemporaryFolder()
    try folder.write("home/name.txt", "Ann\n\n")
    try folder.write("bytes", [0xFF])
    func sent(_ words: String...) throws -> Child.Ending {
      try Child(
        Binaries.lull, ["post", "http://a.invalid/", "--dry-run"] + words,
        environment: ["HOME": folder.path + "/home"], folder: folder.path
      ).wait()
    }
    let ending = try sent("q==@~/name.txt", "X-A:@~/name.txt", "a=@~/name.txt")
    #expect(ending.output.hasPrefix("POST http://a.invalid/?q=Ann\n"), "\(ending)")
    #expect(ending.output.contains("\nx-a: Ann\n"))
    #expect(ending.output.hasSuffix(#"{"a":"Ann\n\n"}"# + "\n"))
    for item in ["a=@bytes", "q==@bytes", "X-A:@bytes"] {
      let wrong = try sent(item)
      #expect(
        wrong.errors
          == "lull: '\(item)': 'bytes' is not text in UTF-8; @bytes sends it unchanged\n")
      #expect(wrong.code == 2)
    }
    let none = try sent("a=@home")
    #expect(none.errors == "lull: 'a=@home': cannot read 'home': Is a directory\n")
  }

  @Test(
    arguments: [
      ("a.txt", "text/plain"), ("a.json", "application/json"), ("a.tar.gz", "application/x-tar"),
      ("a.PDF", "application/pdf"), (".png", nil), ("a", nil), ("a.gz", nil), ("a.unheard-of", nil),
    ] as [(String, String?)])
  func `ITM-08 the ending of its name says what a file is`(name: String, type: String?) throws {
    let folder = try TemporaryFolder()
    try folder.write(name, "x")
    let ending = try lull(
      "post", "http://a.invalid/", "f@\(name)", "--dry-run", folder: folder.path)
    #expect(ending.output.hasSuffix("\nf: (file '\(name)'\(type.map { ", \($0)" } ?? ""))\n"))
  }

  @Test(arguments: [
    (["-d", "1"], "application/json"), (["-d", "hello"], "text/plain; charset=utf-8"),
    (["-d", "a=b"], "text/plain; charset=utf-8"), (["--raw", "@x"], "text/plain; charset=utf-8"),
    (["--raw", "-"], "text/plain; charset=utf-8"), (["-d", "@a.csv"], "text/csv"),
    (["-d", "@list.txt"], "application/json"), (["-d", "@a.png"], "image/png"),
    (["-d", "hello", "--json"], "application/json"), (["-d", "{", "-j"], "application/json"),
    (["-d", "{", "Content-Type:x/y"], "x/y"),
    (["--form", "-d", "a=b"], "application/x-www-form-urlencoded; charset=utf-8"),
    (["@a.csv"], "text/csv"), (["@a.csv;type=x/y"], "x/y"),
  ])
  func `ITM-09 a whole body is what it is`(words: [String], type: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("a.csv", "a,b\n")
    try folder.write("list.txt", "[1]")
    try folder.write("a.png", "x")
    #expect(try headers("content-type", ["post", "URL"] + words, folder: folder.path) == [type])
  }

  @Test(arguments: ["get", "post", "put", "delete"])
  func `ITM-11 nothing is a body too`(verb: String) throws {
    #expect(try headers("content-length", [verb, "URL", "-d", ""]) == ["0"])
    #expect(try headers("content-type", [verb, "URL", "-d", ""]) == [])
    #expect(
      try headers("content-type", [verb, "URL", "-d", "", "X:y", "Content-Type:x/y"]) == ["x/y"])
  }
}
