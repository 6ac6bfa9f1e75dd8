/// The types and directives that every schema has (GQL-10).
enum BuiltIns {
  private typealias TypeDefinition = GraphQLSchema.TypeDefinition
  private typealias Field = GraphQLSchema.Field
  private typealias InputValue = GraphQLSchema.InputValue

  static let scalarNames = ["Int", "Float", "String", "Boolean", "ID"]

  static let typeNameField = GraphQLSchema.Field(
    name: "__typename", description: "The name of the object's type.", type: nonNull("String"))
  static let schemaField = GraphQLSchema.Field(
    name: "__schema", description: "The schema of the service.", type: nonNull("__Schema"))
  static let typeField = GraphQLSchema.Field(
    name: "__type", description: "A type of the schema.",
    arguments: [GraphQLSchema.InputValue(name: "name", type: nonNull("String"))],
    type: .named("__Type"))

  static let directives: [GraphQLSchema.Directive] = [
    .init(
      name: "skip", description: "Leaves out the selection if the argument is true.",
      arguments: [InputValue(name: "if", type: nonNull("Boolean"))],
      locations: [.field, .fragmentSpread, .inlineFragment]),
    .init(
      name: "include", description: "Leaves out the selection unless the argument is true.",
      arguments: [InputValue(name: "if", type: nonNull("Boolean"))],
      locations: [.field, .fragmentSpread, .inlineFragment]),
    .init(
      name: "deprecated", description: "Marks an element of the schema as deprecated.",
      arguments: [
        InputValue(
          name: "reason", type: nonNull("String"),
          defaultValue: "\"\(defaultDeprecationReason)\"")
      ],
      locations: [.fieldDefinition, .argumentDefinition, .inputFieldDefinition, .enumValue]),
    .init(
      name: "specifiedBy", description: "Names the specification of a scalar.",
      arguments: [InputValue(name: "url", type: nonNull("String"))], locations: [.scalar]),
    .init(
      name: "oneOf", description: "Marks an input object that needs exactly one field.",
      locations: [.inputObject]),
  ]

  static let defaultDeprecationReason = "No longer supported"

  static let types: [GraphQLSchema.TypeDefinition] =
    scalarNames.map { TypeDefinition(name: $0, kind: .scalar) } + [
      object(
        "__Schema",
        [
          Field(name: "description", type: .named("String")),
          Field(name: "types", type: listOf("__Type")),
          Field(name: "queryType", type: nonNull("__Type")),
          Field(name: "mutationType", type: .named("__Type")),
          Field(name: "subscriptionType", type: .named("__Type")),
          Field(name: "directives", type: listOf("__Directive")),
        ]),
      object(
        "__Type",
        [
          Field(name: "kind", type: nonNull("__TypeKind")),
          Field(name: "name", type: .named("String")),
          Field(name: "description", type: .named("String")),
          Field(name: "specifiedByURL", type: .named("String")),
          Field(name: "fields", arguments: [deprecated], type: listOf("__Field").nullable),
          Field(name: "interfaces", type: listOf("__Type").nullable),
          Field(name: "possibleTypes", type: listOf("__Type").nullable),
          Field(name: "enumValues", arguments: [deprecated], type: listOf("__EnumValue").nullable),
          Field(
            name: "inputFields", arguments: [deprecated], type: listOf("__InputValue").nullable),
          Field(name: "ofType", type: .named("__Type")),
          Field(name: "isOneOf", type: .named("Boolean")),
        ]),
      object(
        "__Field",
        [
          Field(name: "name", type: nonNull("String")),
          Field(name: "description", type: .named("String")),
          Field(name: "args", arguments: [deprecated], type: listOf("__InputValue")),
          Field(name: "type", type: nonNull("__Type")),
        ] + deprecation),
      object(
        "__InputValue",
        [
          Field(name: "name", type: nonNull("String")),
          Field(name: "description", type: .named("String")),
          Field(name: "type", type: nonNull("__Type")),
          Field(name: "defaultValue", type: .named("String")),
        ] + deprecation),
      object(
        "__EnumValue",
        [
          Field(name: "name", type: nonNull("String")),
          Field(name: "description", type: .named("String")),
        ] + deprecation),
      object(
        "__Directive",
        [
          Field(name: "name", type: nonNull("String")),
          Field(name: "description", type: .named("String")),
          Field(name: "isRepeatable", type: nonNull("Boolean")),
          Field(name: "locations", type: listOf("__DirectiveLocation")),
          Field(name: "args", arguments: [deprecated], type: listOf("__InputValue")),
        ]),
      TypeDefinition(
        name: "__TypeKind", kind: .enum,
        values: [
          "SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM", "INPUT_OBJECT", "LIST", "NON_NULL",
        ].map { GraphQLSchema.EnumValue(name: $0) }),
      TypeDefinition(
        name: "__DirectiveLocation", kind: .enum,
        values: GraphQLSchema.DirectiveLocation.allCases.map {
          GraphQLSchema.EnumValue(name: $0.rawValue)
        }),
    ]

  private static let deprecated = InputValue(
    name: "includeDeprecated", type: nonNull("Boolean"), defaultValue: "false")

  private static let deprecation = [
    Field(name: "isDeprecated", type: nonNull("Boolean")),
    Field(name: "deprecationReason", type: .named("String")),
  ]

  private static func object(_ name: String, _ fields: [Field]) -> TypeDefinition {
    TypeDefinition(name: name, kind: .object, fields: fields)
  }

  private static func nonNull(_ name: String) -> GraphQLType { .nonNull(.named(name)) }

  private static func listOf(_ name: String) -> GraphQLType { .nonNull(.list(nonNull(name))) }
}
