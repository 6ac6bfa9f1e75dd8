/// The result of validating an executable document against a schema (GQL-16, GQL-17).
package struct GraphQLValidation: Sendable {
  /// A deprecated field, argument, input field or enum value that the document uses.
  package struct Deprecation: Equatable, Sendable, CustomStringConvertible {
    /// The element, such as "field 'Query.users'".
    package let element: String
    package let reason: String
    package let place: GraphQLPlace

    package var description: String { "\(element) is deprecated: \(reason) (\(place))" }
  }

  /// The errors, in the order of their places. Empty if the document is valid.
  package let problems: [GraphQLProblem]
  /// The uses of deprecated elements, in the order of their places.
  package let deprecations: [Deprecation]

  package var isValid: Bool { problems.isEmpty }
}

extension GraphQLSchema {
  /// Validates the operations and fragments of a document by all rules of section 5 of the
  /// specification.
  ///
  /// - Parameter limit: The number of errors after which no more are recorded.
  package func validate(_ document: GraphQLDocument, limit: Int = 100) -> GraphQLValidation {
    var validator = DocumentValidator(document, self, limit: limit)
    validator.validate()
    let source = document.source
    let deprecations = validator.checker.deprecations.sorted { $0.start < $1.start }
    return GraphQLValidation(
      problems: validator.checker.sortedProblems,
      deprecations: deprecations.map { use in
        .init(element: use.element, reason: use.reason, place: source.place(of: use.start))
      })
  }
}

/// Applies the rules to the definitions of a document (GQL-01, GQL-14 to GQL-16). Hostile documents
/// can't make this slow or exhaust the stack (GQL-24).
struct DocumentValidator {
  /// The variables and spreads of a definition, without those of the fragments that it spreads.
  struct Uses {
    var variables: [VariableUse] = []
    var spreads: [SpreadNode] = []
  }

  let document: GraphQLDocument
  let schema: GraphQLSchema
  let fragments: [String: FragmentNode]
  var checker: ValueChecker
  var fragmentUses: [String: Uses] = [:]
  private var spreads: [SpreadNode] = []
  /// The selection sets that remain to be checked, instead of recursion.
  private var pending: [(set: SelectionSetNode, parent: GraphQLSchema.TypeDefinition?)] = []
  /// The remaining steps of the rules whose cost is not proportional to the size of the document.
  var budget = 500_000

  init(_ document: GraphQLDocument, _ schema: GraphQLSchema, limit: Int) {
    self.document = document
    self.schema = schema
    fragments = document.fragmentsByName
    checker = ValueChecker(schema, document.source, limit: limit)
  }

  mutating func report(_ message: String, at start: Int) {
    checker.report(message, at: start)
  }

  mutating func validate() {
    var operations: [(node: OperationNode, uses: Uses)] = []
    for definition in document.definitions {
      switch definition {
      case .operation(let node): operations.append((node, check(node)))
      case .fragment(let node): fragmentUses[node.name.text] = check(node)
      case .schema(let node): reportTypeSystemDefinition("a schema", at: node.start)
      case .type(let node): reportTypeSystemDefinition("a type", at: node.start)
      case .directive(let node): reportTypeSystemDefinition("a directive", at: node.start)
      }
    }
    checkOperationNames()
    checkFragmentNames()
    checkFragmentCycles()
    checkUses(operations)
    checkMerging()
    if budget < 0 {
      report("the document is too complex to validate: too many fields must be compared", at: 0)
    }
  }

  private mutating func reportTypeSystemDefinition(_ kind: String, at start: Int) {
    report("the definition of \(kind) cannot be executed", at: start)
  }

  // MARK: Definitions

  private mutating func check(_ node: OperationNode) -> Uses {
    let root = schema.root(node.kind)
    if root == nil {
      report("the schema has no \(node.kind.rawValue) operations", at: node.range.lowerBound)
    }
    for variable in node.variables { check(variable) }
    checkVariableNames(node)
    checker.check(node.directives, at: node.kind.location)
    if node.kind == .subscription, let root { checkSubscription(node, root) }
    check(node.selections, of: root)
    return takeUses()
  }

  private mutating func check(_ node: FragmentNode) -> Uses {
    let type = compositeType(node.condition)
    checker.check(node.directives, at: .fragmentDefinition)
    check(node.selections, of: type)
    return takeUses()
  }

  private mutating func takeUses() -> Uses {
    let uses = Uses(variables: checker.variables, spreads: spreads)
    checker.variables = []
    spreads = []
    return uses
  }

