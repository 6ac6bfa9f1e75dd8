import LullCore

/// Converts the value descriptions and record types of inferred shapes to JSON Schema, draft
/// 2020-12.
struct PlaceSchemas {
  let table: RecordTable
  let names: [Int: String]

  func schema(of place: RecordTable.Place) -> JSONValue {
    guard !place.kinds.contains(.unknown) else { return .object([]) }
    // All samples were null, so the type is unknown.
    guard !place.kinds.subtracting(.null).isEmpty else {
      return .object([.init("$comment", "always null")])
    }
    var kinds = place.kinds
    guard let record = place.record, let name = names[table.root(record)] else {
      return plain(place, kinds)
    }
    let reference = JSONValue.object([.init("$ref", .string("#/$defs/\(name)"))])
    kinds.remove(.object)
    guard !kinds.isEmpty || !place.entries.isEmpty else { return reference }
    if !place.entries.isEmpty { kinds.insert(.object) }
    return .object([.init("anyOf", .array([reference, plain(place, kinds)]))])
  }

  private func plain(_ place: RecordTable.Place, _ kinds: Shape.Kinds) -> JSONValue {
    var types: [JSONValue] = []
    if kinds.contains(.boolean) { types.append("boolean") }
    if kinds.contains(.number) {
      types.append("number")
    } else if kinds.contains(.integer) {
      types.append("integer")
    }
    for (kind, name) in [(Shape.Kinds.string, "string"), (.array, "array"), (.object, "object")]
    where kinds.contains(kind) { types.append(.string(name)) }
    if kinds.contains(.null) { types.append("null") }
    var members = [JSONValue.Member("type", types.count == 1 ? types[0] : .array(types))]
    if kinds.contains(.array), let element = place.element.first {
      members.append(.init("items", schema(of: element)))
    }
    if kinds.contains(.object), let entries = place.entries.first {
      members.append(.init("additionalProperties", schema(of: entries)))
    }
    return .object(members)
  }

  func schema(ofRecord number: Int) -> JSONValue {
    let record = table.records[number]
    let properties = record.fields.map { JSONValue.Member($0.name, schema(of: $0.place)) }
    let required = record.fields.filter { $0.place.count >= record.count }.map {
      JSONValue.string($0.name)
    }
    var members: [JSONValue.Member] = [
      .init("type", "object"), .init("properties", .object(properties)),
    ]
    if !required.isEmpty { members.append(.init("required", .array(required))) }
    if let entries = record.entries.first {
      members.append(.init("additionalProperties", schema(of: entries)))
    }
    return .object(members)
  }
}
