import LullGraphQL
import Testing

/// Operations that are generated for a field.
@Suite(.timeLimit(.minutes(20))) struct GenerationTests {
  private static let schema = Result { () throws(GraphQLProblems) in
    try GraphQLSchema(
      sdl: """
        type Query {
          user(id: ID!, state: State! = OPEN, old: Int @deprecated): User
          count: Int
          node: Node
          search(text: [String!] = ["a"]): [Result!]!
          empty: Empty
        }
        type Mutation { close(input: Close!): User }
        interface Node { id: ID! owner: User }
        type User implements Node {
          id: ID!
          owner: User
          state: State
          old: Int @deprecated
          best(than: Int!): User
          friends(first: Int): [User]
          size: Int
          box: Box
        }
        type Post implements Node { id: ID! owner: User title: String! size: Int! box: OtherBox }
        type Box { side: Int }
        type OtherBox { side: String }
        type Tag { size: [Int] }
        union Result = Post | Tag | User
        type Empty { one(a: Int!): Int }
        enum State { OPEN CLOSED }
        input Close { id: ID! }
        """)
  }

  private static func operation(
    _ field: String, _ kind: GraphQLOperationKind = .query, depth: Int = 2
  ) throws -> String {
    let schema = try schema.get()
    let text = try schema.operation(for: field, of: kind, depth: depth)
    let result = schema.validate(try GraphQLDocument(text))
    #expect(result.problems == [] && result.deprecations == [])
    return text
  }

  @Test func `GQL-21 an operation selects the leaves and the objects to the depth`() throws {
    #expect(
      try Self.operation("user") == """
        query User($id: ID!, $state: State! = OPEN) {
          user(id: $id, state: $state) {
            id
            owner {
              id
              state
              size
            }
            state
            friends {
              id
              state
              size
            }
            size
            box {
              side
            }
          }
        }

        """)
    #expect(try Self.operation("count") == "query Count {\n  count\n}\n")
    #expect(
      try Self.operation("close", .mutation, depth: 1) == """
        mutation Close($input: Close!) {
          close(input: $input) {
            id
            state
            size
          }
        }

        """)
    #expect(try Self.operation("empty").contains("empty {\n    __typename\n  }"))
  }

  @Test func `GQL-22 interfaces and unions have inline fragments, with aliases where types differ`()
    throws
  {
    #expect(
      try Self.operation("search", depth: 1) == """
        query Search($text: [String!] = ["a"]) {
          search(text: $text) {
            __typename
            ... on Post {
              id
              title
              size
            }
            ... on Tag {
              tagSize: size
            }
            ... on User {
              id
              state
              userSize: size
            }
          }
        }

        """)
    let node = try Self.operation("node")
    #expect(node.contains("userBox: box {") && node.contains("    box {"))
    #expect(node.contains("    __typename\n    id\n    owner {"))
    for depth in 1...6 { _ = try Self.operation("search", depth: depth) }
  }

  @Test func `GQL-23 an operation that would be too large, or has no field, is an error`() throws {
    let schema = try Self.schema.get()
    func error(
      _ field: String, _ kind: GraphQLOperationKind = .query, depth: Int = 2
    ) -> String? {
      do throws(GraphQLSchema.GenerationProblem) {
        _ = try schema.operation(for: field, of: kind, depth: depth)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(error("usr") == "unknown field 'Query.usr' (did you mean 'user'?)")
    #expect(error("a", .subscription) == "the schema has no subscription operations")
    #expect(
      error("user", depth: 60)
        == "the operation would select more than 10000 fields: use a smaller depth")
    #expect(error("search", depth: 1_000_000) != nil)
  }

  @Test func `GQL-61 a connection has its rows and pages, and below the top level ten rows`() throws
  {
    let schema = try GraphQLSchema(
      sdl: """
        type Query {
          orders(first: Int, after: String): Orders
          lines(after: String): Lines
          shop: Shop
        }
        type Shop { name: String orders(first: Int): Orders lines: Lines }
        type Orders { edges: [OrderEdge] nodes: [Order] pageInfo: PageInfo! total: Int }
        type OrderEdge { node: Order cursor: String }
        type Lines { edges: [LineEdge!]! pageInfo: PageInfo! }
        type LineEdge { node: Line! cursor: String }
        type Order { id: ID! lines: Lines }
        type Line { text: String }
        type PageInfo { hasNextPage: Boolean! endCursor: String startCursor: String }
        """)
    func text(_ field: String, _ depth: Int) throws -> String {
      let text = try schema.operation(for: field, depth: depth)
      #expect(schema.validate(try GraphQLDocument(text)).problems == [])
      return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(
      try text("orders", 1)
        == "query Orders($first: Int, $after: String) { orders(first: $first, after: $after) "
        + "{ nodes { id } pageInfo { hasNextPage endCursor } total } }")
    #expect(
      try text("lines", 2)
        == "query Lines($after: String) { lines(after: $after) { edges { node { text } } "
        + "pageInfo { hasNextPage endCursor } } }")
    #expect(
      try text("shop", 2)
        == "query Shop { shop { name orders { total } lines { __typename } } }")
    #expect(
      try text("shop", 3)
        == "query Shop { shop { name orders(first: 10) { nodes { id } total } "
        + "lines { edges { node { text } } } } }")
    let operation = try GraphQLDocument(schema.operation(for: "orders")).operations(schema: schema)
    #expect(operation.first?.connections.map(\.path) == [["orders"]])
  }

  @Test func `GQL-61 an interface of too many types has only its own fields`() throws {
    let schema = try Self.schema.get()
    let text = try schema.operation(for: "node", depth: 1, mostTypes: 1)
    #expect(!text.contains("... on") && text.contains("__typename\n    id"))
    #expect(try schema.operation(for: "node", depth: 1, mostTypes: 2).contains("... on User"))
  }
}
