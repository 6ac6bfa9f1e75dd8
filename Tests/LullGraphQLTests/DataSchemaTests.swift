import LullGraphQL
import Testing

/// JSON Schemas of the data of operations.
@Suite(.timeLimit(.minutes(20))) struct DataSchemaTests {
  private static let schema = Result { () throws(GraphQLProblems) in
    try GraphQLSchema(
      sdl: """
        type Query {
          "The user. More words"
          user(id: ID): User
          users: [User!]!
          node: Node
          found: [Result]!
          orders(first: Int, after: String): Orders
          any: JSON
          size: Float! @deprecated
          ok: Boolean
        }
        interface Node { id: ID! }
        type User implements Node { id: ID! name: String state: State! age: Int friend: User }
        type Post implements Node { id: ID! title: String! }
        type Tag implements Node { id: ID! name: String }
        union Result = User | Post
        enum State { OPEN CLOSED }
        scalar JSON
        type Orders { nodes: [User] edges: [Edge] pageInfo: PageInfo! total: Int }
        type Edge { cursor: String node: User }
        type PageInfo { hasNextPage: Boolean! endCursor: String }
        """)
  }

  private static func written(_ text: String) throws -> (schema: String, definitions: [String]) {
    let schema = try schema.get()
    let document = try GraphQLDocument(text)
    var schemas = GraphQLDataSchemas(schema) { $0.split(separator: ".").first.map(String.init) }
    let operation = try #require(document.operations(schema: schema).first)
    let written = schemas.schema(of: operation)
    return (written, schemas.definitions.map { "\($0.name) \($0.text)" })
  }

  @Test func `GQL-62 a schema has the response keys with their types, and null where allowed`()
    throws
  {
    let (schema, definitions) = try Self.written(
      """
      query ($no: Boolean!) {
        me: user { ...U }
        users { state @skip(if: $no) }
        any size ok
      }
      fragment U on User { id age ... { friend { name: id } } state }
      """)
    #expect(
      schema
        == ##"{"type":"object","properties":{"me":{"description":"The user","anyOf":[{"$ref":"#/$defs/User2"},{"type":"null"}]},"##
        + ##""users":{"type":"array","items":{"$ref":"#/$defs/User3"}},"any":true,"##
        + ##""size":{"deprecated":true,"type":"number"},"ok":{"type":["boolean","null"]}},"##
        + ##""required":["me","users","any","size","ok"]}"##)
    #expect(
      definitions == [
        #"State {"enum":["OPEN","CLOSED"]}"#,
        #"User {"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#,
        ##"User2 {"type":"object","properties":{"id":{"type":"string"},"age":{"type":["integer","null"]},"##
          + ##""friend":{"anyOf":[{"$ref":"#/$defs/User"},{"type":"null"}]},"state":{"$ref":"#/$defs/State"}},"##
          + ##""required":["id","age","friend","state"]}"##,
        ##"User3 {"type":"object","properties":{"state":{"$ref":"#/$defs/State"}}}"##,
      ])
  }

  @Test func `GQL-63 interfaces and unions are alternatives, of types with the same fields one`()
    throws
  {
    let (schema, definitions) = try Self.written(
      "{ node { __typename id ... on User { name } ... on Tag { name } } }")
    #expect(
      schema.contains(
        ##""node":{"anyOf":[{"$ref":"#/$defs/Post"},{"$ref":"#/$defs/Node"},{"type":"null"}]}"##))
    #expect(
      definitions == [
        #"Node {"type":"object","properties":{"__typename":{"enum":["Tag","User"]},"id":{"type":"string"},"name":{"type":["string","null"]}},"required":["__typename","id","name"]}"#,
        #"Post {"type":"object","properties":{"__typename":{"const":"Post"},"id":{"type":"string"}},"required":["__typename","id"]}"#,
      ])
    // Without __typename, too.
    let other = try Self.written(
      "{ found { ... on User { name } ...P } } fragment P on Post { id }")
    #expect(
      other.schema.contains(
        ##""found":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/Post"},{"$ref":"#/$defs/User"},{"type":"null"}]}}"##
      ))
    #expect(other.definitions.count == 2)
  }

  @Test func `GQL-64 hostile documents have small schemas`() throws {
    // Fragments that spread the next one twice, and a cycle, which is not valid.
    for end in ["name", "...F0"] {
      var text = "{ user { ...F0 } }\n"
      for number in 0..<300 {
        text +=
          "fragment F\(number) on User { a: friend { ...F\(number + 1) } b: friend { ...F\(number + 1) } }\n"
      }
      text += "fragment F300 on User { \(end) }"
      let (schema, definitions) = try Self.written(text)
      #expect(schema.utf8.count < 1000 && definitions.count <= 301)
    }
    let long = String(repeating: "...F ", count: 100_000)
    #expect(
      try Self.written("{ user { \(long) } } fragment F on User { id }").definitions.count == 1)
  }

  @Test func `GQL-68 the rows of an operation are those of its connection, or its only list`()
    throws
  {
    func rows(_ text: String) throws -> String? {
      let schema = try Self.schema.get()
      let rows = try GraphQLDocument(text).operations(schema: schema).first?.rows
      return rows.map {
        "\($0.path.joined(separator: ".")) \($0.columns.map { $0.joined(separator: ".") })"
      }
    }
    let page = "pageInfo { hasNextPage endCursor }"
    #expect(
      try rows(
        "query ($a: String) { o: orders(after: $a) { n: nodes { id state friend { id } } \(page) } }"
      )
        == #"o.n ["id", "state"]"#)
    #expect(
      try rows(
        "query ($a: String) { orders(after: $a) { ...O \(page) } } fragment O on Orders { edges { cursor node { name } } }"
      ) == #"orders.edges ["node.name"]"#)
    #expect(try rows("query ($a: String) { orders(after: $a) { total \(page) } }") == nil)
    #expect(
      try rows("{ users { id ... on User { name } ... on Node { x: id } } }")
        == #"users ["id", "name"]"#)
    #expect(try rows("{ users { id } ok }") == nil)
    #expect(try rows("{ ok }") == nil)
    #expect(try rows("{ found { __typename } }") == "found []")
  }
}
