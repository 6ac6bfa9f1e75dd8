import LullClients
import LullCore

/// An error of the client, or something that the mock lacks. The response has the type
/// `application/problem+json`. (RFC 9457)
struct Problem: Error {
  let status: Int
  let detail: String
  /// The name of the invalid parameter.
  var parameter: String?
  /// Calls that the client may have meant.
  var calls: [String] = []
  var headers: [(name: String, value: String)] = []

  init(_ status: Int, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  /// Creates the problem for a request whose head can't be read. The connection closes, because it
  /// is unknown where the next request would begin.
  init(malformed detail: String) {
    self.init(400, detail)
    headers = [("connection", "close")]
  }

  private static let titles = [
    400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    413: "Content Too Large", 415: "Unsupported Media Type", 421: "Misdirected Request",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable",
  ]

  /// The response in the sample API's error format: `{"error": …, "message": …}`. The connection
  /// closes.
  var sampleAnswer: MockAnswer {
    let title = Problem.titles[status] ?? "Error"
    var answer = self.answer
    answer.put(
      json: (try? JSONValue.object([
        .init("error", .string(title.lowercased().replacing(" ", with: "_"))),
        .init("message", .string(detail)),
      ]).encode()) ?? [])
    answer.body += Array("\n".utf8)
    answer.headers["content-type"] = "application/json"
    answer.headers["connection"] = "close"
    return answer
  }

  var answer: MockAnswer {
    var members: [JSONValue.Member] = [
      .init("title", .string(Problem.titles[status] ?? "Error")), .init("status", .int(status)),
      .init("detail", .string(detail)),
    ]
    if let parameter { members.append(.init("parameter", .string(parameter))) }
    if !calls.isEmpty { members.append(.init("calls", .array(calls.map { .string($0) }))) }
    var headers = Headers()
    headers["content-type"] = "application/problem+json"
    for (name, value) in self.headers { headers[name] = value }
    // The object contains no numbers that JSON can't represent, so encoding can't fail.
    let body = (try? JSONValue.object(members).encode(pretty: true)) ?? []
    return MockAnswer(status: status, headers: headers, body: body + Array("\n".utf8))
  }
}
