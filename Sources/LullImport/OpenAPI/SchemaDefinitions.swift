import LullCore
import LullSchemas

/// The definitions of a file of schemas: those that something refers to, each once and by a name of its own.
final class SchemaDefinitions {
  private let document: OpenAPIDocument
  private var names: [ImportNode.Identity: String] = [:]
  private var used: Set<[UInt8]> = []
  /// The number of the last one of a name that several have.
  private var numbers: [[UInt8]: Int] = [:]
  private var waiting: [(name: String, schema: ImportNode)] = []
  private var patterns = UsablePatterns()
  /// What JSON Schema has not: each once, in order.
  private var leftOut: (patterns: [String], types: [String], keywords: [String]) = ([], [], [])

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
    "$dynamicAnchor", "$recursiveAnchor",
    "$comment",
  ]
  private static let types: Set<String> = [
    "string", "number", "integer", "boolean", "object", "array", "null",
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
    let pointer = SchemaDefinitions.pointer(name(of: schema, reference))
    writer.writeObject { $0.write(key: "$ref", pointer) }
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
      return writer.write(schema.element.bool ?? true)
    }
    if let reference = schema.string("$ref"), !document.isNew {
      return writer.writeObject { writeReference(reference, of: schema, &$0) }
    }
    if !document.isNew, schema.bool("nullable") == true {
      return writeNullable(schema, &writer)
    }
    writer.writeObject { writeMembers(schema, &$0, types: nil) }
  }

  private func writeReference(
    _ reference: String, of schema: ImportNode, _ writer: inout JSONWriter
  ) {
    guard let target = try? document.set.node(reference, from: schema.document) else { return }
    writer.write(key: "$ref", SchemaDefinitions.pointer(name(of: target, reference)))
  }

  private static func pointer(_ name: String) -> String {
    "#/$defs/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
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
    if let type = schema.string("type"), SchemaDefinitions.types.contains(type) {
      return writer.writeObject { writeMembers(schema, &$0, types: [type, "null"]) }
    }
    writer.writeObject { writer in
      writer.writeList(key: "anyOf") { writer in
        writer.writeObject { writeMembers(schema, &$0, types: nil) }
        writer.writeObject { $0.write(key: "type", "null") }
      }
    }
  }

  private func writeMembers(_ schema: ImportNode, _ writer: inout JSONWriter, types: [String]?) {
    for (key, value) in schema.pairs {
      guard !SchemaDefinitions.dropped.contains(key), !key.hasPrefix("x-") else { continue }
      switch key {
      case _ where !SchemaKeywords.allows(value.element, for: key): leave(key, &leftOut.keywords)
      case "$ref":
        if let reference = value.element.string { writeReference(reference, of: schema, &writer) }
      case "type":
        if let types {
          writer.write(key: key, types)
        } else {
          writeType(value, &writer)
        }
      case "pattern":
        guard let pattern = value.element.string, isUsable(pattern) else { continue }
        writer.write(key: key, pattern)
      case "$recursiveRef": leave(key, &leftOut.keywords)
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
        writeList("prefixItems", value, &writer)
      case _ where SchemaDefinitions.schemas.contains(key):
        writer.write(key: key)
        write(value, &writer)
      case _ where SchemaDefinitions.lists.contains(key) && value.element.kind == .array:
        writeList(key, value, &writer)
      case _ where SchemaDefinitions.maps.contains(key) && value.isObject:
        writer.writeObject(key: key) { writer in
          for (name, schema) in value.pairs where key != "patternProperties" || isUsable(name) {
            writer.write(key: name)
            write(schema, &writer)
          }
        }
      case "description", "title":
        // Of a text only as much as a reader wants at a glance.
        if let text = ShortText.line(value.element.string) { writer.write(key: key, text) }
      default: writer.write(key: key, value.element)
      }
    }
  }

  // MARK: What JSON Schema has not

  /// Documents have types of other languages, too.
  private func writeType(_ type: ImportNode, _ writer: inout JSONWriter) {
    let isOne = type.element.string != nil
    let names = isOne ? [type] : type.elements
    let known = names.filter { name in
      guard let text = name.element.string else { return false }
      if SchemaDefinitions.types.contains(text) { return true }
      leave(text, &leftOut.types)
      return false
    }
    guard let first = known.first else { return }
    guard !isOne else { return writer.write(key: "type", first.element) }
    writer.writeList(key: "type") { for name in known { $0.write(name.element) } }
  }

  private func isUsable(_ pattern: String) -> Bool {
    if patterns.contains(pattern) { return true }
    leave(pattern, &leftOut.patterns)
    return false
  }

  private func leave(_ text: String, _ list: inout [String]) {
    if !list.contains(text) { list.append(text) }
  }

  /// What of the document's schemas is not in those that were written, in words.
  var notes: [String] {
    var notes: [String] = []
    func note(_ list: [String], _ one: String, _ several: String) {
      guard let first = list.first else { return }
      let shown = ShortText.comment(String(first.prefix(60)))
      notes.append(
        "left out of the schemas: "
          + (list.count == 1 ? "\(one) '\(shown)'" : "\(list.count) \(several), such as '\(shown)'")
      )
    }
    note(
      leftOut.patterns, "what is no regular expression of ECMA-262,",
      "patterns that are no regular expressions of ECMA-262")
    note(leftOut.types, "a type that JSON has not,", "types that JSON has not")
    note(leftOut.keywords, "the keyword", "keywords, or values that they cannot have")
    return notes
  }

  private func writeBound(
    _ key: String, isSaid: Bool?, by bound: ImportNode?, _ writer: inout JSONWriter
  ) {
    guard isSaid == true, let bound else { return }
    writer.write(key: key, bound.element)
  }

  /// Null may stand there although the list of values lacks it.
  private func writeEnumeration(_ values: ImportNode, _ writer: inout JSONWriter) {
    writer.writeList(key: "enum") { writer in
      for value in values.elements where !value.element.isNull { writer.write(value.element) }
      writer.writeNull()
    }
  }

  private func writeList(_ key: String, _ list: ImportNode, _ writer: inout JSONWriter) {
    writer.writeList(key: key) { for schema in list.elements { write(schema, &$0) } }
  }
}
