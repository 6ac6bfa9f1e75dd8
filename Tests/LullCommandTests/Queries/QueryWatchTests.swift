import Testing

/// Queries that are polled, and compared with their last answer.
@Suite("Queries: watch and changed", .timeLimit(.minutes(20)))
struct QueryWatchTests {
  private let folder: TemporaryFolder
  /// Answers with the number of earlier requests with the same body, and the body.
  private let server: EchoServer
  private var url: String { "http://127.0.0.1:\(server.port)/search" }

  init() throws {
    folder = try TemporaryFolder()
    server = try EchoServer { request, count in
      .init(
        headers: ["Content-Type: application/json"],
        body: "{\"count\":\(count),\"body\":\(request.body.count)}")
    }
  }

  private func run(_ words: [String], input: String? = nil) throws -> Child.Ending {
    try Child(
      Binaries.lull, words,
      environment: ["XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path],
      folder: folder.path, input: input.map { .text($0) } ?? .nothing
    ).wait()
  }

  private func run(_ words: String...) throws -> Child.Ending { try run(words) }

  private var sent: [String] {
    server.requests.map { $0.line + " " + String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `QUERY-40 a query is watched like a resource`() throws {
    defer { server.stop() }
    let ending = try run(
      "watch", "query", url, "topic=tea", "size:=2", "--every", "0.1", "--count", "2")
    #expect(ending.code == 0 && ending.errors == "", "\(ending)")
    #expect(
      ending.output == "{\"count\":0,\"body\":24}\n~ count: 0 → 1\n", "\(ending)")
    let asked = #"QUERY /search {"topic":"tea","size":2}"#
    #expect(sent == [asked, asked])
    #expect(server.requests.allSatisfy { $0.head.contains("application/json") })
    let post = try run(
      "watch", "QUERY", url, "--form", "a=1", "--query-method", "POST", "--count", "1", "-f",
      "x.body")
    #expect(post.output == "3\n", "\(post)")
    #expect(sent.last == "POST /search a=1")
  }

  @Test func `QUERY-40 the body may be -d, a file or standard input`() throws {
    defer { server.stop() }
    try folder.write("q.json", #"{"a":1}"#)
    #expect(try run("watch", "query", url, "-d", "@q.json", "--count", "1").code == 0)
    #expect(sent.last == #"QUERY /search {"a":1}"#)
    #expect(try run(["watch", "query", url, "--count", "1"], input: "SELECT 1").code == 0)
    #expect(sent.last == "QUERY /search SELECT 1")
    #expect(try run("changed", "query", url, "@q.json").code == 0)
    #expect(sent.last == #"QUERY /search {"a":1}"#)
    // With a body on the command line, standard input is left to the loop.
    let loop = try shell(
      "for n in 1 2; do echo $n; done | while read n; do lull changed query \(url) n=$n; done",
      environment: ["XDG_STATE_HOME": folder.path])
    #expect(loop.code == 0, "\(loop)")
    #expect(sent.suffix(2) == [#"QUERY /search {"n":"1"}"#, #"QUERY /search {"n":"2"}"#])
  }

  @Test func `QUERY-41 each query has its own last answer`() throws {
    defer { server.stop() }
    func changed(_ words: String...) throws -> Int32 {
      try run(["changed", "query", url] + words + ["-f", "x.body"]).code
    }
    #expect(try changed("a=1", "b=2") == 0)
    #expect(try changed("a=1", "b=2") == 7)
    // Equal content is the same query.
    #expect(try changed("b=2", "a=1") == 7)
    #expect(try changed("-d", #"{"a":"1","b":"2"}"#) == 7)
    // Other content, another type and another method are not.
    for words in [
      ["a=1", "b=3"], ["--form", "a=1", "b=2"], ["a=1", "b=2", "--query-method", "POST"],
      ["-d", #"{"a":"1","b":"2"}"#, "-H", "Content-Type: application/x+json"],
    ] {
      let first = try run(["changed", "query", url] + words + ["-f", "x.body"])
      #expect(first.errors == "lull: first run: there is nothing to compare with\n", "\(words)")
    }
    #expect(try run("changed", url, "-f", "x.body").errors.contains("first run"))
    #expect(try changed("a=1", "b=2") == 7)
    let forgotten = try run("changed", "query", url, "b=2", "a=1", "-f", "x.body", "--forget")
    #expect(forgotten.errors == "lull: deleted the stored response\n")
    #expect(try changed("a=1", "b=3") == 7)
    // Neither the body nor the URL is in the names and contents of the files.
    let files = try shell("grep -r search . || ls -R", folder: folder.path).output
    #expect(!files.contains("search"), "\(files)")
  }

  @Test func `QUERY-40 an API called query, and other misunderstandings`() throws {
    defer { server.stop() }
    try folder.write(
      "apis/query.lua",
      "return { service = require(\"lull\").service \"http://127.0.0.1:\(server.port)\", calls = {} }"
    )
    #expect(try run("changed", "query", "/a").code == 0)
    #expect(sent.last == "GET /a ")
    #expect(try run("changed", "QUERY", "query", "/a", "b=1").code == 0)
    #expect(sent.last == #"QUERY /a {"b":"1"}"#)
    let count = server.requests.count
    for (words, problem) in [
      (["changed", url, "a=1"], "a query with a body is lull changed query TARGET"),
      (["watch", url, "-d", "x"], "a query with a body is lull watch query TARGET"),
      (["watch", url, "--form"], "sends GET without a body: --form cannot be used"),
      (["watch", "QUERY", url], "a query needs a body"),
      (["changed", "QUERY", url, "-d", ""], "the body of the query is empty"),
      (["changed", "QUERY", url, "--multipart", "a=1"], "cannot have a multipart form"),
      (["changed", "QUERY", url, "a@q.json"], "cannot have a multipart form"),
      (["changed", "QUERY", url, "a=1", "-d", "x"], "-d is the whole body"),
    ] {
      try folder.write("q.json", "{}")
      let ending = try run(words)
      #expect(ending.code == 2, "\(words): \(ending)")
      #expect(ending.errors.contains(problem), "\(words): \(ending)")
    }
    #expect(server.requests.count == count)
    // A default of config.lua has no effect without a body.
    try folder.write("lull/config.lua", "return { form = true }")
    #expect(try run("changed", url).code == 0)
    #expect(server.requests.last?.head.lowercased().contains("content-type") == false)
    #expect(try run("changed", "QUERY", url, "a=1").code == 0)
    #expect(sent.last == "QUERY /search a=1")
  }
}
