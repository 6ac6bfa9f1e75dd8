// The syntax tree of a document. Each node knows its place as an offset or a range of bytes.

/// A kind of operation.
package enum GraphQLOperationKind: String, CaseIterable, Sendable {
  case query
  case mutation
  case subscription
}

struct NameNode: Sendable {
  let text: String
  let start: Int
}

/// A type as written, such as `[ID!]!`.
struct TypeNode: Sendable {
  let type: GraphQLType
  /// The place of the named type.
  let nameStart: Int
  let range: Range<Int>
}

struct ValueNode: Sendable {
  enum Kind: Sendable {
    case variable(String)
    case int(String)
    case float(String)
    case string(String)
    case boolean(Bool)
    case null
    case `enum`(String)
    case list([ValueNode])
    case object([ObjectFieldNode])
  }

  let kind: Kind
  let range: Range<Int>

  var isNull: Bool { if case .null = kind { true } else { false } }
}

struct ObjectFieldNode: Sendable {
  let name: NameNode
  let value: ValueNode
}

struct ArgumentNode: Sendable {
  let name: NameNode
  let value: ValueNode
}

struct DirectiveNode: Sendable {
  let name: NameNode
  let arguments: [ArgumentNode]
  let range: Range<Int>
}

// MARK: Executable definitions

struct SelectionSetNode: Sendable {
  /// Its number in the document.
  let id: Int
  let selections: [SelectionNode]
  let range: Range<Int>
}

enum SelectionNode: Sendable {
  case field(FieldNode)
  case spread(SpreadNode)
  case inline(InlineFragmentNode)
}

struct FieldNode: Sendable {
  let alias: NameNode?
  let name: NameNode
  let arguments: [ArgumentNode]
  let directives: [DirectiveNode]
  let selections: SelectionSetNode?

  var start: Int { (alias ?? name).start }
  var responseKey: String { (alias ?? name).text }
}

struct SpreadNode: Sendable {
  let name: NameNode
  let directives: [DirectiveNode]
  let start: Int
}

struct InlineFragmentNode: Sendable {
  let condition: NameNode?
  let directives: [DirectiveNode]
  let selections: SelectionSetNode
  let start: Int
}

struct VariableDefinitionNode: Sendable {
  let description: DescriptionNode?
  let name: NameNode
  let type: TypeNode
  let defaultValue: ValueNode?
  let directives: [DirectiveNode]
  let start: Int
}

struct OperationNode: Sendable {
  let description: DescriptionNode?
  let kind: GraphQLOperationKind
  let name: NameNode?
  let variables: [VariableDefinitionNode]
  let directives: [DirectiveNode]
  let selections: SelectionSetNode
  /// The definition with its description.
  let range: Range<Int>
}

struct FragmentNode: Sendable {
  let description: DescriptionNode?
  let name: NameNode
  let condition: NameNode
  let directives: [DirectiveNode]
  let selections: SelectionSetNode
  let range: Range<Int>
}

struct DescriptionNode: Sendable {
  let text: String
  let range: Range<Int>
}

// MARK: Type system definitions

struct SchemaNode: Sendable {
  let isExtension: Bool
  let description: String?
  let directives: [DirectiveNode]
  let roots: [(kind: GraphQLOperationKind, start: Int, type: NameNode)]
  let start: Int
}

struct TypeDefinitionNode: Sendable {
  let isExtension: Bool
  let kind: GraphQLSchema.Kind
  let description: String?
  let name: NameNode
  var interfaces: [NameNode] = []
  var directives: [DirectiveNode] = []
  var fields: [FieldDefinitionNode] = []
  var members: [NameNode] = []
  var values: [EnumValueNode] = []
  var inputs: [InputValueNode] = []
  let start: Int
}

struct FieldDefinitionNode: Sendable {
  let description: String?
  let name: NameNode
  let arguments: [InputValueNode]
  let type: TypeNode
  let directives: [DirectiveNode]
}

struct InputValueNode: Sendable {
  let description: String?
  let name: NameNode
  let type: TypeNode
  let defaultValue: ValueNode?
  let directives: [DirectiveNode]
}

struct EnumValueNode: Sendable {
  let description: String?
  let name: NameNode
  let directives: [DirectiveNode]
}

struct DirectiveDefinitionNode: Sendable {
  let description: String?
  let name: NameNode
  let arguments: [InputValueNode]
  let isRepeatable: Bool
  let locations: [GraphQLSchema.DirectiveLocation]
  let start: Int
}

enum DefinitionNode: Sendable {
  case operation(OperationNode)
  case fragment(FragmentNode)
  case schema(SchemaNode)
  case type(TypeDefinitionNode)
  case directive(DirectiveDefinitionNode)
}
