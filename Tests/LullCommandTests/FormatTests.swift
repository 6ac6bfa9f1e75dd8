import Testing

/// Contents that do not fit a format so well.
@Suite("Formats of output", .timeLimit(.minutes(20)))
struct FormatTests {
  private let folder: TemporaryFolder
  private let api: String

  /// In files, so that nothing reads their backslashes before the command does.
  private static let bodies = [
    "nested": #"[{"a":"x,y","b":{"c":[1,2]},"d":"line\nbreak"},{"a":"q\"q","e":null},7]"#,
    "wide": #"[{"name":"日本語テキスト長い名前","text":"word word word","y":"👨‍👩‍👧 all"},{"name":"b"}]"#,
    "object": #"{"a":1,"b":[1,"x"],"n":null}"#,
    "empty": "[]",
    "nothing": "{}",
    "text": #""a\nb""#,
    "lists": "[[1,2],[3]]",
    "escapes": #"[{"\u001b[1mk":"\u001b[31mred\u009b\r\n\tx\r"}]"#,
    "cut": #"{"id": 1, "na"#,
    "control": "a\u{1B}[31mb\r\nc\td\re",
  ]

  private static let latinXML: [UInt8] =
    Array(#"<?xml version="1.0" encoding="iso-8859-1"?><"#.utf8) + [0xE9] + Array("/>".utf8)

  init() throws {
    folder = try TemporaryFolder()
    for (name, body) in Self.bodies { try folder.write(name, body) }
    try folder.write("binary", [0, 1, 255])
    try folder.write("xml", Self.latinXML)
    try folder.write("rows", "{\"n\": 1.10}\n\n[2]\n")
    api = try folder.write(
      "api.lua",
      """
      return require "lull".service{ base_url = "https://a.invalid",
        networking = function(http)
          local name = http.url:match("%a+$")
          if name == "nobody" then return { status = 204 } end
          local kind = "application/json"
          if name == "control" then kind = "text/plain" end
          if name == "xml" then kind = "application/xml" end
          if name == "rows" then kind = "application/x-ndjson" end
          if name == "binary" then kind = "application/octet-stream" end
          local file <close> = io.open("\(folder.path)/" .. name, "rb")
          return { status = 200, body = file:read("a"),
            headers = { ["Content-Type"] = kind, ["X-Own"] = "a\\27b" } }
        end }
      """)
  }

  @Test func `TXT-14 XML is written to a file as it came, and as text where a format is asked for`()
    throws
  {
    let path = folder.path + "/saved"
    let shell = "\"$0\" get \"$1\" xml >\"$2\""
    _ = try Child("/bin/sh", ["-c", shell, Binaries.lull, api, path]).wait()
    let compare = try Child("/usr/bin/cmp", [path, folder.path + "/xml"], input: .nothing).wait()
    #expect(compare.output == "")
    #expect(compare.code == 0)
    let lines = try Child(Binaries.lull, ["get", api, "xml", "-o", "lines"]).wait()
    #expect(lines.output == #"<?xml version="1.0" encoding="iso-8859-1"?><é/>"#)
  }

  @Test(arguments: [
    ("text/html", "<p>caf\u{E9}</p>"), ("text/xml", "<p>caf\u{E9}</p>"),
    ("text/plain; charset=utf-8", "caf\u{E9}"),
  ])
  func `TXT-14 text whose charset nobody names is written as it came, and shown as UTF-8`(
    type: String, text: String
  ) throws {
    let head = HeldServer.head(
      "200 OK", "Content-Type: \(type)", "Content-Length: \(text.utf8.count)")
    let server = try HeldServer([[head, Array(text.utf8)]])
    defer { server.stop() }
    #expect(try Child(Binaries.lull, ["get", server.url]).wait().output == text)
    let seen = try Child(
      Binaries.lull, ["get", server.url], environment: ["NO_COLOR": "1"], terminal: true
    ).wait()
    #expect(seen.output == text + "\r\n", "\(seen)")
  }

  @Test func `TXT-14 bytes that are no UTF-8 stay what they are in a pipe`() throws {
    let body: [UInt8] = [0x63, 0xE9, 0x0A]
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Type: text/plain"), body]])
    defer { server.stop() }
    let path = folder.path + "/bytes"
    _ = try Child("/bin/sh", ["-c", "\"$0\" get \"$1\" >\"$2\"", Binaries.lull, server.url, path])
      .wait()
    #expect(try shell("od -An -tx1 bytes", folder: folder.path).output == " 63 e9 0a\n")
  }

  /// The second answer is that of the cache.
  @Test func `TXT-14 JSN-91 text of a cache is written and read as it came`() throws {
    let body = Array("[\"zo\u{EB}\"]".utf8)
    let head = HeldServer.head(
      "200 OK", "Content-Type: text/plain", "Content-Length: \(body.count)")
    let server = try HeldServer([[head, body]])
    defer { server.stop() }
    try folder.write(
      "cached.lua",
      """
      local lull = require "lull"
      local api = lull.service { base_url = "\(server.url)" }
      api:configure {
        expiration_time = 3600,
        pipeline = { parsing = { cache = lull.cache.file() } },
      }
      return { service = api }
      """)
    let environment = ["XDG_CACHE_HOME": folder.path]
    for (words, output) in [
      ([], "[\"zo\u{EB}\"]"), ([], "[\"zo\u{EB}\"]"), (["-f", "x[1]"], "\"zo\u{EB}\"\n"),
    ] as [([String], String)] {
      let ending = try Child(
        Binaries.lull, ["get", folder.path + "/cached.lua", "a"] + words, environment: environment
      ).wait()
      #expect(ending.output == output, "\(ending)")
    }
    #expect(server.requests.count == 1)
  }

  @Test func `CMD-160 --csv-guard guards formulas, and needs -o csv`() throws {
    let body = #"[{"=k":"=1+1","n":-5,"s":"+1e3","t":"\ta","u":{"v":"@x"}}]"#
    let head = HeldServer.head(
      "200 OK", "Content-Type: application/json", "Content-Length: \(body.utf8.count)")
    let server = try HeldServer([[head, Array(body.utf8)]])
    defer { server.stop() }
    func get(_ words: String...) throws -> Child.Ending {
      try folder.runLull(["get", server.url] + words)
    }
    let plain = "=k,n,s,t,u\n=1+1,-5,+1e3,\ta,\"{\"\"v\"\":\"\"@x\"\"}\"\n"
    #expect(try get("-o", "csv").output == plain)
    #expect(
      try get("-o", "csv", "--csv-guard").output
        == "'=k,n,s,t,u\n'=1+1,-5,+1e3,'\ta,\"{\"\"v\"\":\"\"@x\"\"}\"\n")
    #expect(
      try get("-o", "csv", "--csv-guard", "--columns", "u.v,n").output == "u.v,n\n'@x,-5\n")
    for words in [["--csv-guard"], ["--csv-guard", "-o", "json"], ["--csv-guard", "-o", "table"]] {
      let ending = try folder.runLull(["get", server.url] + words)
      #expect(ending.code == 2)
      #expect(ending.errors.hasPrefix("lull: --csv-guard needs -o csv\n"))
    }
    // As a default it goes with -o csv only.
    try folder.write("config/lull/config.lua", "return { csv_guard = true }")
    #expect(try get("-o", "csv", "--columns", "u.v").output == "u.v\n'@x\n")
    #expect(try get("-o", "csv", "--no-csv-guard", "--columns", "u.v").output == "u.v\n@x\n")
    #expect(try get("-o", "csv", "--no-config").output == plain)
    #expect(try get("-o", "json").output == body + "\n")
    try folder.write(
      "=1.lua",
      "return { service = require('lull').service('https://a.example'), calls = { c = {} } }")
    let checked = try folder.runLull(["check", "./=1.lua", "-o", "csv", "--csv-guard"])
    #expect(checked.output.hasPrefix("file,line,kind,text\n"), "\(checked)")
    #expect(try folder.runLull(["apis", "--csv-guard"]).code == 2)
  }

  @Test func `--columns that no row has are told of`() throws {
    let ending = try Child(
      Binaries.lull, ["get", api, "object", "-o", "csv", "--columns", "a,bb"]
    ).wait()
    #expect(ending.output == "a,bb\n1,\n")
    #expect(ending.errors == "lull: warning: no row has 'bb' (did you mean 'b'?)\n")
    let none = try Child(Binaries.lull, ["get", api, "object", "-o", "csv", "--columns", ","])
      .wait()
    #expect(none.code == 2)
    #expect(none.errors.hasPrefix("lull: --columns needs names of fields"))
  }

  @Test(
    arguments: [
      (
        ["nested", "-o", "csv"],
        "a,b,d,e,value\n\"x,y\",\"{\"\"c\"\":[1,2]}\",\"line\nbreak\",,\n\"q\"\"q\",,,,\n,,,,7\n"
      ),
      (["nested", "-o", "csv", "--columns", "e,b.c.2,no"], "e,b.c.2,no\n,2,\n,,\n,,\n"),
      (
        ["nested", "-o", "table"],
        "a    b            d           e  value\nx,y  {\"c\":[1,2]}  line break\nq\"q\n"
          + String(repeating: " ", count: 33) + "7\n"
      ),
      (["object", "-o", "ndjson"], "{\"a\":1,\"b\":[1,\"x\"],\"n\":null}\n"),
      (["object", "-o", "csv"], "a,b,n\n1,\"[1,\"\"x\"\"]\",\n"),
      (["object", "-o", "lines"], "{\"a\":1,\"b\":[1,\"x\"],\"n\":null}\n"),
      (["empty", "-o", "csv"], ""), (["empty", "-o", "table"], ""), (["empty", "-o", "lines"], ""),
      (["empty", "-o", "ndjson"], ""), (["empty"], "[]\n"), (["nothing", "-o", "csv"], ""),
      (["empty", "-o", "csv", "--columns", "a,b"], "a,b\n"),
      (["empty", "-o", "table", "--columns", "a,b"], "a  b\n"),
      // An empty line would be no row. (ENC-21)
      (["nested", "-o", "csv", "--columns", "no"], "no\n\"\"\n\"\"\n\"\"\n"),
      (["text", "-o", "lines"], "a\nb\n"), (["text", "-o", "csv"], "value\n\"a\nb\"\n"),
      (["lists", "-o", "csv"], "value\n\"[1,2]\"\n[3]\n"),
      // Fields that were asked for are those of objects.
      (["lists", "-o", "csv", "--columns", "a"], "value\n\"[1,2]\"\n[3]\n"),
      (["nobody"], ""), (["nobody", "-o", "csv"], ""),
      (["nobody", "-i"], "HTTP 204 No content\n\n"),
      // JSN-20: with the server's digits.
      (["rows"], "{\"n\":1.10}\n[2]\n"), (["rows", "-o", "json"], "[{\"n\":1.10},[2]]\n"),
      (["rows", "-f", "x[1].n"], "1.10\n"), (["rows", "-o", "raw"], "{\"n\": 1.10}\n\n[2]\n"),
      (["control", "-o", "lines"], "a\u{1B}[31mb\r\nc\td\re"),
    ] as [([String], String)])
  func `make do`(words: [String], output: String) throws {
    let ending = try Child(Binaries.lull, ["get", api] + words).wait()
    #expect(ending.output == output)
    #expect(ending.errors == (output.contains("no\n") ? "lull: warning: no row has 'no'\n" : ""))
    #expect(ending.code == 0)
  }

  @Test func `what is no JSON is said and shown`() throws {
    let ending = try lull("get", api, "cut")
    #expect(ending.output == Self.bodies["cut"])
    #expect(ending.errors.hasSuffix(": invalid JSON: a string is not closed (at byte 11)\n"))
    #expect(ending.code == 1)
  }

  /// At a terminal of so many columns.
  private func shown(_ columns: Int, _ words: String) throws -> Child.Ending {
    try Child(
      "bash", ["-c", "stty cols \(columns) && '\(Binaries.lull)' get '\(api)' \(words)"],
      environment: ["TERM": "xterm", "NO_COLOR": "1"], terminal: true
    ).wait()
  }

  @Test(
    arguments: [
      (
        80,
        "name                    text            y\n日本語テキスト長い名前  word word word  👨‍👩‍👧 all\nb\n"
      ),
      (40, "name              text            y\n日本語テキスト…   word word word  👨‍👩‍👧 all\nb\n"),
      (24, "name     text     y\n日本語…  word w…  👨‍👩‍👧 all\nb\n"),
    ] as [(Int, String)])
  func `tables fit the terminal`(columns: Int, output: String) throws {
    let ending = try shown(columns, "wide -o table")
    #expect(ending.output == output.replacing("\n", with: "\r\n"))
  }

  @Test(
    arguments: [
      ("control", "a\\x1B[31mb\r\r\nc\td\\x0De\r\n"),
      ("escapes -o table", "\\x1B[1mk\r\n\\x1B[31mred\\u{9B}   x \r\n"),
      ("escapes -o csv", "\\x1B[1mk\r\n\"\\x1B[31mred\\u{9B}\r\r\n\tx\\x0D\"\r\n"),
      ("control -i", "x-own: a\\x1Bb\r\n"),
      ("binary", "lull: 3 bytes not shown on a terminal: save them with -O FILE\r\n"),
    ] as [(String, String)])
  func `nothing moves the cursor`(words: String, output: String) throws {
    let ending = try shown(80, words)
    #expect(Array(ending.output.utf8).contains(Array(output.utf8)), "\(ending)")
    #expect(!ending.output.contains("\u{1B}"))
    #expect(!ending.output.contains("\u{9B}"))
  }

  @Test func `EXIT-07 says that the disk is full`() throws {
    for words in ["-o raw > /dev/full", "> /dev/full", "-O /dev/full", "-O - > /dev/full"] {
      let ending = try shell("lull get '\(api)' object \(words)")
      #expect(ending.errors.contains("No space left on device"), "\(words): \(ending)")
      #expect(ending.code == 1)
    }
  }

  @Test func `goes quietly if nobody reads the download`() throws {
    let sample = try SampleAPI()
    let ending = try shell("lull get '\(sample.url)/bytes/20000000' -O - | head -c 3 | od -An -tu1")
    #expect(ending.output == "   0   1   2\n")
    #expect(ending.errors == "")
  }
}
