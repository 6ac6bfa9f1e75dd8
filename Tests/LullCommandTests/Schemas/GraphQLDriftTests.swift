import Testing

@Suite("lull drift --schema", .timeLimit(.minutes(20)))
struct GraphQLDriftTests {
  private let folder: TemporaryFolder

  private static let sdl = """
    type Query { user(id: ID!): User old: Int }
    type User { id: ID! name: String! state: State }
    enum State { OPEN CLOSED }

    """
  private static let newer = """
    type Query { user(id: ID!): User old: Int @deprecated(reason: "use user") }
    type User { id: ID! label: String! state: State }
    enum State { OPEN CLOSED NEW }

    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop/user.graphql", "query User($id: ID!) {\n  user(id: $id) { name\tstate }\n}\n")
    try folder.write("apis/shop.graphql", Self.sdl)
    try folder.write("same.graphql", Self.sdl)
    try folder.write("newer.graphql", Self.newer)
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service("https://a.example"),
        graphql = "shop.graphql",
        calls = {
          user = { path = "/graphql", graphql_file = "shop/user.graphql" },
          old = { graphql = [[query { old }]] },
          status = { path = "/status" },
        },
      }

      """)
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["drift"] + words, folder: folder.path).wait()
  }

  @Test func `GQL-85 operations are compared with a newer schema, with line and caret`() throws {
    let same = try run("shop", "--schema", "same.graphql", "--fail-on", "added")
    #expect(
      same.code == 0 && same.output == ""
        && same.errors == "lull: 2 operations compared: no changes\n",
      "\(same)")
    let ending = try run("shop", "--schema", "newer.graphql")
    #expect(ending.code == 0)
    let path = ending.output.prefix { $0 != ":" }.dropLast("/shop/user.graphql".count)
    #expect(
      ending.output == """
        \(path)/shop/user.graphql:2:19: breaking: unknown field 'name' of type 'User' (user)
          2 |   user(id: $id) { name  state }
            |                   ^
        \(path)/shop/user.graphql:2:24: changed: the enum 'State' has new values: NEW (user)
          2 |   user(id: $id) { name  state }
            |                         ^
        \(path)/shop.lua:7:33: changed: field 'Query.old' is deprecated: use user (old)
          7 | query { old }
            |         ^

        """, "\(ending.output)")
    #expect(ending.errors == "lull: 2 operations compared: 1 breaking, 2 changed\n")
    let json = try run("apis/shop.lua", "--schema", "newer.graphql", "-o", "ndjson")
    #expect(
      json.output.hasPrefix(
        #"{"tier":"breaking","change":"invalid","call":"user","place":"apis/shop/user.graphql:2:19","message":"#
      ), "\(json)")
  }

  @Test func `GQL-86 the exit code tells findings, and unreadable files`() throws {
    #expect(try run("shop", "--schema", "newer.graphql", "--fail-on", "breaking").code == 7)
    #expect(try run("shop", "--schema", "none.graphql").code == 3)
    #expect(try run("nix", "--schema", "newer.graphql").code == 3)
    #expect(try run("shop", "--schema", "").code == 2)
    #expect(try run("shop", "--schema", "newer.graphql", "--from-cache").code == 2)
    #expect(try run("shop", "-H", "A: b").code == 2)
    try folder.write(
      "apis/bad.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example"), calls = {
        a = { graphql = "query { " .. "old }" }, b = { graphql_file = "none.graphql" },
        c = { graphql = [[{]] }, d = { graphql = [[{ old }]] },
      } }
      """)
    let bad = try run("bad", "--schema", "newer.graphql")
    #expect(bad.code == 3, "\(bad)")
    for text in [
      "bad.lua:3: 'a' is not compared: its 'graphql' is not a plain string",
      "'b' is not compared: ", "bad.lua:4:22: expected a field",
      "1 operation compared: 1 changed",
    ] {
      #expect(bad.errors.contains(text), "\(bad)")
    }
    try folder.write(
      "apis/rest.lua",
      "local lull = require 'lull'\nreturn { service = lull.service('https://a.example'), calls = { a = { path = '/a' } } }\n"
    )
    let rest = try run("rest", "--schema", "newer.graphql")
    #expect(
      rest.code == 3 && rest.errors.contains("has no calls with GraphQL operations"), "\(rest)")
  }

  @Test func `GQL-86 the newer schema may be that of a server`() throws {
    let server = try EchoServer { _, _ in
      .init(
        headers: ["Content-Type: application/json"],
        body: """
          {"data":{"__schema":{"queryType":{"name":"Query"},"types":[{"kind":"OBJECT","name":"Query",\
          "interfaces":[],"fields":[{"name":"old","args":[],"type":{"kind":"SCALAR","name":"Int"}}]}]}}}
          """)
    }
    defer { server.stop() }
    let ending = try run(
      "shop", "--schema", "http://localhost:\(server.port)/g", "-a", "t", "-A", "bearer")
    #expect(
      ending.code == 0 && ending.output.contains("unknown field 'user' of type 'Query'"),
      "\(ending)")
    #expect(server.requests.first?.head.lowercased().contains("authorization: bearer t") == true)
  }
}
