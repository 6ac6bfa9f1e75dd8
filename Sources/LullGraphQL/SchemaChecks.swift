/// Checks the definitions of a schema, document by document (GQL-02, GQL-12, GQL-13).
struct SchemaChecks {
  private static let limit = 100

  let schema: GraphQLSchema
  private let documents: [GraphQLDocument]
  /// The document that is being checked.
  private var checker: ValueChecker
  private var source: SourceText

  // The names so far, of all documents.
  private var typeNames: Set<String> = []
  private var directiveNames: Set<String> = []
  /// The names of fields, values, members and interfaces of each type.
  private var elementNames: [String: Set<String>] = [:]
  /// The places of the directives of each type and of the schema.
  private var usedDirectives: [String: [String: Int]] = [:]
  private var hasSchema = false
  private var rootKinds: Set<GraphQLOperationKind> = []
  private var rootTypes: [String: GraphQLOperationKind] = [:]
  private let definedKinds: [String: GraphQLSchema.Kind]
  private let endlessInputs: Set<String>

  init(_ schema: GraphQLSchema, _ documents: [GraphQLDocument]) {
    self.schema = schema
    self.documents = documents
    let empty = SourceText.empty
    source = documents.first?.source ?? empty
    checker = ValueChecker(schema, source, limit: SchemaChecks.limit)
    var kinds: [String: GraphQLSchema.Kind] = [:]
    for case .type(let node) in documents.flatMap(\.definitions) where !node.isExtension {
      kinds[node.name.text] = kinds[node.name.text] ?? node.kind
    }
    definedKinds = kinds
    endlessInputs = SchemaChecks.endlessInputs(of: schema)
  }

  /// The input objects without a finite value, because the fields that a value must have contain
  /// each other. Starts with those that have a finite value, and follows the fields backwards.
  private static func endlessInputs(of schema: GraphQLSchema) -> Set<String> {
    let inputs = schema.types.filter { $0.kind == .inputObject }
    var users: [String: [GraphQLSchema.TypeDefinition]] = [:]
    // The number of fields whose type is not yet known to be finite.
    var open: [String: Int] = [:]
    var finite: [String] = []
    for input in inputs {
      let needed = input.inputFields.compactMap { field -> String? in
        switch field.type {
        case .nonNull(.named(let name)) where !input.isOneOf, .named(let name) where input.isOneOf:
          schema.type(name)?.kind == .inputObject ? name : nil
        default: nil
        }
      }
      for name in needed { users[name, default: []].append(input) }
      open[input.name] = needed.count
      let isFinite = input.isOneOf ? needed.count < input.inputFields.count : needed.isEmpty
      if isFinite || input.inputFields.isEmpty { finite.append(input.name) }
    }
    var known = Set(finite)
    while let name = finite.popLast() {
      for user in users[name] ?? [] where !known.contains(user.name) {
        open[user.name, default: 0] -= 1
        guard user.isOneOf || open[user.name] == 0 else { continue }
        known.insert(user.name)
        finite.append(user.name)
      }
    }
    return Set(inputs.map(\.name)).subtracting(known)
  }

  mutating func problems(of document: GraphQLDocument) -> [GraphQLProblem] {
    source = document.source
    checker = ValueChecker(schema, source, limit: SchemaChecks.limit)
    for definition in document.definitions {
      switch definition {
      case .schema(let node): check(node)
      case .type(let node): check(node)
      case .directive(let node): check(node)
      case .operation(let node):
        report("an operation cannot be part of a schema", at: node.range.lowerBound)
      case .fragment(let node):
        report("a fragment cannot be part of a schema", at: node.range.lowerBound)
      }
    }
    return checker.sortedProblems
  }

  /// The problems of root types that no schema definition names.
  func problemsOfWhole() -> [GraphQLProblem] {
    var problems: [GraphQLProblem] = []
    if schema.root(.query) == nil, !rootKinds.contains(.query) {
      let source = documents.first?.source ?? SourceText.empty
      problems.append(
        source.problem("the schema has no root type for queries, such as 'Query'", at: 0))
    }
    let roots = GraphQLOperationKind.allCases.filter { !rootKinds.contains($0) }
    let names = roots.compactMap { schema.root($0) }.filter { $0.kind != .object }.map(\.name)
    for document in documents {
      for case .type(let node) in document.definitions where names.contains(node.name.text) {
        problems.append(
          document.source.problem(
            "a root type must be an object type, found '\(node.name.text)'", at: node.name.start))
      }
    }
    return problems
  }

  private mutating func report(_ message: String, at start: Int) {
    checker.report(message, at: start)
  }

  // MARK: Schema

