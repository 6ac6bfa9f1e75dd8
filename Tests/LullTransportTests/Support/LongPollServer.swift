import LullLibC
import LullTestSupport
import Synchronization

/// A server that keeps every request waiting until a test answers it. One thread for all connections.
final class LongPollServer: Sendable {
  private struct State {
    /// Those that wait for an answer, in order of arrival.
    var held: [(descriptor: Int32, path: String)] = []
    var paths: [String] = []
    var connectionCount = 0
    var openCount = 0
    var isStopped = false
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  var url: String { "http://127.0.0.1:\(port)" }
  var heldCount: Int { state.withLock { $0.held.count } }
  /// What was asked for, in order of arrival.
  var paths: [String] { state.withLock { $0.paths } }
  /// Connections there have been, and those there are.
  var connectionCount: Int { state.withLock { $0.connectionCount } }
  var openCount: Int { state.withLock { $0.openCount } }

  init?() {
    guard let (descriptor, port) = RawSocket.listen() else { return nil }
    listener = descriptor
    self.port = port
    Background.run { [self] in serve() }
  }

  /// Ends its thread, which closes all connections.
  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Answers the first of those held with its own path.
  func answerFirst() {
    guard
      let (descriptor, path) = state.withLock({ state in
        state.held.isEmpty ? nil : state.held.removeFirst()
      })
    else { return }
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)"
    // A hundred bytes fit into any buffer that is empty.
    _ = answer.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
  }

  private func serve() {
    var ends = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    var received: [Int32: [UInt8]] = [:]
    while !state.withLock({ $0.isStopped }), poll(&ends, nfds_t(ends.count), -1) > 0 {
      for end in ends where end.revents != 0 {
        if end.fd == listener {
          guard let descriptor = accepted() else { continue }
          ends.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        } else if !read(from: end.fd, into: &received[end.fd, default: []]) {
          received[end.fd] = nil
          ends.removeAll { $0.fd == end.fd }
          forget(end.fd)
        }
      }
    }
    for end in ends { close(end.fd) }
  }

  private func accepted() -> Int32? {
    guard let descriptor = RawSocket.accept(listener) else { return nil }
    state.withLock {
      $0.connectionCount += 1
      $0.openCount += 1
    }
    return descriptor
  }

  /// False at the end of the connection.
  private func read(from descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    bytes += buffer[..<count]
    guard bytes.suffix(4).elementsEqual([13, 10, 13, 10]) else { return true }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2)
    bytes = []
    let path = words.count > 1 ? String(words[1]) : ""
    state.withLock {
      $0.paths.append(path)
      $0.held.append((descriptor, path))
    }
    return true
  }

  private func forget(_ descriptor: Int32) {
    state.withLock { state in
      state.openCount -= 1
      state.held.removeAll { $0.descriptor == descriptor }
    }
    close(descriptor)
  }
}
