import Testing

@Suite("lull demo: what nobody sane asks for", .timeLimit(.minutes(20)))
struct DemoEdgeTests {
  private static let numbers = [
    "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "-1", "0", "+1", "1e3", "0x1", "%2d1", "%00", "%ff", "", " 1", "nan",
    "inf", "-0", "1/2", "٣",
  ]

  /// All of them to one server, which goes on serving.
  @Test func `survives numbers at the edges`() throws {
    let sample = try SampleAPI()
    let paths = [
      "/jobs/", "/users/", "/articles/", "/bytes/", "/status/", "/users?page=", "/users?per_page=",
      "/users?page=1&per_page=", "/large?items=", "/slow?seconds=", "/flaky?fail=",
      "/flaky?fail=0&retry_after=", "/limited?requests=", "/limited?requests=1&per=",
      "/feed?cursor=", "/redirect/", "/chain?n=", "/headers?x=", "/echo?x=",
    ]
    for path in paths {
      // Not the ones that are asked to take their time, or to send all they can.
      let values = Self.numbers.filter { !path.hasPrefix("/slow") || !["0", "1/2"].contains($0) }
      let words = values.flatMap { value in
        [sample.url + path + value.replacing(" ", with: "%20")]
      }
      let ending = try Child(
        "curl", ["-s", "-g", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}\n"] + words
      ).wait()
      for (value, code) in zip(values, ending.output.split(separator: "\n")) {
        #expect(code != "000", "\(path)\(value)")
      }
    }
    #expect(try lull("get", sample.url + "/users/1", "-f", "x.id").output == "1\n")
  }

  @Test(arguments: [
    "GET /jobs/-9223372036854775808 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET //// HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /users?page=1&&&=&=1& HTTP/1.1\r\nHost:\r\n\r\n",
    "GET http://a:99999999999999999999/users HTTP/1.1\r\nHost: a:99999999999999999999\r\n\r\n",
    "GET /users HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    "GET /users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST /users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9223372036854775807\r\n\r\n{}",
    "POST /users HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
    "POST /users HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n{}",
    "POST /users HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}",
    "GET / HTTP/9.9\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n", "GET / \r\n\r\n", "\u{0}\u{0}\u{0}",
    "GET /users HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
    "GET /users HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n",
    "GET /private HTTP/1.1\r\nHost: localhost\r\nAuthorization: \r\n\r\n",
    "POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic Og==\r\nContent-Length: 0\r\n\r\n",
    "POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic\r\nContent-Length: 0\r\n\r\n",
    "GET /users/1 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ,,W/,\"\r\n\r\n",
    "GET /users/1 HTTP/1.1\r\nHost: localhost\r\nIf-Modified-Since: Tue, 99 Jan 99999999999999999999 99:99:99 GMT\r\n\r\n",
    "GET /users/1 HTTP/1.1\r\nHost: localhost\r\nIf-Modified-Since: Tue, 01 Jan -2147483648 00:00:00 GMT\r\n\r\n",
    "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=-9223372036854775808\r\n\r\n",
    "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=9223372036854775807-\r\n\r\n",
    "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=5-1\r\n\r\n",
  ])
  func `survives odd requests`(request: String) throws {
    let sample = try SampleAPI()
    let ending = try Child(
      "python3",
      [
        "-c",
        """
        import socket, sys
        host, port = sys.argv[1].split("//")[1].split(":")
        with socket.create_connection((host, int(port)), 20) as connection:
            connection.sendall(sys.argv[2].encode("latin-1").replace(b"\\\\0", b"\\0"))
            connection.shutdown(socket.SHUT_WR)
            try:
                while connection.recv(65536): pass
            except TimeoutError:
                raise  # the server waits for a client that sends no more
            except OSError:
                pass
        """,
        sample.url, request.replacing("\u{0}", with: "\\0"),
      ]
    ).wait()
    #expect(ending.errors == "")
    #expect(try lull("get", sample.url + "/users/1", "-f", "x.id").output == "1\n")
  }

  @Test func `answers a client that has closed its side behind the request, and closes`() throws {
    let sample = try SampleAPI()
    let ending = try Child(
      "python3",
      [
        "-c",
        """
        import socket, sys
        host, port = sys.argv[1].split("//")[1].split(":")
        for path, size in [("/users/1", 100), ("/slow?seconds=1", 100), ("/bytes/9000000", 9000000)]:
            with socket.create_connection((host, int(port)), 20) as connection:
                connection.sendall(f"GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n".encode())
                connection.shutdown(socket.SHUT_WR)
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
                print(answer[:15].decode(), len(answer) >= size)
        """, sample.url,
      ]
    ).wait()
    #expect(ending.errors == "")
    #expect(ending.output == String(repeating: "HTTP/1.1 200 OK True\n", count: 3))
  }
}
