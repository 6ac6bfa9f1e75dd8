import LullCore

/// The shape of a schema: its type, as far as it determines how users enter a value. Constraints
/// are ignored.
struct SchemaShape {
  enum Kind: Equatable {
    case string, number, integer, boolean, null
    case object, array
    case choice([String])
    /// Any type, or several possible types.
    case any
  }

  var kind = Kind.any
  /// The allowed values of an integer. Empty: any value.
  var integers: [Int] = []
  /// The element schema of a list.
  var items: ImportNode?
  /// The schema of an object.
  var object: ImportNode?
  /// Whether the value is binary data, such as a file.
  var isBinary = false
  var format: String?
  /// The shapes of the alternatives that are objects or lists.
  var container: [SchemaShape] = []

  private static let deepest = 16

  static func of(_ schema: ImportNode?, in document: OpenAPIDocument) -> SchemaShape {
    schema.map { of($0, in: document, depth: 0) } ?? SchemaShape()
  }

  /// Returns the shape of a schema. Each schema is visited once, even if schemas refer to
  /// themselves or to each other.
  private static func of(
    _ schema: ImportNode, in document: OpenAPIDocument, depth: Int
  ) -> SchemaShape {
    guard depth < deepest, schema.isObject else { return SchemaShape() }
    if let known = document.shapes[schema.identity] { return known }
    document.shapes[schema.identity] = SchemaShape()
    var shape = made(of: schema, in: document, depth: depth)
    if shape.kind == .object, shape.object == nil { shape.object = schema }
    document.shapes[schema.identity] = shape
    return shape
  }

  private static func made(
    of schema: ImportNode, in document: OpenAPIDocument, depth: Int
  ) -> SchemaShape {
    var shape = SchemaShape()
    shape.format = schema.string("format")
    shape.items = schema["items"]
    shape.kind = ownKind(schema)
    if shape.kind == .integer { shape.integers = ownIntegers(schema) }
    shape.isBinary =
      shape.kind == .string && schema["contentEncoding"] == nil
      && (shape.format == "binary" || schema["contentMediaType"] != nil)
    if shape.kind == .any, document.isNew, schema["contentMediaType"] != nil {
      shape.isBinary = true
    }
    // In OpenAPI 3.0, keywords next to a `$ref` are ignored. In 3.1, they rarely concern the type.
    if schema["$ref"] != nil, shape.kind == .any || !document.isNew {
      guard let target = document.target(of: schema) else { return SchemaShape() }
      return of(target, in: document, depth: depth + 1)
    }
    guard shape.kind == .any || shape.kind == .string && schema["enum"] == nil else { return shape }
    for part in schema["allOf"]?.elements ?? [] {
      let found = of(part, in: document, depth: depth + 1)
      guard found.kind != .any else { continue }
      if shape.kind == .any || isChoice(found.kind) { shape = found }
    }
    // The object is described by all parts together, not by one of them.
    shape.object = nil
    guard shape.kind == .any else { return shape }
    var shapes: [SchemaShape] = []
    for alternative in schema.alternatives {
      let found = of(alternative, in: document, depth: depth + 1)
      if found.kind != .null { shapes.append(found) }
    }
    if var common = common(shapes) {
      common.object = nil
      return common
    }
    shape.container = shapes.filter { $0.kind == .object || $0.kind == .array }
    return shape
  }

  /// Returns whether a value is more complex than pairs of names and scalars. If so, it needs
  /// nested keys in brackets.
  func isDeep(_ schema: ImportNode?, in document: OpenAPIDocument) -> Bool {
    hasContainers(in: document) || isOneOfSeveral(schema, in: document)
  }

  /// Whether the value is an object that contains lists or objects.
  private func hasContainers(in document: OpenAPIDocument) -> Bool {
    object.map { SchemaShape.hasContainers($0, in: document, depth: 0) } ?? false
  }

  /// Whether this object is only one of several alternatives, and some of the others are scalars.
  /// An empty string is not considered, because APIs use it to remove a value.
  private func isOneOfSeveral(_ schema: ImportNode?, in document: OpenAPIDocument) -> Bool {
    guard kind == .object else { return false }
    let target = document.target(of: schema)
    return (target?.alternatives ?? []).contains { alternative in
      switch SchemaShape.of(alternative, in: document).kind {
      case .string, .number, .integer, .boolean: true
      case .choice(let words): words != [""]
      case .null, .object, .array, .any: false
      }
    }
  }

  private static func hasContainers(
    _ schema: ImportNode, in document: OpenAPIDocument, depth: Int
  ) -> Bool {
    guard depth < 4, let target = document.target(of: schema) else { return false }
    var values = ObjectShape(target, in: document).properties.map(\.schema)
    if let others = target["additionalProperties"], others.isObject { values.append(others) }
    let isContainer = values.contains { value in
      let shape = of(value, in: document)
      return shape.kind == .object || shape.kind == .array || !shape.container.isEmpty
    }
    return isContainer
      || target.alternatives.contains { hasContainers($0, in: document, depth: depth + 1) }
  }

  private static func isChoice(_ kind: Kind) -> Bool {
    if case .choice = kind { true } else { false }
  }

