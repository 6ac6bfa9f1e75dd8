/// What came of a line: a request, without what each program has of its own, or a refusal.
enum Answer: Equatable, Sendable {
  case request(Sent)
  /// Before anything was sent. Where something is marked: the text, and from where how far.
  case refused(Mark?)
  /// Nobody has asked HTTPie.
  case missing

  struct Sent: Equatable, Sendable {
    /// Method and target.
    var line: String
    /// Sorted by name, those of one name in their order.
    var headers: [String]
    var body: String
  }

  struct Mark: Equatable, Sendable {
    var text: String
    var start: Int
    var count: Int
  }

  /// The kept ones, by their lines.
  static func all(in text: String) -> [String: Answer] {
    var answers: [String: Answer] = [:]
    for block in text.split(separator: "\n\n") {
      let lines = block.split(separator: "\n").map(String.init)
      guard lines.count > 1, lines[0].hasPrefix("$ ") else { continue }
      answers[String(lines[0].dropFirst(2))] = answer(lines.dropFirst())
    }
    return answers
  }

  private static func answer(_ lines: ArraySlice<String>) -> Answer {
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 5).map(String.init)
    guard words.first == "refused" else {
      let body = lines.last.flatMap { $0.hasPrefix("|") ? String($0.dropFirst()) : nil }
      return .request(
        Sent(
          line: lines.first ?? "",
          headers: Array(lines.dropFirst().dropLast(body == nil ? 0 : 1)), body: body ?? ""))
    }
    guard words.count == 6 else { return .refused(nil) }
    let place = words[3].split(separator: "+").compactMap { Int($0) }
    return .refused(Mark(text: words[5], start: place[0], count: place[1]))
  }

  /// What lull has sent, read as the kept ones were written.
  init(_ request: EchoServer.Request, port: UInt16) {
    let lines = request.head.split(separator: "\r\n").map(String.init)
    var headers: [(name: String, value: String)] = []
    var body = Answer.escaped(request.body)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[..<colon].lowercased()
      var value = String(line[line.index(after: colon)...].drop { $0 == " " })
      if name == "host", value == "127.0.0.1:\(port)" { continue }
      if name == "content-length", !request.body.isEmpty, value == "\(request.body.count)" {
        value = "(right)"
      }
      if name == "content-type",
        let boundary = value.split(separator: "boundary=").dropFirst().first
      {
        value = value.replacing(boundary, with: "BOUNDARY")
        body = body.replacing(boundary, with: "BOUNDARY")
      }
      headers.append((name, Answer.escaped(Array(value.utf8))))
    }
    for (name, isOwn) in Answer.own {
      guard let value = headers.first(where: { $0.name == name })?.value else {
        headers.append(("no " + name, ""))
        continue
      }
      if isOwn(value) { headers.removeAll { $0.name == name } }
    }
    let sorted = headers.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map {
        $0.element.value.isEmpty ? $0.element.name : "\($0.element.name): \($0.element.value)"
      }
    let first = (lines.first ?? "").split(separator: " ").dropLast().joined(separator: " ")
    self = .request(Sent(line: first, headers: sorted, body: body))
  }

  /// What lull sends where nobody says anything of it.
  private static let own: [(String, @Sendable (String) -> Bool)] = [
    ("user-agent", { $0.hasPrefix("lull/") }), ("accept-encoding", { $0.hasPrefix("gzip") }),
    ("accept", { $0 == "*/*" }),
  ]

  static func escaped(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes {
      if (32..<127).contains(byte), byte != UInt8(ascii: "\\") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }

  /// What lull says of a word; nil if nothing is marked.
  static func mark(in errors: String) -> Mark? {
    let lines = errors.split(separator: "\n").map(String.init)
    guard
      let place = lines.firstIndex(where: { line in
        line.contains("^") && line.allSatisfy { $0 == " " || $0 == "^" }
      }), place > 0
    else { return nil }
    let start = lines[place].prefix { $0 == " " }.count
    let text = String(lines[place - 1].dropFirst(2))
    return Mark(
      text: escaped(Array(text.utf8)), start: start - 2, count: lines[place].count - start)
  }
}
