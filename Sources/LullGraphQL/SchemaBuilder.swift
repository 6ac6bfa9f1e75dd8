extension GraphQLSchema {
  /// Makes a schema from type system documents. Extensions may be in another document than the
  /// types that they extend. Throws all errors.
  package init(sdl documents: [GraphQLDocument]) throws(GraphQLProblems) {
    let (schema, problems) = GraphQLSchema.reading(documents)
    if !problems.isEmpty { throw GraphQLProblems(list: problems) }
    self = schema
  }

  /// Makes a schema from type system documents that may have errors, as published schemas of large
  /// services do. Of several definitions of the same name, the first counts.
  package static func reading(_ documents: [GraphQLDocument]) -> (
    schema: GraphQLSchema, problems: [GraphQLProblem]
  ) {
    let schema = SchemaBuilder(documents).schema()
    var problems: [GraphQLProblem] = []
    var checks = SchemaChecks(schema, documents)
    for document in documents { problems += checks.problems(of: document) }
    return (schema, problems + checks.problemsOfWhole())
  }

  /// Makes a schema from a type system document.
  ///
  /// - Parameter name: The name of the document in errors, such as its path.
  package init(sdl bytes: [UInt8], name: String? = nil) throws(GraphQLProblems) {
    let document: GraphQLDocument
    do throws(GraphQLProblem) { document = try GraphQLDocument(bytes, name: name) } catch {
      throw GraphQLProblems(list: [error])
    }
    try self.init(sdl: [document])
  }

  package init(sdl text: String, name: String? = nil) throws(GraphQLProblems) {
    try self.init(sdl: Array(text.utf8), name: name)
  }
}

/// Merges definitions and their extensions into types, without checking them (GQL-09, GQL-12).
private struct SchemaBuilder {
  private struct Parts {
    let node: TypeDefinitionNode
    let source: SourceText
    var extensions: [(node: TypeDefinitionNode, source: SourceText)] = []

    /// The elements that the definition and its extensions have, converted.
    func all<Node, Element>(
      _ nodes: KeyPath<TypeDefinitionNode, [Node]>, _ convert: (Node, SourceText) -> Element
    ) -> [Element] {
      ([(node: node, source: source)] + extensions).flatMap { part in
        part.node[keyPath: nodes].map { convert($0, part.source) }
      }
    }
  }

  private var types: [Parts] = []
  private var directives: [(node: DirectiveDefinitionNode, source: SourceText)] = []
  private var roots: [GraphQLOperationKind: String] = [:]
  private var description: String?

  init(_ documents: [GraphQLDocument]) {
    var indices: [String: Int] = [:]
    var extensions: [(node: TypeDefinitionNode, source: SourceText)] = []
    var hasSchema = false
    for document in documents {
      for definition in document.definitions {
        switch definition {
        case .type(let node) where node.isExtension: extensions.append((node, document.source))
        case .type(let node) where indices[node.name.text] == nil:
          indices[node.name.text] = types.count
          types.append(Parts(node: node, source: document.source))
        case .directive(let node): directives.append((node, document.source))
        case .schema(let node):
          hasSchema = hasSchema || !node.isExtension
          description = description ?? node.description
          for root in node.roots where roots[root.kind] == nil {
            roots[root.kind] = root.type.text
          }
        default: break
        }
      }
    }
    for part in extensions {
      guard let index = indices[part.node.name.text] else { continue }
      types[index].extensions.append(part)
    }
    if !hasSchema {
      for (kind, name) in [
        (GraphQLOperationKind.query, "Query"), (.mutation, "Mutation"),
        (.subscription, "Subscription"),
      ] where roots[kind] == nil && indices[name] != nil { roots[kind] = name }
    }
  }

  func schema() -> GraphQLSchema {
    GraphQLSchema(
      description: description, types: types.map(type),
      directives: directives.map { node, source in
        GraphQLSchema.Directive(
          name: node.name.text, description: node.description,
          arguments: node.arguments.map { inputValue($0, source) },
          isRepeatable: node.isRepeatable, locations: node.locations)
      },
      query: roots[.query], mutation: roots[.mutation], subscription: roots[.subscription])
  }

  private func type(_ parts: Parts) -> GraphQLSchema.TypeDefinition {
    let node = parts.node
    let applied = parts.all(\.directives, self.applied)
    return GraphQLSchema.TypeDefinition(
      name: node.name.text, kind: node.kind, description: node.description,
      fields: parts.all(\.fields, field),
      interfaces: parts.all(\.interfaces) { name, _ in name.text },
      members: parts.all(\.members) { name, _ in name.text },
      values: parts.all(\.values) { node, source in
        GraphQLSchema.EnumValue(
          name: node.name.text, description: node.description,
          deprecationReason: deprecationReason(node.directives),
          directives: node.directives.map { self.applied($0, source) })
      },
      inputFields: parts.all(\.inputs, inputValue),
      isOneOf: applied.contains { $0.name == "oneOf" },
      specifiedBy: parts.all(\.directives) { directive, _ in
        text("url", of: directive, "specifiedBy")
      }
      .compactMap(\.self).first,
      directives: applied)
  }

  private func field(_ node: FieldDefinitionNode, _ source: SourceText) -> GraphQLSchema.Field {
    GraphQLSchema.Field(
      name: node.name.text, description: node.description,
      arguments: node.arguments.map { inputValue($0, source) }, type: node.type.type,
      deprecationReason: deprecationReason(node.directives),
      directives: node.directives.map { applied($0, source) })
  }

  private func inputValue(_ node: InputValueNode, _ source: SourceText)
    -> GraphQLSchema.InputValue
  {
    GraphQLSchema.InputValue(
      name: node.name.text, description: node.description, type: node.type.type,
      defaultValue: node.defaultValue.map { source.text($0.range) },
      deprecationReason: deprecationReason(node.directives),
      directives: node.directives.map { applied($0, source) })
  }

  private func applied(_ node: DirectiveNode, _ source: SourceText)
    -> GraphQLSchema.AppliedDirective
  {
    let arguments = node.arguments.map { ($0.name.text, source.text($0.value.range)) }
    return GraphQLSchema.AppliedDirective(
      name: node.name.text, arguments: Dictionary(arguments, uniquingKeysWith: { $1 }))
  }

  private func deprecationReason(_ directives: [DirectiveNode]) -> String? {
    guard let directive = directives.first(where: { $0.name.text == "deprecated" }) else {
      return nil
    }
    return text("reason", of: directive, "deprecated") ?? BuiltIns.defaultDeprecationReason
  }

  /// The text that an argument of a directive of that name has.
  private func text(_ argument: String, of directive: DirectiveNode, _ name: String) -> String? {
    guard directive.name.text == name,
      case .string(let text)? = directive.arguments.first(where: { $0.name.text == argument })?
        .value.kind
    else { return nil }
    return text
  }
}
