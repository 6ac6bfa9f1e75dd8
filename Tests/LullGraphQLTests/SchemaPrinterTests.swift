import LullGraphQL
import Testing

/// Schemas written as documents.
@Suite(.timeLimit(.minutes(20))) struct SchemaPrinterTests {
  @Test func `GQL-60 a printed schema has descriptions, deprecations, defaults and directives`()
    throws
  {
    let text = #"""
      """
      Orders,
      and more
      """
      schema {
        query: Root
        mutation: Mutation
      }

      directive @tag(
        """Which"""
        names: [String!]! = ["a\n"]
      ) repeatable on OBJECT | UNION

      """The day"""
      scalar Date @specifiedBy(url: "https://example.com")

      interface Node {
        id: ID!
      }

      "  two\n  lines\u007F"
      type Order implements Node @tag(names: ["b"]) @tag {
        id: ID!

        """Says "hello" and \"""more\""" here"""
        lines(first: Int = 20, filter: Filter = {state: OPEN}): [Line!]! @deprecated

        """
        Ends with a "quote"
        """
        state(
          """At"""
          at: Date @deprecated(reason: "no")
          other: Int
        ): State
      }

      type Line implements Node {
        id: ID!
      }

      enum State {
        OPEN

        """Not open"""
        CLOSED @deprecated(reason: "\"gone\"")
      }

      union Result @tag = Order | Line

      input Filter @oneOf {
        state: State
        text: String
      }

      type Root {
        order: Result
      }

      type Mutation {
        close(id: ID!): Order
      }

      """# + "\n"
    let trimmed = String(text.dropLast())
    let schema = try GraphQLSchema(sdl: trimmed)
    #expect(schema.sdl == trimmed)
    // Types of an introspection have no directives.
    let plain = GraphQLSchema(
      types: [
        .init(
          name: "Query", kind: .object,
          fields: [
            .init(name: "a", type: .named("Date"), deprecationReason: "No longer supported"),
            .init(
              name: "b", arguments: [.init(name: "c", type: .named("In"), defaultValue: "{d: 1}")],
              type: .list(.named("Int")), deprecationReason: "why \"not\""),
          ]),
        .init(name: "Date", kind: .scalar, specifiedBy: "https://example.com/\""),
        .init(
          name: "In", kind: .inputObject,
          inputFields: [.init(name: "d", description: "", type: .named("Int"))], isOneOf: true),
      ], query: "Query")
    #expect(
      plain.sdl == #"""
        type Query {
          a: Date @deprecated
          b(c: In = {d: 1}): [Int] @deprecated(reason: "why \"not\"")
        }

        scalar Date @specifiedBy(url: "https://example.com/\"")

        input In @oneOf {
          ""
          d: Int
        }

        """#)
    #expect(try GraphQLSchema(sdl: plain.sdl).sdl == plain.sdl)
  }

  @Test func `GQL-60 descriptions of any form are read again as they were`() throws {
    for description in [
      "", " ", "a", "\n", "a\n", "\na", "a\n\n  b\nc", "  a\n  b", "  a\nb", "a\n  b", "\\", "\"",
      "\"\"\"", "a\"\"\"", "\\\"\"\"", "a\r\nb", "\u{1}", "\ta", "é…", "#{}",
      String(repeating: "long ", count: 40),
    ] {
      let schema = GraphQLSchema(
        description: description,
        types: [
          .init(
            name: "Query", kind: .object, description: description,
            fields: [
              .init(
                name: "a", description: description,
                arguments: [.init(name: "b", description: description, type: .named("Int"))],
                type: .named("Int"))
            ])
        ], query: "Query")
      let again = try GraphQLSchema(sdl: schema.sdl)
      let query = try #require(again.type("Query"))
      #expect(again.description == description, "\(schema.sdl)")
      #expect(query.description == description)
      #expect(query.field("a")?.description == description)
      #expect(query.field("a")?.argument("b")?.description == description)
    }
  }

  @Test func `GQL-60 root types and built-in types are printed only if they are unusual`() throws {
    for text in [
      "type Query {\n  a: Int\n}\n",
      "schema {\n  query: Query\n}\n\ntype Query {\n  a: Mutation\n}\n\ntype Mutation {\n  a: Int\n}\n",
      "schema {\n  query: Q\n}\n\ntype Q {\n  a: Int\n}\n",
      "directive @deprecated(reason: String) on FIELD_DEFINITION\n\ntype Query {\n  a: Int\n}\n",
      "type Query {\n  a: Int\n}\n\n\"\"\"A number\"\"\"\nscalar Int\n",
    ] {
      #expect(try GraphQLSchema(sdl: text).sdl == text)
    }
    let (schema, problems) = GraphQLSchema.reading([
      try GraphQLDocument("type Query { a: Int a: String } union A = Query | Query")
    ])
    #expect(problems.count == 2)
    #expect(schema.sdl == "type Query {\n  a: Int\n}\n\nunion A = Query\n")
  }

  @Test(arguments: ReferenceCase.schemas.keys.sorted())
  func `GQL-60 the schemas of the reference cases are printed and read again`(name: String) throws {
    let schema = try GraphQLSchema(sdl: try #require(ReferenceCase.schemas[name]))
    let again = try GraphQLSchema(sdl: schema.sdl)
    #expect(again.sdl == schema.sdl)
    #expect(again.types.map(\.name) == schema.types.map(\.name))
    for type in schema.types {
      let other = try #require(again.type(type.name))
      #expect(other.kind == type.kind && other.fields.map(\.type) == type.fields.map(\.type))
      #expect(other.directives == type.directives && other.interfaces == type.interfaces)
      #expect(other.isOneOf == type.isOneOf && other.specifiedBy == type.specifiedBy)
      #expect(other.inputFields.map(\.defaultValue) == type.inputFields.map(\.defaultValue))
    }
  }
}
