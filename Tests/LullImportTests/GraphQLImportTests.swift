import LullCore
import LullGraphQL
import LullImport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct GraphQLImportTests {
  // MARK: Introspection

  private static func type(_ name: String, _ wrappers: String...) -> String {
    wrappers.reversed().reduce(#"{"kind":"X","name":"\#(name)","ofType":null}"#) {
      #"{"kind":"\#($1)","name":null,"ofType":\#($0)}"#
    }
  }

  private static func introspection(_ types: String) -> String {
    #"{"__schema":{"queryType":{"name":"Query"},"mutationType":null,"types":[\#(types)],"#
      + #""directives":[{"name":"skip","locations":["FIELD"],"args":[]},"#
      + #"{"name":"cache","description":"Kept","isRepeatable":true,"locations":["FIELD","NEW"],"args":"#
      + #"[{"name":"age","type":\#(type("Int")),"defaultValue":"1"}]}]}}"#
  }

  private static let types = [
    #"{"kind":"OBJECT","name":"Query","description":"All","interfaces":[],"fields":["#
      + #"{"name":"user","description":null,"isDeprecated":true,"deprecationReason":"old","type":"#
      + type("User", "NON_NULL", "LIST", "NON_NULL")
      + #","args":[{"name":"in","description":"Which","type":\#(type("In")),"defaultValue":"{id: 1}","isDeprecated":true}]}]}"#,
    #"{"kind":"INTERFACE","name":"Node","fields":[{"name":"id","type":\#(type("ID", "NON_NULL"))}]}"#,
    #"{"kind":"OBJECT","name":"User","interfaces":[{"name":"Node"}],"fields":[{"name":"id","type":\#(type("ID", "NON_NULL")),"args":[]}]}"#,
    #"{"kind":"UNION","name":"Any","possibleTypes":[{"name":"User"}]}"#,
    #"{"kind":"ENUM","name":"State","enumValues":[{"name":"A"},{"name":"B","isDeprecated":true,"deprecationReason":null}]}"#,
    #"{"kind":"INPUT_OBJECT","name":"In","isOneOf":true,"inputFields":[{"name":"id","type":\#(type("ID")),"defaultValue":null}]}"#,
    #"{"kind":"SCALAR","name":"Date","specifiedByURL":"https://example.com"}"#,
    #"{"kind":"SCALAR","name":"Int"}"#, #"{"kind":"OBJECT","name":"__Type","fields":[]}"#,
  ].joined(separator: ",")

  private static func read(_ text: String) throws -> GraphQLSchema {
    try IntrospectionReader.schema(of: JSONDocument(parsing: Array(text.utf8)))
  }

  @Test func `GQL-70 an introspection is read with and without its envelope`() throws {
    let text = Self.introspection(Self.types)
    let schema = try Self.read(text)
    #expect(
      schema.sdl == #"""
        """Kept"""
        directive @cache(age: Int = 1) repeatable on FIELD

        """All"""
        type Query {
          user(
            """Which"""
            in: In = {id: 1} @deprecated
          ): [User!]! @deprecated(reason: "old")
        }

        interface Node {
          id: ID!
        }

        type User implements Node {
          id: ID!
        }

        union Any = User

        enum State {
          A
          B @deprecated
        }

        input In @oneOf {
          id: ID
        }

        scalar Date @specifiedBy(url: "https://example.com")

        """#)
    #expect(try Self.read(#"{"data":\#(text)}"#).sdl == schema.sdl)
    _ = try GraphQLSchema(sdl: schema.sdl)
  }

  @Test func `GQL-71 an incomplete or forged introspection is refused with its place`() throws {
    func problem(_ text: String) -> String {
      do {
        _ = try Self.read(text)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let query =
      #"{"kind":"OBJECT","name":"Query","fields":[{"name":"NAME","type":TYPE,"args":ARGS}]}"#
    func object(
      _ name: String = "a", _ type: String = GraphQLImportTests.type("Int"), _ args: String = "[]"
    ) -> String {
      problem(
        Self.introspection(
          query.replacing("NAME", with: name).replacing("TYPE", with: type)
            .replacing("ARGS", with: args)))
    }
    #expect(object() == "")
    #expect(object("../x").contains("is called '../x', which is not a GraphQL name"))
    #expect(object("a", "null") == "the type of 'Query.a' is incomplete")
    #expect(object("a", #"{"kind":"LIST","ofType":null}"#) == "the type of 'Query.a' is incomplete")
    let forged = #"[{"name":"b","type":\#(Self.type("Int")),"defaultValue":"1) { x"}]"#
    #expect(
      object("a", Self.type("Int"), forged) == "the default of 'Query.a.b' is not a GraphQL value")
    #expect(problem("{}") == "not the result of an introspection: expected the field '__schema'")
    #expect(
      problem(#"{"data":null,"errors":[{"message":"log in"}]}"#)
        == "the server does not return its schema: log in")
    #expect(problem(#"{"__schema":{}}"#) == "the schema has no list 'types'")
    #expect(
      problem(Self.introspection(#"{"name":"A","kind":"B"}"#)) == "the type 'A' has no known 'kind'"
    )
    for query in IntrospectionQuery.all {
      let document = try GraphQLDocument(query.text)
      let schema = try GraphQLSchema(sdl: "type Query { a: Int }")
      #expect(schema.validate(document).problems == [])
    }
    #expect(IntrospectionQuery.all.count == 4)
  }

  // MARK: Calls

  private static let sdl = """
    "The shop"
    schema { query: Query mutation: Mutation subscription: Subscription }
    type Query {
      "All orders. Newest first"
      orders("How many" first: Int, after: String, "In which state" state: State, key: ID): Orders
      "One order"
      order("Its number" id: ID!): Order
      shops: [Shop!]
      node: Node
    }
    type Mutation { order(input: OrderInput!): Order @deprecated }
    type Subscription { closed: Order }
    interface Node { id: ID! }
    type Orders { nodes: [Order!] pageInfo: PageInfo! total: Int! }
    type Order implements Node { id: ID! state: State! shop: Shop }
    type Shop implements Node { id: ID! name: String }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    input OrderInput { id: ID! }
    enum State { OPEN CLOSED }
    """

  private static func options(_ endpoint: String = "https://a.example/api/graphql")
    -> GraphQLImport.Options
  {
    var options = GraphQLImport.Options(endpoint: endpoint, name: "shop")
    options.folder = "apis/"
    options.taken = ["--key"]
    return options
  }

  @Test func `GQL-72 each field of the root types is a call with an operation`() throws {
    let schema = try GraphQLSchema(sdl: Self.sdl)
    let result = GraphQLImport.read(schema, Self.options())
    #expect(
      APIFileWriter.text(of: result.api) == """
        local lull = require "lull"

        local api = lull.service{ base_url = "https://a.example/api" }

        return {
          service = api,
          description = "The shop",
          graphql = "shop.graphql",
          calls = {
            node = { path = "/graphql", graphql_file = "shop/node.graphql" },
            order = {
              path = "/graphql",
              graphql_file = "shop/order.graphql",
              params = { id = { description = "Its number" } },
              description = "One order",
            },
            orders = {
              path = "/graphql",
              graphql_file = "shop/orders.graphql",
              params = { state = { description = "In which state" }, key = { option = "--variable-key" } },
              description = "All orders",
              rows = "orders.nodes",
              columns = { "id", "state" },
              pages = "relay",
            },
            shops = {
              path = "/graphql",
              graphql_file = "shop/shops.graphql",
              rows = "shops",
              columns = { "id", "name" },
            },
            order_2 = {
              path = "/graphql",
              graphql_file = "shop/order_2.graphql",
              description = "Deprecated",
            },
            closed = { path = "/graphql", graphql_file = "shop/closed.graphql" },
          },
        }

        """)
    #expect(
      result.api.notes == ["mutation order is named 'order_2', because there is another 'order'"])
    #expect(result.api.leftOut == [])
    #expect(result.files.count == 6)
    for file in result.files {
      let document = try GraphQLDocument(file.bytes)
      #expect(schema.validate(document).isValid && document.operations().count == 1)
    }
    let schemas = try JSONDocument(parsing: try #require(result.schemas)).root
    #expect(
      schemas["calls"]?["orders"]?["responses"]?["200"]?["properties"]?["orders"]?["anyOf"]?[0]?[
        "$ref"]?
        .string == "#/$defs/Orders")
    #expect(schemas["$defs"]?["State"]?["enum"]?.count == 2)
  }

  @Test func `GQL-73 the endpoint is split into the base URL and the path of the calls`() throws {
    let schema = try GraphQLSchema(sdl: Self.sdl)
    for (endpoint, base, path) in [
      ("https://a.example/graphql", "https://a.example", "/graphql"),
      ("https://A.example:443/x/graphql/", "https://a.example/x", "/graphql/"),
      ("http://a.example:8080", "http://a.example:8080", ""),
      ("https://a.example/", "https://a.example", ""),
      ("https://a.example/g?version=1#x", "https://a.example", "/g"),
    ] {
      let api = GraphQLImport.read(schema, Self.options(endpoint)).api
      #expect(api.baseURL == base && api.calls[0].path == path, "\(endpoint)")
      #expect(api.notes.contains { $0.contains("the query of the URL") } == endpoint.contains("?"))
    }
    #expect(
      APIFileWriter.text(of: GraphQLImport.read(schema, Self.options("http://a.example")).api)
        .contains(#"closed = { graphql_file = "shop/closed.graphql" }"#))
  }

  @Test func `GQL-74 credentials become secrets, and other headers stay`() throws {
    let schema = try GraphQLSchema(sdl: Self.sdl)
    var options = Self.options("https://me:pass@a.example/graphql")
    #expect(
      GraphQLImport.read(schema, options).api.access
        == ImportedAccess(.basic(user: "SHOP_USER", password: "SHOP_PASSWORD")))
    options = Self.options()
    options.headers = [
      ("Authorization", "Bearer t0ken"), ("X-Api-Key", "k3y"), ("X-Version", "2"),
      ("Accept", "*/*"),
    ]
    var api = GraphQLImport.read(schema, options).api
    #expect(api.access.way == .bearer(variable: "SHOP_TOKEN"))
    #expect(api.headers.map(\.name) == ["X-Version"])
    #expect(api.variables == ["SHOP_API_KEY", "SHOP_TOKEN"])
    api.origin = ImportOrigin(words: ["graphql", "x"], only: [], access: api.access).lines
    let text = APIFileWriter.text(of: api)
    #expect(
      text.contains(#"-H "Authorization: Bearer $SHOP_TOKEN" -H "X-Api-Key: $SHOP_API_KEY""#)
        || text.contains("Bearer $SHOP_TOKEN\""), "\(text)")
    #expect(!text.contains("t0ken") && !text.contains("k3y"))
  }

  @Test func `GQL-75 given documents have a call for each operation`() throws {
    let schema = try GraphQLSchema(sdl: Self.sdl)
    var options = Self.options()
    let text = """
      # kept
      query Recent($n: Int, $a: String) {
        orders(first: $n, after: $a) { nodes { id } pageInfo { hasNextPage endCursor } }
      }
      "Closes one"
      mutation Close($input: OrderInput!) { order(input: $input) { id } }
      """
    options.operations = [
      .init(shownName: "ops/two.graphql", bytes: Array(text.utf8), place: nil),
      .init(
        shownName: "apis/x/one.graphql", bytes: Array("{ shops { id } }".utf8),
        place: "x/one.graphql"),
      .init(shownName: "bad.graphql", bytes: Array("{ shop { id } }".utf8), place: nil),
      .init(shownName: "worse.graphql", bytes: Array("{ ".utf8), place: nil),
      .init(
        shownName: "none.graphql", bytes: Array("fragment F on Query { a: __typename }".utf8),
        place: nil),
    ]
    let result = GraphQLImport.read(schema, options)
    #expect(result.files == [.init(name: "shop/two.graphql", bytes: Array(text.utf8))])
    #expect(result.api.calls.map(\.name) == ["Recent", "Close", "one"])
    #expect(result.api.calls.map(\.operation) == ["Recent", "Close", nil])
    #expect(
      result.api.calls.map(\.graphQLFile) == [
        "shop/two.graphql", "shop/two.graphql", "x/one.graphql",
      ])
    #expect(result.api.calls[0].pages == .relay(path: nil))
    #expect(result.api.calls[1].description == "Closes one")
    #expect(result.api.calls[2].rows == "shops")
    #expect(
      result.api.leftOut.map(\.what) == ["bad.graphql", "worse.graphql", "none.graphql"])
    #expect(
      result.api.notes.contains {
        $0 == "bad.graphql:1:3: unknown field 'shop' of type 'Query' (did you mean 'shops'?)"
      }, "\(result.api.notes)")
    options.only = [NamePattern("mutation")]
    #expect(GraphQLImport.read(schema, options).api.calls.map(\.name) == ["Close"])
  }

  @Test func `GQL-76 an operation that would be too large gets a smaller depth`() throws {
    let fields = (0..<60).map { "f\($0): T" }.joined(separator: " ")
    let schema = try GraphQLSchema(sdl: "type Query { t: T n: Int } type T { a: Int \(fields) }")
    var options = Self.options()
    options.depth = 4
    let result = GraphQLImport.read(schema, options)
    #expect(result.api.calls.map(\.name) == ["n", "t"])
    #expect(
      result.api.notes == [
        "smaller depth than 4, because more than 2000 fields would be selected: t"
      ])
    #expect(result.files[1].bytes.count < 3000)
    let leaves = (0..<2100).map { "f\($0): Int" }.joined(separator: " ")
    let large = try GraphQLSchema(sdl: "type Query { t: T n: Int } type T { \(leaves) }")
    #expect(GraphQLImport.read(large, options).api.leftOut.map(\.what) == ["query t"])
  }

  @Test func `GQL-77 an operation that the user has changed decides the call and its schema`()
    throws
  {
    let schema = try GraphQLSchema(sdl: Self.sdl)
    var options = Self.options()
    options.only = [NamePattern("orders"), NamePattern("shops")]
    options.edited = { name in
      name == "shop/shops.graphql"
        ? Array("query A { node { id } } query Shops { shops { name } }".utf8)
        : Array("query Orders {\n  order { id }\n}".utf8)
    }
    let result = GraphQLImport.read(schema, options)
    #expect(result.api.calls.map(\.operation) == [nil, "Shops"])
    #expect(result.api.calls[1].columns == ["name"])
    #expect(
      result.api.notes == [
        "apis/shop/orders.graphql:2:3: the argument 'id' of type 'ID!' is missing in field 'Query.order'"
      ], "\(result.api.notes)")
    let schemas = try JSONDocument(parsing: try #require(result.schemas)).root
    #expect(schemas["calls"]?.pairs.map(\.key) == ["shops"])
  }
}
