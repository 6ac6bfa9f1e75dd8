import LullCore

/// The properties of a schema of objects, those of its parts with them.
struct ObjectShape {
  struct Property {
    let name: String
    let schema: ImportNode
    var isRequired: Bool
  }

  private(set) var properties: [Property] = []
  /// Whether a value may be one of several, so that its properties are not known.
  private(set) var isOneOfSeveral = false
  private var required: Set<String> = []
  private var places: [[UInt8]: Int] = [:]
  private var seen: Set<ImportNode.Identity> = []

  private static let deepest = 16
  /// So many that a call has them as parameters.
  static let most = 500

  init(_ schema: ImportNode, in document: OpenAPIDocument) {
    take(schema, document, depth: 0)
    for place in properties.indices where required.contains(properties[place].name) {
      properties[place].isRequired = true
    }
  }

  private mutating func take(_ schema: ImportNode, _ document: OpenAPIDocument, depth: Int) {
    // What refers to itself is taken once.
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

  /// Whether alternatives say more than which properties are required.
  private func hasShapes(_ alternatives: ImportNode?, _ document: OpenAPIDocument) -> Bool {
    (alternatives?.elements ?? []).contains { alternative in
      document.target(of: alternative).map {
        $0["properties"] != nil || $0["type"] != nil || $0["allOf"] != nil
      }
        ?? true
    }
  }
}
