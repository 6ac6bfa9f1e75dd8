/// An operation of a document, with the parts that a client needs to send it (GQL-18, GQL-19).
///
///     for operation in document.operations(schema: schema) where operation.kind == .query {
///       send(operation.text, operation.name, values(of: operation.variables))
///     }
package struct GraphQLOperation: Sendable {
  package struct Variable: Sendable {
    package enum Kind: Equatable, Sendable {
      case scalar
      /// With the names of its values.
      case `enum`([String])
      case inputObject
      /// The schema is not given or does not have the type.
      case unknown
    }

    /// The name without `$`.
    package let name: String
    package let description: String?
    package let type: GraphQLType
    /// The kind of the named type.
    package let kind: Kind
    /// The default value in GraphQL syntax, such as `"a"` or `[RED]`.
    package let defaultValue: String?

    /// Whether a value must be given: non-null and without default.
    package var isRequired: Bool { type.isNonNull && defaultValue == nil }
  }

  /// A list of pages, as in the cursor connections of Relay (GQL-20).
  package struct Connection: Equatable, Sendable {
    /// The response keys from the top level to the connection.
    package let path: [String]
    /// The name of the variable, without `$`, that is the argument `after` of the connection.
    package let variable: String
    /// The response keys, within the connection, of `hasNextPage` and `endCursor`.
    package let hasNextPage: [String]
    package let endCursor: [String]
    /// The response key of `nodes`, or else of `edges`; nil if neither is selected.
    package let rows: String?
    /// Whether the connection is in a list, so that it occurs more than once. Known only with a
    /// schema; false without one.
    package let isInList: Bool
  }

  /// nil for an operation without a name.
  package let name: String?
  package let kind: GraphQLOperationKind
  package let description: String?
  /// In the order of their definitions.
  package let variables: [Variable]
  package let place: GraphQLPlace

  // The rest is computed on demand: all operations may use all fragments.
  let node: OperationNode
  let document: GraphQLDocument
  let schema: GraphQLSchema?
}

extension GraphQLOperation {
  /// The names of the fragments that it uses, in the order of the document.
  package var fragments: [String] { usedFragments.map(\.name.text) }

  /// The operation and its fragments as a document. Descriptions are left out, because servers of
  /// older editions reject them.
  package var text: String {
    let operation = document.source.text(
      node.range, without: [node.description] + node.variables.map(\.description))
    let fragments = usedFragments.map { document.source.text($0.range, without: [$0.description]) }
    return ([operation] + fragments).joined(separator: "\n\n")
  }

  /// The connections whose page is set by a variable, in the order of their selections.
  package var connections: [Connection] {
    var reader = ConnectionReader(fragments: document.fragmentsByName, schema: schema)
    return reader.connections(of: node)
  }

  var usedFragments: [FragmentNode] {
    let fragments = document.fragmentsByName
    var used: Set<String> = []
    var pending = GraphQLOperation.spreads(in: node.selections)
    while let name = pending.popLast() {
      guard let fragment = fragments[name], used.insert(name).inserted else { continue }
      pending += GraphQLOperation.spreads(in: fragment.selections)
    }
    return used.compactMap { fragments[$0] }.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  private static func spreads(in set: SelectionSetNode) -> [String] {
    set.selections.flatMap { selection -> [String] in
      switch selection {
      case .field(let field): field.selections.map(spreads) ?? []
      case .inline(let fragment): spreads(in: fragment.selections)
      case .spread(let spread): [spread.name.text]
      }
    }
  }
}

extension GraphQLDocument {
  /// The operations of the document, in their order. The document need not be valid.
  ///
  /// - Parameter schema: Gives the kinds of the variables.
  package func operations(schema: GraphQLSchema? = nil) -> [GraphQLOperation] {
    operationNodes.map { node in
      GraphQLOperation(
        name: node.name?.text, kind: node.kind, description: node.description?.text,
        variables: node.variables.map { variable($0, schema) },
        place: source.place(of: node.range.lowerBound), node: node, document: self, schema: schema)
    }
  }

  private func variable(_ node: VariableDefinitionNode, _ schema: GraphQLSchema?)
    -> GraphQLOperation.Variable
  {
    let type = schema?.type(node.type.type.name)
    let kind: GraphQLOperation.Variable.Kind =
      switch type?.kind {
      case .scalar: .scalar
      case .enum: .enum(type?.values.map(\.name) ?? [])
      case .inputObject: .inputObject
      default: .unknown
      }
    return GraphQLOperation.Variable(
      name: node.name.text, description: node.description?.text, type: node.type.type, kind: kind,
      defaultValue: node.defaultValue.map { source.text($0.range) })
  }
}

extension SourceText {
  /// The text of a definition without descriptions and the whitespace after them.
  fileprivate func text(_ range: Range<Int>, without descriptions: [DescriptionNode?]) -> String {
    var result = ""
    var start = range.lowerBound
    for description in descriptions.compactMap(\.self) {
      result += text(start..<description.range.lowerBound)
      start = description.range.upperBound
      while start < range.upperBound, [9, 10, 13, 32].contains(bytes[start]) { start += 1 }
    }
    return result + text(start..<range.upperBound)
  }
}
