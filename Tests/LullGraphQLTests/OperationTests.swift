import LullGraphQL
import Testing

/// The parts of an operation that a client needs.
@Suite(.timeLimit(.minutes(20))) struct OperationTests {
  private static let schema = Result { () throws(GraphQLProblems) in
    try GraphQLSchema(
      sdl: """
        type Query { orders(first: Int, after: String, filter: Filter, state: State): Orders shops: [Shop] }
        type Mutation { close(id: ID!): Order }
        type Subscription { closed: Order }
        type Shop { name: String orders(first: Int, after: String): Orders }
        type Orders { nodes: [Order] pageInfo: PageInfo! }
        type Order { id: ID! lines(after: String): Orders }
        type PageInfo { hasNextPage: Boolean! endCursor: String }
        input Filter { text: String }
        enum State { OPEN CLOSED }
        """)
  }

  private static func operations(_ text: String, withSchema: Bool = true) throws
    -> [GraphQLOperation]
  {
    try GraphQLDocument(text).operations(schema: withSchema ? schema.get() : nil)
  }

  @Test func `GQL-18 an operation has its name, its kind and its variables in their order`() throws
  {
    let text = """
      "Lists orders"
      query Orders("how many" $first: Int = 20, $state: [State!]!, $f: Filter! = {text: "a"}, $x: Nix) { orders { nodes { id } } }
      mutation Close($id: ID!) { close(id: $id) { id } }
      subscription { closed { id } }
      """
    let operations = try Self.operations(text)
    #expect(operations.map(\.name) == ["Orders", "Close", nil])
    #expect(operations.map(\.kind) == [.query, .mutation, .subscription])
    #expect(operations[0].description == "Lists orders")
    #expect(operations[1].place.line == 3)
    let variables = operations[0].variables
    #expect(variables.map(\.name) == ["first", "state", "f", "x"])
    #expect(variables.map(\.type.description) == ["Int", "[State!]!", "Filter!", "Nix"])
    #expect(variables.map(\.kind) == [.scalar, .enum(["OPEN", "CLOSED"]), .inputObject, .unknown])
    #expect(variables.map(\.defaultValue) == ["20", nil, "{text: \"a\"}", nil])
    #expect(variables.map(\.isRequired) == [false, true, false, false])
    #expect(variables[0].description == "how many")
    let without = try Self.operations(text, withSchema: false)
    #expect(without[0].variables.allSatisfy { $0.kind == .unknown })
  }

  @Test func `GQL-19 an operation has its text with the fragments that it uses, and no others`()
    throws
  {
    let operations = try Self.operations(
      """
      fragment C on Order { id }
      "text" query A("text" $a: ID @d, \"""
      block
      \""" $b: Int) { orders { ...A } } # end
      fragment A on Orders { nodes { ...C ... { ...A } } }
      query B { orders { ...B ...Nothing } }
      "text"
      fragment B on Orders { nodes { id } }
      """)
    #expect(operations.map(\.fragments) == [["C", "A"], ["B"]])
    #expect(
      operations.map(\.text) == [
        """
        query A($a: ID @d, $b: Int) { orders { ...A } }

        fragment C on Order { id }

        fragment A on Orders { nodes { ...C ... { ...A } } }
        """,
        """
        query B { orders { ...B ...Nothing } }

        fragment B on Orders { nodes { id } }
        """,
      ])
  }

  @Test func `GQL-20 a connection is found by its page info and its variable`() throws {
    let operations = try Self.operations(
      """
      query A($after: String) { orders(after: $after) { pageInfo { hasNextPage endCursor } } }
      query B($c: String) { o: orders(first: 1, after: $c) { ...P } }
      fragment P on Orders { p: pageInfo { more: hasNextPage ... { end: endCursor } } }
      query None($after: String) {
        a: orders(after: "x") { pageInfo { hasNextPage endCursor } }
        b: orders(after: $after) { pageInfo { hasNextPage } }
        c: orders(first: $after) { pageInfo { hasNextPage endCursor } }
        d: orders(after: $after) { nodes { id } }
      }
      query Nested($a: String, $b: String) {
        orders(after: $a) { nodes { lines(after: $b) { pageInfo { hasNextPage endCursor } } } }
        orders(after: $a) { ... on Orders { pageInfo { hasNextPage } pageInfo { endCursor } } }
      }
      query List($a: String) { shops { orders(after: $a) { ...P } } }
      """)
    let connections = operations.map { operation in
      operation.connections.map { connection in
        let path = connection.path.joined(separator: ".")
        let page = connection.hasNextPage.joined(separator: ".")
        let end = connection.endCursor.joined(separator: ".")
        return "\(path) $\(connection.variable) \(page) \(end) \(connection.isInList)"
      }
    }
    let page = "pageInfo.hasNextPage pageInfo.endCursor"
    #expect(
      connections == [
        ["orders $after \(page) false"], ["o $c p.more p.end false"], [],
        ["orders $a \(page) false", "orders.nodes.lines $b \(page) true"],
        ["shops.orders $a p.more p.end true"],
      ])
  }
}
