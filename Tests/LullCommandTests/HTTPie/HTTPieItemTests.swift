import Testing

/// What arrives of items, beside what HTTPie 3.2.4 makes of them: `Tests/HTTPie` has the lines, and its
/// answers, which `Scripts/support/counterparts/httpie.py` makes anew.
@Suite("Items beside HTTPie's", .timeLimit(.minutes(20)))
struct HTTPieItemTests {
  @Test func `ITM-01 the table has its lines, and an answer to each`() {
    #expect(ItemTable.lines.count >= 250)
    #expect(Set(ItemTable.lines.map(\.text)).count == ItemTable.lines.count)
    for line in ItemTable.lines where line.answer == .missing {
      Issue.record("no answer to '\(line.text)': httpie.py --write")
    }
  }

  /// What is marked, people are told of.
  @Test func `ITM-01 the documentation lists the marks, and no others`() {
    let rows = ItemTable.text("../../Sources/LullHost/LullHost.docc/HTTPie.md").split(
      separator: "\n")
    let listed = rows.compactMap { row -> String? in
      guard row.hasPrefix("| `") else { return nil }
      return String(row.dropFirst(3).prefix { $0 != "`" })
    }
    #expect(listed.sorted() == Set(ItemTable.lines.compactMap(\.difference)).sorted())
  }

  @Test(arguments: ItemTable.lines)
  func `ITM-01 sends what HTTPie sends`(line: ItemTable.Line) throws {
    let server = try EchoServer()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let words = ItemTable.words(of: line.text)
    for (name, content) in ItemTable.files
    where words.contains(where: { ItemTable.names(name, $0) }) {
      try folder.write(name, content)
    }
    let ending = try HTTPieItemTests.run(words, on: server, in: folder.path)
    let answer: Answer
    if let request = server.requests.first {
      answer = Answer(request, port: server.port)
    } else {
      #expect(ending.code == 2, "\(ending)")
      answer = .refused(Answer.mark(in: ending.errors))
    }
    let isSame = HTTPieItemTests.isSame(
      answer, line.answer, isExact: words.contains(where: HTTPieItemTests.isWhole))
    if let difference = line.difference {
      #expect(!isSame, "does the same now: take the mark '\(difference)' away")
    } else {
      #expect(isSame, "lull: \(answer)\nHTTPie: \(line.answer)\n\(ending.errors)")
    }
  }

  /// Starts lull with these words.
  private static func run(
    _ words: [String], on server: EchoServer, in folder: String
  ) throws -> Child.Ending {
    var words = words[...]
    let method = words.popFirst().flatMap { $0 == "*" ? nil : [$0] } ?? []
    var input: String?
    if let place = words.firstIndex(of: "<<<") {
      input = words[place + 1]
      words = words[..<place]
    }
    let options = words.filter { $0.hasPrefix("-") }
    var rest = words.filter { !$0.hasPrefix("-") }[...]
    let hasPath = ["/", "?"].contains { rest.first?.hasPrefix($0) == true }
    let path = hasPath ? rest.popFirst() ?? "" : "/"
    let url = "http://127.0.0.1:\(server.port)\(path)"
    return try Child(
      Binaries.lull, method + options + [url] + rest + (input == nil ? ["--ignore-stdin"] : []),
      environment: ["HOME": folder], folder: folder, input: input.map { .text($0) } ?? .nothing
    ).wait()
  }

  /// Whether a word gives the body as a whole, so that each of its bytes counts.
  private static func isWhole(_ word: String) -> Bool {
    word.hasPrefix("--raw") || word.hasPrefix("@") || word == "<<<"
  }

  private static func isSame(_ one: Answer, _ other: Answer, isExact: Bool) -> Bool {
    guard case .request(let one) = one, case .request(let other) = other else {
      return one == other
    }
    let isJSON = !isExact && (other.body.hasPrefix("{") || other.body.hasPrefix("["))
    return one.line == other.line && one.headers == other.headers
      && SpelledBody(one.body, isJSON: isJSON) == SpelledBody(other.body, isJSON: isJSON)
  }
}
