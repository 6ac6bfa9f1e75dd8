/// The types and directives of a GraphQL service.
///
/// A schema is built from type system documents, `init(sdl:)`, or from the types of an
/// introspection result, `init(types:directives:query:mutation:subscription:)`. It always contains
/// the built-in scalars and directives and the types of introspection (GQL-09 to GQL-12).
package struct GraphQLSchema: Sendable {
  package enum Kind: String, Sendable {
    case scalar
    case object
    case interface
    case union
    case `enum`
    case inputObject
  }

  /// A named type. A class, because types are large and looked up often.
  package final class TypeDefinition: Sendable {
    package let name: String
    package let kind: Kind
    package let description: String?
    /// The fields of an object or an interface.
    package let fields: [Field]
    /// The names of the interfaces that an object or an interface implements.
    package let interfaces: [String]
    /// The names of the members of a union.
    package let members: [String]
    /// The values of an enum.
    package let values: [EnumValue]
    /// The fields of an input object.
    package let inputFields: [InputValue]
    /// Whether an input object needs exactly one field.
    package let isOneOf: Bool
    /// The URL of the specification of a scalar.
    package let specifiedBy: String?
    /// The directives applied to the type. Introspection does not return them.
    package let directives: [AppliedDirective]
    private let indices: [String: Int]

    package init(
      name: String, kind: Kind, description: String? = nil, fields: [Field] = [],
      interfaces: [String] = [], members: [String] = [], values: [EnumValue] = [],
      inputFields: [InputValue] = [], isOneOf: Bool = false, specifiedBy: String? = nil,
      directives: [AppliedDirective] = []
    ) {
      self.name = name
      self.kind = kind
      self.description = description
      // Of several elements of the same name, the first counts.
      self.fields = GraphQLSchema.unique(fields, by: \.name)
      self.interfaces = GraphQLSchema.unique(interfaces, by: \.self)
      self.members = GraphQLSchema.unique(members, by: \.self)
      self.values = GraphQLSchema.unique(values, by: \.name)
      self.inputFields = GraphQLSchema.unique(inputFields, by: \.name)
      self.isOneOf = isOneOf
      self.specifiedBy = specifiedBy
      self.directives = directives
      let names =
        self.fields.map(\.name) + self.values.map(\.name) + self.inputFields.map(\.name)
      indices = GraphQLSchema.indices(names)
    }

    package func field(_ name: String) -> Field? {
      indices[name].flatMap { $0 < fields.count ? fields[$0] : nil }
    }

    package func value(_ name: String) -> EnumValue? {
      indices[name].flatMap { $0 < values.count ? values[$0] : nil }
    }

    package func inputField(_ name: String) -> InputValue? {
      indices[name].flatMap { $0 < inputFields.count ? inputFields[$0] : nil }
    }

    /// Whether it has selections: an object, an interface or a union.
    package var isComposite: Bool { kind == .object || kind == .interface || kind == .union }
    package var isAbstract: Bool { kind == .interface || kind == .union }
    package var isLeaf: Bool { kind == .scalar || kind == .enum }
    /// Whether an argument or a variable can have it.
    package var isInput: Bool { isLeaf || kind == .inputObject }
  }

  package struct Field: Sendable {
    package let name: String
    package let description: String?
    package let arguments: [InputValue]
    package let type: GraphQLType
    package let deprecationReason: String?
    package let directives: [AppliedDirective]

    package init(
      name: String, description: String? = nil, arguments: [InputValue] = [], type: GraphQLType,
      deprecationReason: String? = nil, directives: [AppliedDirective] = []
    ) {
      self.name = name
      self.description = description
      self.arguments = arguments
      self.type = type
      self.deprecationReason = deprecationReason
      self.directives = directives
    }

    package func argument(_ name: String) -> InputValue? {
      arguments.first { $0.name == name }
    }
  }

  /// An argument, or a field of an input object.
  package struct InputValue: Sendable {
    package let name: String
    package let description: String?
    package let type: GraphQLType
    /// The default value in GraphQL syntax, such as `"a"` or `[RED]`.
    package let defaultValue: String?
    package let deprecationReason: String?
    package let directives: [AppliedDirective]

    package init(
      name: String, description: String? = nil, type: GraphQLType, defaultValue: String? = nil,
      deprecationReason: String? = nil, directives: [AppliedDirective] = []
    ) {
      self.name = name
      self.description = description
      self.type = type
      self.defaultValue = defaultValue
      self.deprecationReason = deprecationReason
      self.directives = directives
    }

    /// Whether a value must be given: non-null and without default.
    package var isRequired: Bool { type.isNonNull && defaultValue == nil }
  }

  package struct EnumValue: Sendable {
    package let name: String
    package let description: String?
    package let deprecationReason: String?
    package let directives: [AppliedDirective]

    package init(
      name: String, description: String? = nil, deprecationReason: String? = nil,
      directives: [AppliedDirective] = []
    ) {
      self.name = name
      self.description = description
      self.deprecationReason = deprecationReason
      self.directives = directives
    }
  }

  package struct Directive: Sendable {
    package let name: String
    package let description: String?
    package let arguments: [InputValue]
    package let isRepeatable: Bool
    package let locations: [DirectiveLocation]

    package init(
      name: String, description: String? = nil, arguments: [InputValue] = [],
      isRepeatable: Bool = false, locations: [DirectiveLocation]
    ) {
      self.name = name
      self.description = description
      self.arguments = arguments
      self.isRepeatable = isRepeatable
      self.locations = locations
    }

    package func argument(_ name: String) -> InputValue? {
      arguments.first { $0.name == name }
    }
  }

  /// A directive applied to a definition of the schema.
  package struct AppliedDirective: Equatable, Sendable {
    package let name: String
    /// The names of its arguments and their values in GraphQL syntax.
    package let arguments: [String: String]

    package init(name: String, arguments: [String: String] = [:]) {
      self.name = name
      self.arguments = arguments
    }
  }

  package enum DirectiveLocation: String, CaseIterable, Sendable {
    case query = "QUERY"
    case mutation = "MUTATION"
    case subscription = "SUBSCRIPTION"
    case field = "FIELD"
    case fragmentDefinition = "FRAGMENT_DEFINITION"
    case fragmentSpread = "FRAGMENT_SPREAD"
    case inlineFragment = "INLINE_FRAGMENT"
    case variableDefinition = "VARIABLE_DEFINITION"
    case schema = "SCHEMA"
    case scalar = "SCALAR"
    case object = "OBJECT"
    case fieldDefinition = "FIELD_DEFINITION"
    case argumentDefinition = "ARGUMENT_DEFINITION"
    case interface = "INTERFACE"
    case union = "UNION"
    case `enum` = "ENUM"
    case enumValue = "ENUM_VALUE"
    case inputObject = "INPUT_OBJECT"
    case inputFieldDefinition = "INPUT_FIELD_DEFINITION"
  }

  package let description: String?
  /// All types, in the order of their definition, and the built-in ones after them.
  package let types: [TypeDefinition]
  package let directives: [Directive]
  private let typeIndices: [String: Int]
  private let directiveIndices: [String: Int]
  private let roots: [GraphQLOperationKind: String]
  /// The names of the objects that implement an interface or belong to a union.
  private let possibleTypeNames: [String: Set<String>]

  /// Makes a schema without checking it. Of several types of the same name, the first counts.
  ///
  /// - Parameters:
  ///   - types: Built-in types are added if they are missing.
  ///   - directives: Built-in directives are added if they are missing.
  ///   - query: The name of the root type of queries.
  package init(
    description: String? = nil, types: [TypeDefinition], directives: [Directive] = [],
    query: String?, mutation: String? = nil, subscription: String? = nil
  ) {
    self.description = description
    let typeNames = Set(types.map(\.name))
    self.types = types + BuiltIns.types.filter { !typeNames.contains($0.name) }
    let directiveNames = Set(directives.map(\.name))
    self.directives =
      directives + BuiltIns.directives.filter { !directiveNames.contains($0.name) }
    typeIndices = GraphQLSchema.indices(self.types.map(\.name))
    directiveIndices = GraphQLSchema.indices(self.directives.map(\.name))
    var roots: [GraphQLOperationKind: String] = [:]
    roots[.query] = query
    roots[.mutation] = mutation
    roots[.subscription] = subscription
    self.roots = roots
    var possible: [String: Set<String>] = [:]
    for type in self.types {
      switch type.kind {
      case .object: for name in type.interfaces { possible[name, default: []].insert(type.name) }
      case .union: possible[type.name, default: []].formUnion(type.members)
      default: break
      }
    }
    possibleTypeNames = possible
  }

  private static func indices(_ names: [String]) -> [String: Int] {
    Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func unique<Element>(_ elements: [Element], by name: (Element) -> String)
    -> [Element]
  {
    var names = Set<String>(minimumCapacity: elements.count)
    return elements.filter { names.insert(name($0)).inserted }
  }

  package func type(_ name: String) -> TypeDefinition? { typeIndices[name].map { types[$0] } }

  package func directive(_ name: String) -> Directive? {
    directiveIndices[name].map { directives[$0] }
  }

  /// The root type of a kind of operation.
  package func root(_ kind: GraphQLOperationKind) -> TypeDefinition? {
    roots[kind].flatMap { type($0) }
  }

  /// The names of the objects of a type: those of an abstract type, or the type itself.
  package func possibleTypes(_ type: TypeDefinition) -> Set<String> {
    type.isAbstract ? possibleTypeNames[type.name] ?? [] : [type.name]
  }

  /// The definition of a field in a selection, including `__typename`, and `__schema` and `__type`
  /// of the root type of queries.
  package func field(_ name: String, of type: TypeDefinition) -> Field? {
    if name.utf8.starts(with: "__".utf8) {
      if name == "__typename" { return type.isComposite ? BuiltIns.typeNameField : nil }
      if type.name == roots[.query] {
        if name == "__schema" { return BuiltIns.schemaField }
        if name == "__type" { return BuiltIns.typeField }
      }
    }
    return type.field(name)
  }

  /// Whether a value of the first type is always one of the second.
  package func isSubtype(_ type: GraphQLType, of other: GraphQLType) -> Bool {
    switch (type, other) {
    case (.nonNull(let type), .nonNull(let other)): return isSubtype(type, of: other)
    case (.nonNull(let type), _): return isSubtype(type, of: other)
    case (_, .nonNull): return false
    case (.list(let item), .list(let other)): return isSubtype(item, of: other)
    case (.list, _), (_, .list): return false
    case (.named(let name), .named(let otherName)):
      if name == otherName { return true }
      guard let type = self.type(name), let other = self.type(otherName) else { return false }
      switch other.kind {
      case .union: return other.members.contains(name)
      case .interface: return type.interfaces.contains(otherName)
      default: return false
      }
    }
  }
}
