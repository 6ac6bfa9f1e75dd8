import LullGraphQL
import Testing

/// Compares the results with those of graphql-core, an independent implementation.
@Suite(.timeLimit(.minutes(20))) struct ReferenceTests {
  private static let schemas = ReferenceCase.schemas.mapValues { text in
    Result { () throws(GraphQLProblems) in try GraphQLSchema(sdl: text) }
  }

  @Test(arguments: ReferenceCase.documents)
  func `GQL-01 a document has the errors that graphql-core finds, at the same places`(
    expected: ReferenceCase
  ) throws {
    let schema = try #require(Self.schemas[expected.schema]).get()
    let result: String
    var messages = ""
    do throws(GraphQLProblem) {
      let problems = schema.validate(try GraphQLDocument(expected.text)).problems
      messages = problems.map(\.description).joined(separator: "\n")
      result =
        expected.expected.hasSuffix("errors")
        ? "\(problems.count) errors"
        : problems.map { "\($0.place.line):\($0.place.column)" }.joined(separator: " ")
    } catch {
      messages = error.description
      result = "syntax \(error.place.line):\(error.place.column)"
    }
    #expect(result == expected.expected, "\(expected.title)\n\(messages)")
  }

  @Test(arguments: ReferenceCase.ownSchemas)
  func `GQL-02 a schema is valid if graphql-core finds it valid`(expected: ReferenceCase) {
    var result = ""
    var messages = ""
    do throws(GraphQLProblems) {
      _ = try GraphQLSchema(sdl: expected.text)
    } catch {
      messages = error.description
      let place = error.list[0].place
      result =
        expected.expected.hasPrefix("syntax") ? "syntax \(place.line):\(place.column)" : "invalid"
    }
    #expect(result == expected.expected, "\(expected.title)\n\(messages)")
  }
}
