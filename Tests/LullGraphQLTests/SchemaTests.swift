import LullGraphQL
import Testing

/// Schemas of type system documents and of plain types.
@Suite(.timeLimit(.minutes(20))) struct SchemaTests {
  private static func errors(_ text: String) -> [String] {
    do throws(GraphQLProblems) {
      _ = try GraphQLSchema(sdl: text)
      return []
    } catch {
      return error.list.map(\.description)
    }
  }

  @Test func `GQL-09 a schema has the types of its document, with its extensions`() throws {
    let schema = try GraphQLSchema(
      sdl: #"""
        "Orders"
        schema { query: Root mutation: Changes }
        scalar Date @specifiedBy(url: "https://example.com")
        interface Node { id: ID! }
        "An order"
        type Order implements Node @tag(names: ["a"]) {
          id: ID!
          "Its lines"
          lines("At most" first: Int = 20, from: Date @deprecated): [Line!]! @deprecated(reason: "no")
          state: State
        }
        type Line { text: String }
        enum State { OPEN CLOSED @deprecated }
        union Result = Order | Line
        input Filter @oneOf { state: State, text: String }
        type Root { order(filter: Filter): Result }
        type Changes { close(id: ID!): Order }
        directive @tag(names: [String!]!) repeatable on OBJECT | FIELD
        extend type Line implements Node { id: ID! }
        extend enum State { LATE }
        extend union Result = Root
        """#)
    #expect(schema.description == "Orders")
    #expect(schema.root(.query)?.name == "Root" && schema.root(.mutation)?.name == "Changes")
    #expect(schema.root(.subscription) == nil)
    let order = try #require(schema.type("Order"))
    #expect(order.kind == .object && order.description == "An order")
    #expect(order.interfaces == ["Node"])
    #expect(order.directives == [.init(name: "tag", arguments: ["names": "[\"a\"]"])])
    let lines = try #require(order.field("lines"))
    #expect(lines.type.description == "[Line!]!" && lines.description == "Its lines")
    #expect(lines.deprecationReason == "no")
    #expect(lines.argument("first")?.defaultValue == "20")
    #expect(lines.argument("first")?.description == "At most")
    #expect(lines.argument("from")?.deprecationReason == "No longer supported")
    #expect(schema.type("Date")?.specifiedBy == "https://example.com")
    #expect(schema.type("State")?.values.map(\.name) == ["OPEN", "CLOSED", "LATE"])
    #expect(schema.type("State")?.value("CLOSED")?.deprecationReason == "No longer supported")
    #expect(schema.type("Result")?.members == ["Order", "Line", "Root"])
    #expect(schema.type("Filter")?.isOneOf == true)
    let node = try #require(schema.type("Node"))
    #expect(schema.possibleTypes(node) == ["Order", "Line"])
    let tag = try #require(schema.directive("tag"))
    #expect(tag.isRepeatable && tag.locations == [.object, .field])
  }

  @Test func `GQL-10 the built-in types, directives and introspection fields are there`() throws {
    let schema = try GraphQLSchema(sdl: "type Query { a: Int }")
    for name in ["Int", "Float", "String", "Boolean", "ID", "__Schema", "__Type", "__TypeKind"] {
      #expect(schema.type(name) != nil)
    }
    let names = ["skip", "include", "deprecated", "specifiedBy", "oneOf"]
    #expect(schema.directives.map(\.name) == names)
    let query = try #require(schema.root(.query))
    for name in ["__schema", "__type", "__typename"] {
      #expect(schema.field(name, of: query) != nil)
    }
    let field = try #require(schema.type("__Field"))
    #expect(schema.field("__typename", of: field) != nil)
    #expect(schema.field("__schema", of: field) == nil)
  }

  @Test func `GQL-11 a schema can be made of plain types`() throws {
    let schema = GraphQLSchema(
      types: [
        .init(
          name: "Root", kind: .object,
          fields: [
            .init(
              name: "users", arguments: [.init(name: "first", type: .nonNull(.named("Int")))],
              type: .list(.named("User")))
          ]),
        .init(name: "User", kind: .object, fields: [.init(name: "name", type: .named("String"))]),
      ], query: "Root")
    #expect(schema.validate(try GraphQLDocument("{ users(first: 1) { name } }")).isValid)
    #expect(
      schema.validate(try GraphQLDocument("{ users { nme } }")).problems.map(\.description) == [
        "the argument 'first' of type 'Int!' is missing in field 'Root.users' (line 1, column 3)",
        "unknown field 'nme' of type 'User' (did you mean 'name'?) (line 1, column 11)",
      ])
  }

  @Test func `GQL-12 a schema of several documents has the names of these in its errors`() throws {
    let documents = [
      try GraphQLDocument("type Query { a: A }", name: "query.graphql"),
      try GraphQLDocument("extend type Query { b: B }\ntype A { a: Int }", name: "more.graphql"),
    ]
    let (schema, problems) = GraphQLSchema.reading(documents)
    #expect(problems.map(\.description) == ["unknown type 'B' (more.graphql:1:24)"])
    #expect(schema.type("Query")?.fields.map(\.name) == ["a", "b"])
    #expect(throws: GraphQLProblems.self) { try GraphQLSchema(sdl: documents) }
  }

  @Test(arguments: [
    (
      "type A { a: Int }",
      "the schema has no root type for queries, such as 'Query' (line 1, column 1)"
    ),
    (
      "type Query { a: Int a: Int }",
      "the field 'a' of 'Query' is defined twice (line 1, column 21)"
    ),
    (
      "type Query { a: Strng }", "unknown type 'Strng' (did you mean 'String'?) (line 1, column 17)"
    ),
    (
      "type Query { a: Int } type Query { b: Int }",
      "the type 'Query' is defined twice (line 1, column 28)"
    ),
    ("type Query { a: Int } { a }", "an operation cannot be part of a schema (line 1, column 23)"),
    (
      "type Query { a: Int } extend type Qury { b: Int }",
      "the extended type 'Qury' is not defined (did you mean 'Query'?) (line 1, column 35)"
    ),
    (
      "type Query { a: Int } extend input Query { b: Int }",
      "'Query' cannot be extended as an input object, because it is an object type (line 1, column 23)"
    ),
    (
      "type Query implements I { b: Int } interface I { a: Int }",
      "'Query' needs the field 'a' of interface 'I' (line 1, column 23)"
    ),
    (
      "type Query implements I { a: Int } interface I { a: ID }",
      "the field 'Query.a' needs the type 'ID' of interface 'I', found 'Int' (line 1, column 23)"
    ),
    (
      "type Query { a(b: I): Int } input I { i: I! }",
      "the input object 'I' cannot have a value, because it needs input objects without end (line 1, column 29)"
    ),
    (
      "type Query { a(b: Int = \"x\"): Int }",
      "expected a value of type 'Int', found \"x\" (line 1, column 25)"
    ),
    (
      "type Query @skip(if: true) { a: Int }",
      "the directive '@skip' is not allowed on OBJECT (line 1, column 12)"
    ),
    ("type Query { a: Int @key }", "unknown directive '@key' (line 1, column 21)"),
    (
      "type Query { a: U } union U = Query | Int",
      "a union can only have object types, found 'Int' (line 1, column 39)"
    ),
    (
      "type Query { __a: Int }",
      "'__a' must not begin with '__', which is reserved (line 1, column 14)"
    ),
    ("type Query", "the type 'Query' needs at least one field (line 1, column 1)"),
  ])
  func `GQL-13 an error of a schema says what is wrong, and where`(text: String, message: String) {
    #expect(Self.errors(text) == [message])
  }
}
