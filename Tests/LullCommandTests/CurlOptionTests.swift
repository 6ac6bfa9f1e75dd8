import Testing

/// What `--curl` says of an API's settings of the network.
@Suite(.timeLimit(.minutes(20)))
struct CurlOptionTests {
  private func curl(_ settings: String, _ url: String = "https://api.invalid") throws -> [String] {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "api.lua", "return require 'lull'.service{ base_url = '\(url)', \(settings) }")
    let ending = try lull("get", file, "/x", "--curl")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    return ending.output.split(separator: "\n").map {
      $0.hasSuffix(" \\") ? $0.dropLast(2).trimming() : $0.trimming()
    }
  }

  @Test func `nothing is said of what is not set`() throws {
    #expect(
      try curl("name = 'x'").first == "curl --location --compressed https://api.invalid/x")
  }

  @Test func `every setting has its option`() throws {
    let lines = try curl(
      """
      ca_file = 'a b.pem', insecure = true, client_cert = 'c.pem', client_key = 'c.key',
      proxy = 'http://me:pa55@proxy:1', no_proxy = { 'a', 'b' }, http_version = '1.1',
      resolve = { ['api.invalid:443'] = '127.0.0.1' }, redirects = 3, cookies = 'jar',
      timeout = 2.5, connect_timeout = 1, idle_timeout = 3.2, unix_socket = '/run/x.sock'
      """)
    let arguments = [
      "--max-time 2.5", "--connect-timeout 1", "--speed-limit 1", "--speed-time 4",
      "--max-redirs 3", "--cacert 'a b.pem'", "--insecure", "--cert c.pem", "--key c.key",
      "--proxy http://proxy:1", "--proxy-user 'me:***'", "--noproxy a,b",
      "--connect-to api.invalid:443:127.0.0.1:443", "--unix-socket /run/x.sock",
      "--http1.1", "--cookie jar", "--cookie-jar jar",
    ]
    #expect(Array(lines.dropFirst().prefix(arguments.count)) == arguments)
  }

  @Test func `what curl cannot do is said beside`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "api.lua",
      """
      return require 'lull'.service{ base_url = 'http://x.invalid', redirects = 'same_origin',
        first_byte_timeout = 2 }
      """)
    let ending = try lull("get", file, "/x", "--curl")
    #expect(ending.output == "curl --location --compressed http://x.invalid/x\n")
    #expect(
      ending.errors == """
        lull: curl also follows redirects to other origins, which redirects = "same_origin" prevents
        lull: curl has no option for first_byte_timeout = 2

        """)
  }

  @Test func `curl gives up when it is told`() throws {
    // It accepts, and says nothing.
    let server = try HeldServer([[HeldServer.head()]], released: 0)
    defer { server.stop() }
    let ending = try lull("get", server.url, "--timeout", "0.2", "--curl")
    #expect(ending.output.contains("--max-time 0.2 \\\n  --connect-timeout 0.2"), "\(ending)")
    // Operation timeout.
    #expect(try shell(ending.output).code == 28)
    #expect(try lull("get", server.url, "--timeout", "0.2").code == 6)
  }

  @Test func `curl leaves the same headers out`() throws {
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    let words = ["get", server.url, "User-Agent:", "Accept:", "Accept-Encoding:", "X-Own:"]
    let ending = try Child(Binaries.lull, words + ["--curl"]).wait()
    #expect(try shell(ending.output).code == 0, "\(ending)")
    #expect(try Child(Binaries.lull, words).wait().code == 0)
    #expect(server.requests == Array(repeating: server.requests.last ?? "", count: 2))
    #expect(server.requests.last?.contains("ccept") == false)
  }

  @Test func `redirects that are answers and proxies that are not asked`() throws {
    let lines = try curl("redirects = false, proxy = false, http_version = '2'", "http://x.invalid")
    #expect(
      Array(lines.prefix(3)) == [
        "curl --compressed http://x.invalid/x", "--noproxy '*'", "--http2-prior-knowledge",
      ])
  }
}

extension Substring {
  fileprivate func trimming() -> String { String(drop { $0 == " " }) }
}
