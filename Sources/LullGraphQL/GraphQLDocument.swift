/// A parsed GraphQL document: operations and fragments, or the definitions of a schema.
///
/// The syntax is that of the September 2025 edition of the specification, which contains that of
/// October 2021. Malformed documents are errors, never crashes (GQL-25).
///
///     let document = try GraphQLDocument(bytes, name: "queries/orders.graphql")
///     let result = schema.validate(document)
package struct GraphQLDocument: Sendable {
  let source: SourceText
  let definitions: [DefinitionNode]

  /// Parses a document.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8.
  ///   - name: The name of the document in errors, such as its path.
  package init(_ bytes: [UInt8], name: String? = nil) throws(GraphQLProblem) {
    source = try SourceText(bytes, name: name)
    var parser = try DocumentParser(source)
    definitions = try parser.definitions()
  }

  package init(_ text: String, name: String? = nil) throws(GraphQLProblem) {
    try self.init(Array(text.utf8), name: name)
  }

  /// Whether a text is a name in GraphQL, such as the name of a type.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    return TokenReader.isNameStart(first) && text.utf8.allSatisfy { TokenReader.isNameContinue($0) }
  }

  /// Whether a text is a single value without variables, such as a default value.
  package static func isConstant(_ text: String) -> Bool {
    do throws(GraphQLProblem) {
      var parser = try DocumentParser(SourceText(Array(text.utf8), name: nil))
      _ = try parser.value(isConstant: true)
      return parser.token.kind == .end
    } catch {
      return false
    }
  }

  /// Whether the document defines or extends types, directives or a schema.
  package var hasTypeSystemDefinitions: Bool {
    definitions.contains { definition in
      switch definition {
      case .operation, .fragment: false
      case .schema, .type, .directive: true
      }
    }
  }

  /// Returns the text of a line, without its line break.
  ///
  /// - Parameter number: Starting at 1.
  package func line(_ number: Int) -> String { source.text(ofLine: number) }

  var operationNodes: [OperationNode] {
    definitions.compactMap { if case .operation(let node) = $0 { node } else { nil } }
  }

  var fragmentNodes: [FragmentNode] {
    definitions.compactMap { if case .fragment(let node) = $0 { node } else { nil } }
  }

  /// The fragments by name. Of several with the same name, the last.
  var fragmentsByName: [String: FragmentNode] {
    Dictionary(fragmentNodes.map { ($0.name.text, $0) }, uniquingKeysWith: { $1 })
  }
}
