extension GraphQLSchema {
  /// The reason that no operation can be generated for a field (GQL-23).
  package enum GenerationProblem: Error, Equatable, Sendable, CustomStringConvertible {
    case noRootType(GraphQLOperationKind)
    case unknownField(String, hint: String)
    /// The selections are more than the given number.
    case tooLarge(Int)

    package var description: String {
      switch self {
      case .noRootType(let kind): "the schema has no \(kind.rawValue) operations"
      case .unknownField(let name, let hint): "unknown field '\(name)'\(hint)"
      case .tooLarge(let limit):
        "the operation would select more than \(limit) fields: use a smaller depth"
      }
    }
  }

  /// Returns the text of an operation with a field of a root type.
  ///
  /// The arguments become variables. Leaf fields are selected, and objects down to the depth.
  /// Deprecated fields and arguments are left out, as are fields with required arguments below the
  /// top level. Interfaces and unions have `__typename` and inline fragments. If two of these have
  /// fields that can't be merged, the second gets an alias. If the field is a connection, its rows
  /// and their pages are selected. (GQL-21, GQL-22, GQL-61)
  ///
  /// - Parameters:
  ///   - name: The name of the operation, by default that of the field in upper camel case.
  ///   - depth: The number of levels of selections below the field, at least 1.
  ///   - limit: The largest number of fields.
  ///   - mostTypes: The largest number of object types of an interface or a union that has inline
  ///     fragments. With more, only the fields of the interface are selected.
  package func operation(
    for field: String, of kind: GraphQLOperationKind = .query, name: String? = nil,
    depth: Int = 2, limit: Int = 10_000, mostTypes: Int = .max
  ) throws(GenerationProblem) -> String {
    guard let root = root(kind) else { throw .noRootType(kind) }
    guard let definition = root.field(field) else {
      throw .unknownField(
        "\(root.name).\(field)",
        hint: ValueChecker.suggestion(for: field, among: root.fields.lazy.map(\.name)))
    }
    let depth = min(max(depth, 1), DocumentParser.depthLimit / 2)
    var generator = OperationGenerator(
      schema: self, depth: depth, limit: limit, mostTypes: mostTypes)
    let arguments = definition.arguments.filter { $0.isRequired || $0.deprecationReason == nil }
    var text = "\(kind.rawValue) \(name ?? field.prefix(1).uppercased() + field.dropFirst())"
    if !arguments.isEmpty {
      let variables = arguments.map { argument in
        "$\(argument.name): \(argument.type)" + (argument.defaultValue.map { " = \($0)" } ?? "")
      }
      text += "(\(variables.joined(separator: ", ")))"
    }
    text += " {\n  \(field)"
    if !arguments.isEmpty {
      text += "(\(arguments.map { "\($0.name): $\($0.name)" }.joined(separator: ", ")))"
    }
    if let type = type(definition.type.name), type.isComposite {
      let hasPages = arguments.contains { $0.name == "after" }
      let selections =
        hasPages
        ? generator.connection(of: type, rowsLevel: 1, hasPages: true)
          ?? generator.selections(of: type, level: 1)
        : generator.selections(of: type, level: 1)
      guard !generator.isTooLarge else { throw .tooLarge(limit) }
      text += OperationGenerator.text(of: selections, indentation: "  ")
    }
    return text + "\n}\n"
  }
}

extension GraphQLSchema {
  /// The rows of a connection.
  struct ConnectionRows {
    /// `nodes`, or `edges`.
    let field: Field
    /// The field `node` of an edge.
    let node: Field?
    /// The type of a row.
    let type: TypeDefinition
  }

  /// The rows of a type that has them and `pageInfo`, as in the cursor connections of Relay. nil if
  /// it is another type.
  func connectionRows(of type: TypeDefinition) -> ConnectionRows? {
    guard type.kind == .object,
      let page = type.field("pageInfo").flatMap({ self.type($0.type.name) }),
      page.field("hasNextPage") != nil, page.field("endCursor") != nil
    else { return nil }
    if let nodes = type.field("nodes"), nodes.type.isList, let row = self.type(nodes.type.name),
      row.isComposite
    {
      return ConnectionRows(field: nodes, node: nil, type: row)
    }
    guard let edges = type.field("edges"), edges.type.isList,
      let node = self.type(edges.type.name)?.field("node"),
      let row = self.type(node.type.name), row.isComposite
    else { return nil }
    return ConnectionRows(field: edges, node: node, type: row)
  }
}

private struct OperationGenerator {
  /// A field, or an inline fragment.
  struct Selection {
    /// The field or `... on Type`.
    var head: String
    var alias: String?
    var arguments = ""
    /// nil for an inline fragment.
    let type: GraphQLType?
    var selections: [Selection] = []
    var responseKey: String { alias ?? head }
  }

  /// The response keys of a level and below, with the types of their fields. All fields with the
  /// same key must have the same shape, even those of different objects.
  private final class Shape {
    let type: GraphQLType
    var fields: [String: Shape] = [:]

    init(_ type: GraphQLType) { self.type = type }
  }

  let schema: GraphQLSchema
  let depth: Int
  let limit: Int
  let mostTypes: Int
  private var count = 0

  init(schema: GraphQLSchema, depth: Int, limit: Int, mostTypes: Int) {
    self.schema = schema
    self.depth = depth
    self.limit = limit
    self.mostTypes = mostTypes
  }

  var isTooLarge: Bool { count > limit }

  // MARK: Selecting