  /// The type of a condition of a fragment. An unknown or other type is an error.
  private mutating func compositeType(_ condition: NameNode) -> GraphQLSchema.TypeDefinition? {
    guard let type = knownType(condition.text, at: condition.start) else { return nil }
    guard type.isComposite else {
      report(
        "a fragment needs an object, interface or union, found '\(type.name)'", at: condition.start)
      return nil
    }
    return type
  }

  mutating func knownType(_ name: String, at start: Int) -> GraphQLSchema.TypeDefinition? {
    if let type = schema.type(name) { return type }
    let hint = checker.hint(for: name, among: schema.types.lazy.map(\.name))
    report("unknown type '\(name)'\(hint)", at: start)
    return nil
  }

  // MARK: Selections

  private mutating func check(
    _ set: SelectionSetNode, of parent: GraphQLSchema.TypeDefinition?
  ) {
    pending.append((set, parent))
    while let (set, parent) = pending.popLast() {
      for selection in set.selections {
        switch selection {
        case .field(let field): check(field, of: parent)
        case .spread(let spread): check(spread, in: parent)
        case .inline(let fragment): check(fragment, in: parent)
        }
      }
    }
  }

  private mutating func check(_ field: FieldNode, of parent: GraphQLSchema.TypeDefinition?) {
    let name = field.name.text
    var definition: GraphQLSchema.Field?
    if let parent {
      definition = schema.field(name, of: parent)
      if definition == nil {
        let hint = hint(name, parent)
        report("unknown field '\(name)' of type '\(parent.name)'\(hint)", at: field.start)
      }
    }
    let element = "field '\(parent?.name ?? "").\(name)'"
    checker.recordDeprecation(definition?.deprecationReason, of: element, at: field.start)
    checker.check(
      field.arguments, of: definition?.arguments, element: element, at: field.start)
    checker.check(field.directives, at: .field)
    let type = definition.flatMap { schema.type($0.type.name) }
    if let definition, let type { checkLeaf(field, definition, type) }
    if let selections = field.selections {
      pending.append((selections, type.flatMap { $0.isComposite ? $0 : nil }))
    }
  }

  private func hint(_ field: String, _ parent: GraphQLSchema.TypeDefinition) -> String {
    if parent.isAbstract, checker.problems.count < checker.limit {
      let types = schema.possibleTypes(parent).sorted().filter {
        schema.type($0)?.field(field) != nil
      }
      if let first = types.first { return " (did you mean an inline fragment on '\(first)'?)" }
    }
    return checker.hint(for: field, among: parent.fields.lazy.map(\.name))
  }

  private mutating func checkLeaf(
    _ field: FieldNode, _ definition: GraphQLSchema.Field, _ type: GraphQLSchema.TypeDefinition
  ) {
    switch field.selections {
    case let selections? where type.isLeaf:
      report(
        "the field '\(field.name.text)' of type '\(definition.type)' cannot have selections",
        at: selections.range.lowerBound)
    case nil where type.isComposite:
      report(
        "the field '\(field.name.text)' of type '\(definition.type)' needs selections, "
          + "such as '\(field.name.text) { … }'", at: field.start)
    default: break
    }
  }

  private mutating func check(_ spread: SpreadNode, in parent: GraphQLSchema.TypeDefinition?) {
    spreads.append(spread)
    checker.check(spread.directives, at: .fragmentSpread)
    guard let fragment = fragments[spread.name.text] else {
      let hint = checker.hint(for: spread.name.text, among: fragments.keys.sorted())
      return report("unknown fragment '\(spread.name.text)'\(hint)", at: spread.name.start)
    }
    if let parent, let type = schema.type(fragment.condition.text), type.isComposite {
      checkPossible(type, in: parent, at: spread.start)
    }
  }

  private mutating func check(
    _ fragment: InlineFragmentNode, in parent: GraphQLSchema.TypeDefinition?
  ) {
    var type = parent
    if let condition = fragment.condition {
      type = compositeType(condition)
      if let parent, let type { checkPossible(type, in: parent, at: fragment.start) }
    }
    checker.check(fragment.directives, at: .inlineFragment)
    pending.append((fragment.selections, type))
  }

  private mutating func checkPossible(
    _ type: GraphQLSchema.TypeDefinition, in parent: GraphQLSchema.TypeDefinition, at start: Int
  ) {
    guard type.name != parent.name,
      schema.possibleTypes(type).isDisjoint(with: schema.possibleTypes(parent))
    else { return }
    report(
      "a fragment on '\(type.name)' never applies: '\(parent.name)' is never a '\(type.name)'",
      at: start)
  }
}

extension GraphQLOperationKind {
  fileprivate var location: GraphQLSchema.DirectiveLocation {
    switch self {
    case .query: .query
    case .mutation: .mutation
    case .subscription: .subscription
    }
  }
}
