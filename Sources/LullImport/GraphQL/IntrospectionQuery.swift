/// The query for the schema of a GraphQL server.
package struct IntrospectionQuery: Sendable {
  /// Whether it asks whether an input object needs exactly one field (edition of 2025).
  private var hasOneOf = true
  /// Whether it asks for deprecated arguments and input fields.
  private var hasDeprecatedInputs = true
  /// Whether it asks for the parts that the edition of 2021 has added.
  private var hasAdditions = true

  /// The queries from the newest edition to the oldest. A server that does not know a part of one
  /// refuses the whole query.
  package static let all: [IntrospectionQuery] = {
    var queries = [IntrospectionQuery()]
    for part in [\IntrospectionQuery.hasOneOf, \.hasDeprecatedInputs, \.hasAdditions] {
      var query = queries[queries.count - 1]
      query[keyPath: part] = false
      queries.append(query)
    }
    return queries
  }()

  /// The levels of lists and non-null types that it reads.
  static let deepest = 9

  package var text: String {
    let inputs = hasDeprecatedInputs ? "(includeDeprecated: true)" : ""
    var type = "kind name"
    for _ in 0..<IntrospectionQuery.deepest { type = "kind name ofType { \(type) }" }
    return """
      query IntrospectionQuery {
        __schema {
          \(hasAdditions ? "description " : "")queryType { name } mutationType { name } subscriptionType { name }
          types { ...FullType }
          directives {
            name description \(hasAdditions ? "isRepeatable " : "")locations
            args\(inputs) { ...InputValue }
          }
        }
      }
      fragment FullType on __Type {
        kind name description \(hasAdditions ? "specifiedByURL " : "")\(hasOneOf ? "isOneOf" : "")
        fields(includeDeprecated: true) {
          name description isDeprecated deprecationReason
          args\(inputs) { ...InputValue }
          type { ...TypeRef }
        }
        inputFields\(inputs) { ...InputValue }
        interfaces { name }
        enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
        possibleTypes { name }
      }
      fragment InputValue on __InputValue {
        name description defaultValue\(hasDeprecatedInputs ? " isDeprecated deprecationReason" : "")
        type { ...TypeRef }
      }
      fragment TypeRef on __Type { \(type) }
      """
  }
}
