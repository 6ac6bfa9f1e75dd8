import Glibc
import LullCore
import LullTransport
import Testing

extension TransportSuite {
  @Suite struct ProxyTests {
    @Test func theEnvironmentNamesAProxy() throws {
      let harness = try TransportHarness()
      let server = try #require(
        RawServer { connection in
          while connection.readRequest() != nil { connection.answer("by proxy") }
        })
      // Other suites of this process talk to 127.0.0.1 only.
      setenv("no_proxy", "127.0.0.1,localhost", 1)
      setenv("http_proxy", server.url, 1)
      defer {
        unsetenv("http_proxy")
        unsetenv("no_proxy")
      }
      let result = try harness.get("http://nope.invalid/x")
      #expect(result.text == "by proxy")
      #expect(server.requests.first?.hasPrefix("GET http://nope.invalid/x HTTP/1.1\r\n") == true)
      harness.finish()
      server.stop()
    }
  }
}
