/// Parses a document (GQL-03, GQL-04, GQL-08). The definitions of schemas are parsed in
/// `TypeSystemSyntax.swift`.
struct DocumentParser {
  /// The maximum number of nested levels of selections, values and types. Functions that read a
  /// document recurse once for each level.
  static let depthLimit = 200

  let source: SourceText
  private var tokens: TokenReader
  private(set) var token: Token
  /// The end of the token before `token`.
  private(set) var lastEnd = 0
  private var depth = 0
  private var selectionSetCount = 0

  init(_ source: SourceText) throws(GraphQLProblem) {
    self.source = source
    tokens = TokenReader(source)
    token = try tokens.next()
  }

  mutating func definitions() throws(GraphQLProblem) -> [DefinitionNode] {
    var definitions: [DefinitionNode] = []
    repeat { definitions.append(try definition()) } while token.kind != .end
    return definitions
  }

  private mutating func definition() throws(GraphQLProblem) -> DefinitionNode {
    let start = token.range.lowerBound
    if token.isPunctuator("{") {
      return .operation(
        OperationNode(
          description: nil, kind: .query, name: nil, variables: [], directives: [],
          selections: try selectionSet(), range: start..<lastEnd))
    }
    let description = try descriptionNode()
    guard token.kind == .name else {
      if token.isPunctuator("{") {
        throw source.problem(
          "a query without the keyword 'query' cannot have a description", at: start)
      }
      throw unexpected("a definition")
    }
    if let kind = GraphQLOperationKind(rawValue: token.text) {
      return .operation(try operation(kind, description, from: start))
    }
    if token.isName("fragment") { return .fragment(try fragment(description, from: start)) }
    return try typeSystemDefinition(description, from: start)
  }

  // MARK: Operations and fragments

  private mutating func operation(
    _ kind: GraphQLOperationKind, _ description: DescriptionNode?, from start: Int
  ) throws(GraphQLProblem) -> OperationNode {
    try advance()
    let name = token.kind == .name ? try self.name() : nil
    let variables = try optionalList("(", ")") { (parser) throws(GraphQLProblem) in
      try parser.variableDefinition()
    }
    let directives = try self.directives()
    let selections = try selectionSet()
    return OperationNode(
      description: description, kind: kind, name: name, variables: variables,
      directives: directives, selections: selections, range: start..<lastEnd)
  }

  private mutating func variableDefinition() throws(GraphQLProblem) -> VariableDefinitionNode {
    let description = try descriptionNode()
    let start = token.range.lowerBound
    try expect("$")
    let name = try name()
    try expect(":")
    let type = try type()
    let defaultValue = try skip("=") ? try value(isConstant: true) : nil
    return VariableDefinitionNode(
      description: description, name: name, type: type, defaultValue: defaultValue,
      directives: try directives(isConstant: true), start: start)
  }

  private mutating func fragment(_ description: DescriptionNode?, from start: Int)
    throws(GraphQLProblem) -> FragmentNode
  {
    try advance()
    if token.isName("on") { throw unexpected("the name of a fragment") }
    let name = try name()
    guard token.isName("on") else { throw unexpected("'on'") }
    try advance()
    let condition = try self.name()
    let directives = try directives()
    let selections = try selectionSet()
    return FragmentNode(
      description: description, name: name, condition: condition, directives: directives,
      selections: selections, range: start..<lastEnd)
  }

  // MARK: Selections

  private mutating func selectionSet() throws(GraphQLProblem) -> SelectionSetNode {
    try enter()
    defer { depth -= 1 }
    let start = token.range.lowerBound
    let id = selectionSetCount
    selectionSetCount += 1
    try expect("{")
    var selections: [SelectionNode] = []
    repeat {
      selections.append(token.kind == .spread ? try fragmentSelection() : .field(try field()))
    } while try !skip("}", or: "a field")
    return SelectionSetNode(id: id, selections: selections, range: start..<lastEnd)
  }

  private mutating func field() throws(GraphQLProblem) -> FieldNode {
    guard token.kind == .name else { throw unexpected("a field") }
    var name = try name()
    var alias: NameNode?
    if try skip(":") {
      alias = name
      name = try self.name()
    }
    return FieldNode(
      alias: alias, name: name, arguments: try arguments(), directives: try directives(),
      selections: token.isPunctuator("{") ? try selectionSet() : nil)
  }

  /// A spread or an inline fragment.
  private mutating func fragmentSelection() throws(GraphQLProblem) -> SelectionNode {
    let start = token.range.lowerBound
    try advance()
    if token.kind == .name, !token.isName("on") {
      return .spread(
        SpreadNode(name: try name(), directives: try directives(), start: start))
    }
    var condition: NameNode?
    if token.isName("on") {
      try advance()
      condition = try name()
    }
    return .inline(
      InlineFragmentNode(
        condition: condition, directives: try directives(), selections: try selectionSet(),
        start: start))
  }

  private mutating func arguments(isConstant: Bool = false) throws(GraphQLProblem)
    -> [ArgumentNode]
  {
    try optionalList("(", ")") { (parser) throws(GraphQLProblem) in
      let name = try parser.name()
      try parser.expect(":")
      return ArgumentNode(name: name, value: try parser.value(isConstant: isConstant))
    }
  }