  private mutating func check(_ node: SchemaNode) {
    if !node.isExtension {
      if hasSchema { report("a schema can only be defined once", at: node.start) }
      hasSchema = true
    }
    checker.check(node.directives, at: .schema, used: &usedDirectives["", default: [:]])
    for root in node.roots {
      if !rootKinds.insert(root.kind).inserted {
        report("the root type for '\(root.kind.rawValue)' is defined twice", at: root.start)
      }
      guard let type = knownType(root.type.text, at: root.type.start) else { continue }
      if type.kind != .object {
        report("a root type must be an object type, found '\(type.name)'", at: root.type.start)
      } else if let other = rootTypes[type.name], other != root.kind {
        report(
          "'\(type.name)' is the root type for '\(other.rawValue)' already", at: root.type.start)
      }
      rootTypes[type.name] = root.kind
    }
  }

  // MARK: Types

  private mutating func check(_ node: TypeDefinitionNode) {
    let name = node.name
    if node.isExtension {
      checkExtension(node)
    } else {
      if !typeNames.insert(name.text).inserted {
        report("the type '\(name.text)' is defined twice", at: name.start)
      }
      checkReserved(name)
      checkContent(node)
    }
    checker.check(
      node.directives, at: node.kind.location, used: &usedDirectives[name.text, default: [:]])
    for interface in node.interfaces { check(interface, of: node) }
    for field in node.fields { check(field, of: node) }
    for member in node.members {
      checkUnique(member, of: node, kind: "member")
      if let type = knownType(member.text, at: member.start), type.kind != .object {
        report("a union can only have object types, found '\(type.name)'", at: member.start)
      }
    }
    for value in node.values {
      checkUnique(value.name, of: node, kind: "value")
      checkReserved(value.name)
      checker.check(value.directives, at: .enumValue)
    }
    let isOneOf = schema.type(name.text)?.isOneOf ?? false
    for input in node.inputs {
      checkUnique(input.name, of: node, kind: "field")
      check(input, at: .inputFieldDefinition)
      guard isOneOf else { continue }
      if input.type.type.isNonNull {
        report(
          "the field '\(input.name.text)' must be nullable, because '\(name.text)' has '@oneOf'",
          at: input.type.range.lowerBound)
      }
      if input.defaultValue != nil {
        report(
          "the field '\(input.name.text)' cannot have a default, because '\(name.text)' has "
            + "'@oneOf'",
          at: input.name.start)
      }
    }
  }

  private mutating func checkExtension(_ node: TypeDefinitionNode) {
    let name = node.name.text
    guard let kind = definedKinds[name] ?? schema.type(name)?.kind else {
      let hint = checker.hint(for: name, among: definedKinds.keys.sorted())
      return report("the extended type '\(name)' is not defined\(hint)", at: node.name.start)
    }
    if kind != node.kind {
      report(
        "'\(name)' cannot be extended as \(node.kind.noun), because it is \(kind.noun)",
        at: node.start)
    }
  }

  /// Checks that a type has something, in its definition or in an extension, and that an input
  /// object does not need itself.
  private mutating func checkContent(_ node: TypeDefinitionNode) {
    guard let type = schema.type(node.name.text), type.kind == node.kind else { return }
    let isEmpty =
      switch type.kind {
      case .scalar: false
      case .object, .interface: type.fields.isEmpty
      case .union: type.members.isEmpty
      case .enum: type.values.isEmpty
      case .inputObject: type.inputFields.isEmpty
      }
    if isEmpty {
      let kind =
        switch type.kind {
        case .union: "member"
        case .enum: "value"
        default: "field"
        }
      report("the type '\(type.name)' needs at least one \(kind)", at: node.start)
    }
    if endlessInputs.contains(type.name) {
      report(
        "the input object '\(type.name)' cannot have a value, because it needs input objects "
          + "without end", at: node.start)
    }
  }

  private mutating func check(_ field: FieldDefinitionNode, of node: TypeDefinitionNode) {
    checkUnique(field.name, of: node, kind: "field")
    checkReserved(field.name)
    checkArguments(field.arguments, of: "field '\(node.name.text).\(field.name.text)'")
    if let type = knownType(field.type.type.name, at: field.type.nameStart),
      type.kind == .inputObject
    {
      report(
        "the field '\(field.name.text)' cannot have the input object '\(type.name)' as its type",
        at: field.type.range.lowerBound)
    }
    checker.check(field.directives, at: .fieldDefinition)
  }

  private mutating func checkArguments(_ arguments: [InputValueNode], of element: String) {
    var names: Set<String> = []
    for argument in arguments {
      if !names.insert(argument.name.text).inserted {
        report(
          "the argument '\(argument.name.text)' of \(element) is defined twice",
          at: argument.name.start)
      }
      check(argument, at: .argumentDefinition)
    }
  }

