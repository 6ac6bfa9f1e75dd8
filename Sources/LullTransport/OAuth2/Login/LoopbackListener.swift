import LullLibC
import LullCore
import LullSystem

/// A listener on 127.0.0.1 for the one request that ends a login.
///
/// Sockets and no server: it reads heads of requests, answers each with a page and hangs up. Whoever
/// turns the loop calls `serve` before each turn. Home thread only.
package final class LoopbackListener {
  /// Says when there is something to read; nil: that cannot be.
  package typealias Watch = (Int32) -> DescriptorWatch?

  private final class Connection {
    let descriptor: Int32
    let watch: DescriptorWatch
    var head: [UInt8] = []

    init(_ descriptor: Int32, _ watch: DescriptorWatch) {
      self.descriptor = descriptor
      self.watch = watch
    }

    func close() {
      watch.close()
      LullLibC.close(descriptor)
    }
  }

  /// Of one request, in bytes.
  private static let headLimit = 16 * 1024
  /// Open at a time: a browser opens some in advance. The oldest goes where there are more.
  private static let connectionLimit = 8

  let port: UInt16
  private let descriptor: Int32
  private let makeWatch: Watch
  private var watch: DescriptorWatch?
  private var connections: [Connection] = []

  /// - Parameter port: 0 for a free one.
  init(port: UInt16, watch: @escaping Watch) throws(TransportError) {
    descriptor = socket(AF_INET, CLibrary.stream, 0)
    LoopbackListener.prepare(descriptor)
    makeWatch = watch
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var yes: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let status = withUnsafeMutablePointer(to: &address) { [descriptor] in
      // sockaddr_in is one of the forms of sockaddr, as the socket calls expect it.
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, size) == 0, listen(descriptor, 16) == 0 else {
          return errno
        }
        return getsockname(descriptor, address, &size) == 0 ? 0 : errno
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    guard descriptor >= 0, status == 0 else {
      if descriptor >= 0 { LullLibC.close(descriptor) }
      let place = port == 0 ? "" : ":\(port)"
      let hint = status == EADDRINUSE ? "; another login may be waiting there" : ""
      throw OAuth2.failure("cannot listen on 127.0.0.1\(place) (\(ErrorText.of(status)))\(hint)")
    }
    guard let made = watch(descriptor) else {
      LullLibC.close(descriptor)
      throw OAuth2.failure("cannot listen on 127.0.0.1: nobody can wait for what comes there")
    }
    self.watch = made
  }

  deinit { close() }

  /// Answers what has come since.
  func serve(_ answer: (LoopbackRequest) -> LoopbackAnswer) {
    guard let watch else { return }
    if watch.isReady {
      accept()
      watch.rearm()
    }
    for connection in connections where connection.watch.isReady {
      guard let reply = read(connection, answer) else {
        connection.watch.rearm()
        continue
      }
      // It fits into what the system takes at once; whoever has gone misses it.
      _ = reply.withUnsafeBytes {
        send(connection.descriptor, $0.baseAddress, $0.count, CLibrary.withoutSignal)
      }
      // What is left unread would have the answer thrown away.
      drain(connection)
      drop(connection)
    }
  }

  /// Stops listening. Closing twice does nothing.
  func close() {
    guard let watch else { return }
    self.watch = nil
    watch.close()
    LullLibC.close(descriptor)
    for connection in connections { connection.close() }
    connections = []
  }

  /// Not for programs that are started, and nothing to wait for.
  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  private func accept() {
    while true {
      let accepted = LullLibC.accept(descriptor, nil, nil)
      guard accepted >= 0 else { return }
      LoopbackListener.prepare(accepted)
      guard let watch = makeWatch(accepted) else {
        LullLibC.close(accepted)
        continue
      }
      if connections.count == LoopbackListener.connectionLimit, let oldest = connections.first {
        drop(oldest)
      }
      connections.append(Connection(accepted, watch))
    }
  }

  private func drop(_ connection: Connection) {
    connection.close()
    connections.removeAll { $0 === connection }
  }

  /// Reads what has come beyond what was to be read, as far as that goes at once, and no more than a browser
  /// sends.
  private func drain(_ connection: Connection) {
    var piece = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<64 where LullLibC.read(connection.descriptor, &piece, piece.count) <= 0 { return }
  }

  /// What is to be sent before hanging up; nil as long as there is more to come.
  private func read(
    _ connection: Connection, _ answer: (LoopbackRequest) -> LoopbackAnswer
  ) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = LullLibC.read(connection.descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      guard count > 0 else { return [] }
      connection.head += piece[..<count]
      if let end = connection.head.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound {
        guard let request = LoopbackRequest(head: connection.head[..<end]) else {
          return LoopbackAnswer.malformed.bytes
        }
        return answer(request).bytes
      }
      guard connection.head.count <= LoopbackListener.headLimit else {
        return LoopbackAnswer.tooLong.bytes
      }
    }
  }
}
