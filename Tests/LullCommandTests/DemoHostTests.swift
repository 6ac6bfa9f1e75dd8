import Testing

/// Who may ask `lull demo`, through the command, whatever serves it, and what it knows of them.
@Suite("lull demo: who may ask", .timeLimit(.minutes(20)))
struct DemoHostTests {
  private func curl(_ sample: SampleAPI, _ path: String, _ words: String...) throws -> String {
    try Child("curl", ["-si", "--max-time", "60", sample.url + path] + words).wait().output
  }

  @Test func `DEM-120 requests for other hosts are refused, and read nothing of others`() throws {
    let sample = try SampleAPI()
    let secret = "Authorization: Bearer s3cr3t"
    #expect(try curl(sample, "/echo", "-H", secret).hasPrefix("HTTP/1.1 200 "))
    let own = try curl(sample, "/received", "-H", "Host: localhost:1")
    #expect(own.hasPrefix("HTTP/1.1 200 ") && own.contains("s3cr3t"), "\(own)")
    for host in ["evil.test", "localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1", "[::1]"] {
      let other = try curl(sample, "/received", "-H", "Host: \(host)")
      #expect(other.hasPrefix("HTTP/1.1 421 ") && !other.contains("s3cr3t"), "\(host) \(other)")
    }
    #expect(try curl(sample, "/received", "-H", "Host:").hasPrefix("HTTP/1.1 400 "))
    #expect(
      try curl(sample, "/", "--request-target", "http://evil.test/received").hasPrefix(
        "HTTP/1.1 421 "))
  }

  @Test func `DEM-121 pages of other sites are refused`() throws {
    let sample = try SampleAPI()
    let page = try curl(sample, "/received", "-H", "Sec-Fetch-Site: cross-site")
    #expect(page.hasPrefix("HTTP/1.1 403 "), "\(page)")
    let own = try curl(sample, "/received", "-H", "Sec-Fetch-Site: same-origin")
    #expect(own.hasPrefix("HTTP/1.1 200 "), "\(own)")
  }

  @Test func `DEM-122 what RFC 9112 rejects is a 400, and the connection closes`() throws {
    let sample = try SampleAPI()
    for header in ["Content-Length: 1\r\nContent-Length: 2", "X-A : b", "Transfer-Encoding: gzip"] {
      let ending = try Child(
        "python3",
        [
          "-c",
          """
          import socket, sys
          host, port = sys.argv[1].split("//")[1].split(":")
          head = "POST /echo HTTP/1.1\\r\\nHost: localhost\\r\\n" + sys.argv[2] + "\\r\\n\\r\\n"
          with socket.create_connection((host, int(port)), 60) as connection:
              connection.sendall((head + "GET /users HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n").encode())
              answer = b""
              while piece := connection.recv(65536): answer += piece
          print(answer.decode())
          """, sample.url, header,
        ]
      ).wait()
      #expect(ending.output.hasPrefix("HTTP/1.1 400 "), "\(ending)")
      #expect(!ending.output.contains("HTTP/1.1 200 "), "\(ending)")
    }
  }

  @Test func `DEM-123 others are answered during streams and waits, and open streams are counted`()
    throws
  {
    let sample = try SampleAPI()
    let stream = try Child("curl", ["-sN", sample.url + "/events?count=1&end=silence"])
    try stream.waitForOutput("id: 1")
    let slow = try Child("curl", ["-s", sample.url + "/slow?seconds=30"])
    func open() throws -> String {
      try Child("curl", ["-s", sample.url + "/events/open"]).wait().output
    }
    #expect(try open() == "{\"open\":1}\n")
    stream.send(9)
    // It is heard of when the server next writes.
    while try open() != "{\"open\":0}\n" {}
    slow.send(9)
  }

  @Test func `DEM-124 what was received at either origin is there, with all of its head`() throws {
    let sample = try SampleAPI()
    let list = try Child("curl", ["-s", sample.url]).wait().output
    let other = try #require(list.firstMatch(of: /"other_origin":"([^"]+)"/)?.1)
    let words = ["-sL", "-H", "X-A: 1", "-H", "x-a: 2", "-H", "User-Agent: x", "-H", "Accept: y"]
    let echo = try Child("curl", words + [sample.url + "/redirect-other?"]).wait().output
    #expect(
      echo == """
        {"method":"GET","path":"/echo","query":{},"headers":{"accept":"y","host":"\(
          other.dropFirst(7))","user-agent":"x","x-a":"2"},"body":""}

        """)
    let received = try Child("curl", ["-s", sample.url + "/received"]).wait().output
    #expect(
      received == "{\"requests\":[{\"origin\":\"\(other)\",\(echo.dropFirst().dropLast())]}\n")
  }
}
