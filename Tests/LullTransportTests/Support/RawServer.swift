import LullLibC
import LullTestSupport
import Synchronization

/// A server that does to each connection exactly what a test tells it to, on threads of its own.
final class RawServer: Sendable {
  private struct State {
    var requests: [String] = []
    var connections = 0
    var closed = 0
    var closedByPeer = 0
    var open: Set<Int32> = []
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  var url: String { "http://127.0.0.1:\(port)" }
  /// Requests as they came, head and body.
  var requests: [String] { state.withLock { $0.requests } }
  var connectionCount: Int { state.withLock { $0.connections } }
  /// Connections whose script has returned, and which have been closed since.
  var closedCount: Int { state.withLock { $0.closed } }
  /// Connections on which the other side hung up while the script waited for it.
  var closedByPeerCount: Int { state.withLock { $0.closedByPeer } }

  /// Runs `script` with every accepted connection; it is closed when the script returns.
  init?(_ script: @escaping @Sendable (RawConnection) -> Void) {
    guard let (descriptor, port) = RawSocket.listen() else { return nil }
    listener = descriptor
    self.port = port
    Background.run { [self] in
      while let connection = RawSocket.accept(listener) {
        state.withLock {
          $0.connections += 1
          $0.open.insert(connection)
        }
        Background.run { [self] in
          script(RawConnection(descriptor: connection, server: self))
          state.withLock { _ = $0.open.remove(connection) }
          close(connection)
          state.withLock { $0.closed += 1 }
        }
      }
      close(listener)
    }
  }

  /// Ends all its threads; nothing else frees its sockets.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    state.withLock { state in
      for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  fileprivate func note(_ request: String) {
    state.withLock { $0.requests.append(request) }
  }

  fileprivate func noteClosedByPeer() {
    state.withLock { $0.closedByPeer += 1 }
  }
}

/// One accepted connection, on the thread of its script.
struct RawConnection {
  let descriptor: Int32
  fileprivate let server: RawServer

  /// Reads one request, its body by Content-Length; nil if the connection ends before.
  @discardableResult
  func readRequest() -> String? {
    guard let head = readHead() else { return nil }
    var received = Array(head.utf8)
    for line in head.lowercased().split(separator: "\r\n") where line.hasPrefix("content-length:") {
      let length = Int(line.dropFirst(15).filter { $0 != " " }) ?? 0
      while received.count < head.utf8.count + length {
        var byte: UInt8 = 0
        guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
        received.append(byte)
      }
    }
    let request = String(decoding: received, as: UTF8.self)
    server.note(request)
    return request
  }

  /// Reads a request without its body; nil if the connection ends before.
  func readHead() -> String? {
    readHeadBytes().map { String(decoding: $0, as: UTF8.self) }
  }

  /// The same as it came.
  func readHeadBytes() -> [UInt8]? {
    var received: [UInt8] = []
    repeat {
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      received.append(byte)
    } while !received.suffix(4).elementsEqual([13, 10, 13, 10])
    return received
  }

  /// False if the other side is gone.
  @discardableResult
  func write(_ text: String) -> Bool {
    write(Array(text.utf8))
  }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Answers 200 with `body` and says how long it is.
  func answer(_ body: String, headers: String = "") {
    write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
  }

  /// Reads one byte at least and `count` at most; how many, 0 at the end.
  @discardableResult
  func readSome(_ count: Int) -> Int {
    var buffer = [UInt8](repeating: 0, count: count)
    return max(0, recv(descriptor, &buffer, count, 0))
  }

  /// One byte at least and `count` at most; nil at the end.
  func readBytes(_ count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    let length = recv(descriptor, &buffer, count, 0)
    return length > 0 ? Array(buffer.prefix(length)) : nil
  }

  /// The server's.
  var port: UInt16 { server.port }

  /// How many requests the server has read so far.
  var requestCount: Int { server.requests.count }

  /// Adds a line to the server's requests.
  func note(_ text: String) {
    server.note(text)
  }

  /// Reads exactly `count` bytes; nil if the connection ends before.
  func bytes(_ count: Int) -> [UInt8]? {
    var received: [UInt8] = []
    while received.count < count {
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      received.append(byte)
    }
    return received
  }

  /// Reads `count` bytes; false if the connection ends before.
  func read(_ count: Int) -> Bool {
    var left = count
    while left > 0 {
      let received = readSome(min(left, 1 << 16))
      guard received > 0 else { return false }
      left -= received
    }
    return true
  }

  enum Ending: Sendable {
    case close
    /// Without waiting for what was sent to be read: the other side sees an error.
    case reset
    /// Not before the other side does.
    case wait
  }

  /// Ends the connection so; the script must do nothing with it afterwards.
  func end(_ ending: Ending) {
    switch ending {
    case .close: break
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    case .wait: waitForClose()
    }
  }

  /// Tells the other side of the end at once: a child process that starts just now still has a copy of the
  /// descriptor, so that closing it alone may come later.
  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Carries bytes to and fro between this connection and `port`, until either side hangs up.
  func tunnel(to port: UInt16) {
    guard let other = RawSocket.connect(to: port) else { return }
    defer { close(other) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ends = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&ends, 2, 180_000) > 0 else { return }
      for (end, far) in [(ends[0], other), (ends[1], descriptor)] where end.revents != 0 {
        let count = recv(end.fd, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        var sent = 0
        while sent < count {
          let piece = send(far, Array(buffer[sent..<count]), count - sent, Int32(MSG_NOSIGNAL))
          guard piece > 0 else { return }
          sent += piece
        }
      }
    }
  }

  /// Whether the other side has hung up; it must have nothing more to say.
  var isClosedByPeer: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  static func pause(seconds: Double) {
    usleep(UInt32(seconds * 1_000_000))
  }

  /// Waits until the other side hangs up.
  func waitForClose() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
    server.noteClosedByPeer()
  }
}
