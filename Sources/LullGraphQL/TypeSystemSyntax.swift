extension DocumentParser {
  mutating func typeSystemDefinition(_ description: DescriptionNode?, from start: Int)
    throws(GraphQLProblem) -> DefinitionNode
  {
    let isExtension = token.isName("extend")
    if isExtension {
      if description != nil {
        throw source.problem("an extension cannot have a description", at: start)
      }
      try advance()
    }
    let description = description?.text
    let keyword = token
    switch keyword.kind == .name ? keyword.text : "" {
    case "schema":
      return .schema(try schema(isExtension: isExtension, description, from: start))
    case "directive" where !isExtension:
      return .directive(try directiveDefinition(description, from: start))
    case let word:
      guard let kind = GraphQLSchema.Kind(keyword: word) else {
        throw unexpected(
          isExtension ? "the kind of the extended type, such as 'type'" : "a definition")
      }
      return .type(try typeDefinition(kind, isExtension: isExtension, description, from: start))
    }
  }

  private mutating func schema(isExtension: Bool, _ description: String?, from start: Int)
    throws(GraphQLProblem) -> SchemaNode
  {
    try advance()
    let directives = try directives(isConstant: true)
    let mayEnd = isExtension && !directives.isEmpty
    if !mayEnd, !token.isPunctuator("{") { throw unexpected("'{'") }
    let roots = try optionalList("{", "}") {
      (parser) throws(GraphQLProblem) -> (GraphQLOperationKind, Int, NameNode) in
      let start = parser.token.range.lowerBound
      guard let kind = GraphQLOperationKind(rawValue: parser.token.text) else {
        throw parser.unexpected("'query', 'mutation' or 'subscription'")
      }
      try parser.advance()
      try parser.expect(":")
      return (kind, start, try parser.name())
    }
    return SchemaNode(
      isExtension: isExtension, description: description, directives: directives,
      roots: roots.map { (kind: $0.0, start: $0.1, type: $0.2) }, start: start)
  }

  private mutating func typeDefinition(
    _ kind: GraphQLSchema.Kind, isExtension: Bool, _ description: String?, from start: Int
  ) throws(GraphQLProblem) -> TypeDefinitionNode {
    try advance()
    let name = try name()
    var node = TypeDefinitionNode(
      isExtension: isExtension, kind: kind, description: description, name: name, start: start)
    if kind == .object || kind == .interface, token.isName("implements") {
      try advance()
      node.interfaces = try names(separatedBy: "&")
    }
    node.directives = try directives(isConstant: true)
    switch kind {
    case .scalar: break
    case .object, .interface:
      node.fields = try optionalList("{", "}") { (parser) throws(GraphQLProblem) in
        try parser.fieldDefinition()
      }
    case .union:
      if try skip("=") { node.members = try names(separatedBy: "|") }
    case .enum:
      node.values = try optionalList("{", "}") { (parser) throws(GraphQLProblem) in
        try parser.enumValue()
      }
    case .inputObject:
      node.inputs = try optionalList("{", "}") { (parser) throws(GraphQLProblem) in
        try parser.inputValue()
      }
    }
    let adds =
      !node.interfaces.isEmpty || !node.directives.isEmpty || !node.fields.isEmpty
      || !node.members.isEmpty || !node.values.isEmpty || !node.inputs.isEmpty
    if isExtension, !adds { throw unexpected("the content of the extension") }
    return node
  }

  private mutating func names(separatedBy separator: Unicode.Scalar) throws(GraphQLProblem)
    -> [NameNode]
  {
    _ = try skip(separator)
    var names: [NameNode] = []
    repeat { names.append(try name()) } while try skip(separator)
    return names
  }

  private mutating func fieldDefinition() throws(GraphQLProblem) -> FieldDefinitionNode {
    let description = try descriptionNode()
    let name = try name()
    let arguments = try argumentDefinitions()
    try expect(":")
    return FieldDefinitionNode(
      description: description?.text, name: name, arguments: arguments, type: try type(),
      directives: try directives(isConstant: true))
  }

  private mutating func argumentDefinitions() throws(GraphQLProblem) -> [InputValueNode] {
    try optionalList("(", ")") { (parser) throws(GraphQLProblem) in try parser.inputValue() }
  }

  private mutating func inputValue() throws(GraphQLProblem) -> InputValueNode {
    let description = try descriptionNode()
    let name = try name()
    try expect(":")
    let type = try type()
    let defaultValue = try skip("=") ? try value(isConstant: true) : nil
    return InputValueNode(
      description: description?.text, name: name, type: type, defaultValue: defaultValue,
      directives: try directives(isConstant: true))
  }

  private mutating func enumValue() throws(GraphQLProblem) -> EnumValueNode {
    let description = try descriptionNode()
    if ["true", "false", "null"].contains(token.text), token.kind == .name {
      throw problem("an enum value cannot be called '\(token.text)'")
    }
    return EnumValueNode(
      description: description?.text, name: try name(),
      directives: try directives(isConstant: true))
  }

  private mutating func directiveDefinition(_ description: String?, from start: Int)
    throws(GraphQLProblem) -> DirectiveDefinitionNode
  {
    try advance()
    try expect("@")
    let name = try name()
    let arguments = try argumentDefinitions()
    let isRepeatable = token.isName("repeatable")
    if isRepeatable { try advance() }
    guard token.isName("on") else { throw unexpected("'on'") }
    try advance()
    _ = try skip("|")
    var locations: [GraphQLSchema.DirectiveLocation] = []
    repeat {
      guard token.kind == .name,
        let location = GraphQLSchema.DirectiveLocation(rawValue: token.text)
      else { throw unexpected("the location of a directive, such as FIELD") }
      locations.append(location)
      try advance()
    } while try skip("|")
    return DirectiveDefinitionNode(
      description: description, name: name, arguments: arguments, isRepeatable: isRepeatable,
      locations: locations, start: start)
  }
}

extension GraphQLSchema.Kind {
  fileprivate init?(keyword: String) {
    switch keyword {
    case "scalar": self = .scalar
    case "type": self = .object
    case "interface": self = .interface
    case "union": self = .union
    case "enum": self = .enum
    case "input": self = .inputObject
    default: return nil
    }
  }
}
