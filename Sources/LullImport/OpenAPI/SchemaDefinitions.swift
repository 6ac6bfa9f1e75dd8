import LullCore
import LullSchemas

/// The definitions of a schema file. Each referenced schema is written once, under a unique name.
final class SchemaDefinitions {
  private let document: OpenAPIDocument
  private var names: [ImportNode.Identity: String] = [:]
  private var used: Set<[UInt8]> = []
  /// For each name that several schemas share, the last number that was appended to it.
  private var numbers: [[UInt8]: Int] = [:]
  private var waiting: [(name: String, schema: ImportNode)] = []
  private var patterns = UsablePatterns()
  private var loops = SchemaLoops()
  /// Schemas of an OpenAPI 3.1 document that have the keyword `nullable`. Only OpenAPI 3.0 defines
  /// this keyword.
  private var nullable: Set<ImportNode.Identity> = []
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
  /// Keywords that are not written, because they describe the document instead of a value, or refer
  /// to something outside the file.
  private static let dropped: Set<String> = [
    "xml", "externalDocs", "$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor",
    "$comment",
  ]
  private static let types: Set<String> = [
    "string", "number", "integer", "boolean", "object", "array", "null",
  ]

  init(_ document: OpenAPIDocument) { self.document = document }

  /// Returns a schema in the dialect of the schema file.
  func text(of schema: ImportNode) -> [UInt8] {
    var writer = JSONWriter()
    write(schema, &writer)
    return writer.output
  }

  /// Returns the text of a schema. If the schema is used through a `$ref`, it is written once as a
  /// definition, and the result is a reference to the definition.
  ///
  /// - Parameter holder: The node that uses the schema. It may be a `$ref`.
  func text(of schema: ImportNode, sharedBy holder: ImportNode?) -> [UInt8] {
    guard let reference = holder?.string("$ref"), schema["$ref"] == nil, schema.isObject else {
      return text(of: schema)
    }
    var writer = JSONWriter()
    let pointer = SchemaDefinitions.pointer(name(of: schema, reference))
    writer.writeObject { $0.write(key: "$ref", pointer) }
    return writer.output
  }

