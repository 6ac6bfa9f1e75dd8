import LullLibC
import LullSystem
import LullTestSupport
import LullTesting

extension RawServer {
  /// A proxy that answers every request itself, with `by proxy`.
  static func plainProxy() -> RawServer? {
    RawServer { connection in
      while connection.readRequest() != nil { connection.answer("by proxy") }
    }
  }

  /// A proxy whose tunnels all lead to `port`, whatever host is asked for.
  static func tunnel(to port: UInt16) -> RawServer? {
    RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
      connection.tunnel(to: port)
    }
  }

  /// A server on `port` as if it were far away: its answers arrive so many seconds later.
  static func distance(to port: UInt16, seconds: Double) -> RawServer? {
    RawServer { $0.tunnel(to: port, delaying: seconds) }
  }
}

extension RawConnection {
  /// Carries bytes to and fro until either side hangs up, those from `port` after so many seconds.
  func tunnel(to port: UInt16, delaying seconds: Double) {
    guard let other = RawSocket.connect(to: port) else { return }
    defer { close(other) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var waiting: [(due: Double, bytes: [UInt8])] = []
    while true {
      let pause = waiting.first.map { max(0, $0.due - SystemClock.uptime) + 0.001 } ?? 180
      var ends = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let ready = poll(&ends, 2, Int32(pause * 1000))
      guard ready > 0 || !waiting.isEmpty else { return }
      while let first = waiting.first, first.due <= SystemClock.uptime {
        waiting.removeFirst()
        guard write(first.bytes) else { return }
      }
      if ends[0].revents != 0 {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0, send(other, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
      }
      if ends[1].revents != 0 {
        let count = recv(other, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        waiting.append((SystemClock.uptime + seconds, Array(buffer[..<count])))
      }
    }
  }
}
