import LullGraphQL
import Testing

/// Messages of the rules. ReferenceTests.swift has more documents for each.
@Suite(.timeLimit(.minutes(20))) struct ValidationTests {
  private static let schema = Result { () throws(GraphQLProblems) in
    try GraphQLSchema(
      sdl: """
        type Query {
          user(id: ID!, state: State): User
          users(filter: Filter, first: Int = 10, old: Int @deprecated(reason: "use first")): [User!]!
          node: Node
          search: [Result]
          legacy: Int @deprecated(reason: "use users")
        }
        interface Node { id: ID! }
        type User implements Node { id: ID! name: String friends(first: Int): [User] }
        type Post implements Node { id: ID! title: String! }
        type Tag { name: String }
        union Result = Post | User
        enum State { ACTIVE CLOSED @deprecated(reason: "use ACTIVE") }
        input Filter { name: String, state: State, count: Int!, by: By, old: Int @deprecated }
        input By @oneOf { id: ID name: String }
        type Subscription { changed: User added: User }
        directive @log(level: Int!) on QUERY
        """)
  }

  private static func problems(_ text: String) throws -> [String] {
    try schema.get().validate(try GraphQLDocument(text)).problems.map(\.message)
  }

  @Test(arguments: [
    "query A { user(id: 1) { id } } query B { node { id } }",
    "subscription S { changed { id } changed { name } }",
    "{ node { ... on User { name } ... on Post { title } } }",
    "query Q($id: ID!, $s: State = ACTIVE) { user(id: $id, state: $s) { ...F } } fragment F on Node { id }",
    "{ users(filter: {count: 1, by: {id: 2}}) { friends { friends(first: 1) { name } } } }",
    "query Q @log(level: 1) { search { __typename ... on Post { title } } }",
    "{ a: user(id: 1) { name } b: user(id: 2) { name } }",
  ])
  func `GQL-14 a valid document has no errors`(text: String) throws {
    #expect(try Self.problems(text) == [])
  }

  @Test(arguments: [
    ("{ node { id } } type A { a: Int }", "the definition of a type cannot be executed"),
    ("mutation { a }", "the schema has no mutation operations"),
    (
      "query A { node { id } } query A { node { id } }",
      "two operations are called 'A', the other on line 1"
    ),
    (
      "{ node { id } } query A { node { id } }",
      "an operation without a name must be the only one of its document"
    ),
    (
      "subscription { changed { id } added { id } }",
      "a subscription must have only one field, found 'changed' and 'added'"
    ),
    ("subscription { __typename }", "a subscription cannot have '__typename' at its top level"),
    (
      "subscription { changed @skip(if: true) { id } }",
      "a subscription cannot have '@skip' at its top level"
    ),
    ("{ nod { id } }", "unknown field 'nod' of type 'Query' (did you mean 'node'?)"),
    (
      "{ node { title } }",
      "unknown field 'title' of type 'Node' (did you mean an inline fragment on 'Post'?)"
    ),
    (
      "{ a: users { id } a: node { id } }",
      "the fields 'a' here and on line 1 cannot be merged: 'users' and 'node' are different fields (use an alias)"
    ),
    (
      "{ users(first: 1) { id } users(first: 2) { id } }",
      "the fields 'users' here and on line 1 cannot be merged: their arguments differ (use an alias)"
    ),
    (
      "{ search { ... on Post { a: title } ... on User { a: name } } }",
      "the fields 'a' here and on line 1 cannot be merged: their types 'String!' and 'String' differ (use an alias)"
    ),
    (
      "{ node { a: id } node { a: __typename } }",
      "the fields 'node' here and on line 1 cannot be merged: in their fields 'a', 'id' and '__typename' are different fields (use an alias)"
    ),
    ("{ node }", "the field 'node' of type 'Node' needs selections, such as 'node { … }'"),
    ("{ legacy { a } }", "the field 'legacy' of type 'Int' cannot have selections"),
    ("{ node(id: 1) { id } }", "unknown argument 'id' of field 'Query.node'"),
    (
      "{ users(frist: 1) { id } }",
      "unknown argument 'frist' of field 'Query.users' (did you mean 'first'?)"
    ),
    (
      "{ users(first: 1, first: 1) { id } }", "the argument 'first' is given twice, again on line 1"
    ),
    ("{ user { id } }", "the argument 'id' of type 'ID!' is missing in field 'Query.user'"),
    (
      "{ ...F } fragment F on Query { node { id } } fragment F on Query { node { id } }",
      "two fragments are called 'F', the other on line 1"
    ),
    ("{ node { ... on Usr { id } } }", "unknown type 'Usr' (did you mean 'User'?)"),
    (
      "{ node { ... on State { id } } }",
      "a fragment needs an object, interface or union, found 'State'"
    ),
    ("{ node { id } } fragment F on Node { id }", "the fragment 'F' is never used"),
    ("{ node { ...Fa } } ", "unknown fragment 'Fa'"),
    (
      "{ node { ...A } } fragment A on Node { ...B } fragment B on Node { ...A }",
      "the fragment 'A' spreads itself through 'B'"
    ),
    (
      "{ node { ... on Tag { name } } }",
      "a fragment on 'Tag' never applies: 'Node' is never a 'Tag'"
    ),
    ("{ users(first: \"1\") { id } }", "expected a value of type 'Int', found \"1\""),
    (
      "{ user(id: 1, state: ACTVE) { id } }",
      "unknown value 'ACTVE' of enum 'State' (did you mean 'ACTIVE'?)"
    ),
    (
      "{ users(filter: []) { id } users2: users(filter: {count: null}) { id } }",
      "expected a value of type 'Int!', found null"
    ),
    (
      "{ users(filter: {count: 1, nam: \"\"}) { id } }",
      "unknown field 'nam' of input object 'Filter' (did you mean 'name'?)"
    ),
    (
      "{ users(filter: {count: 1, count: 1}) { id } }",
      "the field 'count' is given twice, again on line 1"
    ),
    ("{ users(filter: {}) { id } }", "the field 'count' of type 'Int!' is missing in 'Filter'"),
    (
      "{ users(filter: {count: 1, by: {}}) { id } }",
      "'By' needs exactly one field with a value other than null"
    ),
    ("{ node @logg { id } }", "unknown directive '@logg' (did you mean '@log'?)"),
    ("{ node @log(level: 1) { id } }", "the directive '@log' is not allowed on FIELD"),
    (
      "{ node @skip(if: true) @skip(if: true) { id } }",
      "the directive '@skip' is used twice, again on line 1"
    ),
    (
      "query @log { node { id } }",
      "the argument 'level' of type 'Int!' is missing in directive '@log'"
    ),
    (
      "query ($a: ID!, $a: ID!) { user(id: $a) { id } }",
      "the variable '$a' is defined twice, again on line 1"
    ),
    (
      "query ($a: User) { user(id: $a) { id } }",
      "the variable '$a' cannot have the output type 'User'"
    ),
    ("query Q { user(id: $id) { id } }", "the variable '$id' is not defined in operation 'Q'"),
    ("query ($i: ID!, $id: ID!) { user(id: $i) { id } }", "the variable '$id' is never used"),
    (
      "query ($a: ID) { user(id: $a) { id } }",
      "the variable '$a' of type 'ID' is used on line 1, where the type is 'ID!'"
    ),
    (
      "query ($a: ID) { users(filter: {count: 1, by: {id: $a}}) { id } }",
      "the variable '$a' of type 'ID' must be non-null: it is the value of 'By', which needs exactly one field"
    ),
  ])
  func `GQL-15 an invalid document has the error of its rule`(text: String, message: String) throws
  {
    let problems = try Self.problems(text)
    #expect(problems.contains(message), "\(problems)")
  }

  @Test func `GQL-16 errors are in the order of their places, up to a limit`() throws {
    let schema = try Self.schema.get()
    let document = try GraphQLDocument("query Q($a: Nix) {\n  b\n  c(d: $e)\n}", name: "q.graphql")
    #expect(
      schema.validate(document).problems.map(\.description) == [
        "the variable '$a' is never used in operation 'Q' (q.graphql:1:9)",
        "unknown type 'Nix' (q.graphql:1:13)",
        "unknown field 'b' of type 'Query' (q.graphql:2:3)",
        "unknown field 'c' of type 'Query' (q.graphql:3:3)",
        "the variable '$e' is not defined in operation 'Q' (q.graphql:3:8)",
      ])
    #expect(schema.validate(document, limit: 2).problems.count == 2)
  }

  @Test func `GQL-17 deprecated elements that a document uses are reported with their reasons`()
    throws
  {
    let document = try GraphQLDocument(
      """
      query Q($s: State = CLOSED) {
        legacy
        users(old: 1, filter: {count: 1, old: 1, state: CLOSED}) { ...F }
        user(id: 1, state: $s) { id }
      }
      fragment F on User { id }
      """)
    let result = try Self.schema.get().validate(document)
    #expect(result.isValid)
    #expect(
      result.deprecations.map(\.description) == [
        "enum value 'State.CLOSED' is deprecated: use ACTIVE (line 1, column 21)",
        "field 'Query.legacy' is deprecated: use users (line 2, column 3)",
        "argument 'old' of field 'Query.users' is deprecated: use first (line 3, column 9)",
        "input field 'Filter.old' is deprecated: No longer supported (line 3, column 36)",
        "enum value 'State.CLOSED' is deprecated: use ACTIVE (line 3, column 51)",
      ])
  }
}