  /// Returns the shape that all alternatives have in common.
  private static func common(_ shapes: [SchemaShape]) -> SchemaShape? {
    guard let first = shapes.first else { return nil }
    if shapes.allSatisfy({ $0.kind == first.kind }) {
      var common = first
      let isLimited = shapes.allSatisfy { !$0.integers.isEmpty }
      common.integers = isLimited ? unique(shapes.flatMap(\.integers)) : []
      return common
    }
    var words: [String] = []
    for shape in shapes {
      switch shape.kind {
      case .choice(let more): words += more.filter { !words.contains($0) }
      case .string: return shapes.allSatisfy { $0.isText } ? SchemaShape(kind: .string) : nil
      case .integer, .number:
        return shapes.allSatisfy { $0.kind == .integer || $0.kind == .number }
          ? SchemaShape(kind: .number) : nil
      default: return nil
      }
    }
    return SchemaShape(kind: .choice(words))
  }

  private var isText: Bool { kind == .string || SchemaShape.isChoice(kind) }

  private static func ownKind(_ schema: ImportNode) -> Kind {
    var words: [String]?
    if let values = schema["enum"]?.elements.map(\.element) {
      let texts = values.filter { !$0.isNull }.map(\.string)
      if !texts.isEmpty, texts.count <= 500, !texts.contains(nil) {
        words = unique(texts.compactMap(\.self))
      }
    } else if let word = schema.string("const") {
      words = [word]
    }
    var types = schema["type"]?.elements.compactMap(\.element.string) ?? []
    if let type = schema.string("type") { types = [type] }
    types.removeAll { $0 == "null" }
    if types.count > 1 {
      return Set(types) == ["integer", "number"] ? .number : .any
    }
    switch types.first {
    case "string" where words != nil, nil where words != nil: return .choice(words ?? [])
    case "string": return .string
    case "integer": return .integer
    case "number": return .number
    case "boolean": return .boolean
    case "array": return .array
    case "object": return .object
    case nil where schema.string("type") == "null": return .null
    case nil where schema["properties"] != nil || schema["additionalProperties"]?.isObject == true:
      return .object
    case nil where schema["items"] != nil: return .array
    default: return .any
    }
  }

  /// Returns the integers that a schema lists as the only allowed values. Empty if any integer is
  /// allowed, or if the list has other values too.
  private static func ownIntegers(_ schema: ImportNode) -> [Int] {
    var values = schema["enum"]?.elements.map(\.element) ?? []
    if values.isEmpty, let value = schema["const"]?.element { values = [value] }
    let numbers = values.filter { !$0.isNull }.map(\.int)
    guard numbers.count <= 500, !numbers.contains(nil) else { return [] }
    return unique(numbers.compactMap(\.self))
  }

  private static func unique(_ numbers: [Int]) -> [Int] {
    var seen: Set<Int> = []
    return numbers.filter { seen.insert($0).inserted }
  }

  private static func unique(_ words: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return words.filter { seen.insert(Array($0.utf8)).inserted }
  }
}

extension ImportNode {
  /// The alternatives of a schema, from `oneOf` or `anyOf`.
  var alternatives: [ImportNode] { (self["oneOf"] ?? self["anyOf"])?.elements ?? [] }
}

/// The properties of an object schema, including the properties of the schemas that it combines.
struct ObjectShape {
  struct Property {
    let name: String
    let schema: ImportNode
    var isRequired: Bool
  }

  private(set) var properties: [Property] = []
  /// Whether the value may be one of several alternatives. Its properties are then not known for
  /// certain.
  private(set) var isOneOfSeveral = false
  private var required: Set<String> = []
  private var places: [[UInt8]: Int] = [:]
  private var seen: Set<ImportNode.Identity> = []

  private static let deepest = 16
  /// The maximum number of properties that become parameters of a call.
  static let most = 500

  init(_ schema: ImportNode, in document: OpenAPIDocument) {
    take(schema, document, depth: 0)
    for place in properties.indices where required.contains(properties[place].name) {
      properties[place].isRequired = true
    }
  }

  private mutating func take(_ schema: ImportNode, _ document: OpenAPIDocument, depth: Int) {
    // Visit each schema only once, because it may refer to itself.
    guard depth < ObjectShape.deepest, schema.isObject, seen.insert(schema.identity).inserted else {
      return
    }
    if schema["$ref"] != nil {
      if let target = document.target(of: schema) { take(target, document, depth: depth + 1) }
      guard document.isNew else { return }
    }
    if schema["oneOf"] != nil || hasShapes(schema["anyOf"], document) {
      isOneOfSeveral = true
    }
    for part in schema["allOf"]?.elements ?? [] { take(part, document, depth: depth + 1) }
    for (name, property) in schema["properties"]?.pairs ?? [] {
      guard properties.count <= ObjectShape.most else { return }
      let key = Array(name.utf8)
      if let place = places[key] {
        properties[place] = Property(name: name, schema: property, isRequired: false)
      } else {
        places[key] = properties.count
        properties.append(Property(name: name, schema: property, isRequired: false))
      }
    }
    for name in schema["required"]?.elements ?? [] {
      if let name = name.element.string { required.insert(name) }
    }
  }

  /// Whether any alternative describes properties, instead of only listing required ones.
  private func hasShapes(_ alternatives: ImportNode?, _ document: OpenAPIDocument) -> Bool {
    (alternatives?.elements ?? []).contains { alternative in
      document.target(of: alternative).map {
        $0["properties"] != nil || $0["type"] != nil || $0["allOf"] != nil
      }
        ?? true
    }
  }
}
