import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// What a response says of the parts of its exchange, if it is asked to.
  @Suite struct TimingTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    private func recorded(_ url: String, by harness: TransportHarness) throws -> TransferTimings {
      var request = HTTPRequest(method: "GET", url: url, options: TransferOptions())
      request.options?.recordsTimings = true
      return try #require(try harness.send(request).response?.timings)
    }

    @Test func `nothing is recorded unless asked for`() throws {
      let harness = try TransportHarness()
      #expect(try harness.get(nginx.url + "/json").response?.timings == nil)
      let options = TransferOptions()
      let request = HTTPRequest(method: "GET", url: nginx.url + "/json", options: options)
      #expect(try harness.send(request).response?.timings == nil)
      harness.finish()
    }

    @Test func `a first exchange connects and a second does not`() throws {
      let harness = try TransportHarness()
      let first = try recorded(nginx.url + "/json", by: harness)
      #expect(!first.isReused)
      #expect(first.connect > 0)
      #expect(first.tls == 0)
      #expect(first.firstByte > 0)
      #expect(first.total >= first.dns + first.connect + first.firstByte)
      #expect(first.httpVersion == "1.1")
      #expect(first.remoteAddress == "127.0.0.1:\(nginx.port)")
      #expect(first.redirectCount == 0)
      let second = try recorded(nginx.url + "/json", by: harness)
      #expect(second.isReused)
      #expect([second.dns, second.connect, second.tls] == [0, 0, 0])
      #expect(second.firstByte > 0)
      #expect(second.total >= second.firstByte)
      harness.finish()
    }

    @Test func `securing is a phase of its own`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let timings = try recorded(nginx.tlsURL + "/protocol", by: harness)
      #expect(timings.tls > 0)
      #expect(timings.total >= timings.dns + timings.connect + timings.tls + timings.firstByte)
      #expect(timings.httpVersion == "2")
      #expect(timings.remoteAddress == "127.0.0.1:\(nginx.tlsPort)")
      harness.finish()
    }

    @Test func `redirects are counted and part of the total`() throws {
      let harness = try TransportHarness()
      let timings = try recorded(nginx.url + "/hops/3", by: harness)
      #expect(timings.redirectCount == 3)
      #expect(timings.isReused)
      #expect(timings.total >= timings.firstByte)
      harness.finish()
    }

    @Test func `error statuses have them too`() throws {
      let harness = try TransportHarness()
      #expect(try recorded(nginx.url + "/missing", by: harness).firstByte > 0)
      harness.finish()
    }
  }
}
