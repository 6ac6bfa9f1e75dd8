import Testing

/// Requests that `lull mock` rejects, of which Tests/Attacks/requests has a table.
@Suite("lull mock: requests that are rejected", .timeLimit(.minutes(20)))
struct MockRequestTests {
  private static let calls = """
    a = { path = "/a", method = "POST", body = "raw",
      params = { body = { type = "file", whole = true } },
      mock = function(request) return { text = "got " .. #request.body } end },
    """

  /// What comes for a request and one right behind it, up to the end of the connection.
  private static func answers(_ mock: MockProcess, _ request: String) throws -> String {
    let client = try RawClient(mock)
    client.send(
      request
        + "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
    return client.readToEnd()
  }

  @Test(arguments: [
    "Content-Length: 2\r\nContent-Length: 3\r\n\r\nab", "Transfer-Encoding: gzip\r\n\r\n",
    "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", "X-A : b\r\n\r\n",
    "X-A: a\rX-B: b\r\n\r\n", "X-A: a\0b\r\n\r\n", "X-A: a\r\n b\r\n\r\n",
    "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
  ])
  func `MCK-120 what RFC 9112 rejects is a 400, and the connection closes`(
    headers: String
  ) throws {
    let mock = try MockProcess(calls: MockRequestTests.calls)
    let answer = try MockRequestTests.answers(
      mock, "POST /a HTTP/1.1\r\nHost: localhost\r\n" + headers)
    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
    #expect(!answer.contains("HTTP/1.1 200 "), "\(answer)")
  }

  @Test func `MCK-121 a length beside chunks does not count, and the connection closes`() throws {
    let mock = try MockProcess(calls: MockRequestTests.calls)
    let answer = try MockRequestTests.answers(
      mock,
      "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5\r\nhello\r\n0\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\ngot 5"), "\(answer)")
    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
  }

  @Test func `MCK-122 pages of other sites are refused, unless all pages are allowed`() throws {
    let closed = try MockProcess(calls: MockRequestTests.calls)
    let site = "Sec-Fetch-Site: cross-site"
    #expect(try closed.curl("/a", "-d", "x", "-H", site).hasPrefix("HTTP/1.1 403 "))
    for site in ["same-origin", "same-site", "none"] {
      let answer = try closed.curl("/a", "-d", "x", "-H", "Sec-Fetch-Site: \(site)")
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(site)")
    }
    let page = "Origin: http://page.test"
    let open = try MockProcess(calls: MockRequestTests.calls, "--cors", "http://page.test")
    #expect(try open.curl("/a", "-d", "x", "-H", site, "-H", page).hasPrefix("HTTP/1.1 200 "))
    #expect(try open.curl("/a", "-d", "x", "-H", site).hasPrefix("HTTP/1.1 403 "))
    let all = try MockProcess(calls: MockRequestTests.calls, "--cors=*")
    #expect(try all.curl("/a", "-d", "x", "-H", site).hasPrefix("HTTP/1.1 200 "))
  }

  @Test(arguments: [
    ("Host: evil.test\r\n", 421), ("Host: localhost\r\nOrigin: http://evil.test\r\n", 403),
    ("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", 403),
    ("Host: localhost\r\nX-A : b\r\n", 400),
  ])
  func `MCK-123 a request is rejected before its body comes`(headers: String, status: Int) throws {
    let mock = try MockProcess(calls: MockRequestTests.calls)
    let client = try RawClient(mock)
    // Nothing of it follows.
    client.send("POST /a HTTP/1.1\r\n\(headers)Content-Length: 1000000\r\n\r\n")
    let answer = client.readToEnd()
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
  }
}
