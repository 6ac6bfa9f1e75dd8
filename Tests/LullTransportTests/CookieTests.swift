import LullLibC
import LullCore
import LullSystem
import LullTransport
import Testing

extension TransportSuite {
  /// Cookies that requests with the same jar share.
  @Suite struct CookieTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    @Test func `a jar is for those who name it`() throws {
      let harness = try TransportHarness()
      let (jar, other) = (CookieJar(), CookieJar())
      #expect(try harness.get(nginx.url + "/set") { $0.cookies = jar }.text == "set")
      #expect(try harness.get(nginx.url + "/cookies") { $0.cookies = jar }.text == "a=1")
      #expect(try harness.get(nginx.url + "/cookies") { $0.cookies = other }.text == "")
      #expect(try harness.get(nginx.url + "/cookies").text == "")
      harness.finish()
    }

    @Test func `many at once share it`() throws {
      let harness = try TransportHarness()
      let jar = CookieJar()
      _ = try harness.get(nginx.url + "/set") { $0.cookies = jar }
      var answers: [String?] = []
      for _ in 0..<40 {
        harness.start(.get(nginx.url + "/cookies") { $0.cookies = jar }) {
          answers.append($0.text)
        }
      }
      harness.turn { answers.count == 40 }
      #expect(answers == Array(repeating: "a=1", count: 40))
      harness.finish()
    }

    @Test func `a redirect sets them for what follows`() throws {
      let harness = try TransportHarness()
      let jar = CookieJar()
      #expect(try harness.get(nginx.url + "/set-and-go") { $0.cookies = jar }.text == "b=2")
      harness.finish()
    }

    @Test func `they stay with the host that set them`() throws {
      let harness = try TransportHarness()
      let jar = CookieJar()
      #expect(try harness.get(nginx.url + "/set-and-cross") { $0.cookies = jar }.text == "")
      #expect(try harness.get(nginx.url + "/cookies") { $0.cookies = jar }.text == "c=3")
      harness.finish()
    }

    @Test func `a header of the request stands beside them`() throws {
      let harness = try TransportHarness()
      let jar = CookieJar()
      _ = try harness.get(nginx.url + "/set") { $0.cookies = jar }
      for own in ["x=1", "y=2"] {
        var request = HTTPRequest.get(nginx.url + "/cookies") { $0.cookies = jar }
        request.headers["cookie"] = own
        #expect(try harness.send(request).text == "a=1; \(own)")
      }
      #expect(try harness.get(nginx.url + "/cookies") { $0.cookies = jar }.text == "a=1")
      harness.finish()
    }

    @Test func `a file outlives the network and is shared by name`() throws {
      let directory = try #require(TemporaryDirectory())
      let path = directory.path + "/cookies"
      let first = try TransportHarness()
      #expect(
        try first.get(nginx.url + "/cookies") { $0.cookies = CookieJar(file: path) }.text == "")
      #expect(contents(path) == nil)
      // Written before anybody hears of the answer.
      _ = try first.get(nginx.url + "/set") { $0.cookies = CookieJar(file: path) }
      let text = String(decoding: try #require(contents(path)), as: UTF8.self)
      #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
      #expect(text.hasSuffix("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n"))
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      first.finish()
      let second = try TransportHarness()
      let result = try second.get(nginx.url + "/cookies") { $0.cookies = CookieJar(file: path) }
      #expect(result.text == "a=1")
      second.finish()
      directory.remove()
    }

    @Test func `COOK-01 cookies that another process has written since are kept`() throws {
      let directory = try #require(TemporaryDirectory())
      let path = directory.path + "/cookies"
      func names() -> [Substring] {
        String(decoding: contents(path) ?? [], as: UTF8.self).split(separator: "\n")
          .filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t")[5] }.sorted()
      }
      let jar = CookieJar(file: path)
      let (one, two) = (try TransportHarness(), try TransportHarness())
      // Both have read the file before either writes it.
      for harness in [one, two] { _ = try harness.get(nginx.url + "/cookies") { $0.cookies = jar } }
      _ = try one.get(nginx.url + "/set") { $0.cookies = jar }
      _ = try two.get(nginx.url + "/set-and-go") { $0.cookies = jar }
      #expect(names() == ["a", "b"])
      // And known from then on.
      #expect(
        try two.get(nginx.url + "/cookies") { $0.cookies = jar }.text?.contains("a=1") == true)
      for harness in [one, two] { harness.finish() }
      directory.remove()
    }

    @Test func `COOK-02 a file of anything else is not used, and stays as it is`() throws {
      let directory = try #require(TemporaryDirectory())
      let text = "To do: buy milk\n"
      directory.write("notes", text.utf8)
      let path = directory.path + "/notes"
      let harness = try TransportHarness()
      let result = try harness.get(nginx.url + "/set") { $0.cookies = CookieJar(file: path) }
      #expect(
        result.error?.message
          == "cookies: '\(path)' is not a cookie file in the Netscape format; name another file")
      #expect(contents(path) == Array(text.utf8))
      directory.write("cookies", (text + "127.0.0.1\tFALSE\t/\tFALSE\t0\tb\t1\n").utf8)
      let mixed = directory.path + "/cookies"
      _ = try harness.get(nginx.url + "/set") { $0.cookies = CookieJar(file: mixed) }
      #expect(String(decoding: contents(mixed) ?? [], as: UTF8.self).contains(text))
      harness.finish()
      directory.remove()
    }

    @Test func `a file that cannot be written is complained of once and fails nothing`() throws {
      let directory = try #require(TemporaryDirectory())
      let jar = CookieJar(file: directory.path + "/cookies")
      let said = Journal()
      let harness = try TransportHarness()
      _ = try harness.get(nginx.url + "/cookies") { $0.cookies = jar }
      directory.remove()
      try StandardError.$sink.withValue({ said($0) }) {
        for path in ["/set", "/set-and-go", "/cookies"] {
          let result = try harness.get(nginx.url + path) { $0.cookies = jar }
          #expect(result.response?.status == 200)
        }
      }
      #expect(said.lines.count == 1)
      #expect(said.lines.first?.contains("cookies: cannot write '\(directory.path)/") == true)
      harness.finish()
    }

    @Test func `what is no file of cookies fails the request`() throws {
      let harness = try TransportHarness()
      let result = try harness.get(nginx.url + "/set") { $0.cookies = CookieJar(file: "/") }
      #expect(result.error?.kind == .network)
      #expect(result.error?.message == "cookies: '/' is not a regular file")
      #expect(result.error?.isFinal == true)
      let nowhere = try harness.get(nginx.url + "/set") {
        $0.cookies = CookieJar(file: "/proc/nowhere/cookies")
      }
      #expect(nowhere.error?.message.hasPrefix("cookies: cannot write '/proc/nowhere/") == true)
      #expect(nowhere.error?.isFinal == true)
      harness.finish()
    }
  }
}
