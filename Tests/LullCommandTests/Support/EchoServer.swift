import LullLibC
import LullTestSupport
import Synchronization

/// A server that keeps requests as they come, body and all, and answers each with nothing, or as it is told.
final class EchoServer: Sendable {
  struct Request {
    var head = ""
    var body: [UInt8] = []

    /// Method and target: `GET /a`.
    var line: String { head.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  /// Status, lines of the head besides, and the body.
  struct Answer {
    var status = "200 OK"
    var headers: [String] = []
    var body = ""
  }

  let port: UInt16
  private let listener: Int32
  private let arrived = Mutex<[Request]>([])
  private let answer: @Sendable (Request, Int) -> Answer

  /// Those that have come as a whole.
  var requests: [Request] { arrived.withLock { $0 } }

  /// - Parameter answer: what a request gets, and how many there were before.
  init(_ answer: @escaping @Sendable (Request, Int) -> Answer = { _, _ in Answer() }) throws {
    self.answer = answer
    guard let (listener, port) = RawSocket.listen() else {
      throw Child.Failure(description: "no port")
    }
    self.listener = listener
    self.port = port
    Background.run { [self] in
      while let connection = RawSocket.accept(listener) {
        serve(connection)
        close(connection)
      }
      close(listener)
    }
  }

  /// Ends its thread; nothing else frees its port.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve(_ connection: Int32) {
    var request = Request()
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard read(connection, &byte, 1) == 1 else { return }
      head.append(byte)
    }
    request.head = String(decoding: head, as: UTF8.self)
    // CR and LF are one character to Swift.
    let lengths = request.head.split(separator: "\r\n").compactMap { line -> Int? in
      guard line.lowercased().hasPrefix("content-length:") else { return nil }
      return Int(line.dropFirst("content-length:".count).filter { $0 != " " })
    }
    while request.body.count < lengths.first ?? 0 {
      guard read(connection, &byte, 1) == 1 else { return }
      request.body.append(byte)
    }
    let finished = request
    let count = arrived.withLock { arrived in
      arrived.append(finished)
      return arrived.count - 1
    }
    let said = answer(finished, count)
    let lines = ["Content-Length: \(said.body.utf8.count)", "Connection: close"]
    let text =
      (["HTTP/1.1 \(said.status)"] + said.headers + lines).joined(separator: "\r\n") + "\r\n\r\n"
    let bytes = Array((text + said.body).utf8)
    send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    shutdown(connection, Int32(SHUT_WR))
    _ = read(connection, &byte, 1)
  }
}
