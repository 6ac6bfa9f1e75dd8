import LullLibC
import LullTestSupport
import LullTesting
import Testing

/// The server of `lull mock`: how it begins and ends, whom it lets in, and what it makes of hostile clients.
@Suite("lull mock: the server", .timeLimit(.minutes(20)))
struct MockServerTests {
  private static let calls = """
    a = { path = "/a", example = 1 },
    add = { path = "/a", method = "POST", mock = function(r) return { text = #r.body .. "" } end },
    prints = { path = "/prints", mock = function() print("printed") return { text = "x" } end },
    """
  private static let request = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test(arguments: [SIGINT, SIGTERM])
  func `MCK-11 it says first where it is, then what is asked, until a signal ends it`(
    signal: Int32
  ) throws {
    let mock = try MockProcess(calls: MockServerTests.calls)
    #expect(mock.url.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+/) != nil)
    #expect(try mock.body("/a?token=secret-text&x=%1B") == "1")
    #expect(try mock.body("/prints") == "x")
    let ending = try mock.end(signal)
    #expect(ending.code == 128 + signal)
    #expect(ending.output == "\(mock.url) serves 3 calls of shop\n")
    #expect(
      ending.errors.wholeMatch(
        of:
          /GET \/a\?token=\*\*\*&x=%1B 200 example of a \d+\.\d ms\nprinted\nGET \/prints 200 mock of prints \d+\.\d ms\n/
      ) != nil, "\(ending.errors)")
    #expect(!Port(ofURL: mock.url).isOpen)
  }

  @Test func `MCK-12 --quiet tells nothing of requests, and a port is given or taken`() throws {
    let port = try #require(RawSocket.freePorts(1).first)
    let mock = try MockProcess(calls: MockServerTests.calls, "--quiet", "--port", "\(port)")
    #expect(mock.port == port)
    #expect(try mock.body("/a") == "1")
    let second = try lull("mock", "shop", "--port", "\(port)", folder: mock.folder.path)
    #expect(second.code == 1)
    #expect(
      second.errors.hasPrefix(
        "lull: cannot listen: port \(port) of 127.0.0.1 is in use by another program"))
    #expect(second.output == "")
    // Two of one file beside each other have a state each.
    let other = try MockProcess(calls: MockServerTests.calls)
    #expect(other.port != port)
    #expect(try mock.end().errors == "")
    // Where one has been a moment ago another may be.
    #expect(try MockProcess(calls: MockServerTests.calls, "--port", "\(port)").port == port)
  }

  @Test func `MCK-13 only requests for its address, localhost and names given are taken`() throws {
    let mock = try MockProcess(calls: MockServerTests.calls, "--host", "Mock.Test")
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:\(mock.port)", "mock.test:80"] {
      #expect(try mock.curl("/a", "-H", "Host: \(host)").hasPrefix("HTTP/1.1 200 "), "\(host)")
    }
    for host in ["evil.test", "evil.test:\(mock.port)", "127.0.0.1.evil.test", "10.0.0.1", "[::1]"]
    {
      #expect(try mock.curl("/a", "-H", "Host: \(host)").hasPrefix("HTTP/1.1 421 "), "\(host)")
    }
    for (text, status) in [
      ("GET /a HTTP/1.0\r\n\r\n", 200), ("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
      ("GET http://evil.test/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 421),
      ("GET http://localhost/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
      ("GET /a HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: close\r\n\r\n", 400),
    ] {
      let client = try RawClient(mock)
      client.send(text)
      let answer = client.readToEnd()
      #expect(answer.dropFirst(9).hasPrefix("\(status) "), "\(text)\(answer)")
    }
    let everywhere = try MockProcess(calls: MockServerTests.calls, "--bind", "0.0.0.0")
    #expect(everywhere.url.hasPrefix("http://127.0.0.1:"))
    #expect(try everywhere.curl("/a", "-H", "Host: 10.1.2.3").hasPrefix("HTTP/1.1 200 "))
    #expect(try everywhere.curl("/a", "-H", "Host: evil.test").hasPrefix("HTTP/1.1 421 "))
    let other = try MockProcess(calls: MockServerTests.calls, "--bind", "::1")
    #expect(other.url.hasPrefix("http://[::1]:"))
    #expect(try other.curl("/a").hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `MCK-14 web pages of others are refused, but for those of --cors`() throws {
    let closed = try MockProcess(calls: MockServerTests.calls)
    let page = "Origin: http://page.test"
    #expect(try closed.curl("/a", "-H", page).hasPrefix("HTTP/1.1 403 "))
    #expect(try closed.curl("/a", "-H", "Origin: null").hasPrefix("HTTP/1.1 403 "))
    #expect(try closed.curl("/a", "-H", "Origin: \(closed.url)").hasPrefix("HTTP/1.1 200 "))
    let open = try MockProcess(calls: MockServerTests.calls, "--cors", "http://page.test")
    let answer = try open.curl("/a", "-H", page)
    #expect(answer.contains("\naccess-control-allow-origin: http://page.test\n"))
    #expect(answer.contains("\naccess-control-expose-headers: content-type, etag\n"))
    #expect(answer.contains("\nvary: Origin\n"))
    let preflight = try open.curl(
      "/a", "-X", "OPTIONS", "-H", page, "-H", "Access-Control-Request-Method: DELETE", "-H",
      "Access-Control-Request-Headers: x-a")
    #expect(preflight.hasPrefix("HTTP/1.1 204 "))
    #expect(preflight.contains("\naccess-control-allow-methods: DELETE\n"))
    #expect(preflight.contains("\naccess-control-allow-headers: x-a\n"))
    #expect(try open.curl("/a", "-H", "Origin: http://page.test.evil").hasPrefix("HTTP/1.1 403 "))
    #expect(!(try open.curl("/a")).contains("access-control"))
    let all = try MockProcess(calls: MockServerTests.calls, "--cors=*")
    let any = try all.curl("/a", "-H", "Origin: null")
    #expect(any.contains("\naccess-control-allow-origin: *\n"))
    #expect(!any.contains("access-control-allow-credentials"))
  }

  @Test func `MCK-15 a body may have 16 MB`() throws {
    let mock = try MockProcess(calls: MockServerTests.calls)
    let ending = try shell(
      """
      for size in 16777216 16777217; do
        for coding in "Content-Type: text/plain" "Transfer-Encoding: chunked"; do
          head -c $size /dev/zero | curl -s -o answer -w '%{http_code} ' -H "$coding" -T - -X POST \(mock.url)/a
          head -c 100 answer | head -n 1
          echo
        done
      done
      """, folder: mock.folder.path)
    #expect(
      ending.output.split(separator: "\n") == ["201 16777216", "201 16777216", "413 {", "413 {"]
        || ending.output.split(separator: "\n") == [
          "200 16777216", "200 16777216", "413 {", "413 {",
        ], "\(ending.output)\(ending.errors)")
    #expect(try mock.body("/a") == "1")
  }

  @Test func `MCK-16 several requests come over one connection, one after the other or at once`()
    throws
  {
    let mock = try MockProcess(calls: MockServerTests.calls)
    let client = try RawClient(mock)
    for _ in 0..<3 {
      client.send(MockServerTests.request)
      #expect(client.read(until: "\r\n\r\n1").hasPrefix("HTTP/1.1 200 "))
    }
    client.send(String(repeating: MockServerTests.request, count: 50))
    let answers = client.read(until: "\r\n\r\n1", count: 50)
    #expect(answers.split(separator: "HTTP/1.1 200 OK").count == 50)
    client.send(
      "POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    )
    #expect(client.read(until: "\r\n\r\n3").hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `MCK-17 what is no request is refused, and the next one answered`() throws {
    let mock = try MockProcess(calls: MockServerTests.calls, "--timeout", "2")
    let heads = [
      "\r\n\r\n", "GET\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
      "GET /a HTTP/9.9\r\nHost: localhost\r\n\r\n",
      "GET a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "\0\0\0\0\r\n\r\n",
      "GET /\u{7F}\u{1} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\n\r\n",
      "GET /a HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 50_000) + "\r\n",
    ]
    for head in heads {
      let client = try RawClient(mock)
      client.send(head)
      // A half of a request is no request yet.
      client.send("\r\n\r\n")
      let answer = client.read(until: "\r\n\r\n")
      let status = answer.dropFirst(9).prefix(1)
      #expect(answer.isEmpty || ["4", "5"].contains(status), "\(head.prefix(60)) \(answer)")
      #expect(try mock.body("/a") == "1")
    }
    #expect(try mock.end().code == 130)
  }

  @Test func `MCK-18 who is slow keeps nobody else waiting, and is let go of after --timeout`()
    throws
  {
    let mock = try MockProcess(calls: MockServerTests.calls, "--timeout", "1")
    let slow = try (0..<300).map { _ in try RawClient(mock) }
    for client in slow { client.send("GET /a HTTP/1.1\r\nHost: local") }
    #expect(try mock.body("/a") == "1")
    // A byte now and then changes nothing.
    let start = Child.now
    for client in slow.prefix(3) {
      while Child.now < start + 60 {
        client.send("x")
        usleep(200_000)
        guard client.isOpen else { break }
      }
      #expect(!client.isOpen)
    }
    for client in slow { #expect(!client.readToEnd().hasPrefix("HTTP/1.1 200")) }
    #expect(try mock.body("/a") == "1")
  }

  @Test func `MCK-19 many connections at once are answered, each once`() throws {
    let mock = try MockProcess(calls: MockServerTests.calls, "--timeout", "5")
    let clients = try (0..<1200).map { _ in try RawClient(mock) }
    for client in clients {
      client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    }
    for client in clients { #expect(client.readToEnd().hasSuffix("\r\n\r\n1")) }
  }
}
