import LullTestSupport
import LullTesting
import Testing

@testable import LullCore
@testable import LullTransport

/// A shared cache whose server is reached by TLS.
@Suite(.timeLimit(.minutes(20)), .enabled(if: RedisServer.hasTLS))
struct SharedCacheSecureTests {
  @Test func `SHR-47 SCA-13 large entities go to the server and back by TLS`() throws {
    let nginx = try #require(NginxServer.shared)
    let port = try #require(RawSocket.freePorts(1).first)
    let server = try #require(
      RedisServer(
        "--tls-port \(port) --tls-cert-file \(nginx.certificate("good.pem")) "
          + "--tls-key-file \(nginx.certificate("good.key")) --tls-auth-clients no"))
    let (writer, reader) = (try SharedCacheHost(nil), try SharedCacheHost(nil))
    for host in [writer, reader] {
      try SharedLimits.share(
        Share(url: "rediss://localhost:\(port)", certificateAuthorities: nginx.authority),
        on: host.loop.pump)
      try host.client.patience = { lane in
        var given = lane.patience
        given.operation = 5
        return given
      }
    }
    let texts = (0..<6).map { String(repeating: "\($0)", count: 900_000) }
    // All of them are under way at once.
    for (number, text) in texts.enumerated() { writer.stub("/\(number)", .text(text)) }
    let requests = texts.indices.map { writer.service.resource("/\($0)").load() }
    writer.loop.turn { requests.allSatisfy(\.isCompleted) }
    writer.settle()
    #expect(server.entities.count == 6)
    for (number, text) in texts.enumerated() {
      #expect(reader.content("/\(number)") == text, "\(number)")
    }
    #expect(reader.provider.requests.isEmpty)
  }
}
