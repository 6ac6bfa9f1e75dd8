import LullLibC
import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  @Suite struct SecretSendingTests {
    let nginx: NginxServer
    let harness: TransportHarness

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      harness = try TransportHarness()
    }

    private func request(
      _ path: String, method: RequestMethod = "GET", name: String = "Authorization",
      _ secret: Secret = Secret(.literal("hunter2-é"))
    ) -> HTTPRequest {
      var request = HTTPRequest(method: method, url: nginx.url + path)
      request.headers.add(name, SecretText(secret))
      request.secrets = SecretUses(origin: nginx.url)
      return request
    }

    @Test func `a header is text on the wire and nowhere else`() throws {
      let result = try harness.send(request("/echo"))
      #expect(result.text == "GET|||hunter2-é||*/*|lull/test|/echo")
      #expect(!harness.log.joined().contains("hunter2"))
      harness.finish()
    }

    @Test func `the next exchange of the same handle has nothing of it`() throws {
      for _ in 0..<3 {
        #expect(try harness.send(request("/echo")).text?.contains("hunter2") == true)
        #expect(try harness.get(nginx.url + "/echo").text == "GET|||||*/*|lull/test|/echo")
        // Headers that look the same are not the same.
        var typed = HTTPRequest(method: "GET", url: nginx.url + "/echo")
        typed.headers["Authorization"] = "‹secret literal›"
        #expect(try harness.send(typed).text == "GET|||‹secret literal›||*/*|lull/test|/echo")
      }
      harness.finish()
    }

    @Test func `basic is made of the text when it is there`() throws {
      let password = SecretText(Secret(.literal("open sesame")))
      var request = HTTPRequest(method: "GET", url: nginx.url + "/echo")
      let auth = Auth.basic(user: "Aladdin", password: password)
      auth.put(on: &request)
      request.secrets = SecretUses(origin: nginx.url)
      #expect(
        try harness.send(request).text
          == "GET|||Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==||*/*|lull/test|/echo")
      harness.finish()
    }

    @Test func `a request to another origin of curl's own reading is not sent`() throws {
      for url in [nginx.otherURL + "/echo", nginx.url.replacing("127.0.0.1", with: "localhost")] {
        var request = request("/echo")
        request.url = url
        #expect(try harness.send(request).error?.kind == .secretOrigin)
      }
      var homeless = request("/echo")
      homeless.secrets = SecretUses()
      #expect(try harness.send(homeless).error?.kind == .secretOrigin)
      harness.finish()
    }

    @Test(arguments: [
      ("/cross", "GET", "Authorization", true), ("/cross", "GET", "X-Token", true),
      ("/cross", "GET", "Accept-Key", false), ("/cross", "GET", "User-Agent", false),
      ("/cross307", "POST", "Content-Key", false), ("/cross-name", "GET", "Authorization", true),
      ("/cross-name", "GET", "Accept", false),
    ])
    func `to another origin a dropped header is followed and a kept one fails`(
      _ path: String, _ method: RequestMethod, _ name: String, _ isFollowed: Bool
    ) throws {
      let result = try harness.send(request(path, method: method, name: name))
      if isFollowed {
        #expect(result.text?.hasPrefix("GET|||||") == true)
      } else {
        #expect(result.error?.kind == .secretOrigin)
        #expect(result.error?.message.contains("the header '\(name.lowercased())'") == true)
      }
      #expect(!harness.log.joined().contains("hunter2"))
      harness.finish()
    }

    @Test func `a body kept by a redirect to another origin fails`() throws {
      var template = SecretTemplate()
      template.append(SecretText(Secret(.literal("hunter2"))), .form)
      var request = HTTPRequest(
        method: "POST", url: nginx.url + "/cross307", body: template.masked)
      request.secrets = SecretUses(origin: nginx.url, body: template)
      let error = try #require(try harness.send(request).error)
      #expect(error.kind == .secretOrigin)
      #expect(error.message.contains("in the body"))
      request.url = nginx.url + "/307"
      #expect(try harness.send(request).text == "POST||7|||*/*|lull/test|/echo/307")
      // The third hop may not have it either.
      request.url = nginx.url + "/303"
      #expect(try harness.send(request).text == "GET|||||*/*|lull/test|/echo/303")
      harness.finish()
    }

    @Test func `one that names the other origin may stay in a header that is kept`() throws {
      let secret = Secret(.literal("hunter2"), origins: [nginx.otherURL])
      let result = try harness.send(request("/cross", name: "User-Agent", secret))
      #expect(result.text == "GET|||||*/*|hunter2|/echo")
      harness.finish()
    }

    @Test func `a variable is read when it is sent`() throws {
      let path = try #require(getenv("PATH").map { String(cString: $0) })
      let result = try harness.send(request("/echo", Secret(.environment("PATH"))))
      #expect(result.text == "GET|||\(path)||*/*|lull/test|/echo")
      let missing = Secret(.environment("LULL_TEST_NO_SUCH_VARIABLE"))
      let error = try harness.send(request("/echo", missing)).error
      #expect(error?.kind == .secretUnavailable)
      #expect(error?.message.contains("LULL_TEST_NO_SUCH_VARIABLE is not set") == true)
      harness.finish()
    }

    @Test func `the user is warned once of an origin that is not encrypted`() throws {
      // Another name for this machine, which does not look like it.
      let url = nginx.url.replacing("127.0.0.1", with: "0.0.0.0")
      var request = request("/echo")
      request.url = url + "/echo"
      request.secrets = SecretUses(origin: url)
      let written = Journal()
      var texts: [String?] = []
      try StandardError.$sink.withValue({ written($0) }) {
        for request in [request, request, self.request("/echo")] {
          texts.append(try harness.send(request).text)
        }
      }
      #expect(texts.allSatisfy { $0?.contains("hunter2") == true })
      #expect(
        written.lines
          == ["lull: warning: ‹secret literal› is sent unencrypted to \(url); use https\n"])
      harness.finish()
    }

    @Test func `many who wait share one run of a command`() throws {
      let directory = try #require(TemporaryDirectory())
      defer { directory.remove() }
      let secret = Secret(.shell("echo run >>\(directory.path)/runs; sleep 0.1; echo pw"))
      var texts: [String] = []
      for _ in 0..<4 { harness.start(request("/echo", secret)) { texts.append($0.text ?? "") } }
      let cancelled = harness.start(request("/echo", secret))
      cancelled.cancel()
      harness.turn { texts.count == 4 }
      #expect(texts == Array(repeating: "GET|||pw||*/*|lull/test|/echo", count: 4))
      #expect(contents(directory.path + "/runs") == Array("run\n".utf8))
      harness.finish(timers: 7)
    }

    @Test func `the wait for a text counts against the time of the request alone`() throws {
      let directory = try #require(TemporaryDirectory())
      defer { directory.remove() }
      let gate = directory.path + "/gate"
      let secret = Secret(.shell("while [ ! -e '\(gate)' ]; do sleep 0.01; done; echo pw"))
      var patient: NetworkResult?
      harness.start(request("/echo", secret)) { patient = $0 }
      var hasty = request("/echo", secret)
      hasty.limits.timeout = 0.05
      let error = try harness.send(hasty).error
      #expect(error?.kind == .timeout)
      #expect(error?.message == "‹secret while› was not available within 0.05 s")
      #expect(patient == nil)
      directory.write("gate", [])
      harness.turn { patient != nil }
      #expect(patient?.text == "GET|||pw||*/*|lull/test|/echo")
      harness.finish(timers: 7)
    }

    @Test func `closing ends a command that runs`() throws {
      let directory = try #require(TemporaryDirectory())
      defer { directory.remove() }
      let marker = directory.path + "/pid"
      let secret = Secret(.shell("echo $$ >\(marker).new; mv \(marker).new \(marker); sleep 1000"))
      var result: NetworkResult?
      harness.start(request("/echo", secret)) { result = $0 }
      harness.turn { contents(marker) != nil }
      let process = try #require(
        contents(marker).flatMap { pid_t(String(decoding: $0.dropLast(), as: UTF8.self)) })
      harness.provider.close()
      harness.turn { result != nil }
      #expect(result?.error?.kind == .cancelled)
      harness.turn { kill(process, 0) != 0 }
      harness.finish()
    }
  }
}