  mutating func directives(isConstant: Bool = false) throws(GraphQLProblem) -> [DirectiveNode] {
    var directives: [DirectiveNode] = []
    while token.isPunctuator("@") {
      let start = token.range.lowerBound
      try advance()
      let name = try name()
      let arguments = try arguments(isConstant: isConstant)
      directives.append(
        DirectiveNode(name: name, arguments: arguments, range: start..<lastEnd))
    }
    return directives
  }

  // MARK: Values and types

  mutating func value(isConstant: Bool) throws(GraphQLProblem) -> ValueNode {
    let token = token
    let start = token.range.lowerBound
    let kind: ValueNode.Kind
    switch token.kind {
    case .punctuator(UInt8(ascii: "$")) where !isConstant:
      try advance()
      kind = .variable(try name().text)
    case .punctuator(UInt8(ascii: "$")): throw unexpected("a value without variables")
    case .punctuator(UInt8(ascii: "[")): kind = .list(try listItems(isConstant))
    case .punctuator(UInt8(ascii: "{")): kind = .object(try objectFields(isConstant))
    case .int: kind = .int(token.text)
    case .float: kind = .float(token.text)
    case .string, .blockString: kind = .string(token.text)
    case .name:
      switch token.text {
      case "true": kind = .boolean(true)
      case "false": kind = .boolean(false)
      case "null": kind = .null
      default: kind = .enum(token.text)
      }
    default: throw unexpected("a value")
    }
    // The others have been skipped.
    if case .punctuator = token.kind {} else { try advance() }
    return ValueNode(kind: kind, range: start..<lastEnd)
  }

  private mutating func listItems(_ isConstant: Bool) throws(GraphQLProblem) -> [ValueNode] {
    try enter()
    defer { depth -= 1 }
    try advance()
    var items: [ValueNode] = []
    while try !skip("]", or: "a value") { items.append(try value(isConstant: isConstant)) }
    return items
  }

  private mutating func objectFields(_ isConstant: Bool) throws(GraphQLProblem)
    -> [ObjectFieldNode]
  {
    try enter()
    defer { depth -= 1 }
    try advance()
    var fields: [ObjectFieldNode] = []
    while try !skip("}", or: "a field") {
      let name = try name()
      try expect(":")
      fields.append(ObjectFieldNode(name: name, value: try value(isConstant: isConstant)))
    }
    return fields
  }

  mutating func type() throws(GraphQLProblem) -> TypeNode {
    let start = token.range.lowerBound
    var type: GraphQLType
    let nameStart: Int
    if try skip("[") {
      try enter()
      defer { depth -= 1 }
      let item = try self.type()
      try expect("]")
      (type, nameStart) = (.list(item.type), item.nameStart)
    } else {
      guard token.kind == .name else { throw unexpected("a type") }
      let name = try name()
      (type, nameStart) = (.named(name.text), name.start)
    }
    if try skip("!") { type = .nonNull(type) }
    return TypeNode(type: type, nameStart: nameStart, range: start..<lastEnd)
  }

  // MARK: Tokens

  mutating func descriptionNode() throws(GraphQLProblem) -> DescriptionNode? {
    guard token.kind == .string || token.kind == .blockString else { return nil }
    let node = DescriptionNode(text: token.text, range: token.range)
    try advance()
    return node
  }

  mutating func name() throws(GraphQLProblem) -> NameNode {
    guard token.kind == .name else { throw unexpected("a name") }
    let name = NameNode(text: token.text, start: token.range.lowerBound)
    try advance()
    return name
  }

  mutating func advance() throws(GraphQLProblem) {
    lastEnd = token.range.upperBound
    token = try tokens.next()
  }

  mutating func expect(_ character: Unicode.Scalar) throws(GraphQLProblem) {
    guard try skip(character) else { throw unexpected("'\(character)'") }
  }

  /// Skips a punctuator if it is the next token.
  mutating func skip(_ character: Unicode.Scalar) throws(GraphQLProblem) -> Bool {
    guard token.isPunctuator(character) else { return false }
    try advance()
    return true
  }

  /// Skips the closing bracket of a list if it is the next token. The end of the document is an
  /// error.
  private mutating func skip(_ closing: Unicode.Scalar, or item: String) throws(GraphQLProblem)
    -> Bool
  {
    if try skip(closing) { return true }
    switch token.kind {
    case .end, .punctuator(UInt8(ascii: ")")), .punctuator(UInt8(ascii: "]")),
      .punctuator(UInt8(ascii: "}")):
      throw unexpected("\(item) or '\(closing)'")
    default: return false
    }
  }

  /// A list between brackets with one or more items, or nothing.
  mutating func optionalList<Item>(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
    of item: (inout DocumentParser) throws(GraphQLProblem) -> Item
  ) throws(GraphQLProblem) -> [Item] {
    guard try skip(opening) else { return [] }
    var items: [Item] = []
    repeat { items.append(try item(&self)) } while try !skip(closing, or: "a name")
    return items
  }

  private mutating func enter() throws(GraphQLProblem) {
    guard depth < DocumentParser.depthLimit else {
      throw problem("the document has more than \(DocumentParser.depthLimit) nested levels")
    }
    depth += 1
  }

  func problem(_ message: String) -> GraphQLProblem {
    source.problem(message, at: token.range.lowerBound)
  }

  func unexpected(_ expected: String) -> GraphQLProblem {
    problem("expected \(expected), found \(token.found)")
  }
}
