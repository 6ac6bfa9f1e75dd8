import Testing

/// What `--curl` says of an API's settings of the network.
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

  @Test func nothingIsSaidOfWhatIsNotSet() throws {
    #expect(
      try curl("name = 'x'").first == "curl --location --compressed https://api.invalid/x")
  }

  @Test func everySettingHasItsOption() throws {
    let lines = try curl(
      """
      ca_file = 'a b.pem', insecure = true, client_cert = 'c.pem', client_key = 'c.key',
      proxy = 'http://me:pa55@proxy:1', no_proxy = { 'a', 'b' }, http_version = '1.1',
      resolve = { ['api.invalid:443'] = '127.0.0.1' }, redirects = 3, cookies = 'jar'
      """)
    let arguments = [
      "--max-redirs 3", "--cacert 'a b.pem'", "--insecure", "--cert c.pem", "--key c.key",
      "--proxy http://proxy:1", "--noproxy a,b", "--connect-to api.invalid:443:127.0.0.1:443",
      "--http1.1", "--cookie jar", "--cookie-jar jar",
    ]
    #expect(Array(lines.dropFirst().prefix(arguments.count)) == arguments)
  }

  @Test func redirectsThatAreAnswersAndProxiesThatAreNotAsked() throws {
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
