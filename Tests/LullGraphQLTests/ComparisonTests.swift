import LullGraphQL
import Testing

/// Operations compared with a newer schema.
@Suite(.timeLimit(.minutes(20))) struct ComparisonTests {
  private static let older = """
    type Query {
      user(id: ID!, filter: Filter, state: State, first: Int = 10): User
      gone: Int
      old: Int @deprecated
      found: Result
    }
    type User { id: ID! name: String! age: Int state: State }
    input Filter { text: String, inner: Inner, size: Int! = 1, wide: Int!, last: Int }
    input Inner { a: Int }
    enum State { OPEN CLOSED LATE }
    union Result = User
    """
  private static let newer = """
    type Query {
      user(id: ID!, filter: Filter, state: State, first: Int = 20): User
      old: Int @deprecated
      found: Result
    }
    type User { id: ID! name: String age: Int! @deprecated(reason: "no") state: State }
    type Post { id: ID! }
    input Filter { text: String!, inner: Inner, size: Int!, wide: Int }
    input Inner { a: Int, b: Int! }
    enum State { OPEN CLOSED NEW }
    union Result = User | Post
    """

  private static func changes(_ text: String, since older: String? = older) throws -> [String] {
    let newer = try GraphQLSchema(sdl: newer)
    let old = try older.map { try GraphQLSchema(sdl: $0) }
    let document = try GraphQLDocument(text)
    return newer.changes(since: old, in: document).map {
      "\($0.place.line):\($0.place.column) \($0.severity) \($0.kind.rawValue): \($0.message)"
    }
  }

  @Test func `GQL-65 an operation that is no longer valid, or newly deprecated, is found`() throws {
    #expect(
      try Self.changes("{\n  gone old\n  user(id: 1, first: 1) { id age }\n}") == [
        "2:3 breaking invalid: unknown field 'gone' of type 'Query'",
        "3:30 changed deprecated: field 'User.age' is deprecated: no",
        "3:30 changed type: the field 'User.age' now has the type 'Int!', before 'Int'",
      ])
    #expect(
      try Self.changes("{ old }", since: nil) == [
        "1:3 changed deprecated: field 'Query.old' is deprecated: No longer supported"
      ])
    #expect(try Self.changes("{ old }") == [])
  }

  @Test func `GQL-66 changed types of selected fields and of the parts of variables are found`()
    throws
  {
    #expect(
      try Self.changes(
        "query ($f: Filter, $s: State) { user(id: 1, filter: $f, state: $s, first: 1) { ...U } }\nfragment U on User { name }"
      ) == [
        "1:8 breaking variable: the variable '$f': 'Filter' no longer has the field 'last'",
        "1:8 breaking variable: the variable '$f': the field 'Filter.text' now has the type 'String!', before 'String'",
        "1:8 breaking variable: the variable '$f': 'Filter' now needs the field 'size'",
        "1:8 changed variable: the variable '$f': the field 'Filter.wide' now has the type 'Int', before 'Int!'",
        "1:8 breaking variable: the variable '$f': 'Inner' now needs the field 'b'",
        "1:20 breaking variable: the variable '$s': the enum 'State' no longer has the values: LATE",
        "2:22 breaking type: the field 'User.name' now has the type 'String', before 'String!'",
      ])
  }

  @Test func `GQL-67 changed defaults, values of enums and further types are found`() throws {
    #expect(
      try Self.changes("{ user(id: 1) { state } found { __typename } }") == [
        "1:3 changed default: the default of the argument 'first' of 'Query.user' is now '20', before '10'",
        "1:17 changed values: the enum 'State' has new values: NEW",
        "1:17 changed values: the enum 'State' no longer has the values: LATE",
        "1:25 added values: 'Result' has new types: Post",
      ])
  }

  @Test func `GQL-67 a place belongs to the operations that use it`() throws {
    let document = try GraphQLDocument(
      "query A { ...F }\nquery B { old }\nfragment F on Query { gone }")
    let operations = document.operations()
    let places = try GraphQLSchema(sdl: Self.newer).changes(since: nil, in: document).map(\.place)
    #expect(places.map(\.line) == [2, 3])
    #expect(operations.map { $0.contains(places[0]) } == [false, true])
    #expect(operations.map { $0.contains(places[1]) } == [true, false])
    #expect(document.line(2) == "query B { old }" && document.line(4) == "")
  }
}
