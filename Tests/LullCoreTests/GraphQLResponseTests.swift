import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite("GraphQL responses", .timeLimit(.minutes(20)))
struct GraphQLResponseTests {
  /// Calls `body` with the query of a harness whose service reads GraphQL.
  private func withQuery(_ body: (Harness, Resource) throws -> Void) throws {
    try withHarness { harness in
      harness.service.configure { $0.graphQL = true }
      let resource = harness.service.resource("/graphql")
      try body(harness, try resource.query(json: ["query": "{ user { name } }"]))
    }
  }

  private func load(_ resource: Resource, _ harness: Harness, _ answers: StubProvider.Answer...) {
    for answer in answers {
      harness.stub("POST", "/graphql", answer)
      resource.load()
      harness.settle()
    }
  }

  private let partial = StubProvider.Answer.json(
    #"{"data":{"user":{"name":"Ann"}},"errors":[{"message":"half"}]}"#, etag: "\"1\"")

  @Test func `GQL-30 queries of a GraphQL service are sent by POST`() throws {
    try withQuery { _, query in #expect(query.query?.method == .post) }
    var configuration = Configuration()
    #expect(configuration.queryMethod == .query)
    configuration.graphQL = true
    #expect(configuration.queryMethod == .post)
    configuration.queryMethod = .query
    #expect(configuration.queryMethod == .query)
  }

  @Test func `GQL-31 a 304 confirms data with its error; a success clears it`() throws {
    try withQuery { harness, query in
      load(query, harness, partial)
      #expect(query.latestData?.partialError?.userMessage == "half")
      #expect(query.latestError?.cause?.kind == "graphql")
      load(query, harness, .init(status: 304))
      #expect(query.latestError?.userMessage == "half")
      load(query, harness, .json(#"{"data":{"user":{"name":"Bob"}}}"#))
      #expect(query.latestError == nil)
      #expect(query.latestData?.partialError == nil)
    }
  }

  @Test func `GQL-31 a failure keeps partial data, and an override or a wipe ends the error`()
    throws
  {
    try withQuery { harness, query in
      load(query, harness, partial, .init(status: 500))
      #expect(query.latestError?.httpStatusCode == 500)
      #expect(query.latestData?.partialError != nil)
      query.overrideLocalContent(with: .object([]))
      #expect(query.latestError == nil)
      #expect(query.latestData?.partialError == nil)
      load(query, harness, partial)
      query.wipe()
      #expect(query.latestError == nil)
    }
  }

  @Test func `GQL-30 large responses are read in the thread pool with the same result`() throws {
    try withQuery { harness, query in
      let names = (0..<20_000).map { #"{"name":"user \#($0)"}"# }.joined(separator: ",")
      load(query, harness, .json(#"{"data":{"users":[\#(names)]},"errors":[{"message":"late"}]}"#))
      guard case .json(let document)? = query.latestData?.content else {
        Issue.record("the content is not JSON")
        return
      }
      #expect(document.root["users"]?.count == 20_000)
      #expect(query.latestError?.userMessage == "late")
    }
  }

  @Test(arguments: [
    #"{"errors":[7,null,"text",{},{"message":7,"path":[1,"a",{}],"locations":[]}]}"#,
    #"{"errors":[{"message":"m","path":"x","locations":{},"extensions":[1]}],"data":null}"#,
    #"{"errors":[{"message":"m","locations":[{"line":-1,"column":1e99}]}]}"#,
  ])
  func `GQL-30 errors of any shape are described`(body: String) throws {
    try withQuery { harness, query in
      load(query, harness, .json(body))
      guard case .graphQL(let errors)? = query.latestError?.cause else {
        Issue.record("\(String(describing: query.latestError))")
        return
      }
      #expect(errors.allSatisfy { !$0.message.isEmpty })
      #expect(query.latestData == nil)
    }
  }

  @Test func `GQL-30 a response with very many errors keeps 100`() throws {
    try withQuery { harness, query in
      let errors = Array(repeating: #"{"message":"m"}"#, count: 50_000).joined(separator: ",")
      load(query, harness, .json(#"{"errors":[\#(errors)]}"#))
      guard case .graphQL(let found)? = query.latestError?.cause else {
        Issue.record("no GraphQL error")
        return
      }
      #expect(found.count == 100)
      #expect(query.latestError?.userMessage == "m, and at least 99 more")
    }
  }
}
