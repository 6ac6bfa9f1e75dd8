import Testing

/// What the command says of answers that need something else, and how it repeats requests.
@Suite("Hints and retries", .timeLimit(.minutes(20)))
struct VerbHintTests {
  private func answer(_ status: String, _ headers: String..., body: String) -> [[UInt8]] {
    let head = (headers + ["Content-Length: \(body.utf8.count)"]).joined(separator: "\r\n")
    return [Array("HTTP/1.1 \(status)\r\n\(head)\r\n\r\n\(body)".utf8)]
  }

  @Test func `CMD-150 --retry sends a request again`() throws {
    let busy = answer("503 Busy", "Retry-After: 0", body: "no")
    let server = try HeldServer([busy, busy, answer("200 OK", body: "yes")])
    defer { server.stop() }
    let ending = try lull("get", server.url, "--retry", "2")
    #expect(ending.output == "yes")
    #expect(server.requests.count == 3)
  }

  @Test func `CMD-150 no more than that, and 0 is never`() throws {
    let server = try HeldServer([answer("503 Busy", body: "no")])
    defer { server.stop() }
    #expect(try lull("get", server.url, "--retry", "1").code == 5)
    #expect(server.requests.count == 2)
    #expect(try lull("get", server.url, "--retry=0").code == 5)
    #expect(server.requests.count == 3)
    for words in [["--retry"], ["--retry", "-1"], ["--retry", "many"], ["--retry", "101"]] {
      let ending = try Child(Binaries.lull, ["get", server.url] + words).wait()
      #expect(ending.code == 2, "\(ending)")
    }
    #expect(server.requests.count == 3)
  }

  @Test func `CMD-152 a 401 that asks for Digest names the option`() throws {
    let server = try HeldServer([
      answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\"", body: "no")
    ])
    defer { server.stop() }
    let plain = try lull("get", server.url)
    #expect(plain.code == 4)
    #expect(
      plain.errors.contains(
        "lull: the server requires Digest authentication: use -A digest -a USER:PASSWORD\n"))
    let asked = try lull("get", server.url, "-A", "digest", "-a", "ann:x")
    #expect(asked.code == 4)
    #expect(!asked.errors.contains("-A digest"))
  }

  @Test func `ERR-151 a 404 whose gzip is broken is a 404`() throws {
    let server = try HeldServer([answer("404 Not Found", "Content-Encoding: gzip", body: "no gzip")]
    )
    defer { server.stop() }
    let ending = try lull("get", server.url)
    #expect(ending.code == 4)
    #expect(ending.errors.contains("is not valid gzip"))
    #expect(ending.errors.contains("→ 404)"))
  }

  @Test func `CMD-155 -i shows names and the reason phrase as they came`() throws {
    let server = try HeldServer([answer("200 Fine Thanks", "X-OdD: 1", "ETAG: \"a\"", body: "hi")])
    defer { server.stop() }
    let ending = try lull("get", server.url, "-i")
    #expect(
      ending.output
        == "HTTP/1.1 200 Fine Thanks\nX-OdD: 1\nETAG: \"a\"\nContent-Length: 2\n\nhi")
  }

  @Test func `CMD-153 CMD-154 blanks around columns do not count, and no rows are told`() throws {
    let rows = answer("200 OK", "Content-Type: application/json", body: "[{\"a\":1,\"b\":2}]")
    let server = try HeldServer([rows])
    defer { server.stop() }
    let ending = try lull("get", server.url, "-o", "csv", "--columns", "b, a")
    #expect(ending.output == "b,a\n2,1\n")
    #expect(ending.errors == "")
    let none = try HeldServer([answer("200 OK", "Content-Type: application/json", body: "[]")])
    defer { none.stop() }
    #expect(try lull("get", none.url, "-o", "table").output == "")
    let shown = try Child(Binaries.lull, ["get", none.url, "-o", "table"], terminal: true).wait()
    #expect(shown.output.contains("no rows\r\n"))
  }
}
