import LullCore
import LullLibC
import LullSystem

/// A listener on 127.0.0.1 for the one request that ends a login.
///
/// It is not a full server: it reads the heads of requests, answers each request with a page, and
/// closes the connection. The owner of the loop calls `serve` before each turn. Home thread only.
package final class LoopbackListener {
  /// Watches a descriptor for readability; returns nil if that is impossible.
  package typealias Watch = (Int32) -> DescriptorWatch?

  private final class Connection {
    let descriptor: Int32
    let watch: DescriptorWatch
    var head: [UInt8] = []

    init(_ descriptor: Int32, _ watch: DescriptorWatch) {
      self.descriptor = descriptor
      self.watch = watch
    }

    func close() {
      watch.close()
      LullLibC.close(descriptor)
    }
  }

  /// The size limit of one request, in bytes.
  private static let headLimit = 16 * 1024
  /// The maximum number of open connections. Beyond it, the oldest connection is closed. Browsers
  /// open some connections in advance.
  private static let connectionLimit = 8

  let port: UInt16
  private let descriptor: Int32
  private let makeWatch: Watch
  private var watch: DescriptorWatch?
  private var connections: [Connection] = []

  /// - Parameter port: The port to listen on; 0 for any free port.
  init(port: UInt16, watch: @escaping Watch) throws(TransportError) {
    descriptor = socket(AF_INET, CLibrary.stream, 0)
    LoopbackListener.prepare(descriptor)
    makeWatch = watch
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var yes: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let status = withUnsafeMutablePointer(to: &address) { [descriptor] in
      // sockaddr_in is one of the forms of sockaddr that the socket calls expect.
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, size) == 0, listen(descriptor, 16) == 0 else {
          return errno
        }
        return getsockname(descriptor, address, &size) == 0 ? 0 : errno
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    guard descriptor >= 0, status == 0 else {
      if descriptor >= 0 { LullLibC.close(descriptor) }
      let place = port == 0 ? "" : ":\(port)"
      let hint = status == EADDRINUSE ? "; another login may be using that port" : ""
      throw OAuth2.failure("cannot listen on 127.0.0.1\(place) (\(ErrorText.of(status)))\(hint)")
    }
    guard let made = watch(descriptor) else {
      LullLibC.close(descriptor)
      throw OAuth2.failure("cannot listen on 127.0.0.1: its socket cannot be watched")
    }
    self.watch = made
  }

  deinit { close() }

  /// Answers the requests that have arrived.
  func serve(_ answer: (LoopbackRequest) -> LoopbackAnswer) {
    guard let watch else { return }
    if watch.isReady {
      accept()
      watch.rearm()
    }
    for connection in connections where connection.watch.isReady {
      guard let reply = read(connection, answer) else {
        connection.watch.rearm()
        continue
      }
      // The system accepts the reply without waiting. A client that has disconnected misses it.
      _ = reply.withUnsafeBytes {
        send(connection.descriptor, $0.baseAddress, $0.count, CLibrary.withoutSignal)
      }
      // Unread input would make the system discard the answer.
      drain(connection)
      drop(connection)
    }
  }

  /// Stops listening. Closing again has no effect.
  func close() {
    guard let watch else { return }
    self.watch = nil
    watch.close()
    LullLibC.close(descriptor)
    for connection in connections { connection.close() }
    connections = []
  }

  /// Makes the descriptor close-on-exec and non-blocking.
  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  private func accept() {
    while true {
      let accepted = LullLibC.accept(descriptor, nil, nil)
      guard accepted >= 0 else { return }
      LoopbackListener.prepare(accepted)
      guard let watch = makeWatch(accepted) else {
        LullLibC.close(accepted)
        continue
      }
      if connections.count == LoopbackListener.connectionLimit, let oldest = connections.first {
        drop(oldest)
      }
      connections.append(Connection(accepted, watch))
    }
  }

  private func drop(_ connection: Connection) {
    connection.close()
    connections.removeAll { $0 === connection }
  }

  /// Reads and discards the input that is available now, up to a limit that is large enough for
  /// browsers.
  private func drain(_ connection: Connection) {
    var piece = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<64 where LullLibC.read(connection.descriptor, &piece, piece.count) <= 0 { return }
  }

  /// Reads a request. Returns the answer to send, or nil while the head is incomplete.
  private func read(
    _ connection: Connection, _ answer: (LoopbackRequest) -> LoopbackAnswer
  ) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = LullLibC.read(connection.descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      guard count > 0 else { return [] }
      connection.head += piece[..<count]
      if let end = connection.head.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound {
        guard let request = LoopbackRequest(head: connection.head[..<end]) else {
          return LoopbackAnswer.malformed.bytes
        }
        return answer(request).bytes
      }
      guard connection.head.count <= LoopbackListener.headLimit else {
        return LoopbackAnswer.tooLong.bytes
      }
    }
  }
}

