import LullCore

/// A request as servers understand it, to be compared. The order of parameters, parts and members counts,
/// that of headers does not.
struct SentRequest: Equatable, CustomStringConvertible {
  let line: String
  let query: [String]
  let headers: [String]
  let body: [String]

  /// What a program says by itself.
  private static let automatic: Set<String> = [
    "host", "content-length", "accept-encoding", "connection", "expect", "user-agent",
    "transfer-encoding",
    // Compared with the body.
    "content-type",
  ]

  init(_ request: EchoServer.Request) {
    let lines = request.head.split(separator: "\r\n").map(String.init)
    let target = lines[0].split(separator: " ").map(String.init)
    let parts = target[1].split(separator: "?", maxSplits: 1).map(String.init)
    line = "\(target[0]) \(parts[0])"
    query = parts.count > 1 ? SentRequest.pairs(parts[1]) : []
    var headers: [String] = []
    var type = ""
    for line in lines.dropFirst() {
      let name = line.prefix { $0 != ":" }.lowercased()
      let value = line.dropFirst(name.count + 1).drop { $0 == " " }
      if name == "content-type" { type = String(value) }
      if name == "user-agent", !value.hasPrefix("curl/"), !value.hasPrefix("lull/") {
        headers.append("user-agent: \(value)")
      }
      if SentRequest.automatic.contains(name) || name == "accept" && value == "*/*" { continue }
      headers.append("\(name): \(value)")
    }
    self.headers = headers.sorted()
    body = SentRequest.body(request.body, type)
  }

  private static func pairs(_ text: String) -> [String] {
    text.split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return CredentialMask.decoded(name) + "="
        + CredentialMask.decoded(pair.dropFirst(name.count + 1))
    }
  }

  private static func body(_ bytes: [UInt8], _ type: String) -> [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    let kind = type.prefix { $0 != ";" }.lowercased()
    if bytes.isEmpty { return [] }
    if kind.hasSuffix("json"), let document = try? JSONDocument(parsing: bytes) {
      return [kind, canonical(document.root.plainValue)]
    }
    if kind == "application/x-www-form-urlencoded" { return [kind] + pairs(text) }
    if kind == "multipart/form-data", let mark = type.firstRange(of: "boundary=") {
      let boundary = type[mark.upperBound...].filter { $0 != "\"" }
      let parts = text.split(separator: "--\(boundary)").compactMap { part -> String? in
        guard let end = part.firstRange(of: "\r\n\r\n") else { return nil }
        let head = part[..<end.lowerBound]
        let name = head.firstMatch(of: /[ ;]name="([^"]*)"/).map { String($0.1) } ?? "?"
        let file = head.firstMatch(of: /filename="([^"]*)"/).map { String($0.1) } ?? ""
        return "\(name) (\(file)): \(part[end.upperBound...])"
      }
      return [kind] + parts
    }
    return [kind, text]
  }

  private static func canonical(_ value: JSONValue) -> String {
    switch value {
    case .object(let members):
      "{"
        + members.map { "\($0.key):\(canonical($0.value))" }.joined(separator: ",") + "}"
    case .array(let elements): "[" + elements.map(canonical).joined(separator: ",") + "]"
    default: "\(value)"
    }
  }

  var description: String {
    ([line] + query.map { "?\($0)" } + headers + body).joined(separator: "\n")
  }
}