  private mutating func check(
    _ node: InputValueNode, at location: GraphQLSchema.DirectiveLocation
  ) {
    checkReserved(node.name)
    if let type = knownType(node.type.type.name, at: node.type.nameStart), !type.isInput {
      report(
        "'\(node.name.text)' needs an input type, found '\(type.name)'",
        at: node.type.range.lowerBound)
    }
    if let value = node.defaultValue { checker.check(value, type: node.type.type) }
    checker.check(node.directives, at: location)
    if node.type.type.isNonNull, node.defaultValue == nil,
      let directive = node.directives.first(where: { $0.name.text == "deprecated" })
    {
      report(
        "'\(node.name.text)' cannot be deprecated, because it is required",
        at: directive.range.lowerBound)
    }
  }

  // MARK: Interfaces

  private mutating func check(_ interface: NameNode, of node: TypeDefinitionNode) {
    checkUnique(interface, of: node, kind: "interface")
    guard let type = schema.type(node.name.text),
      let implemented = knownType(interface.text, at: interface.start)
    else { return }
    guard implemented.kind == .interface else {
      return report("'\(implemented.name)' is not an interface", at: interface.start)
    }
    guard implemented.name != type.name else {
      return report("the interface '\(type.name)' cannot implement itself", at: interface.start)
    }
    for name in implemented.interfaces where !type.interfaces.contains(name) {
      report(
        name == type.name
          ? "'\(type.name)' and '\(implemented.name)' cannot implement each other"
          : "'\(type.name)' must implement '\(name)', because '\(implemented.name)' does",
        at: interface.start)
    }
    for field in implemented.fields {
      guard let own = type.field(field.name) else {
        report(
          "'\(type.name)' needs the field '\(field.name)' of interface '\(implemented.name)'",
          at: interface.start)
        continue
      }
      compare(own, with: field, of: implemented, in: type, at: interface.start)
    }
  }

  private mutating func compare(
    _ own: GraphQLSchema.Field, with field: GraphQLSchema.Field,
    of interface: GraphQLSchema.TypeDefinition, in type: GraphQLSchema.TypeDefinition,
    at start: Int
  ) {
    let name = "\(type.name).\(own.name)"
    if schema.type(field.type.name) != nil, schema.type(own.type.name) != nil,
      !schema.isSubtype(own.type, of: field.type)
    {
      report(
        "the field '\(name)' needs the type '\(field.type)' of interface '\(interface.name)', "
          + "found '\(own.type)'", at: start)
    }
    for argument in field.arguments {
      guard let ownArgument = own.argument(argument.name) else {
        report(
          "the field '\(name)' needs the argument '\(argument.name)' of interface "
            + "'\(interface.name)'", at: start)
        continue
      }
      if ownArgument.type != argument.type {
        report(
          "the argument '\(argument.name)' of field '\(name)' needs the type '\(argument.type)' of "
            + "interface '\(interface.name)', found '\(ownArgument.type)'", at: start)
      }
    }
    for argument in own.arguments where argument.isRequired {
      if field.argument(argument.name) == nil {
        report(
          "the argument '\(argument.name)' of field '\(name)' cannot be required, because "
            + "interface '\(interface.name)' does not have it", at: start)
      }
    }
  }

  // MARK: Directives

  private mutating func check(_ node: DirectiveDefinitionNode) {
    if !directiveNames.insert(node.name.text).inserted {
      report("the directive '@\(node.name.text)' is defined twice", at: node.name.start)
    }
    checkReserved(node.name)
    checkArguments(node.arguments, of: "directive '@\(node.name.text)'")
  }

  // MARK: Names

  private mutating func knownType(_ name: String, at start: Int) -> GraphQLSchema.TypeDefinition? {
    if let type = schema.type(name) { return type }
    let hint = checker.hint(for: name, among: schema.types.lazy.map(\.name))
    report("unknown type '\(name)'\(hint)", at: start)
    return nil
  }

  private mutating func checkReserved(_ name: NameNode) {
    if name.text.utf8.starts(with: "__".utf8) {
      report("'\(name.text)' must not begin with '__', which is reserved", at: name.start)
    }
  }

  private mutating func checkUnique(_ name: NameNode, of node: TypeDefinitionNode, kind: String) {
    // Interfaces may be called like fields.
    let key = kind == "interface" ? "&\(name.text)" : name.text
    guard !elementNames[node.name.text, default: []].insert(key).inserted else { return }
    report("the \(kind) '\(name.text)' of '\(node.name.text)' is defined twice", at: name.start)
  }
}

extension GraphQLSchema.Kind {
  var noun: String {
    switch self {
    case .scalar: "a scalar"
    case .object: "an object type"
    case .interface: "an interface"
    case .union: "a union"
    case .enum: "an enum"
    case .inputObject: "an input object"
    }
  }

  fileprivate var location: GraphQLSchema.DirectiveLocation {
    switch self {
    case .scalar: .scalar
    case .object: .object
    case .interface: .interface
    case .union: .union
    case .enum: .enum
    case .inputObject: .inputObject
    }
  }
}
