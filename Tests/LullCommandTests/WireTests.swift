import LullLibC
import LullTestSupport
import Testing

@Suite("What -v shows", .timeLimit(.minutes(20)))
struct WireTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func answer(_ text: String) -> [[UInt8]] {
    [Array(text.replacing("\n", with: "\r\n").utf8)]
  }

  private static let fine = answer("HTTP/1.1 200 Fine By Me\nX-Odd: Yes\nContent-Length: 2\n\n[]")

  @Test func `SHOW-03 is every head that went out and came in`() throws {
    let server = try HeldServer([
      Self.answer("HTTP/1.1 302 Over There\nLOCATION: /b?token=hush\nContent-Length: 0\n\n"),
      Self.fine,
    ])
    defer { server.stop() }
    let ending = try lull("get", server.url + "/a", "-v", "X-Mine:1", "api_key==hush")
    let rest = """
      > Host: 127.0.0.1:\(server.port)
      > Accept: */*
      > x-mine: 1
      > user-agent: lull/
      """
    let lines = ending.errors.split(separator: "\n").map { line in
      line.hasPrefix("> user-agent: lull/") ? "> user-agent: lull/" : String(line)
    }.filter { !$0.hasPrefix("> accept-encoding: ") && !$0.hasPrefix("* ") }
    #expect(
      lines.joined(separator: "\n") == """
        > GET /a?api_key=*** HTTP/1.1
        \(rest)
        < HTTP/1.1 302 Over There
        < LOCATION: /b?token=***
        < Content-Length: 0
        > GET /b?token=*** HTTP/1.1
        \(rest)
        < HTTP/1.1 200 Fine By Me
        < X-Odd: Yes
        < Content-Length: 2
        """)
    #expect(ending.errors.contains("> accept-encoding: gzip"))
    #expect(ending.errors.hasSuffix(" ms, 1 redirects\n"), "\(ending.errors)")
    #expect(ending.output == "[]")
  }

  @Test(arguments: [["-vv"], ["-v", "-v"], ["--verbose", "-v"], ["-v", "-i", "-v"]])
  func `SHOW-04 twice it shows bodies`(options: [String]) throws {
    let server = try HeldServer([Self.fine])
    defer { server.stop() }
    let words = ["put", server.url, "name=ü", "password=hush"] + options
    let ending = try Child(Binaries.lull, words).wait()
    #expect(
      ending.errors.contains(
        "\n> Content-Length: 31\n>\n> {\"name\":\"ü\",\"password\":\"***\"}\n<"),
      "\(ending.errors)")
    #expect(ending.errors.contains("\n< Content-Length: 2\n<\n< []\n* "), "\(ending.errors)")
    let once = try lull("put", server.url, "name=ü", "-v")
    #expect(!once.errors.contains("\"name\""))
  }

  @Test func `SHOW-04 bodies that are no text are counted, parts of forms too`() throws {
    let body = [UInt8](0...99)
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Type: image/png"), body]])
    defer { server.stop() }
    try folder.write("note.txt", "a note")
    #expect(try shell("head -c 70 /dev/zero > zeros", folder: folder.path).code == 0)
    let ending = try lull(
      "post", server.url, "-vv", "note@note.txt", "zeros@zeros", "password=hush", "-o", "raw",
      folder: folder.path)
    #expect(ending.errors.contains("\n<\n< (100 bytes)\n"), "\(ending.errors)")
    #expect(ending.errors.contains("name=\"note\"; filename=\"note.txt\"\n"), "\(ending.errors)")
    #expect(ending.errors.contains("\n> \n> a note\n> --"), "\(ending.errors)")
    #expect(ending.errors.contains("\n> \n> (70 bytes)\n> --"), "\(ending.errors)")
    #expect(ending.errors.contains("name=\"password\"\n> \n> ***\n> --"), "\(ending.errors)")
    #expect(!ending.errors.contains("hush"))
  }

  @Test func `SHOW-04 a body in another charset is read in that, and a long one cut`() throws {
    let latin = [HeldServer.head("200 OK", "Content-Type: text/plain; charset=iso-8859-1"), [0xE9]]
    let long = [HeldServer.head(), Array(String(repeating: "é", count: 40000).utf8)]
    let server = try HeldServer([latin, long])
    defer { server.stop() }
    #expect(try lull("get", server.url, "-vv").errors.contains("\n<\n< é\n"))
    let ending = try lull("get", server.url, "-vv")
    #expect(ending.errors.contains("éé\n< … (14.1 kB more)\n"))
  }

  @Test func `SHOW-03 rounds of authentication and repetitions are shown`() throws {
    let challenge =
      "HTTP/1.1 401 Who?\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\n"
      + "Connection: close\nContent-Length: 0\n\n"
    let later = "HTTP/1.1 503 Later\nConnection: close\nContent-Length: 0\n\n"
    let server = try HeldServer([Self.answer(challenge), Self.answer(later), Self.fine])
    defer { server.stop() }
    try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local api = lull.service("\(server.url)")
      api:configure("**", { auth = lull.auth.digest("ann", "hushhush"), retry = { backoff = { base = 0.01 } } })
      return { service = api }
      """)
    let ending = try lull("get", "./a.lua", "/x", "-v", folder: folder.path)
    #expect(ending.code == 0, "\(ending.errors)")
    let firsts = ending.errors.split(separator: "\n")
      .filter { $0.hasPrefix("> GET") || $0.hasPrefix("< HTTP") || $0.hasPrefix("> auth") }
    #expect(
      firsts == [
        "> GET /x HTTP/1.1", "< HTTP/1.1 401 Who?", "> GET /x HTTP/1.1", "> authorization: ***",
        "< HTTP/1.1 503 Later", "> GET /x HTTP/1.1", "> authorization: ***",
        "< HTTP/1.1 200 Fine By Me",
      ], "\(ending.errors)")
    #expect(!ending.errors.contains("hush"))
  }

  @Test func `SHOW-05 cookies and credentials of a URL are masked`() throws {
    let server = try HeldServer([
      Self.answer("HTTP/1.1 200 OK\nSet-Cookie: sid=hush; Path=/\nContent-Length: 2\n\n{}")
    ])
    defer { server.stop() }
    let url = server.url.replacing("//", with: "//ann:hush@")
    let ending = try lull("get", url, "-vv", "Cookie:a=hush")
    #expect(!ending.errors.contains("hush"), "\(ending.errors)")
    for line in ["> cookie: ***\n", "> Authorization: ***\n", "< Set-Cookie: ***\n"] {
      #expect(ending.errors.contains(line), "\(ending.errors)")
    }
  }

  @Test func `SHOW-03 where nothing goes over the wire that is said`() throws {
    try folder.write(
      "stub.lua",
      """
      local lull = require "lull"
      local api = lull.service {
        base_url = "http://stub.test/",
        networking = function() return { status = 200, headers = { ["X-A"] = "b" }, body = "{}" } end,
      }
      return { service = api }
      """)
    let ending = try lull("get", "./stub.lua", "/x", "-v", folder: folder.path)
    #expect(ending.errors.hasPrefix("> GET http://stub.test/x\n"), "\(ending.errors)")
    #expect(ending.errors.contains("< HTTP 200 OK\n< x-a: b\n"), "\(ending.errors)")
    let refused = try lull("get", "http://127.0.0.1:1/", "-v")
    #expect(refused.errors.hasPrefix("* no response\nlull: cannot connect"), "\(refused.errors)")
  }

  @Test func `SHOW-03 over HTTP/2 names are those of its frames`() throws {
    let nginx = try #require(
      access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : nil, "nginx is needed")
    let port = try #require(RawSocket.freePorts(1).first)
    try folder.write(
      "nginx.conf",
      """
      daemon off; pid nginx.pid; error_log stderr crit; events {}
      http {
        access_log off;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate cert.pem; ssl_certificate_key key.pem;
          location / { return 200 "hello"; }
        }
      }
      """)
    let made = try shell(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 \
        -subj /CN=localhost -keyout key.pem -out cert.pem
      """, folder: folder.path)
    #expect(made.code == 0, "\(made.errors)")
    let server = try Child(
      nginx, ["-p", folder.path, "-c", folder.path + "/nginx.conf", "-e", "stderr"],
      folder: folder.path, input: .held)
    defer { server.send(SIGTERM) }
    try server.wait(until: "it answers") { RawSocket.isAnswering(port, within: 1) }
    let ending = try lull("get", "https://localhost:\(port)/a", "-v", "--insecure", "X-Mine:1")
    #expect(ending.code == 0, "\(ending.errors)")
    for line in [
      "> GET /a HTTP/2\n> :authority: localhost:\(port)\n> accept: */*\n> x-mine: 1\n",
      "< HTTP/2 200 \n< server: nginx",
    ] {
      #expect(ending.errors.contains(line), "\(ending.errors)")
    }
  }
}
