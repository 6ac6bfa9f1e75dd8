import FlyingFox
import FlyingSocks
import Foundation

/// Waits for sockets as FlyingFox does, and sets TCP_NODELAY on each.
///
/// FlyingFox writes head and body of an answer separately and leaves Nagle's algorithm on: on a
/// kept connection the body then waits some 40 ms for a delayed acknowledgement. The pool is the
/// one place where FlyingFox lets its sockets be seen. Accepted sockets inherit the option from the
/// listening one, which waits here first.
struct NoDelayPool: AsyncSocketPool {
  let base: any AsyncSocketPool = HTTPServer.defaultPool()

  @concurrent
  func prepare() async throws {
    try await base.prepare()
  }

  @concurrent
  func run() async throws {
    try await base.run()
  }

  @concurrent
  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    var on: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    setsockopt(socket.file.rawValue, CInt(IPPROTO_TCP), TCP_NODELAY, &on, size)
    try await base.suspendSocket(socket, untilReadyFor: events)
  }
}
