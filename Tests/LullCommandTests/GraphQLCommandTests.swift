import Testing

@Suite("GraphQL from the shell", .timeLimit(.minutes(20)))
struct GraphQLCommandTests {
  private let sample: SampleAPI
  private let folder: TemporaryFolder

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
  }

  /// Writes an API file of the sample with its schema, and returns its path.
  private func file(_ calls: String = "", schema: Bool = true) throws -> String {
    if schema {
      let text = try lull("get", sample.url + "/schema.graphql")
      #expect(text.code == 0, "\(text)")
      try folder.write("shop.graphql", text.output)
    }
    return try folder.write(
      "shop.lua",
      """
      local lull = require "lull"
      return { service = lull.service "\(sample.url)",
        \(schema ? #"graphql = "shop.graphql","# : "") calls = {
        user = { graphql = "query User($id: ID!) { user(id: $id) { name visits } }" },
        secret = { graphql = "query Secret($id: ID!) { user(id: $id) { name password } }" },
        articles = { pages = "relay", columns = { "title" }, graphql = [[
          query Articles($topic: Topic, $first: Int = 20, $after: String) {
            articles(topic: $topic, first: $first, after: $after) {
              nodes { title }
              pageInfo { hasNextPage endCursor }
            }
          }]] },
        rename = { graphql = "mutation($id: ID!, $name: String!) { rename(id: $id, name: $name) { name } }" },
        count = { graphql = "subscription($to: Int) { count(to: $to) }" },
        \(calls)
      } }
      """)
  }

  @Test func `GQL-40 GQL-49 a call prints the data of its operation`() throws {
    let file = try file()
    let user = try lull("call", file, "user", "--id", "7")
    #expect(user.output == #"{"user":{"name":"Edsger Dijkstra","visits":2}}"# + "\n", "\(user)")
    #expect(user.errors == "")
    let renamed = try lull(
      "call", file, "rename", "--id", "7", "--name", "E", "-f", "x.rename.name")
    #expect(renamed.output == "\"E\"\n", "\(renamed)")
    let missing = try lull("call", file, "user")
    #expect(missing.code == 2)
    #expect(missing.errors.contains("--id"), "\(missing)")
    let piped = try shell("echo '{\"a\":1}' | lull call \(file) user --id 3 -f x.user.name")
    #expect(piped.output == "\"Barbara Liskov\"\n", "\(piped)")
    let curl = try lull("call", file, "user", "--id", "7", "--curl")
    #expect(curl.output.contains("application/graphql-response+json"), "\(curl)")
    #expect(curl.output.contains(#""operationName":"User","variables":{"id":"7"}"#), "\(curl)")
  }

  @Test func `GQL-42 help lists variables with types and defaults`() throws {
    let page = try lull("call", try file(), "articles", "--help")
    #expect(page.output.contains("--topic"), "\(page)")
    #expect(page.output.contains("tea, trains, tides"), "\(page)")
    #expect(page.output.contains("default 20"), "\(page)")
    let wrong = try lull("call", try file(), "articles", "--topic", "wine")
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("must be tea, trains, tides or type"), "\(wrong)")
  }

  @Test func `GQL-31 GQL-49 errors beside data are reported, with exit code 4`() throws {
    let file = try file()
    let secret = try lull("call", file, "secret", "--id", "3")
    #expect(secret.code == 4)
    #expect(
      secret.output == #"{"user":{"name":"Barbara Liskov","password":null}}"# + "\n", "\(secret)")
    #expect(
      secret.errors.hasPrefix("lull: a password cannot be read (user.password) (POST "),
      "\(secret)")
    let json = try lull("call", file, "secret", "--id", "3", "--errors", "json")
    #expect(json.code == 4)
    #expect(json.errors.contains(#""kind":"graphql""#), "\(json)")
    let saved = try lull("call", file, "secret", "--id", "3", "-O", "\(folder.path)/out.json")
    #expect(saved.code == 4, "\(saved)")
  }

  @Test func `GQL-30 GQL-33 a refused operation is a failure`() throws {
    let file = try file(#"wrong = { graphql = "{ usr { name } }" },"#, schema: false)
    let wrong = try lull("call", file, "wrong")
    #expect(wrong.code == 4)
    #expect(
      wrong.errors.hasPrefix(#"lull: Cannot query field "usr" on type "Query". (POST "#), "\(wrong)"
    )
    #expect(wrong.errors.contains("→ 400"), "\(wrong)")
    let raw = try lull("call", file, "wrong", "-o", "raw")
    #expect(raw.code == 4, "\(raw)")
    let saved = try lull("call", file, "wrong", "-O", "\(folder.path)/none.json")
    #expect(saved.code == 4)
    #expect(folder.text("none.json") == nil)
  }

  @Test func `GQL-45 --all joins the rows of all pages`() throws {
    let file = try file()
    let all = try lull("call", file, "articles", "--topic", "tea", "--all", "-f", "#x")
    #expect(all.output == "50\n", "\(all)")
    let table = try lull("call", file, "articles", "--first", "2", "-o", "table")
    #expect(table.output == "title\nArticle 1\nArticle 2\n", "\(table)")
  }

  @Test func `GQL-44 a subscription writes a line for each event`() throws {
    let count = try lull("call", try file(), "count", "--to", "3")
    #expect(count.output == "{\"count\":1}\n{\"count\":2}\n{\"count\":3}\n", "\(count)")
    #expect(count.code == 0)
  }

  @Test func `GQL-48 check shows errors with line and caret, and notes deprecated fields`() throws {
    try folder.write("long.graphql", "query Long {\n  users {\n    nodes { nme mail }\n  }\n}\n")
    let file = try file(
      #"long = { graphql_file = "long.graphql" }, bad = { graphql = "{ user { name } }" },"#)
    let check = try lull("check", file)
    #expect(check.code == 1)
    #expect(check.output.contains("long.graphql:3: "), "\(check)")
    #expect(check.output.contains("'nme'") || check.output.contains("\"nme\""), "\(check)")
    #expect(check.output.contains("  3 | nodes { nme mail }\n    |         ^"), "\(check)")
    #expect(check.output.contains("deprecated: Use email."), "\(check)")
    #expect(check.output.contains("shop.lua:15: "), "\(check)")
  }

  @Test func `GQL-48 a broken schema and a missing one are reported once`() throws {
    let file = try file()
    try folder.write("shop.graphql", "type Query { a: }")
    let broken = try lull("check", file)
    #expect(broken.code == 1)
    #expect(broken.output.split(separator: "shop.graphql:1").count == 2, "\(broken)")
    let none = try lull("check", try self.file(schema: false))
    #expect(none.code == 0, "\(none)")
    #expect(none.output.contains("are not validated: name the file with the schema"), "\(none)")
  }

  // MARK: Mocks

  private static let mocked = #"""
    user = { graphql = "query User($id: ID!) { user(id: $id) { name } }", examples = {
      { json = { user = { name = "Ann" } }, when = { id = "1" } },
      { json = { errors = { { message = "gone" } } }, when = { id = "2" } } } },
    posts = { graphql = "query Posts { posts { id } }", example = { posts = { 1 } } },
    count = { graphql = "{ count }", example = { count = 3 } },
    add = { graphql = "mutation Add($name: String!) { add(name: $name) }",
      mock = function(request) return { json = { data = { add = request.params.name } } } end },
    """#

  @Test func `GQL-50 GQL-47 a mock answers by the operation and its variables`() throws {
    let mock = try MockProcess(calls: GraphQLCommandTests.mocked)
    func post(_ body: String, method: String = "POST") throws -> String {
      try Child(
        "curl", ["-s", "--max-time", "120", "-X", method, mock.url + "/graphql", "--json", body]
      ).wait().output
    }
    let user = #""query":"query User($id: ID!) { user(id: $id) { name } }""#
    #expect(
      try post(#"{\#(user),"operationName":"User","variables":{"id":"1"}}"#)
        == #"{"data":{"user":{"name":"Ann"}}}"#)
    // An ID may be an integer, and the only operation needs no name.
    #expect(
      try post(#"{\#(user),"variables":{"id":1}}"#) == #"{"data":{"user":{"name":"Ann"}}}"#)
    #expect(try post(#"{\#(user),"variables":{"id":"2"}}"#) == #"{"errors":[{"message":"gone"}]}"#)
    #expect(
      try post(#"{"query":"query Posts { posts { id } }"}"#, method: "QUERY")
        == #"{"data":{"posts":[1]}}"#)
    #expect(try post(#"{"query":"{ count }"}"#) == #"{"data":{"count":3}}"#)
    #expect(
      try post(
        #"{"query":"mutation Add($name: String!) { add(name: $name) }","variables":{"name":"é"}}"#)
        == #"{"data":{"add":"é"}}"#)
    let missing = try post(#"{\#(user)}"#)
    #expect(missing.contains("'id'"), "\(missing)")
    let unknown = try post(#"{"query":"query Other { a }"}"#)
    #expect(unknown.contains("has the operation 'Other'"), "\(unknown)")
    let none = try post("[]")
    #expect(none.contains("has this operation"), "\(none)")
    let hash = try post(#"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#)
    #expect(hash.contains("PersistedQueryNotFound"), "\(hash)")
  }

  // MARK: Schemas, types and differences

  @Test func `GQL-47 schemas describe the data of each operation`() throws {
    let path = try folder.write(
      "shop.lua",
      """
      local lull = require "lull"
      local api = lull.service("\(sample.url)")
      api:configure{ validate = "fail" }
      return { service = api, calls = {
        one = { graphql = "query One { user(id: 1) { name } }",
          schema = { properties = { user = { properties = { name = { type = "string" } } } } } },
        two = { graphql = "query Two { user(id: 1) { visits } }",
          schema = { properties = { user = { properties = { visits = { type = "string" } } } } } },
        part = { graphql = "query Part { user(id: 1) { password } }",
          schema = { properties = { user = { properties = { password = { type = "string" } } } } } },
      } }
      """)
    let one = try lull("call", path, "one")
    #expect(one.output == #"{"user":{"name":"Ada Lovelace"}}"# + "\n", "\(one)")
    let two = try lull("call", path, "two")
    #expect(two.code == 1 && two.errors.contains("/user/visits"), "\(two)")
    // Where a field has an error, null is no violation.
    let part = try lull("call", path, "part")
    #expect(part.code == 4 && part.errors.contains("a password cannot be read"), "\(part)")
  }

  @Test func `GQL-49 an error is reported even if the missing data has no rows`() throws {
    let file = try file(
      #"rows = { graphql = "{ user(id: 99) { name } }", rows = "user.posts.nodes" },"#)
    let rows = try lull("call", file, "rows", "-o", "table")
    #expect(rows.code == 4)
    #expect(rows.errors.contains("there is no user with the id 99"), "\(rows)")
    let filtered = try lull("call", file, "rows", "-f", "x.user.name")
    #expect(filtered.code == 4)
    #expect(filtered.errors.contains("there is no user with the id 99"), "\(filtered)")
  }

  @Test
  func `GQL-44 a subscription is not sent by --curl, and refuses options for whole responses`()
    throws
  {
    let file = try file()
    let curl = try lull("call", file, "count", "--curl")
    #expect(curl.output.hasPrefix("curl "), "\(curl)")
    for words in [["-O", "\(folder.path)/x"], ["-i"], ["-o", "table"]] {
      let refused = try Child(Binaries.lull, ["call", file, "count"] + words, input: .nothing)
        .wait()
      #expect(refused.code == 2 && refused.errors.contains("is a subscription"), "\(refused)")
    }
  }

  @Test func `GQL-47 check reports different operations with the same name`() throws {
    let file = try file(
      #"a = { graphql = "query Same { users { totalCount } }" },"#
        + #" b = { graphql = "query Same { articles { totalCount } }" },"#)
    let check = try lull("check", file)
    #expect(check.code == 1)
    #expect(check.output.contains("different operations with the name 'Same'"), "\(check)")
  }

  @Test(arguments: [
    #"{"query":"{ user(id: 1) { name } }","variables":null}"#,
    #"{"query":"{ user(id: 1) { name } }","variables":"x"}"#, #"{"query":7}"#,
    #"{"query":"{ é }"}"#,
    #"{"query":"subscription { count(to: \"x\") }"}"#,
    #"{"query":"query A { users { totalCount } } query B { a }"}"#,
    #"{"query":"fragment F on User { ...F } { user(id: 1) { ...F } }"}"#,
    #"{"query":"mutation { rename(id: 1, name: {a: 1}) { name } }"}"#, #"{"query":"{{{{"}"#, "[]",
  ])
  func `DEM-125 the sample API answers every GraphQL request`(body: String) throws {
    let answer = try Child(
      "curl", ["-s", "-w", "%{http_code}", sample.url + "/graphql", "--json", body]
    ).wait().output
    #expect(!answer.hasSuffix("500"), "\(answer)")
    #expect(answer.contains("error") || answer.contains("data"), "\(answer)")
  }
}
