import FlyingFox
import FlyingSocks
import Foundation

/// One connection: its requests are answered one after the other.
struct Connection: Sendable {
  let socket: AsyncSocket
  let router: Router

  func serve() async {
    var reader = RequestReader(socket)
    do {
      while let head = try await reader.head() {
        // Before its body is read, of which nothing is kept then.
        if let problem = router.site.objection(to: head) { throw problem }
        let body = try await reader.body(of: head)
        var response = await router.response(to: head, body)
        if head.isLast {
          response.headers[.connection] = "close"
        } else if response.headers[.connection] == nil {
          response.headers[.connection] = head.values(of: "connection").last
        }
        try await send(response)
        if head.isLast { break }
      }
    } catch let problem as Problem {
      var response = Reply.problem(problem)
      response.headers[.date] = HTTPDate.string(from: HTTPDate.now)
      response.headers[.connection] = "close"
      if (try? await send(response)) != nil { await RequestReader.drain(socket) }
    } catch {
      // The client has gone, or a stream was to be cut off.
    }
    try? socket.close()
  }

  private func send(_ response: HTTPResponse) async throws {
    guard case .httpBody(let body) = response.payload else { return }
    var head = Data(Self.head(of: response, count: body.count).utf8)
    // What is small goes out at once. A stream may have nothing to send for a while.
    guard let count = body.count, count <= Reply.pieceSize else {
      try await socket.write(head)
      for try await piece in body { try await socket.write(piece) }
      return
    }
    for try await piece in body { head += piece }
    try await socket.write(head)
  }

  private static func head(of response: HTTPResponse, count: Int?) -> String {
    var headers = response.headers
    if let count {
      if headers[.contentLength] == nil { headers[.contentLength] = String(count) }
    } else {
      headers.addValue("chunked", for: .transferEncoding)
    }
    var head =
      "\(response.version.rawValue) \(response.statusCode.code) \(response.statusCode.phrase)\r\n"
    for name in headers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      let values = headers.values(for: name)
      let lines = name == .setCookie ? values : [values.joined(separator: ", ")]
      for line in lines { head += "\(name.rawValue): \(line)\r\n" }
    }
    return head + "\r\n"
  }
}
