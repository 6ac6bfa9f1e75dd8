import LullLibC
import LullTesting
import Synchronization

/// A server that keeps requests as they come, body and all, and answers each with nothing.
final class EchoServer: Sendable {
  struct Request {
    var head = ""
    var body: [UInt8] = []
  }

  let port: UInt16
  private let listener: Int32
  private let arrived = Mutex<[Request]>([])

  /// Those that have come as a whole.
  var requests: [Request] { arrived.withLock { $0 } }

  init() throws {
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
    arrived.withLock { $0.append(finished) }
    let answer = HeldServer.head("200 OK", "Content-Length: 0")
    send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    shutdown(connection, Int32(SHUT_WR))
    _ = read(connection, &byte, 1)
  }
}
