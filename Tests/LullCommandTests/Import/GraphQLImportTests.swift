import LullGraphQL
import Testing

@Suite("lull import graphql", .timeLimit(.minutes(20)))
struct GraphQLImportCommandTests {
  private let folder: TemporaryFolder

  private static let sdl = """
    type Query { "One user" user(id: ID!): User users(first: Int, after: String): Users }
    type User { id: ID! name: String state: State }
    type Users { nodes: [User!]! pageInfo: PageInfo! }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    enum State { OPEN CLOSED }

    """
  private static let url = "https://a.example/graphql"

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["import", "graphql"] + words, folder: folder.path).wait()
  }

  // MARK: Files

  @Test func `GQL-78 a schema becomes an API file, its schema, operations and JSON Schemas`() throws
  {
    try folder.write("shop.graphql", Self.sdl)
    let ending = try run("shop.graphql", "--base-url", Self.url)
    #expect(ending.output == "apis/shop.lua: 2 calls\n" && ending.errors == "", "\(ending)")
    let text = try #require(folder.text("apis/shop.lua"))
    #expect(
      text.hasPrefix(
        "-- Imported by: lull import graphql shop.graphql -o apis/shop.lua --base-url https://a.example/graphql\n"
      ), "\(text)")
    #expect(text.contains(#"graphql = "shop.graphql""#))
    #expect(text.contains(#"schemas = "shop.schemas.json""#))
    #expect(text.contains(#"graphql_file = "shop/users.graphql""#))
    #expect(folder.text("apis/shop.graphql") == Self.sdl)
    let schema = try GraphQLSchema(sdl: Self.sdl)
    for name in ["user", "users"] {
      let written = try #require(folder.text("apis/shop/\(name).graphql"))
      #expect(schema.validate(try GraphQLDocument(written)).isValid)
    }
    #expect(
      folder.text("apis/shop.schemas.json")?.hasPrefix(
        #"{"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{"#) == true)
    let kept = try #require(folder.text("apis/shop.lua.imported"))
    // Once more is the same, and the kind is detected.
    let again = try Child(
      Binaries.lull, ["import", "shop.graphql", "--base-url", Self.url], folder: folder.path
    ).wait()
    #expect(again.output == "apis/shop.lua: 2 calls\n" && again.errors == "", "\(again)")
    #expect(folder.text("apis/shop.lua") == text && folder.text("apis/shop.lua.imported") == kept)
    // The schema may be in its place already.
    #expect(try run("apis/shop.graphql", "--base-url", Self.url).code == 0)
    #expect(folder.text("apis/shop.graphql") == Self.sdl)
  }

  @Test func `GQL-79 changes in operations are kept, and other files are left alone`() throws {
    try folder.write("s.graphql", Self.sdl)
    #expect(try run("s.graphql", "--base-url", Self.url).code == 0)
    let users = try #require(folder.text("apis/s/users.graphql"))
    let edited = users.replacing("      state\n", with: "")
    #expect(edited != users)
    try folder.write("apis/s/users.graphql", edited)
    let file = try #require(folder.text("apis/s.lua"))
    try folder.write("apis/s.lua", file.replacing("One user", with: "A user"))
    // Unchanged schema: nothing to tell.
    var ending = try run("s.graphql", "--base-url", Self.url)
    #expect(ending.code == 0 && ending.errors == "", "\(ending)")
    #expect(folder.text("apis/s/users.graphql") == edited)
    #expect(folder.text("apis/s.lua")?.contains("A user") == true)
    #expect(folder.text("apis/s.lua")?.contains(#"columns = { "id", "name" }"#) == true)
    // The schema changes the operations, too.
    try folder.write("s.graphql", Self.sdl.replacing("name: String", with: "name: String age: Int"))
    ending = try run("s.graphql", "--base-url", Self.url)
    #expect(ending.code == 0)
    #expect(
      ending.errors
        == "lull: apis/s/users.graphql is kept, because you have changed it, although the schema has "
        + "changed too: to get the new operation, delete the file and import again\n", "\(ending)")
    #expect(folder.text("apis/s/users.graphql") == edited)
    #expect(folder.text("apis/s/user.graphql")?.contains("    age\n") == true)
    #expect(folder.text("apis/s.graphql")?.contains("age: Int") == true)
    // Told once. A deleted file is written again.
    #expect(try run("s.graphql", "--base-url", Self.url).errors == "")
    _ = try shell("rm apis/s/users.graphql", folder: folder.path)
    #expect(try run("s.graphql", "--base-url", Self.url).errors == "")
    #expect(folder.text("apis/s/users.graphql")?.contains("      age\n") == true)
    // A call that is no longer imported takes its file with it, unless it was changed.
    ending = try run("s.graphql", "--base-url", Self.url, "--only", "user")
    #expect(ending.errors.contains("removed: call 'users'"), "\(ending)")
    #expect(folder.text("apis/s/users.graphql") == nil)
    let current = folder.text("apis/s.lua") ?? ""
    try folder.write("apis/s.lua", current.replacing("A user", with: "One user"))
    try folder.write("apis/s/user.graphql", "# mine\n" + (folder.text("apis/s/user.graphql") ?? ""))
    ending = try run("s.graphql", "--base-url", Self.url, "--only", "users")
    #expect(
      ending.errors.contains(
        "apis/s/user.graphql is kept, because you have changed it, but no call"))
    #expect(folder.text("apis/s/user.graphql")?.hasPrefix("# mine\n") == true)
    // It is the user's now.
    ending = try run("s.graphql", "--base-url", Self.url, "--only", "*")
    #expect(
      ending.code == 3
        && ending.errors.contains("'apis/s/user.graphql' was not written by lull import"),
      "\(ending)")
    _ = try shell("rm apis/s/user.graphql", folder: folder.path)
    #expect(try run("s.graphql", "--base-url", Self.url, "--only", "*").code == 0)
    // A changed schema is neither used nor lost.
    try folder.write("apis/s.graphql", "# mine")
    ending = try run("s.graphql", "--base-url", Self.url)
    #expect(
      ending.code == 3
        && ending.errors.contains("apis/s.graphql: the file was changed after the last import"),
      "\(ending)")
    #expect(folder.text("apis/s.graphql") == "# mine")
    // Both have changed the same setting.
    let last = folder.text("apis/s.lua") ?? ""
    try folder.write("apis/s.lua", last.replacing("One user", with: "A user"))
    _ = try shell("cp s.graphql apis/s.graphql", folder: folder.path)
    try folder.write("s.graphql", Self.sdl.replacing("One user", with: "Some user"))
    _ = try shell("rm apis/s.graphql", folder: folder.path)
    ending = try run("s.graphql", "--base-url", Self.url)
    #expect(
      ending.code == 1 && ending.errors.contains("both in the file and in the schema"), "\(ending)")
  }

  @Test func `GQL-79 a curl command added to the file keeps the operations`() throws {
    try folder.write("s.graphql", Self.sdl)
    #expect(try run("s.graphql", "--base-url", Self.url).code == 0)
    let ending = try Child(
      Binaries.lull, ["import", "curl", "curl https://a.example/status", "-o", "apis/s.lua"],
      folder: folder.path
    ).wait()
    #expect(ending.code == 0, "\(ending)")
    #expect(folder.text("apis/s.lua")?.contains(#"status = { path = "/status" }"#) == true)
    let again = try run("s.graphql", "--base-url", Self.url)
    #expect(again.code == 0 && again.errors == "", "\(again)")
    #expect(folder.text("apis/s.lua")?.contains(#"status = { path = "/status" }"#) == true)
    #expect(folder.text("apis/s/users.graphql") != nil)
  }

  @Test func `GQL-80 a document below the API's folder stays there, and another one is copied`()
    throws
  {
    try folder.write("s.graphql", Self.sdl)
    try folder.write("apis/own/a.graphql", "query A { user(id: 1) { id } }")
    try folder.write(
      "ops/b.graphql", "query B { user(id: 1) { name } } query C { users { nodes { id } } }")
    let words = [
      "s.graphql", "--base-url", Self.url, "--operations", "apis/own/a.graphql", "--operations",
      "ops/b.graphql",
    ]
    func run() throws -> Child.Ending {
      try Child(Binaries.lull, ["import", "graphql"] + words, folder: folder.path).wait()
    }
    #expect(try run().output == "apis/s.lua: 3 calls\n")
    let text = try #require(folder.text("apis/s.lua"))
    #expect(text.contains(#"A = { path = "/graphql", graphql_file = "own/a.graphql" }"#), "\(text)")
    #expect(
      text.contains(#"B = { path = "/graphql", graphql_file = "s/b.graphql", operation = "B" }"#))
    #expect(folder.text("apis/s/b.graphql") == folder.text("ops/b.graphql"))
    #expect(folder.text("apis/own/a.graphql") == "query A { user(id: 1) { id } }")
    try folder.write("ops/b.graphql", "query B { usr { id } }")
    let ending = try run()
    #expect(ending.code == 0)
    #expect(
      ending.errors.contains("ops/b.graphql:1:11: unknown field 'usr' of type 'Query'")
        && ending.errors.contains("left out: ops/b.graphql: the document has errors"), "\(ending)")
    #expect(folder.text("apis/s/b.graphql") == nil)
    #expect(folder.text("apis/own/a.graphql") != nil)
  }

  // MARK: Servers

  /// The schema as a server returns it.
  private static let introspection = """
    {"data":{"__schema":{"queryType":{"name":"Query"},"types":[{"kind":"OBJECT","name":"Query",\
    "interfaces":[],"fields":[{"name":"ok","args":[],"type":{"kind":"SCALAR","name":"Boolean"}}]}]}}}
    """

  @Test func `GQL-81 a server is asked for its schema, and for less if it refuses`() throws {
    let server = try EchoServer { request, _ in
      let body = String(decoding: request.body, as: UTF8.self)
      if body.contains("isOneOf") || body.contains("args(includeDeprecated") {
        return .init(
          status: "400 Bad Request", headers: ["Content-Type: application/json"],
          body: #"{"errors":[{"message":"unknown field"}]}"#)
      }
      return .init(headers: ["Content-Type: application/json"], body: Self.introspection)
    }
    defer { server.stop() }
    let ending = try run(
      "http://localhost:\(server.port)/graphql", "-o", "apis/x.lua", "-H",
      "Authorization: Bearer s3cret", "-H", "X-Version: 2")
    #expect(ending.code == 0 && ending.output == "apis/x.lua: 1 call\n", "\(ending)")
    #expect(ending.errors == "lull: set these environment variables: X_TOKEN\n")
    #expect(server.requests.map(\.line) == ["POST /graphql", "POST /graphql", "POST /graphql"])
    #expect(
      server.requests.allSatisfy {
        let head = $0.head.lowercased()
        return head.contains("authorization: bearer s3cret") && head.contains("x-version: 2")
          && head.contains("content-type: application/json")
      }, "\(server.requests.map(\.head))")
    let last = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
    #expect(last.contains("specifiedByURL") && last.contains("IntrospectionQuery"))
    let text = try #require(folder.text("apis/x.lua"))
    #expect(text.contains(#"lull.auth.bearer(lull.secret{ env = "X_TOKEN" })"#))
    #expect(text.contains("Bearer $X_TOKEN") && text.contains(#"["X-Version"] = "2""#))
    for name in ["apis/x.lua", "apis/x.lua.imported", "apis/x.graphql"] {
      #expect(folder.text(name)?.contains("s3cret") == false)
    }
    #expect(folder.text("apis/x.graphql") == "type Query {\n  ok: Boolean\n}\n")
  }

  @Test func `GQL-81 a server that does not return its schema is reported with its reason`() throws
  {
    for (status, body, expected, count) in [
      (
        "200 OK", #"{"errors":[{"message":"introspection is disabled"}]}"#,
        "introspection is disabled", 4
      ),
      ("401 Unauthorized", #"{"errors":[{"message":"who are you?"}]}"#, "401", 1),
      ("200 OK", "<html>", "the response is not that of a GraphQL server", 1),
      ("404 Not Found", "", "404", 1),
      ("200 OK", #"{"data":{"__schema":{"types":1}}}"#, "the schema has no list 'types'", 1),
    ] {
      let server = try EchoServer { _, _ in
        .init(status: status, headers: ["Content-Type: application/json"], body: body)
      }
      defer { server.stop() }
      let ending = try run("http://localhost:\(server.port)/", "-o", "apis/x.lua")
      #expect(ending.code == 3 && ending.errors.contains(expected), "\(expected) \(ending)")
      #expect(server.requests.count == count)
      #expect(folder.text("apis/x.lua") == nil)
    }
    let ending = try run("http://localhost:1/", "-o", "apis/x.lua", "-a", "me:s3cret")
    #expect(ending.code == 3 && !ending.errors.contains("s3cret"), "\(ending)")
  }

  // MARK: Errors

  @Test func `GQL-82 what cannot be imported is refused with its place`() throws {
    for (name, text, problem) in [
      ("a.graphql", "type Query { a: Int", "a.graphql:1:20: expected"),
      ("b.graphql", "{ a }", "b.graphql: invalid JSON"),
      ("c.graphql", "query A { a }", "the document defines no types"),
      ("d.graphql", "", "d.graphql: the schema is empty"),
      ("e.graphql", "type A { a: Int }", "no call can be imported: the schema has no operations"),
      ("f.json", #"{"data":null,"errors":[{"message":"no"}]}"#, "does not return its schema: no"),
      ("g.json", #"{"openapi":"3.0"}"#, "not the result of an introspection"),
      ("h.graphql", "type Query { \u{1} }", "h.graphql:1:14: unexpected character U+0001"),
    ] as [(String, String, String)] {
      try folder.write(name, text)
      let ending = try run(name, "-o", "apis/x.lua", "--base-url", Self.url)
      #expect(ending.code == 3 && ending.errors.contains(problem), "\(name) \(ending.errors)")
      #expect(folder.text("apis/x.lua") == nil && folder.text("apis/x.graphql") == nil)
    }
    try folder.write("ok.graphql", Self.sdl)
    #expect(
      try run("ok.graphql").errors
        == "lull: ok.graphql: a schema does not name its server: add --base-url URL with the URL of the endpoint\n"
    )
    #expect(try run("none.graphql", "--base-url", Self.url).code == 3)
    for words in [
      ["ok.graphql", "--depth", "0"], ["ok.graphql", "--depth", "x"], [""],
      ["ok.graphql", "--depth", "2", "--operations", "x"], ["ok.graphql", "-H", "x"],
      ["-", "--operations", "-"], ["ok.graphql", "-A", "bearer"],
      ["ok.graphql", "-a", "a:b", "-H", "Authorization: x"],
    ] {
      let ending = try Child(
        Binaries.lull, ["import", "graphql"] + words + ["--base-url", Self.url],
        folder: folder.path
      ).wait()
      #expect(ending.code == 2, "\(words) \(ending)")
    }
    let openAPI = try Child(
      Binaries.lull, ["import", "openapi", "x", "--depth", "2"], folder: folder.path
    ).wait()
    #expect(openAPI.code == 2 && openAPI.errors.contains("--depth can only be used with graphql"))
    let none = try run("ok.graphql", "--base-url", Self.url, "--only", "nothing*")
    #expect(none.code == 2 && none.errors.contains("'nothing*' matches no call"), "\(none)")
    // Errors that leave the rest usable are reported, and the schema is written without them.
    try folder.write("twice.graphql", "type Query { a: Int a: Int }")
    let twice = try run("twice.graphql", "--base-url", Self.url)
    #expect(twice.code == 0 && twice.errors.contains("twice.graphql:1:21: "), "\(twice)")
    #expect(folder.text("apis/twice.graphql") == "type Query {\n  a: Int\n}\n")
  }

  @Test func `GQL-82 a schema comes from standard input, too`() throws {
    let ending = try Child(
      Binaries.lull, ["import", "graphql", "-", "--base-url", Self.url], folder: folder.path,
      input: .text(Self.introspection)
    ).wait()
    #expect(ending.output == "apis/api.lua: 1 call\n", "\(ending)")
    #expect(folder.text("apis/api.graphql") == "type Query {\n  ok: Boolean\n}\n")
  }

  // MARK: Types

  @Test func `GQL-83 lull types writes classes for the data`() throws {
    try folder.write("s.graphql", Self.sdl)
    #expect(try run("s.graphql", "--base-url", Self.url).code == 0)
    // The schema file is enough, whatever sends the operations.
    let text = try #require(folder.text("apis/s.lua"))
    try folder.write(
      "apis/s.lua",
      text.replacing("graphql = \"s.graphql\",\n", with: "").replacing(
        #/graphql_file = "[^"]*"/#, with: #"method = "POST""#
      ).replacing(#/pages = "relay",?/#, with: "").replacing(#/params = \{[^\n]*\},/#, with: ""))
    let ending = try Child(Binaries.lull, ["types", "apis/s.lua", "-o", "-"], folder: folder.path)
      .wait()
    #expect(ending.code == 0, "\(ending)")
    for line in [
      "---@field name string|s.Null", "---@field state \"OPEN\"|\"CLOSED\"|s.Null",
      "---@field nodes s.User[]",
    ] {
      #expect(ending.output.contains(line), "\(ending.output)")
    }
  }
}
