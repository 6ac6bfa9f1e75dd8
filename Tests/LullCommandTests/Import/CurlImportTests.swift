import LullTesting
import Testing

@Suite("Command lines of curl that become calls", .timeLimit(.minutes(20)))
struct CurlImportTests {
  private let comparison: CurlComparison
  private var folder: TemporaryFolder { comparison.folder }
  private var server: EchoServer { comparison.server }

  init() throws {
    comparison = try CurlComparison(file: "one\ntwo \u{e9}\n")
    try folder.write("apis/.keep", "")
  }

  /// What curl sends, and what a call of the file sends that is made of it.
  private func compare(
    _ line: String, _ environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let line = line.replacing("BASE", with: "http://127.0.0.1:\(server.port)")
    let (imported, text) = try folder.importing(["curl", line], as: "x")
    #expect(imported.code == 0, "\(imported.errors)", sourceLocation: sourceLocation)
    let name = try #require(Self.name(in: text))
    // Files have no default.
    let file = text.firstMatch(of: #/(\w+) = \{\s*type = "file"/#).map { "--\($0.1)" }
    try comparison.expectSame(
      line, ["x", String(name)] + (file.map { [$0, "a file.txt"] } ?? []), environment, text,
      sourceLocation: sourceLocation)
    _ = try shell("rm -f apis/x.lua*", folder: folder.path)
  }

  private static func name(in text: String) -> Substring? {
    text.firstMatch(of: #/calls = \{\s*(?:\["([^"]*)"\]|(\w+)) =/#).flatMap { $0.1 ?? $0.2 }
  }

  @Test(arguments: [
    "curl BASE/users",
    "curl 'BASE/v1/users/7/posts/12?flag&page=2&q=a%20b&empty='",
    "curl BASE/items/6ba7b810-9dad-41d1-80b4-00c04fd430c8 BASE/items/0070",
    "curl -G BASE/search -d q=lua --data-urlencode 'x=a b&c=d' -d ids=1 -d ids=2",
    "curl -XDELETE BASE/users/7",
    "curl -sSLX PUT BASE/users/7 -H 'X-Tag: a' -Hx-other:b --json '{\"name\":\"Ann\",\"age\":7,\"ok\":true}'",
    "curl BASE/a -d 'name=Ann Lee' -d role=admin",
    "curl BASE/a --data-urlencode 'text=a&b=c \u{e9}' --data-urlencode '=x=y'",
    "curl BASE/a -d '{\"a\":1}'",
    "curl BASE/a/12345678901234567890?b=-12345678901234567890 --json '{\"c\":12345678901234567890}'",
    "curl BASE/a --json '{\"a\":[1,12345678901234567890],\"b\":{\"c\":-12345678901234567890}}'",
    "curl BASE/a --json '[{\"a\":12345678901234567890}]'",
    "curl BASE/a -d '{\"a\":[1,{\"b\":\"c\"}],\"e\":1.5}' -H 'Content-Type: application/json; charset=utf-8'",
    "curl BASE/a -H 'content-type: application/vnd.api+json' -d '{\"data\":{\"type\":\"x\"}}'",
    "curl BASE/a --json '[1,2,{\"a\":\"b\"}]'",
    "curl BASE/a -H 'Content-Type: text/csv' --data-binary $'a,b\\n1,\\'2\\'\\n'",
    "curl BASE/a --data-raw '@x' -H 'Content-Type: text/plain'",
    "curl -F 'name=Ann Lee' -F 'file=@a file.txt' -F tag=1 -F tag=2 BASE/upload",
    "curl --form-string 'a=@b;c' BASE/upload",
    "curl BASE/a --data-binary '@a file.txt' -H 'Content-Type: text/plain'",
    "curl -e http://a.example/ -A 'Agent 7' -H 'Accept: text/csv' -H 'X-Empty;' BASE/a",
    "curl -r 0-9 BASE/a",
    "curl -X PATCH BASE/a?b=1 -d c=2",
    "curl -X DELETE BASE/a -H 'Content-Type: application/json' -d '{\"why\":\"old\"}'",
    "curl BASE/a%2Fb/%7Bc%7D/d+e",
    "curl \\\n  -H \"X-Quote: it's \\\"so\\\" \\$5\" \\\n  --url BASE/a # and no more\n",
    "curl --compressed -k -s -o /dev/null BASE/a 2>&1 | cat",
    "curl -s BASE/a -d @- -H 'Content-Type: application/json' <<'EOF'\n{\"a\": \"$HOME\"}\nEOF\n",
    "curl -g 'BASE/a?b[]=1&b[]=2&c[x]=y'",
    "curl -d a=1 -d a=2 -d 'b[c]=3' BASE/a",
    "curl -d '' BASE/a",
    "curl 'BASE/c?z=1&b=2&b=4&a=3'",
    "curl BASE/c -d z=1 -d 'b[]=2' -d 'b[]=5' -d a=3 -d 'path=/x?y'",
    "curl BASE/c --json '{\"z\":1,\"b\":{\"y\":[{\"q\":1,\"p\":2}],\"x\":{\"b\":1,\"a\":2}},\"a\":3}'",
    "curl -F z=1 -F b=2 -F a=3 BASE/c",
  ])
  func `IMX-01 what a call sends is what curl sends for the command that it was made of`(
    line: String
  )
    throws
  {
    // Of several URLs the first is compared.
    try compare(line.replacing(" BASE/items/0070", with: ""))
  }

  @Test func `JSN-112 integers beyond 64 bits are declared as such and keep their digits`() throws {
    let large = "12345678901234567890"
    let line = "curl https://a.example/a?b=\(large) --json '{\"c\":\(large),\"d\":[\(large)]}'"
    let (ending, text) = try folder.importing(["curl", line], as: "x")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(text.matches(of: #/type = "integer"/#).count == 2, "\(text)")
    #expect(text.contains("default = lull.json.decode(\"\(large)\")"), "\(text)")
    #expect(text.contains("default = lull.json.decode(\"[\(large)]\")"), "\(text)")
  }

  @Test func `IMX-02 credentials come from the environment, and are in no file`() throws {
    let token = "hunter2hunter3"
    try compare("curl -H 'Authorization: Bearer \(token)' BASE/a", ["X_TOKEN": token])
    try compare("curl -u ann:\(token) BASE/a", ["X_USER": "ann", "X_PASSWORD": token])
    try compare("curl -H 'X-Api-Key: \(token)' BASE/a", ["X_API_KEY": token])
    try compare("curl -H 'Authorization: Token \(token)' BASE/a", ["X_TOKEN": token])
    try compare("curl 'BASE/a?api_key=\(token)&page=2'", ["X_API_KEY": token])
    try compare(
      "curl --json '{\"user\":\"a\",\"password\":\"\(token)\"}' BASE/a", ["X_PASSWORD": token])
    try compare("curl -d 'client_secret=\(token)' BASE/a", ["X_CLIENT_SECRET": token])
    try compare("curl --oauth2-bearer \(token) BASE/a", ["X_TOKEN": token])
    try compare(
      "curl -b 'sid=\(token); b=c' -H \"Authorization: Bearer $MY_TOKEN\" BASE/a",
      ["X_COOKIE": "sid=\(token); b=c", "MY_TOKEN": token])
    try compare("curl \"BASE/a?key=$THE_KEY\"", ["THE_KEY": token])
    let line =
      "curl -u ann:\(token) -H 'X-Api-Key: \(token)' -b 'sid=\(token)' 'http://\(token)@h/?key=\(token)'"
    let ending = try lull("import", "curl", line, "-o", "apis/y.lua", folder: folder.path)
    #expect(ending.code == 0, "\(ending.errors)")
    for text in [
      folder.text("apis/y.lua"), folder.text("apis/y.lua.imported"), ending.output, ending.errors,
    ] {
      #expect(text?.contains(token) == false)
    }
    #expect(ending.errors.contains("set these environment variables: Y_"))
  }

  @Test func `IMX-03 what browsers copy becomes a call without what browsers say by themselves`()
    throws
  {
    let chrome = """
      curl 'https://app.example.com/api/v2/orders/1234?expand=items' \\
        -H 'accept: application/json' \\
        -H 'accept-language: en-US,en;q=0.9' \\
        -H 'content-type: application/json' \\
        -b 'session=abc; theme=dark' \\
        -H 'sec-ch-ua: "Chromium";v="130"' \\
        -H 'sec-fetch-mode: cors' \\
        -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \\
        -H 'x-tenant: acme' \\
        --data-raw $'{"note":"it\\'s \\u0021 \\ud83d\\ude00","count":3}'
      """
    let firefox = """
      curl 'https://app.example.com/api/v2/orders?limit=20' --compressed -H 'User-Agent: Mozilla/5.0' \
      -H 'Accept: application/json, text/plain, */*' -H 'Sec-Fetch-Dest: empty' -H 'Cookie: session=abc'
      """
    let ending = try lull(
      "import", "curl", "-", "-o", "apis/app.lua", input: chrome, folder: folder.path)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("accept-language, sec-ch-ua, sec-fetch-mode, user-agent"))
    let text = folder.text("apis/app.lua") ?? ""
    for part in [
      "base_url = \"https://app.example.com\"", "path = \"/api/v2/orders/{id}\"", "default = 1234",
      "[\"x-tenant\"] = \"acme\"", "it's ! \u{1F600}", "default = 3",
      "lull.secret{ env = \"APP_COOKIE\" }",
      "post_orders_by_id = {",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    for part in ["Mozilla", "sec-", "abc", "dark"] { #expect(!text.contains(part), "\(part)") }
    let second = try lull("import", "curl", firefox, "-o", "apis/app.lua", folder: folder.path)
    #expect(second.code == 0, "\(second.errors)")
    #expect(
      second.errors.contains(
        "left out, because they affect only curl's output or are Lull's default: --compressed"))
    let both = folder.text("apis/app.lua") ?? ""
    #expect(both.contains("post_orders_by_id = {") && both.contains("orders = {"), "\(both)")
    #expect(try lull("check", "apis/app.lua", folder: folder.path).code == 0)
  }

  @Test func `IMX-04 one command after the other is added to a file, and edits stay`() throws {
    func add(_ line: String) throws -> Child.Ending {
      try lull("import", "curl", line, "-o", "apis/z.lua", folder: folder.path)
    }
    #expect(try add("curl https://z.example/users/7 -H 'Authorization: Bearer hunter2'").code == 0)
    let first = folder.text("apis/z.lua") ?? ""
    try folder.write(
      "apis/z.lua",
      first.replacing("users_by_id = {", with: "users_by_id = {\n      description = \"Mine\","))
    #expect(try add("curl https://z.example/orders -H 'Authorization: Bearer hunter3'").code == 0)
    #expect(try add("curl https://z.example/v2/orders -u a:b").code == 0)
    #expect(try add("curl https://z.example/users/8").code == 0)
    let text = folder.text("apis/z.lua") ?? ""
    for part in [
      "\"Mine\"", "orders = {", "orders_2 = {", "default = 8", "api:configure(\"/v2/orders\"",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    #expect(!text.contains("default = 7"))
    #expect(text.ranges(of: "auth.bearer").count == 1)
    // A form that is no text, and fields without a name, are no parameters.
    for (line, part) in [
      ("-d 'a=%FF&b=1'", "default = \"a=%FF&b=1\""), ("--json '{\"\":1}'", "type = \"json\""),
      ("-F '=x' -F 'y=1'", "params = { y ="),
    ] {
      let ending = try lull(
        "import", "curl", "curl https://w.example/ \(line)", "-o", "w.lua", folder: folder.path)
      #expect(ending.code == 0, "\(ending)")
      #expect(folder.text("w.lua")?.contains(part) == true, "\(folder.text("w.lua") ?? "")")
      #expect(try lull("check", "w.lua", folder: folder.path).output == "")
    }
    let header = try lull(
      "import", "curl", "curl https://v.example/ -H 'X-É: a'", "-o", "v.lua", folder: folder.path)
    #expect(
      header.errors == "lull: headers left out, because they are not valid headers: x-é\n")
    // What asks without credentials goes on without those of another.
    #expect(
      try lull("import", "curl", "curl https://y.example/a", "-o", "y.lua", folder: folder.path)
        .code == 0)
    #expect(
      try lull(
        "import", "curl", "curl -u a:b https://y.example/b", "-o", "y.lua", folder: folder.path
      ).code
        == 0)
    #expect(folder.text("y.lua")?.contains("api:configure(\"/b\", ") == true)
    let checked = try lull("check", "apis/z.lua", folder: folder.path)
    #expect(checked.code == 0, "\(checked.output)\(checked.errors)\(text)")
    let other = try add("curl https://other.example/")
    #expect(other.code == 3)
    #expect(other.errors.contains("but the file is for https://z.example: name another file"))
    #expect(folder.text("apis/z.lua") == text)
    try folder.write("apis/own.lua", "return {}\n")
    #expect(
      try lull("import", "curl", "curl https://h/", "-o", "apis/own.lua", folder: folder.path).code
        == 3)
    #expect(folder.text("apis/own.lua") == "return {}\n")
  }

  @Test(arguments: [
    ("", 2, "empty"), ("wget https://a.example", 3, "no curl command"),
    ("curl", 3, "no URL"), ("curl 'https://a.example", 3, "quote ' is not closed"),
    ("curl https://a.example -H \"X: $(cat token)\"", 3, "are not run"),
    ("curl https://a.example/`id`", 3, "are not run"),
    ("curl --nonsense https://a.example", 3, "'--nonsense'"), ("curl -d", 3, "needs a value"),
    ("curl ftp://a.example/x", 3, "is not an HTTP URL"),
    ("curl https://$HOST/x", 3, "write the real host"),
    ("curl https://a.example/[1-3]", 3, "several URLs"),
    ("curl https://a.example/{a,b}", 3, "several URLs"),
    ("curl ^\"https://a.example^\"", 3, "cmd or PowerShell"),
    ("curl https://a.example/ -d @- <<EOF\nx", 3, "does not end"),
    ("curl https://a.example/$1", 3, "argument of a script"),
    ("curl https://a.example/ -d $'\\xff'", 3, "bytes that are not UTF-8"),
  ])
  func `IMX-05 what is no command that can be kept is refused in one line`(
    line: String, code: Int32, text: String
  ) throws {
    let ending = try lull("import", "curl", line, "-o", "apis/n.lua", folder: folder.path)
    #expect(ending.code == code, "\(ending.errors)")
    #expect(ending.errors.contains(text), "\(ending.errors)")
    #expect(code == 2 || ending.errors.split(separator: "\n").count == 1)
    #expect(folder.text("apis/n.lua") == nil)
  }

  @Test func `IMX-06 what of a command is not kept is told`() throws {
    let ending = try lull(
      "import", "curl",
      "curl -m 5 -x http://p:1 --retry 3 -v -b jar.txt -d @f -F x=1 --next -I https://other.example/ | jq . > out",
      "-o", "apis/n.lua", folder: folder.path)
    #expect(ending.code == 3, "the first part names no URL: \(ending.errors)")
    let second = try lull(
      "import", "curl",
      "curl -m 5 -x http://p:1 --retry 3 -v -b jar.txt -d @f https://a.example/a --next -I https://other.example/b | jq . > out",
      "-o", "apis/n.lua", folder: folder.path)
    #expect(second.code == 0, "\(second.errors)")
    for text in [
      "-m, -x, --retry", "output or are Lull's default: -v", "is a cookie file", "line breaks",
      "'jq' after | is left out",
      "left out: HEAD https://other.example/b: the request is for another host",
    ] {
      #expect(second.errors.contains(text), "\(text)\n\(second.errors)")
    }
  }

  @Test func `IMX-07 variables of a path and of values are parameters`() throws {
    let ending = try lull(
      "import", "curl",
      "curl \"http://127.0.0.1:\(server.port)/users/$USER_ID/{kind}?n=$N&m=x-$M\" -H \"X-A: $A\"",
      "-o", "apis/v.lua", folder: folder.path)
    #expect(ending.code == 0, "\(ending.errors)")
    let name = try #require(
      ending.output.isEmpty ? nil : Self.name(in: folder.text("apis/v.lua") ?? ""))
    let call = try lull(
      "call", "v", String(name), "--USER-ID", "a b", "--kind", "k", "--n", "1", "--m", "2",
      environment: ["A": "a"], folder: folder.path)
    #expect(call.code == 0, "\(call.errors)\(folder.text("apis/v.lua") ?? "")")
    let sent = try #require(server.requests.last)
    #expect(
      sent.line == "GET /users/a%20b/k?n=1&m=2" || sent.line == "GET /users/a%20b/k?m=2&n=1",
      "\(sent.line)")
    #expect(sent.head.lowercased().contains("x-a: a\r\n"))
  }

  @Test func `IMX-08 headers that a command takes away are not sent`() throws {
    for line in [
      "curl -T 'a file.txt' BASE/up", "curl -T 'a file.txt' -H 'Content-Type: text/x' BASE/up",
      "curl --data-binary '@a file.txt' -H 'Content-Type:' BASE/a",
      "curl -d '{\"a\":1}' -H 'Content-Type:' BASE/a", "curl -H 'Accept:' -H 'X-A: b' BASE/a",
    ] {
      let count = server.requests.count
      try compare(line)
      let heads = server.requests.dropFirst(count).map { $0.head.lowercased() }
      for name in ["\r\ncontent-type:", "\r\naccept:"] {
        #expect(heads[0].contains(name) == heads[1].contains(name), "\(name) \(line)\n\(heads)")
      }
    }
  }

  @Test func `IMP-27 folders that are missing are made`() throws {
    let ending = try lull(
      "import", "curl", "curl https://a.example/x", "-o", "deep/er/z.lua", folder: folder.path)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(folder.text("deep/er/z.lua")?.contains("/x") == true)
    try folder.write("shop.yaml", OpenAPISample.text)
    #expect(
      try lull("import", "openapi", "shop.yaml", "-o", "a/b/c/shop.lua", folder: folder.path).code
        == 0)
    #expect(folder.text("a/b/c/shop.schemas.json") != nil)
    let none = try lull("import", "openapi", "none.yaml", "-o", "d/e.lua", folder: folder.path)
    #expect(none.code == 3)
    #expect(try shell("test -e d", folder: folder.path).code == 1)
    let below = try lull(
      "import", "curl", "curl https://a.example/x", "-o", "shop.yaml/z.lua", folder: folder.path)
    #expect(below.code == 3 && below.errors.contains("shop.yaml"), "\(below.errors)")
  }

  @Test func `IMX-40 names and texts of command lines never become code`() throws {
    let texts = [
      "]]", "\"", "\n", "--[[", "]=]", "\\", "'", "os.exit(9)", "\r", "${x}", "`id`", "{{", "}}",
      "\u{202e}", "end",
      "\" .. os.exit(9) .. \"", "\n]]os.exit(9)--", "%s", "\u{2028}", "\u{1b}[31m", "%FF",
      "$(touch ran)", "; touch ran;",
    ]
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
    for (number, text) in texts.enumerated() {
      let line =
        "curl -g \(quoted("https://a.example/p\(number)/\(text.replacing("\n", with: "%0A"))?\(text)=\(text)")) "
        + "-H \(quoted("X-A: \(text)")) -H \(quoted("\(text): b")) -A \(quoted(text)) --data-urlencode \(quoted("a\(text)=\(text)")) "
        + "--data-raw \(quoted("b=\(text)")) -u \(quoted("\(text):\(text)")) --max-time \(quoted(text))"
      let ending = try lull(
        "import", "curl", "-", "-o", "apis/h.lua", input: line, folder: folder.path)
      #expect([0, 3].contains(ending.code), "\(text) \(ending.errors)")
      #expect(!ending.errors.unicodeScalars.contains("\u{1b}"), "\(ending.errors)")
      #expect(
        ending.code == 0 || ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
      _ = try lull(
        "import", "curl",
        "curl \(quoted("https://a.example/q\(number)")) --json \(quoted("{\"\(number)\":\"x\"}")) -F \(quoted("\(text)=\(text)"))",
        "-o", "apis/h.lua", folder: folder.path)
    }
    let loaded = try lull(
      "-e", "local n = 0; for _ in pairs(lull.api('h').calls) do n = n + 1 end; print(n > 20)",
      folder: folder.path)
    #expect(loaded.code == 0 && loaded.output == "true\n", "\(loaded.errors)")
    let checked = try lull("check", "apis/h.lua", folder: folder.path)
    #expect(checked.code == 0, "\(checked.output)")
    #expect(folder.text("apis/h.lua")?.unicodeScalars.contains("\u{1b}") == false)
    #expect(folder.text("ran") == nil)
  }
}
