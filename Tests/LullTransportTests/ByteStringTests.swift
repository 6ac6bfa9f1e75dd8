import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// What is no UTF-8 passes the network and cookies as it is. (BYT-11)
  @Suite struct ByteStringTests {
    private static let word = Array("caf".utf8) + [0xE9]

    /// A server that sends that word in headers, one of them folded, and the head it got as the body.
    private static func server() -> RawServer? {
      RawServer { connection in
        while let head = connection.readHeadBytes() {
          let lines: [[UInt8]] = [
            Array("HTTP/1.1 200 OK".utf8), Array("X-Word: ".utf8) + word,
            Array(" and ".utf8) + word, Array("ETag: ".utf8) + word,
            Array("Set-Cookie: a=".utf8) + word, Array("Content-Length: \(head.count)".utf8), [],
          ]
          connection.write(Array(lines.map { $0 + [13, 10] }.joined()) + head)
        }
      }
    }

    private static func sent(_ result: NetworkResult, _ name: String) -> [UInt8]? {
      var headers = Headers()
      for line in (result.body ?? []).split(separator: 10) {
        _ = line.withUnsafeBufferPointer { headers.appendReceivedLine($0) }
      }
      return headers.bytes(name)
    }

    @Test func `headers are sent and received as they are`() throws {
      let harness = try TransportHarness()
      let server = try #require(Self.server())
      defer { server.stop() }
      var request = HTTPRequest.get(server.url) { _ in }
      request.headers.set("x-word", bytes: Self.word)
      let result = try harness.send(request)
      let headers = try #require(result.response?.headers)
      #expect(headers.bytes("x-word") == Self.word + Array(" and ".utf8) + Self.word)
      #expect(headers.bytes("etag") == Self.word)
      #expect(headers["etag"] == "caf\\xE9")
      #expect(Self.sent(result, "x-word") == Self.word)
      harness.finish()
    }

    @Test func `cookies come back from their file`() throws {
      let directory = try #require(TemporaryDirectory())
      defer { directory.remove() }
      let path = directory.path + "/cookies"
      let server = try #require(Self.server())
      defer { server.stop() }
      for time in 1...2 {
        let harness = try TransportHarness()
        let result = try harness.get(server.url) { $0.cookies = CookieJar(file: path) }
        #expect(Self.sent(result, "cookie") == (time == 1 ? nil : Array("a=".utf8) + Self.word))
        harness.finish()
      }
    }
  }
}
