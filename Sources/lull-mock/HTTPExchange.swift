import CMicrohttpd
import LullClients
import LullCore

/// A received request, byte for byte.
struct HTTPAsked {
  enum State {
    case complete
    case tooLong
    case noRoom
    /// The request violates RFC 9112. The value is the reason.
    case malformed(String)
    case unknownCoding(String)
  }

  let state: State
  let method: [UInt8]
  let target: [UInt8]
  /// Whether it is HTTP/1.1, which requires a Host header.
  let isCurrent: Bool
  /// Whether the connection must close after the response.
  let isLast: Bool
  let headers: [(name: String, value: [UInt8])]
  /// The body of the request. Empty until it has arrived.
  let body: [UInt8]

  init(_ request: OpaquePointer) {
    let problem = cmhd_request_problem(request).map { String(cString: $0) } ?? ""
    state =
      switch cmhd_request_state(request) {
      case CMHD_TOO_LONG: .tooLong
      case CMHD_NO_ROOM: .noRoom
      case CMHD_MALFORMED: .malformed(problem)
      case CMHD_UNKNOWN_CODING: .unknownCoding(problem)
      default: .complete
      }
    method = HTTPAsked.bytes(cmhd_request_method(request))
    target = HTTPAsked.bytes(cmhd_request_target(request))
    isCurrent = cmhd_request_is_current(request) != 0
    isLast = cmhd_request_is_last(request) != 0
    body = HTTPAsked.bytes(cmhd_request_body(request))
    headers = (0..<cmhd_request_header_count(request)).map { index in
      var name = cmhd_text()
      var value = cmhd_text()
      cmhd_request_header(request, index, &name, &value)
      return (String(escaping: HTTPAsked.bytes(name)).lowercased(), HTTPAsked.bytes(value))
    }
  }

  /// Copies a text, because its memory belongs to the library and is valid only until the request
  /// is answered.
  private static func bytes(_ text: cmhd_text) -> [UInt8] {
    guard let start = text.bytes else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: text.count))
  }
}

/// One request and its response. Each request must be answered exactly once.
final class HTTPExchange {
  private let server: HTTPServer
  private var request: OpaquePointer?
  let asked: HTTPAsked

  convenience init(_ request: OpaquePointer, _ server: HTTPServer) {
    self.init(request, HTTPAsked(request), server)
  }

  init(_ request: OpaquePointer, _ asked: HTTPAsked, _ server: HTTPServer) {
    self.request = request
    self.asked = asked
    self.server = server
  }

  /// Ends the request, because a client that gets no response would wait for ever.
  deinit { end() }

  /// - Parameter body: The body of the response. For a HEAD request, only its length is used.
  func answer(status: Int, headers: [(name: String, value: [UInt8])], body: [UInt8]) {
    guard let request else { return }
    if cmhd_answer(request, UInt32(status), body, body.count) != 0 { add(headers, to: request) }
    send(request)
  }

  /// Sends a response whose body is produced while it is sent.
  ///
  /// - Parameter length: The length of the body. If it is nil, the body is sent in chunks.
  func answer(
    status: Int, headers: [(name: String, value: [UInt8])], stream: MockStream, length: Int64?
  ) {
    guard let request else { return stream.close() }
    let sent = HTTPStream(request, stream, server)
    // Released when the stream has ended.
    let context = Unmanaged.passRetained(sent)
    guard cmhd_answer_stream(request, UInt32(status), length ?? -1, context.toOpaque()) != 0 else {
      context.release()
      stream.close()
      return end()
    }
    add(headers, to: request)
    send(request)
  }

  private func add(_ headers: [(name: String, value: [UInt8])], to request: OpaquePointer) {
    for (name, value) in headers {
      // An invalid header line is omitted.
      guard !name.isEmpty, !value.contains(0), !name.utf8.contains(0) else { continue }
      _ = cmhd_answer_header(request, name, value.map(CChar.init(bitPattern:)) + [0])
    }
  }

  private func send(_ request: OpaquePointer) {
    self.request = nil
    cmhd_send(request)
    server.wake()
  }

  /// Closes the connection without a response.
  func end() {
    guard let request else { return }
    self.request = nil
    cmhd_drop(request)
    server.wake()
  }
}

/// A body that is sent piece by piece. The next piece is produced when the client has received the
/// previous one.
final class HTTPStream {
  private let request: OpaquePointer
  private let stream: MockStream
  private unowned let server: HTTPServer

  init(_ request: OpaquePointer, _ stream: MockStream, _ server: HTTPServer) {
    self.request = request
    self.stream = stream
    self.server = server
  }

  /// Produces the next piece, immediately or later. Until then, the connection of the request is
  /// suspended.
  func makePiece() {
    stream.next { [self] piece in
      switch piece {
      case .bytes(let bytes):
        if cmhd_give(request, bytes, bytes.count) == 0 { cmhd_finish(request, 0) }
      case .end: cmhd_finish(request, 1)
      case .cut: cmhd_finish(request, 0)
      }
      server.wake()
    }
  }

  /// Called when the body was sent or the client has disconnected.
  func close() { stream.close() }
}
