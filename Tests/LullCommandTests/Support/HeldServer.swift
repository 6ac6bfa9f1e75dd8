import LullLibC
import LullTestSupport
import Synchronization

/// A server that sends its answer in pieces, each when the test says so, over a connection for each
/// request.
final class HeldServer: Sendable {
  private struct State {
    var requests: [String] = []
    /// How many pieces may be sent, all connections together.
    var released: Int
    /// How many of them over each connection.
    var ofEach: Int
    var sent = 0
    var isStopped = false
  }

  let port: UInt16
  private let listener: Int32
  private let state: Mutex<State>

  var url: String { "http://127.0.0.1:\(port)" }
  /// The heads as they came.
  var requests: [String] { state.withLock { $0.requests } }

  /// - Parameters:
  ///   - answers: the pieces of each request's answer in turn; the last of them for all further ones.
  ///   - released: how many pieces are sent without waiting for `release`.
  ///   - ofEach: how many of these over each connection until `releaseAll`.
  init(_ answers: [[[UInt8]]], released: Int = .max, ofEach: Int = .max) throws {
    guard let (listener, port) = RawSocket.listen() else {
      throw Child.Failure(description: "no port")
    }
    self.listener = listener
    self.port = port
    state = Mutex(State(released: released, ofEach: ofEach))
    Background.run { [self] in serve(answers) }
  }

  /// Ends its threads; nothing else frees its port.
  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Lets that many more pieces go.
  func release(_ count: Int = 1) {
    state.withLock { $0.released += count }
  }

  /// Lets everything go, over all connections.
  func releaseAll() {
    state.withLock { ($0.released, $0.ofEach) = (.max, .max) }
  }

  /// Waits until the system has taken that many pieces, all connections together; throws if the
  /// child that asks for them ends before, or takes too long.
  func waitForSent(_ count: Int, by child: Child) throws {
    try child.wait(until: "it has been sent \(count) pieces") {
      state.withLock { $0.sent } >= count
    }
  }

  private func serve(_ answers: [[[UInt8]]]) {
    var count = 0
    while let connection = RawSocket.accept(listener) {
      let answer = answers[min(count, answers.count - 1)]
      count += 1
      Background.run { [self] in
        answerRequest(on: connection, with: answer)
        close(connection)
      }
    }
    close(listener)
  }

  private func answerRequest(on connection: Int32, with pieces: [[UInt8]]) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard read(connection, &byte, 1) == 1 else { return }
      head.append(byte)
    }
    state.withLock { $0.requests.append(String(decoding: head, as: UTF8.self)) }
    for (index, piece) in pieces.enumerated() {
      // Stopped at the latest with its test, which has a limit.
      while true {
        let isOver: Bool? = state.withLock { state in
          if state.isStopped { return true }
          guard state.released > 0, index < state.ofEach else { return nil }
          if state.released != .max { state.released -= 1 }
          return false
        }
        if isOver == true { return }
        if isOver == false { break }
        usleep(1000)
      }
      // Whoever has gone is no trouble for the test's process.
      guard send(connection, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count
      else { return }
      state.withLock { $0.sent += 1 }
    }
    // Everything has been read; the other side sees an orderly end.
    shutdown(connection, Int32(SHUT_WR))
    _ = read(connection, &byte, 1)
  }
}

extension HeldServer {
  /// A head as a piece.
  static func head(_ status: String = "200 OK", _ headers: String...) -> [UInt8] {
    Array(
      (["HTTP/1.1 \(status)"] + headers + ["Connection: close"]).joined(separator: "\r\n").utf8)
      + Array("\r\n\r\n".utf8)
  }
}
