import LullCore

/// What the notes of OpenAPI say of which property names which schema.
extension SchemaExample {
  /// The schema that is taken for one that stands for others: the first that its discriminator maps
  /// to, unless the value is of one of them already.
  func firstMapped(
    by schema: JSONElement, _ resource: Int, beside parts: [Part]
  ) -> JSONElement? {
    guard schema["oneOf"] == nil, schema["anyOf"] == nil,
      let mapping = schema["discriminator"]?["mapping"]?.pairs
    else { return nil }
    let targets = mapping.compactMap { target(of: $0.value, resource) }
    let taken = Set(parts.map { SchemaPlace($0.element) })
    // Mapped to itself it is there already.
    guard !targets.contains(where: { taken.contains(SchemaPlace($0)) }) else { return nil }
    return targets.first
  }

  /// The properties that name the schema of a value.
  func discriminators(of parts: [Part]) -> [String] {
    parts.compactMap { $0.element["discriminator"]?["propertyName"]?.string }
      .filter { discriminatingWord($0, parts) != nil }
  }

  /// What a property says that names the schema of the value; nil of others.
  func discriminatingWord(_ name: String, _ parts: [Part]) -> String? {
    guard takesWords else { return nil }
    for (element, resource) in parts {
      guard let discriminator = element["discriminator"],
        discriminator["propertyName"]?.string == name
      else { continue }
      let mapping = (discriminator["mapping"]?.pairs ?? []).compactMap { value, pointer in
        target(of: pointer, resource).map { (value: value, place: SchemaPlace($0)) }
      }
      // The outermost schema comes first: it is the most specific one.
      let places = parts.map { SchemaPlace($0.element) }
      for place in places {
        if let mapped = mapping.first(where: { $0.place == place }) { return mapped.value }
      }
      // Without a mapping a schema goes by its name.
      guard mapping.isEmpty, let own = places.lazy.compactMap({ names[$0] }).first else { continue }
      return own
    }
    return nil
  }

  private func target(of pointer: JSONElement, _ resource: Int) -> JSONElement? {
    pointer.string.flatMap { try? resources.find($0, from: resource).element }
  }

  /// Whether a value is of a type that all parts allow.
  static func isOfType(_ value: JSONElement, _ parts: [Part]) -> Bool {
    parts.allSatisfy { part in
      guard let type = part.element["type"] else { return true }
      let names = type.string.map { [$0] } ?? type.elements.compactMap(\.string)
      return names.contains { SchemaExample.isValue(value, of: $0) }
    }
  }

  private static func isValue(_ value: JSONElement, of type: String) -> Bool {
    switch type {
    case "object": value.kind == .object
    case "array": value.kind == .array
    case "string": value.string != nil
    case "number": value.double != nil
    case "integer": value.double.map { $0.rounded() == $0 } ?? false
    case "boolean": value.bool != nil
    case "null": value.isNull
    default: true
    }
  }
}
