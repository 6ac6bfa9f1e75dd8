package import LullCore
package import LullGraphQL

/// Reads a schema from the response to an introspection query (GQL-70).
package struct IntrospectionReader {
  private typealias Field = GraphQLSchema.Field
  private typealias InputValue = GraphQLSchema.InputValue

  /// The built-in directives, which every schema has.
  private static let builtIn: Set<String> = [
    "skip", "include", "deprecated", "specifiedBy", "oneOf",
  ]

  /// - Parameter document: The response, `{"data": {"__schema": …}}`, or its data.
  package static func schema(of document: JSONDocument) throws(ImportProblem) -> GraphQLSchema {
    let root = document.root
    let data = root["data"] ?? root
    guard let schema = data["__schema"], schema.kind == .object else {
      if let message = errorMessage(of: document) {
        throw ImportProblem("the server does not return its schema: \(message)")
      }
      throw ImportProblem("not the result of an introspection: expected the field '__schema'")
    }
    return try IntrospectionReader().schema(schema)
  }

  /// Returns the first error of a GraphQL response. nil if it has none.
  package static func errorMessage(of document: JSONDocument) -> String? {
    let message = document.root["errors"]?.elements.first { _ in true }?["message"]?.string
    return message.map { LogText.part($0, limit: 300) }
  }

  private func schema(_ node: JSONElement) throws(ImportProblem) -> GraphQLSchema {
    var types: [GraphQLSchema.TypeDefinition] = []
    for element in try list(node, "types", of: "the schema") {
      let type = try type(element)
      if !type.name.hasPrefix("__") { types.append(type) }
    }
    var directives: [GraphQLSchema.Directive] = []
    for element in elements(node["directives"]) {
      let directive = try directive(element)
      if !IntrospectionReader.builtIn.contains(directive.name) { directives.append(directive) }
    }
    return GraphQLSchema(
      description: node["description"]?.string, types: types, directives: directives,
      query: try root("queryType", node), mutation: try root("mutationType", node),
      subscription: try root("subscriptionType", node))
  }

  private func root(_ key: String, _ node: JSONElement) throws(ImportProblem) -> String? {
    guard let type = node[key], !type.isNull else { return nil }
    return try name(type, "the root type '\(key)'")
  }

  // MARK: Types

  private func type(_ node: JSONElement) throws(ImportProblem) -> GraphQLSchema.TypeDefinition {
    let name = try name(node, "a type")
    let element = "the type '\(name)'"
    let kind: GraphQLSchema.Kind
    switch node["kind"]?.string {
    case "SCALAR": kind = .scalar
    case "OBJECT": kind = .object
    case "INTERFACE": kind = .interface
    case "UNION": kind = .union
    case "ENUM": kind = .enum
    case "INPUT_OBJECT": kind = .inputObject
    default: throw ImportProblem("\(element) has no known 'kind'")
    }
    var fields: [Field] = []
    var interfaces: [String] = []
    var members: [String] = []
    var values: [GraphQLSchema.EnumValue] = []
    var inputFields: [InputValue] = []
    switch kind {
    case .scalar: break
    case .object, .interface:
      for field in try list(node, "fields", of: element) {
        fields.append(try self.field(field, of: name))
      }
      for interface in elements(node["interfaces"]) {
        interfaces.append(try self.name(interface, "an interface of \(element)"))
      }
    case .union:
      for member in try list(node, "possibleTypes", of: element) {
        members.append(try self.name(member, "a member of \(element)"))
      }
    case .enum:
      for value in try list(node, "enumValues", of: element) {
        values.append(
          GraphQLSchema.EnumValue(
            name: try self.name(value, "a value of \(element)"),
            description: value["description"]?.string, deprecationReason: deprecation(value)))
      }
    case .inputObject:
      for field in try list(node, "inputFields", of: element) {
        inputFields.append(try input(field, of: name))
      }
    }
    return GraphQLSchema.TypeDefinition(
      name: name, kind: kind, description: node["description"]?.string, fields: fields,
      interfaces: interfaces, members: members, values: values, inputFields: inputFields,
      isOneOf: node["isOneOf"]?.bool ?? false,
      specifiedBy: (node["specifiedByURL"] ?? node["specifiedByUrl"])?.string)
  }

  private func field(_ node: JSONElement, of type: String) throws(ImportProblem) -> Field {
    let name = try name(node, "a field of '\(type)'")
    let element = "\(type).\(name)"
    var arguments: [InputValue] = []
    for argument in elements(node["args"]) {
      arguments.append(try input(argument, of: element))
    }
    return Field(
      name: name, description: node["description"]?.string, arguments: arguments,
      type: try reference(node["type"], of: element), deprecationReason: deprecation(node))
  }

  private func input(_ node: JSONElement, of parent: String) throws(ImportProblem) -> InputValue {
    let name = try name(node, "an argument or field of '\(parent)'")
    let text = node["defaultValue"]?.string
    if let text, !GraphQLDocument.isConstant(text) {
      throw ImportProblem("the default of '\(parent).\(name)' is not a GraphQL value")
    }
    return InputValue(
      name: name, description: node["description"]?.string,
      type: try reference(node["type"], of: "\(parent).\(name)"), defaultValue: text,
      deprecationReason: deprecation(node))
  }

  private func directive(_ node: JSONElement) throws(ImportProblem) -> GraphQLSchema.Directive {
    let name = try name(node, "a directive")
    var arguments: [InputValue] = []
    for argument in elements(node["args"]) {
      arguments.append(try input(argument, of: "@\(name)"))
    }
    return GraphQLSchema.Directive(
      name: name, description: node["description"]?.string, arguments: arguments,
      isRepeatable: node["isRepeatable"]?.bool ?? false,
      locations: elements(node["locations"]).compactMap { element in
        element.string.flatMap { GraphQLSchema.DirectiveLocation(rawValue: $0) }
      })
  }

  // MARK: Parts

  private func elements(_ node: JSONElement?) -> [JSONElement] {
    node.map { Array($0.elements) } ?? []
  }

  private func list(_ node: JSONElement, _ key: String, of element: String) throws(ImportProblem)
    -> [JSONElement]
  {
    guard let list = node[key], list.kind == .array else {
      throw ImportProblem("\(element) has no list '\(key)'")
    }
    return elements(list)
  }

  /// Names become names of files and of parts of operations, so they are checked.
  private func name(_ node: JSONElement, _ element: String) throws(ImportProblem) -> String {
    guard let name = node["name"]?.string else { throw ImportProblem("\(element) has no name") }
    guard GraphQLDocument.isName(name) else {
      throw ImportProblem(
        "\(element) is called '\(LogText.part(name, limit: 60))', which is not a GraphQL name")
    }
    return name
  }

  private func deprecation(_ node: JSONElement) -> String? {
    guard node["isDeprecated"]?.bool == true else { return nil }
    return node["deprecationReason"]?.string ?? "No longer supported"
  }

  private func reference(_ node: JSONElement?, of element: String) throws(ImportProblem)
    -> GraphQLType
  {
    var wrappers: [String] = []
    var node = node
    while let type = node, !type.isNull, wrappers.count <= 2 * IntrospectionQuery.deepest {
      switch type["kind"]?.string {
      case let kind? where kind == "NON_NULL" || kind == "LIST": wrappers.append(kind)
      default:
        var result = GraphQLType.named(try name(type, "the type of '\(element)'"))
        for kind in wrappers.reversed() {
          if kind == "LIST" {
            result = .list(result)
          } else if !result.isNonNull {
            result = .nonNull(result)
          }
        }
        return result
      }
      node = type["ofType"]
    }
    throw ImportProblem("the type of '\(element)' is incomplete")
  }
}
