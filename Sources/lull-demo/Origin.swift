import FlyingFox
import FlyingSocks
import Foundation

/// One of the two servers of the process, on a port of the loopback interface.
struct Origin: Sendable {
  /// FlyingFox wants every method named, and answers others with 404 and no body.
  private static let rareMethods: Set<HTTPMethod> = [
    "QUERY", "PURGE", "LINK", "UNLINK", "REPORT", "SEARCH", "PROPFIND", "PROPPATCH", "MKCOL",
    "COPY", "MOVE", "LOCK", "UNLOCK",
  ]

  private let server: HTTPServer
  private let wanted: UInt16

  init(port: UInt16) throws {
    wanted = port
    server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: "127.0.0.1", port: port), timeout: 120,
        sharedRequestBufferSize: 65_536, sharedRequestReplaySize: 65_536, pool: NoDelayPool(),
        logger: .disabled))
  }

  /// Starts to listen and says on which port. What it cannot recover from ends the process.
  func listen() async throws -> UInt16 {
    Task {
      do {
        try await server.run()
      } catch SocketError.failed(_, _, let message) {
        Lifetime.fail("cannot serve on 127.0.0.1:\(wanted): \(message)", code: 1)
      } catch {
        Lifetime.fail("the server stopped: \(error)", code: 1)
      }
    }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      throw SocketError.unsupportedAddress
    }
    return port
  }

  func serve(_ routes: [Route], site: Site) async {
    let methods = HTTPMethod.allMethods.union(Self.rareMethods)
    await server.appendRoute("*", for: methods, to: Router(routes: routes, site: site))
  }
}
