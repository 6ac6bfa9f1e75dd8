import CMicrohttpd

/// One request and the way back to whoever asks. It is to be answered once.
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

  /// Without an answer nobody would ever hear of it.
  deinit { end() }

  /// - Parameter body: also of a HEAD, for its length.
  func answer(status: Int, headers: [(name: String, value: [UInt8])], body: [UInt8]) {
    guard let request else { return }
    if cmhd_answer(request, UInt32(status), body, body.count) != 0 {
      for (name, value) in headers {
        // A line that cannot stand in a head is left out.
        guard !name.isEmpty, !value.contains(0), !name.utf8.contains(0) else { continue }
        _ = cmhd_answer_header(request, name, value.map(CChar.init(bitPattern:)) + [0])
      }
    }
    self.request = nil
    cmhd_send(request)
    server.wake()
  }

  /// Ends the connection without an answer.
  func end() {
    guard let request else { return }
    self.request = nil
    cmhd_drop(request)
    server.wake()
  }
}
