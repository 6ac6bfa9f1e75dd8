import LullLibC
import LullCore
import LullTestSupport
import LullTransport
import Testing

/// Servers and proxies that answer, that never do, and that are not there; and requests to all of them.
final class StallScene {
  /// One way for a request to go.
  struct Way {
    let name: String
    /// Whether nothing ever comes of it, so that it has to end in its timeout.
    let neverEnds: Bool
    let request: () throws -> HTTPRequest
  }

  let nginx: NginxServer
  private let folder: TemporaryDirectory
  private let servers: [RawServer]
  /// Takes one connection and drops the attempts of all others, as a firewall does.
  private let deaf: (listener: Int32, port: UInt16, guest: Int32)
  private(set) var ways: [Way] = []

  init() throws {
    nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    folder = try #require(TemporaryDirectory())
    let silent = try #require(RawServer { $0.waitForClose() })
    let half = try #require(
      RawServer { connection in
        connection.readRequest()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        connection.waitForClose()
      })
    let stream = try #require(
      RawServer { connection in
        connection.readRequest()
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        while connection.write("data: 2\n\n"), !connection.isClosedByPeer { Steps.pause() }
      })
    let proxy = try #require(RawServer.plainProxy())
    let tunnel = try #require(RawServer.tunnel(to: nginx.tlsPort))
    servers = [silent, half, stream, proxy, tunnel]
    let (listener, port) = try #require(RawSocket.listen())
    // One connection waits to be accepted; there is no room for another.
    _ = listen(listener, 0)
    deaf = (listener, port, try #require(RawSocket.connect(to: port)))
    addAnswering(proxy: proxy, tunnel: tunnel)
    addSilent(silent: silent, half: half, stream: stream)
  }

  func finish() {
    for server in servers { server.stop() }
    close(deaf.guest)
    close(deaf.listener)
    folder.remove()
  }

  private func addAnswering(proxy: RawServer, tunnel: RawServer) {
    let closed = RawSocket.freePorts(1).first ?? 1
    let nginx = nginx
    get("HTTP/1.1", nginx.url + "/json")
    let name = nginx.url.replacing("127.0.0.1", with: "localhost")
    get("a name with several addresses", name + "/json")
    get("a name that does not exist", "http://nowhere.invalid/")
    get("nobody listens", "http://127.0.0.1:\(closed)/")
    get("a redirect", nginx.url + "/cross")
    get("HTTP/2", nginx.tlsURL + "/protocol")
    get("HTTP/1.1 over TLS", nginx.tlsURL + "/protocol") { $0.connection.httpVersion = .http1 }
    get("HTTP/2 without TLS", "http://127.0.0.1:\(nginx.plainHTTP2Port)/") {
      $0.connection.httpVersion = .http2
    }
    get("TLS to a server without", nginx.url.replacing("http:", with: "https:"))
    get("a proxy", "http://nowhere.invalid/") { $0.connection.proxy = .url(proxy.url) }
    get("a tunnel", nginx.tlsURL + "/protocol") { $0.connection.proxy = .url(tunnel.url) }
    get("a proxy that is not there", nginx.url + "/json") {
      $0.connection.proxy = .url("http://127.0.0.1:\(closed)")
    }
    get("a download", nginx.url + "/large") { $0.sink = StallScene.sink(.more) }
    get("a large body over HTTP/2", nginx.tlsURL + "/metered")
    add("an upload", neverEnds: false) { [folder] in
      folder.write("upload", Uploads.bytes)
      var request = HTTPRequest(method: "PUT", url: nginx.tlsURL + "/upload/stall")
      request.stream(try StreamedBody(UploadFile(ByteString(folder.path + "/upload"))))
      return request
    }
  }

  private func addSilent(silent: RawServer, half: RawServer, stream: RawServer) {
    get("no answer", silent.url, neverEnds: true)
    get("no handshake", silent.url.replacing("http:", with: "https:"), neverEnds: true)
    get("a proxy without an answer", "http://nowhere.invalid/", neverEnds: true) {
      $0.connection.proxy = .url(silent.url)
    }
    get("a tunnel without an answer", nginx.tlsURL, neverEnds: true) {
      $0.connection.proxy = .url(silent.url)
    }
    get("no connection", "http://127.0.0.1:\(deaf.port)/", neverEnds: true)
    get("half an answer", half.url, neverEnds: true)
    get("half an answer, no more of which is taken", half.url, neverEnds: true) {
      $0.sink = StallScene.sink(.pause)
    }
    get("no first byte", silent.url, neverEnds: true) { $0.firstByteTimeout = 0.05 }
    get("a standstill", half.url, neverEnds: true) { $0.idleTimeout = 0.05 }
    get("a stream", stream.url, neverEnds: true) { $0.sink = StallScene.sink(.more) }
  }

  private static func sink(_ verdict: BodySink.Verdict) -> BodySink {
    BodySink(begin: { _ in true }, take: { _ in verdict })
  }

  private func get(
    _ name: String, _ url: String, neverEnds: Bool = false,
    _ set: @escaping (inout TransferOptions) -> Void = { _ in }
  ) {
    add(name, neverEnds: neverEnds) { .get(url, set) }
  }

  private func add(_ name: String, neverEnds: Bool, _ request: @escaping () throws -> HTTPRequest) {
    ways.append(
      Way(name: name, neverEnds: neverEnds) {
        var request = try request()
        request.limits.timeout = 0.15
        request.limits.connectTimeout = 0.1
        return request
      })
  }
}
