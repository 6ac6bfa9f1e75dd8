import LullLibC
import LullTestSupport

/// A server that answers each request by a function, one request a connection.
final class FormServer: Sendable {
  struct Request {
    /// Method and target.
    let line: String
    let form: String
    let authorization: String
  }

  typealias Answer = @Sendable (_ request: Request, _ url: String) -> (status: Int, body: String)

  let port: UInt16
  private let listener: Int32

  var url: String { "http://127.0.0.1:\(port)" }

  init(_ answer: @escaping Answer) throws {
    guard let (listener, port) = RawSocket.listen() else {
      throw Child.Failure(description: "no port")
    }
    self.listener = listener
    self.port = port
    let url = url
    Background.run {
      while let connection = RawSocket.accept(listener) {
        Background.run {
          FormServer.serve(connection, url, answer)
          close(connection)
        }
      }
      close(listener)
    }
  }

  /// Ends its threads; nothing else frees its port.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func serve(_ connection: Int32, _ url: String, _ answer: Answer) {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = byte(connection) else { return }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    func header(_ name: String) -> String? {
      lines.first { $0.lowercased().hasPrefix(name + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
    var body: [UInt8] = []
    for _ in 0..<(header("content-length").flatMap { Int($0) } ?? 0) {
      guard let byte = byte(connection) else { return }
      body.append(byte)
    }
    let request = Request(
      line: (lines.first ?? "").split(separator: " ").prefix(2).joined(separator: " "),
      form: String(decoding: body, as: UTF8.self), authorization: header("authorization") ?? "")
    let (status, content) = answer(request, url)
    let text =
      "HTTP/1.1 \(status) Said\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(content.utf8.count)\r\nConnection: close\r\n\r\n\(content)"
    _ = Array(text.utf8).withUnsafeBytes {
      send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  private static func byte(_ connection: Int32) -> UInt8? {
    var byte: UInt8 = 0
    return read(connection, &byte, 1) == 1 ? byte : nil
  }
}