  mutating func selections(of type: GraphQLSchema.TypeDefinition, level: Int) -> [Selection] {
    var selections = fields(of: type, level: level) { _ in true }
    if type.isAbstract {
      selections.insert(OperationGenerator.typeName, at: 0)
      let known = Set(selections.map(\.head))
      let shape = Shape(.named(type.name))
      for selection in selections { add(selection, to: shape) }
      let possibleTypes = schema.possibleTypes(type)
      for name in possibleTypes.count > mostTypes ? [] : possibleTypes.sorted() {
        guard let possible = schema.type(name), !isTooLarge else { continue }
        var own = fields(of: possible, level: level) { !known.contains($0) }
        for index in own.indices {
          if !fits(own[index], shape) {
            own[index].alias = freeAlias(own[index].head, name, shape)
          }
          add(own[index], to: shape)
        }
        if !own.isEmpty {
          selections.append(Selection(head: "... on \(name)", type: nil, selections: own))
        }
      }
    }
    return selections.isEmpty ? [OperationGenerator.typeName] : selections
  }

  private static let typeName = Selection(
    head: "__typename", type: .nonNull(.named("String")))

  private mutating func fields(
    of type: GraphQLSchema.TypeDefinition, level: Int, where isWanted: (String) -> Bool
  ) -> [Selection] {
    var result: [Selection] = []
    for field in type.fields where field.deprecationReason == nil && isWanted(field.name) {
      guard !field.arguments.contains(where: \.isRequired), !isTooLarge,
        let inner = schema.type(field.type.name), inner.isLeaf || level < depth
      else { continue }
      var selection = Selection(head: field.name, type: field.type)
      count += 1
      if !inner.isLeaf {
        let rowsLevel = level + 1 < depth ? level + 2 : nil
        if let connection = connection(of: inner, rowsLevel: rowsLevel, hasPages: false) {
          selection.selections = connection
          if rowsLevel != nil { selection.arguments = OperationGenerator.pageSize(of: field) }
        } else {
          selection.selections = selections(of: inner, level: level + 1)
        }
      }
      result.append(selection)
    }
    return result
  }

  // MARK: Connections

  /// The number of rows of a connection below the top level. Many servers require it.
  private static func pageSize(of field: GraphQLSchema.Field) -> String {
    guard let first = field.argument("first"), first.type == .named("Int"),
      first.defaultValue == nil
    else { return "" }
    return "(first: 10)"
  }

  /// The selections of a connection: its leaf fields, its rows and the end of the page. nil if the
  /// type is not a connection.
  ///
  /// - Parameters:
  ///   - rowsLevel: The level of the fields of a row. nil: no rows.
  ///   - hasPages: Whether `pageInfo` is selected.
  mutating func connection(
    of type: GraphQLSchema.TypeDefinition, rowsLevel: Int?, hasPages: Bool
  ) -> [Selection]? {
    guard let rows = schema.connectionRows(of: type) else { return nil }
    var result: [Selection] = []
    for field in type.fields {
      if field.name == "pageInfo", hasPages {
        let ends = ["hasNextPage", "endCursor"].map { name in
          Selection(head: name, type: .named(name == "endCursor" ? "String" : "Boolean"))
        }
        result.append(Selection(head: field.name, type: field.type, selections: ends))
      } else if field.name == rows.field.name, let rowsLevel {
        var inner = selections(of: rows.type, level: rowsLevel)
        if let node = rows.node {
          inner = [Selection(head: node.name, type: node.type, selections: inner)]
        }
        result.append(Selection(head: field.name, type: field.type, selections: inner))
      } else if schema.type(field.type.name)?.isLeaf ?? false, field.deprecationReason == nil,
        !field.arguments.contains(where: \.isRequired)
      {
        result.append(Selection(head: field.name, type: field.type))
      }
      count += 1
    }
    return result.isEmpty ? [OperationGenerator.typeName] : result
  }

  // MARK: Shapes

  /// Whether a field has the shape of the others with its response key.
  private func fits(_ selection: Selection, _ shape: Shape) -> Bool {
    guard let type = selection.type else {
      return selection.selections.allSatisfy { fits($0, shape) }
    }
    guard let known = shape.fields[selection.responseKey] else { return true }
    return hasSameShape(type, known.type) && selection.selections.allSatisfy { fits($0, known) }
  }

  private func hasSameShape(_ type: GraphQLType, _ other: GraphQLType) -> Bool {
    switch (type, other) {
    case (.nonNull(let type), .nonNull(let other)), (.list(let type), .list(let other)):
      hasSameShape(type, other)
    case (.named(let name), .named(let other)):
      name == other
        || schema.type(name)?.isComposite ?? false && schema.type(other)?.isComposite ?? false
    default: false
    }
  }

  private func add(_ selection: Selection, to shape: Shape) {
    guard let type = selection.type else {
      for inner in selection.selections { add(inner, to: shape) }
      return
    }
    let inner = shape.fields[selection.responseKey] ?? Shape(type)
    shape.fields[selection.responseKey] = inner
    for selection in selection.selections { add(selection, to: inner) }
  }

  /// An alias such as `issueState`, which no other field has.
  private func freeAlias(_ field: String, _ type: String, _ shape: Shape) -> String {
    let alias =
      type.prefix(1).lowercased() + type.dropFirst() + field.prefix(1).uppercased()
      + field.dropFirst()
    var free = alias
    var number = 2
    while shape.fields[free] != nil {
      free = "\(alias)\(number)"
      number += 1
    }
    return free
  }

  // MARK: Text

  static func text(of selections: [Selection], indentation: String) -> String {
    guard !selections.isEmpty else { return "" }
    let inner = indentation + "  "
    let lines = selections.map { selection in
      inner + (selection.alias.map { "\($0): " } ?? "") + selection.head + selection.arguments
        + text(of: selection.selections, indentation: inner)
    }
    return " {\n" + lines.joined(separator: "\n") + "\n\(indentation)}"
  }
}
