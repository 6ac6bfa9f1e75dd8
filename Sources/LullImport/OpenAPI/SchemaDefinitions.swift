import LullCore

/// The definitions of a file of schemas: those that something refers to, each once and by a name of its own.
final class SchemaDefinitions {
  private let document: OpenAPIDocument
  private var names: [ImportNode.Identity: String] = [:]
  private var used: Set<[UInt8]> = []
  /// The number of the last one of a name that several have.
  private var numbers: [[UInt8]: Int] = [:]
  private var waiting: [(name: String, schema: ImportNode)] = []

  private static let schemas: Set<String> = [
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties", "additionalItems",
  ]
  private static let lists: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
  private static let maps: Set<String> = [
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions",
  ]
  /// What is about documents and examples and not about values, or names what is not here.
  private static let dropped: Set<String> = [
    "discriminator", "xml", "externalDocs", "example", "examples", "$id", "$schema", "$anchor",
    "$dynamicAnchor",
    "$comment",
  ]

  init(_ document: OpenAPIDocument) { self.document = document }

  /// The schema by the dialect of the file.
  func text(of schema: ImportNode) -> [UInt8] {
    var writer = JSONWriter()
    write(schema, &writer)
    return writer.output
  }

  /// The same of a part that many may refer to, which is written once.
  ///
  /// - Parameter holder: what stands where it is used, perhaps a `$ref`.
  func text(of schema: ImportNode, sharedBy holder: ImportNode?) -> [UInt8] {
    guard let reference = holder?.string("$ref"), schema["$ref"] == nil, schema.isObject else {
      return text(of: schema)
    }
    var writer = JSONWriter()
    writer.begin("{")
    writer.write(key: "$ref")
    writer.write("#/$defs/" + SchemaDefinitions.pointer(name(of: schema, reference)))
    writer.end("}")
    return writer.output
  }

  /// What all that was written refers to, and what that does.
  func all() -> [(name: String, entry: [UInt8])] {
    var result: [(name: String, entry: [UInt8])] = []
    while !waiting.isEmpty {
      let next = waiting
      waiting = []
      for (name, schema) in next { result.append((name, text(of: schema))) }
    }
    return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func write(_ schema: ImportNode, _ writer: inout JSONWriter) {
    guard schema.isObject else {
      // True and false are schemas; anything else says nothing.
      if let value = schema.element.bool {
        writer.write(value)
      } else {
        writer.write(true)
      }
      return
    }
    if let reference = schema.string("$ref"), !document.isNew {
      writer.begin("{")
      writeReference(reference, of: schema, &writer)
      writer.end("}")
      return
    }
    if !document.isNew, schema.bool("nullable") == true {
      return writeNullable(schema, &writer)
    }
    writer.begin("{")
    writeMembers(schema, &writer, types: nil)
    writer.end("}")
  }

  private func writeReference(
    _ reference: String, of schema: ImportNode, _ writer: inout JSONWriter
  ) {
    guard let target = try? document.set.node(reference, from: schema.document) else { return }
    writer.write(key: "$ref")
    writer.write("#/$defs/" + SchemaDefinitions.pointer(name(of: target, reference)))
  }

  private static func pointer(_ name: String) -> String {
    name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  private func name(of target: ImportNode, _ reference: String) -> String {
    if let known = names[target.identity] { return known }
    let last = reference.split(separator: "/").last.map(String.init) ?? "schema"
    var wanted = last.replacing("~1", with: "/").replacing("~0", with: "~")
    wanted = String(
      wanted.unicodeScalars.filter { !LuaLiteral.isHidden($0) && $0 != "%" && $0 != "#" }.map(
        Character.init))
    if wanted.isEmpty { wanted = "schema" }
    var name = wanted
    while !used.insert(Array(name.utf8)).inserted {
      let number = numbers[Array(wanted.utf8), default: 1] + 1
      numbers[Array(wanted.utf8)] = number
      name = "\(wanted)-\(number)"
    }
    names[target.identity] = name
    waiting.append((name, target))
    return name
  }

  // MARK: The dialect

  /// OpenAPI 3.0 has null beside types by a word of its own.
  private func writeNullable(_ schema: ImportNode, _ writer: inout JSONWriter) {
    if let type = schema.string("type") {
      writer.begin("{")
      writeMembers(schema, &writer, types: [type, "null"])
      writer.end("}")
      return
    }
    writer.begin("{")
    writer.write(key: "anyOf")
    writer.begin("[")
    writer.begin("{")
    writeMembers(schema, &writer, types: nil)
    writer.end("}")
    writer.begin("{")
    writer.write(key: "type")
    writer.write("null")
    writer.end("}")
    writer.end("]")
    writer.end("}")
  }

  private func writeMembers(_ schema: ImportNode, _ writer: inout JSONWriter, types: [String]?) {
    for (key, value) in schema.pairs {
      guard !SchemaDefinitions.dropped.contains(key), !key.hasPrefix("x-") else { continue }
      switch key {
      case "$ref":
        if let reference = value.element.string { writeReference(reference, of: schema, &writer) }
      case "type" where types != nil:
        writer.write(key: "type")
        writer.begin("[")
        for type in types ?? [] { writer.write(type) }
        writer.end("]")
      case "enum" where types != nil:
        writeEnumeration(value, &writer)
      case "nullable" where !document.isNew: break
      case "exclusiveMinimum" where value.element.bool != nil:
        writeBound("exclusiveMinimum", isSaid: value.element.bool, by: schema["minimum"], &writer)
      case "exclusiveMaximum" where value.element.bool != nil:
        writeBound("exclusiveMaximum", isSaid: value.element.bool, by: schema["maximum"], &writer)
      case "minimum" where schema["exclusiveMinimum"]?.element.bool == true: break
      case "maximum" where schema["exclusiveMaximum"]?.element.bool == true: break
      case "items" where value.element.kind == .array:
        writer.write(key: "prefixItems")
        writeList(value, &writer)
      case _ where SchemaDefinitions.schemas.contains(key):
        writer.write(key: key)
        write(value, &writer)
      case _ where SchemaDefinitions.lists.contains(key) && value.element.kind == .array:
        writer.write(key: key)
        writeList(value, &writer)
      case _ where SchemaDefinitions.maps.contains(key) && value.isObject:
        writer.write(key: key)
        writer.begin("{")
        for (name, schema) in value.pairs {
          writer.write(key: name)
          write(schema, &writer)
        }
        writer.end("}")
      case "description", "title":
        // Of a text only as much as a reader wants at a glance.
        if let text = ShortText.line(value.element.string) {
          writer.write(key: key)
          writer.write(text)
        }
      default:
        writer.write(key: key)
        writer.write(value.element)
      }
    }
  }

  private func writeBound(
    _ key: String, isSaid: Bool?, by bound: ImportNode?, _ writer: inout JSONWriter
  ) {
    guard isSaid == true, let bound else { return }
    writer.write(key: key)
    writer.write(bound.element)
  }

  /// Null may stand there although the list of values lacks it.
  private func writeEnumeration(_ values: ImportNode, _ writer: inout JSONWriter) {
    writer.write(key: "enum")
    writer.begin("[")
    for value in values.elements where !value.element.isNull { writer.write(value.element) }
    writer.writeNull()
    writer.end("]")
  }

  private func writeList(_ list: ImportNode, _ writer: inout JSONWriter) {
    writer.begin("[")
    for schema in list.elements { write(schema, &writer) }
    writer.end("]")
  }
}