  /// Returns all definitions that the written schemas refer to, directly or indirectly.
  func all() -> [(name: String, entry: [UInt8])] {
    var result: [(name: String, entry: [UInt8])] = []
    while !waiting.isEmpty {
      let next = waiting
      waiting = []
      for (name, schema) in next {
        loops.current = name
        result.append((name, text(of: schema)))
      }
    }
    loops.current = nil
    return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func write(_ schema: ImportNode, _ writer: inout JSONWriter) {
    guard schema.isObject else {
      // True and false are valid schemas. Any other value that is not an object is replaced by
      // true, which allows everything.
      return writer.write(schema.element.bool ?? true)
    }
    if let reference = schema.string("$ref"), !document.isNew {
      return writer.writeObject { writeReference(reference, of: schema, &$0) }
    }
    if isNullable(schema) {
      if document.isNew { nullable.insert(schema.identity) }
      return writeNullable(schema, &writer)
    }
    writer.writeObject { writeMembers(schema, &$0, types: nil) }
  }

  private func isNullable(_ schema: ImportNode) -> Bool {
    let key = document.version == .swagger2 ? "x-nullable" : "nullable"
    return schema.bool(key) == true
  }

  private func writeReference(
    _ reference: String, of schema: ImportNode, _ writer: inout JSONWriter
  ) {
    // A chain of references that leads back to itself would be an endless schema.
    guard document.target(of: schema) != nil,
      let target = try? document.set.node(reference, from: schema.document)
    else { return }
    let name = name(of: target, reference)
    loops.note(name)
    writer.write(key: "$ref", SchemaDefinitions.pointer(name))
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

  /// Translates the keyword `nullable` of OpenAPI 3.0. Some 3.1 documents use it too.
  private func writeNullable(_ schema: ImportNode, _ writer: inout JSONWriter) {
    if let type = schema.string("type"), type != "null", SchemaDefinitions.types.contains(type),
      schema["const"] == nil
    {
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
      case "nullable": break
      case "example":
        // JSON Schema has only the list `examples`, not `example`.
        guard SchemaDefinitions.examples(of: schema) == nil else { continue }
        writer.writeList(key: "examples") { $0.write(value.element) }
      case "examples":
        guard let values = SchemaDefinitions.examples(of: schema) else { continue }
        writer.write(key: key, values.element)
      case "discriminator": writeDiscriminator(value, of: schema, &writer)
      case "exclusiveMinimum" where value.element.bool != nil:
        writeBound("exclusiveMinimum", isSaid: value.element.bool, by: schema["minimum"], &writer)
      case "exclusiveMaximum" where value.element.bool != nil:
        writeBound("exclusiveMaximum", isSaid: value.element.bool, by: schema["maximum"], &writer)
      case "minimum" where schema["exclusiveMinimum"]?.element.bool == true: break
      case "maximum" where schema["exclusiveMaximum"]?.element.bool == true: break
      case "oneOf" where schema.hasWords && schema["anyOf"] == nil:
        // The discriminator selects one alternative, but a value may match several of them, so use
        // `anyOf`.
        writeList("anyOf", value, &writer)
      case "items" where value.element.kind == .array:
        let outer = loops.enter("prefixItems")
        writeList("prefixItems", value, &writer)
        loops.leave(to: outer)
      case _ where SchemaDefinitions.schemas.contains(key):
        let outer = loops.enter(key)
        writer.write(key: key)
        write(value, &writer)
        loops.leave(to: outer)
      case _ where SchemaDefinitions.lists.contains(key) && value.element.kind == .array:
        let outer = loops.enter(key)
        writeList(key, value, &writer)
        loops.leave(to: outer)
      case _ where SchemaDefinitions.maps.contains(key) && value.isObject:
        let outer = loops.enter(key)
        writer.writeObject(key: key) { writer in
          for (name, schema) in value.pairs where key != "patternProperties" || isUsable(name) {
            writer.write(key: name)
            write(schema, &writer)
          }
        }
        loops.leave(to: outer)
      case "description", "title":
        // Write only the beginning of the text, for a quick overview.
        if let text = ShortText.line(value.element.string) { writer.write(key: key, text) }
      default: writer.write(key: key, value.element)
      }
    }
  }

  /// The list of examples. `nil` if the list is missing or empty.
  private static func examples(of schema: ImportNode) -> ImportNode? {
    schema["examples"].flatMap { $0.element.kind == .array && $0.element.count > 0 ? $0 : nil }
  }

  /// Writes the schema that belongs to each value of the discriminator property. The values may
  /// also be the names of schemas. Validation ignores this member: it is used to create examples.
  private func writeDiscriminator(
    _ discriminator: ImportNode, of schema: ImportNode, _ writer: inout JSONWriter
  ) {
    // In Swagger 2.0, the discriminator is the name of the property alone.
    guard let property = discriminator.string("propertyName") ?? discriminator.element.string else {
      return
    }
    var mapping: [(value: String, pointer: String)] = []
    for (value, target) in discriminator["mapping"]?.pairs ?? [] {
      guard let written = target.element.string,
        let pointer = pointer(toMapped: written, from: schema)
      else { continue }
      mapping.append((value, pointer))
    }
    for alternative in (schema["oneOf"]?.elements ?? []) + (schema["anyOf"]?.elements ?? []) {
      guard let reference = alternative.string("$ref"),
        let pointer = pointer(toMapped: reference, from: schema),
        !mapping.contains(where: { $0.pointer == pointer })
      else { continue }
      let last = String(reference.split(separator: "/").last ?? "")
      let value = last.replacing("~1", with: "/").replacing("~0", with: "~")
      if !mapping.contains(where: { $0.value == value }) { mapping.append((value, pointer)) }
    }
    writer.writeObject(key: "discriminator") { writer in
      writer.write(key: "propertyName", property)
      guard !mapping.isEmpty else { return }
      writer.writeObject(key: "mapping") { writer in
        for (value, pointer) in mapping { writer.write(key: value, pointer) }
      }
    }
  }

  /// Returns the pointer to the schema that a mapping names, either by a reference or by the name
  /// of a component.
  private func pointer(toMapped text: String, from schema: ImportNode) -> String? {
    let component = "#/components/schemas/" + text
    if !text.contains(where: { "/#%".contains($0) }),
      let target = try? document.set.node(component, from: schema.document)
    {
      return SchemaDefinitions.pointer(name(of: target, component))
    }
    // The text is neither a reference nor a component, but only a name.
    guard text.contains(where: { "/#.".contains($0) }),
      let target = try? document.set.node(text, from: schema.document), target.isObject
    else { return nil }
    return SchemaDefinitions.pointer(name(of: target, text))
  }

  // MARK: Keywords that JSON Schema lacks

  /// Writes a type. Type names of other languages, which some documents use, are omitted and noted.
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

  /// Notes on the parts of the document's schemas that were not written.
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
      leftOut.patterns, "a pattern that is not a regular expression of ECMA-262,",
      "patterns that are not regular expressions of ECMA-262")
    note(leftOut.types, "a type that is not in JSON,", "types that are not in JSON")
    note(leftOut.keywords, "the keyword", "keywords, or invalid values of keywords")
    if !nullable.isEmpty {
      notes.append(
        (nullable.count == 1 ? "1 schema has" : "\(nullable.count) schemas have")
          + " 'nullable', which "
          + "OpenAPI 3.1 does not define (it has \"type\": [..., \"null\"]): the importer reads a nullable type as this type or null"
      )
    }
    return notes + loops.notes
  }

  private func writeBound(
    _ key: String, isSaid: Bool?, by bound: ImportNode?, _ writer: inout JSONWriter
  ) {
    guard isSaid == true, let bound else { return }
    writer.write(key: key, bound.element)
  }

  /// Writes an enumeration that includes null, even if the list of values lacks null.
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

