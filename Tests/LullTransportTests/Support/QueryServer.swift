import LullTestSupport
import Synchronization

/// A server that answers each request as a test says, and notes what it was asked.
final class QueryServer: Sendable {
  struct Asked: Sendable, Equatable {
    var method: String
    var path: String
    /// With names in lower case.
    var headers: [String: String]
    var body: String

    fileprivate init(_ text: String) {
      let parts = text.split(
        separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let lines = parts[0].split(separator: "\r\n")
      let words = (lines.first ?? "").split(separator: " ")
      method = words.first.map { String($0) } ?? ""
      path = words.count > 1 ? String(words[1]) : ""
      headers = [:]
      for line in lines.dropFirst() {
        let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = pair.last.map { String($0.drop { $0 == " " }) } ?? ""
        headers[pair.first?.lowercased() ?? ""] = value
      }
      body = parts.count > 1 ? String(parts[1]) : ""
    }
  }

  struct Answer: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    var body = ""
    /// Hangs up instead.
    var isLost = false

    static func json(_ body: String, _ headers: [(String, String)] = []) -> Answer {
      Answer(headers: [("Content-Type", "application/json")] + headers, body: body)
    }

    static func text(_ body: String, _ headers: [(String, String)] = []) -> Answer {
      Answer(headers: [("Content-Type", "text/plain")] + headers, body: body)
    }

    static func status(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "")
      -> Answer
    {
      Answer(status: status, headers: headers, body: body)
    }

    fileprivate var text: String {
      var text = "HTTP/1.1 \(status) Answer\r\n"
      for (name, value) in headers { text += "\(name): \(value)\r\n" }
      if status != 304, status != 204 { text += "Content-Length: \(body.utf8.count)\r\n" }
      return text + "\r\n" + body
    }
  }

  private final class Noted: Sendable {
    let requests = Mutex<[Asked]>([])
  }

  private let server: RawServer
  private let noted: Noted

  var url: String { server.url }
  /// In order of arrival.
  var requests: [Asked] { noted.requests.withLock { $0 } }

  /// - Parameter answer: gets the request and how many came before it.
  init?(_ answer: @escaping @Sendable (Asked, Int) -> Answer) {
    let noted = Noted()
    let server = RawServer { connection in
      while let text = connection.readRequest() {
        let request = Asked(text)
        let count = noted.requests.withLock { requests in
          requests.append(request)
          return requests.count - 1
        }
        let answer = answer(request, count)
        if answer.isLost { return }
        connection.write(answer.text)
      }
    }
    guard let server else { return nil }
    (self.server, self.noted) = (server, noted)
  }

  func stop() { server.stop() }
}