/// The head of a request from a browser on this machine. It supports only the parts of HTTP that
/// such a request uses.
struct LoopbackRequest: Equatable {
  let method: String
  /// Path and query as in the request line.
  let target: String
  /// The values of all `Host` headers.
  let hosts: [String]

  /// Parses the head of a request. Returns nil if the request is not valid.
  ///
  /// - Parameter head: The bytes before the empty line.
  init?(head: some Collection<UInt8>) {
    let text = String(decoding: head, as: UTF8.self)
    // Swift treats CR LF as one character, so a line may end with either.
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }[...]
    let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"),
      ["HTTP/1.1", "HTTP/1.0"].contains(words[2])
    else { return nil }
    method = String(words[0])
    target = String(words[1])
    var hosts: [String] = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
      guard line[..<colon].lowercased() == "host" else { continue }
      let value = line[colon...].dropFirst()
      hosts.append(String(value.drop { $0 == " " || $0 == "\t" }))
    }
    self.hosts = hosts
  }

  var path: Substring { target.prefix { $0 != "?" } }

  /// The parameters in order; nil if an escape or the encoding is invalid.
  var parameters: [(name: String, value: String)]? {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    var pairs: [(name: String, value: String)] = []
    for part in target[mark...].dropFirst().split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = LoopbackRequest.text(halves[0]),
        let value = LoopbackRequest.text(halves.count > 1 ? halves[1] : "")
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }

  /// Decodes a text that is encoded as in a form.
  private static func text(_ escaped: Substring) -> String? {
    let bytes = escaped.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    guard let decoded = try? PercentEncoding.decode(bytes[...]) else { return nil }
    return String(validating: decoded, as: UTF8.self)
  }
}

/// The page for the browser, with one sentence. Text from the request is escaped.
struct LoopbackAnswer: Equatable {
  let status: Int
  private let title: String
  private let text: String

  init(_ status: Int, _ title: String, _ text: String) {
    self.status = status
    self.title = title
    self.text = text
  }

  init(_ verdict: LoginRedirect.Verdict) {
    switch verdict {
    case .code:
      self.init(
        200, "Login received", "Close this window and continue in the terminal.")
    case .refused(let reason):
      self.init(200, "Login refused", "The login failed: \(reason).")
    case .wrong(let status, let reason): self.init(status, "Bad request", "\(reason).")
    }
  }

  static let tooLong = LoopbackAnswer(431, "Bad request", "the request is too long.")
  static let malformed = LoopbackAnswer(400, "Bad request", "this is not an HTTP request.")

  /// The head and body of the response. The page is not cached, runs no scripts, and sends no
  /// referrer.
  var bytes: [UInt8] {
    let page =
      "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>\(escaped(title))</title>"
      + "<h1>\(escaped(title))</h1><p>\(escaped(text))</p></html>\n"
    let head = [
      "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Refused")",
      "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
      "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
      "X-Content-Type-Options: nosniff", "Connection: close",
    ]
    return Array((head.map { $0 + "\r\n" }.joined() + "\r\n" + page).utf8)
  }

  private func escaped(_ text: String) -> String {
    let names: [Character: String] = [
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]
    return text.map { names[$0] ?? String($0) }.joined()
  }
}
