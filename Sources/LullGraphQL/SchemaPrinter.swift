extension GraphQLSchema {
  /// The schema as a type system document. Reading it again gives the same schema. Built-in types
  /// and directives are left out unless the schema defines them differently (GQL-60).
  package var sdl: String {
    var parts: [String] = []
    if let definition = SchemaPrinter.schemaDefinition(self) { parts.append(definition) }
    for directive in directives {
      let text = SchemaPrinter.text(of: directive)
      if SchemaPrinter.builtInDirectives[directive.name] != text { parts.append(text) }
    }
    for type in types where !type.name.utf8.starts(with: "__".utf8) {
      let text = SchemaPrinter.text(of: type)
      if SchemaPrinter.builtInTypes[type.name] != text { parts.append(text) }
    }
    return parts.map { $0 + "\n" }.joined(separator: "\n")
  }
}

/// Writes the definitions of a schema.
private enum SchemaPrinter {
  private typealias Kind = GraphQLSchema.Kind

  static let builtInDirectives = Dictionary(
    BuiltIns.directives.map { ($0.name, text(of: $0)) }, uniquingKeysWith: { first, _ in first })
  static let builtInTypes = Dictionary(
    BuiltIns.types.map { ($0.name, text(of: $0)) }, uniquingKeysWith: { first, _ in first })

  // MARK: Definitions

  /// nil if the names of the root types are the usual ones.
  static func schemaDefinition(_ schema: GraphQLSchema) -> String? {
    let roots = GraphQLOperationKind.allCases.compactMap { kind in
      schema.root(kind).map { (kind: kind, name: $0.name) }
    }
    let isUsual = GraphQLOperationKind.allCases.allSatisfy { kind in
      let usual = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
      guard let name = schema.root(kind)?.name else { return schema.type(usual) == nil }
      return name == usual
    }
    guard !roots.isEmpty, !isUsual || schema.description != nil else { return nil }
    let lines = roots.map { "  \($0.kind.rawValue): \($0.name)\n" }.joined()
    return description(schema.description, "") + "schema {\n\(lines)}"
  }

  static func text(of directive: GraphQLSchema.Directive) -> String {
    description(directive.description, "") + "directive @\(directive.name)"
      + arguments(directive.arguments, "") + (directive.isRepeatable ? " repeatable" : "") + " on "
      + directive.locations.map(\.rawValue).joined(separator: " | ")
  }

  static func text(of type: GraphQLSchema.TypeDefinition) -> String {
    var text = description(type.description, "") + keyword(type.kind) + " " + type.name
    if !type.interfaces.isEmpty {
      text += " implements " + type.interfaces.joined(separator: " & ")
    }
    text += applied(type.directives)
    if let url = type.specifiedBy, !type.directives.contains(where: { $0.name == "specifiedBy" }) {
      text += " @specifiedBy(url: \(quoted(url)))"
    }
    if type.isOneOf, !type.directives.contains(where: { $0.name == "oneOf" }) { text += " @oneOf" }
    if !type.members.isEmpty { text += " = " + type.members.joined(separator: " | ") }
    var lines: [(description: String?, text: String)] = []
    for field in type.fields {
      let end = applied(field.directives, field.deprecationReason)
      lines.append(
        (
          field.description,
          "\(field.name)\(arguments(field.arguments, "  ")): \(field.type)\(end)"
        ))
    }
    for value in type.values {
      lines.append(
        (value.description, value.name + applied(value.directives, value.deprecationReason)))
    }
    for input in type.inputFields { lines.append((input.description, self.text(of: input))) }
    guard !lines.isEmpty else { return text }
    text += " {\n"
    for (number, line) in lines.enumerated() {
      // A description has an empty line before it.
      if number > 0, line.description != nil { text += "\n" }
      text += description(line.description, "  ") + "  \(line.text)\n"
    }
    return text + "}"
  }

  private static func keyword(_ kind: GraphQLSchema.Kind) -> String {
    switch kind {
    case .scalar: "scalar"
    case .object: "type"
    case .interface: "interface"
    case .union: "union"
    case .enum: "enum"
    case .inputObject: "input"
    }
  }

  /// Arguments are written on one line unless one of them has a description.
  private static func arguments(_ arguments: [GraphQLSchema.InputValue], _ indentation: String)
    -> String
  {
    guard !arguments.isEmpty else { return "" }
    guard arguments.contains(where: { $0.description != nil }) else {
      return "(" + arguments.map(text).joined(separator: ", ") + ")"
    }
    let inner = indentation + "  "
    var result = "(\n"
    for (number, argument) in arguments.enumerated() {
      if number > 0, argument.description != nil { result += "\n" }
      result += description(argument.description, inner) + inner + text(of: argument) + "\n"
    }
    return result + indentation + ")"
  }

  private static func text(of input: GraphQLSchema.InputValue) -> String {
    "\(input.name): \(input.type)" + (input.defaultValue.map { " = \($0)" } ?? "")
      + applied(input.directives, input.deprecationReason)
  }

  // MARK: Directives

  /// - Parameter reason: The reason of the deprecation. Introspection gives it without the
  ///   directive.
  private static func applied(
    _ directives: [GraphQLSchema.AppliedDirective], _ reason: String? = nil
  ) -> String {
    var text = directives.map { directive in
      let arguments = directive.arguments.sorted { $0.key < $1.key }.map {
        "\($0.key): \($0.value)"
      }
      return " @\(directive.name)"
        + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
    }.joined()
    if let reason, !directives.contains(where: { $0.name == "deprecated" }) {
      text += " @deprecated"
      if reason != BuiltIns.defaultDeprecationReason { text += "(reason: \(quoted(reason)))" }
    }
    return text
  }

  // MARK: Strings

  private static let widest = 70

  /// A description with the line break after it, or nothing.
  private static func description(_ text: String?, _ indentation: String) -> String {
    guard let text else { return "" }
    guard isBlock(text) else { return "\(indentation)\(quoted(text))\n" }
    let escaped = text.replacing("\"\"\"", with: "\\\"\"\"")
    let lines = escaped.split(separator: "\n", omittingEmptySubsequences: false)
    let ends = text.hasSuffix("\"") || text.hasSuffix("\\")
    if lines.count == 1, text.count <= widest, !ends {
      return "\(indentation)\"\"\"\(escaped)\"\"\"\n"
    }
    let block = lines.map { $0.isEmpty ? "\n" : "\(indentation)\($0)\n" }.joined()
    return "\(indentation)\"\"\"\n\(block)\(indentation)\"\"\"\n"
  }

  /// Whether a block string can have this value: its first and last lines are not blank, its lines
  /// do not all begin with a space, and it has no control characters.
  private static func isBlock(_ text: String) -> Bool {
    let isControl = text.unicodeScalars.contains { scalar in
      scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || scalar.value == 0x7F
    }
    let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
    func isBlank(_ line: Substring.UTF8View?) -> Bool {
      line?.allSatisfy { $0 == 32 || $0 == 9 } ?? true
    }
    return !isControl && !isBlank(lines.first) && !isBlank(lines.last)
      && lines.contains { !isBlank($0) && $0.first != 32 && $0.first != 9 }
  }

  private static func quoted(_ text: String) -> String { JSONText.quoted(text) }
}
