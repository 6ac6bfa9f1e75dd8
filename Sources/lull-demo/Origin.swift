import FlyingFox
import FlyingSocks
import Foundation

/// One of the two servers of the process, on a port of the loopback interface.
struct Origin: Sendable {
  /// Why a port cannot be served.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let socket: Socket
  private let pool: any AsyncSocketPool = HTTPServer.defaultPool()
  let port: UInt16

  /// Listens; who connects waits until `serve`.
  init(port wanted: UInt16) throws {
    do {
      socket = try Socket(domain: AF_INET)
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: wanted))
      try socket.listen()
      // Accepted sockets inherit it: an answer does not wait for the acknowledgement of the last one.
      var on: CInt = 1
      let size = socklen_t(MemoryLayout<CInt>.size)
      setsockopt(socket.file.rawValue, CInt(IPPROTO_TCP), TCP_NODELAY, &on, size)
      guard case .ip4(_, let port) = try socket.sockname() else {
        throw SocketError.unsupportedAddress
      }
      self.port = port
    } catch SocketError.failed(_, _, let message) {
      throw Failure(description: "cannot serve on 127.0.0.1:\(wanted): \(message)")
    }
  }

  func serve(_ router: Router) async throws {
    try await pool.prepare()
    let listener = try AsyncSocket(socket: socket, pool: pool)
    Task {
      do {
        try await pool.run()
      } catch {
        Lifetime.fail("the server stopped: \(error)", code: 1)
      }
    }
    Task {
      while true {
        do {
          let client = try await listener.accept()
          Task { await Connection(socket: client, router: router).serve() }
        } catch {
          // No descriptor is left, or the client has gone already.
          try? await Task.sleep(for: .milliseconds(20))
        }
      }
    }
  }
}