extension ImportNode {
  /// Whether a discriminator selects among the schema's alternatives.
  fileprivate var hasWords: Bool { self["discriminator"]?.string("propertyName") != nil }
}

/// Finds definitions that refer to themselves for the same value, so that validation would never
/// end. An example is `{"allOf": [{"$ref": …}]}` that refers to itself.
struct SchemaLoops {
  /// The definition that is being written. `nil` if no definition is being written.
  var current: String? {
    didSet { appliesToSame = true }
  }
  /// Whether the part that is being written applies to the same value as the whole definition.
  private var appliesToSame = true
  private var references: [String: Set<String>] = [:]

  /// Keywords whose schemas apply to the same value as the schema that contains them.
  private static let same: Set<String> = [
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
  ]

  /// Starts writing the value of a keyword.
  ///
  /// - Returns: The argument to pass to `leave` afterwards.
  mutating func enter(_ keyword: String) -> Bool {
    let outer = appliesToSame
    appliesToSame = outer && SchemaLoops.same.contains(keyword)
    return outer
  }

  mutating func leave(to outer: Bool) { appliesToSame = outer }

  /// Records that the current definition refers to another one.
  mutating func note(_ name: String) {
    guard let current, appliesToSame else { return }
    references[current, default: []].insert(name)
  }

  private static let mostNames = 5

  /// Notes on definitions that refer to themselves.
  var notes: [String] {
    let names = found.sorted()
    guard !names.isEmpty else { return [] }
    let shown = names.prefix(SchemaLoops.mostNames).map { "'\(ShortText.comment($0))'" }
    let others = names.count > shown.count ? " and \(names.count - shown.count) others" : ""
    return [
      "content cannot be validated where a schema refers to itself by 'allOf', 'anyOf' or 'oneOf': "
        + shown.joined(separator: ", ") + others
    ]
  }

  /// The definitions that are part of a cycle. They are found by repeatedly removing definitions
  /// without outgoing references, and then definitions without incoming references.
  private var found: Set<String> {
    var backwards: [String: Set<String>] = [:]
    for (name, targets) in references {
      for target in targets { backwards[target, default: []].insert(name) }
    }
    let leading = SchemaLoops.leading(references, backwards, of: Set(references.keys))
    return SchemaLoops.leading(backwards, references, of: leading)
  }

  /// Returns the definitions in `names` that start an endless chain of references.
  private static func leading(
    _ forwards: [String: Set<String>], _ backwards: [String: Set<String>], of names: Set<String>
  ) -> Set<String> {
    var left = names
    var counts: [String: Int] = [:]
    for name in names { counts[name] = forwards[name]?.count { names.contains($0) } ?? 0 }
    var ends = names.filter { counts[$0] == 0 }
    while let name = ends.popFirst() {
      left.remove(name)
      for source in backwards[name] ?? [] where left.contains(source) {
        let count = (counts[source] ?? 0) - 1
        counts[source] = count
        if count == 0 { ends.insert(source) }
      }
    }
    return left
  }
}

/// Checks the values of keywords. Documents contain values that JSON Schema does not allow, and
/// that would make a schema invalid.
enum SchemaKeywords {
  static func allows(_ value: JSONElement, for keyword: String) -> Bool {
    switch keyword {
    case "multipleOf": value.double.map { $0 > 0 } ?? false
    case "minimum", "maximum": value.double != nil
    // In OpenAPI 3.0, these keywords are booleans that modify another keyword.
    case "exclusiveMinimum", "exclusiveMaximum": value.double != nil || value.bool != nil
    case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
      "minContains", "maxContains":
      value.int.map { $0 >= 0 } ?? false
    case "enum": value.kind == .array
    case "required": value.kind == .array && value.elements.allSatisfy { $0.string != nil }
    case "uniqueItems": value.bool != nil
    case "allOf", "anyOf", "oneOf", "prefixItems": value.kind == .array && value.count > 0
    case "properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs",
      "definitions":
      value.kind == .object
    default: true
    }
  }
}
