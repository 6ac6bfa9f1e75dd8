import LullCore

/// Converts schemas to LuaCATS types. An object with fields becomes a class. All other types are
/// written inline.
struct TypeReader {
  /// A class that has not been written yet.
  struct Draft {
    let name: String
    let view: SchemaView
  }

  /// The definitions of one schema file and the types made from them.
  struct Definitions {
    let references: SchemaReferences?
    /// The types of the definitions that have been read, by the name of the definition.
    fileprivate var types: [String: String] = [:]
    /// The names of the definitions that are currently being read. Used to detect definitions that
    /// refer to themselves.
    fileprivate var open: Set<String> = []

    private var names: [SchemaPlace: String]?

    init(_ file: SchemaFile?) { references = file.map { SchemaReferences($0) } }

    /// If a schema is itself a definition of the file, returns the name of the definition;
    /// otherwise nil.
    fileprivate mutating func name(of schema: JSONElement) throws(SchemaProblem) -> String? {
      if let names { return names[SchemaPlace(schema)] }
      var names: [SchemaPlace: String] = [:]
      for name in references?.file.definitions ?? [] {
        if let element = try references?.file.definition(name) {
          names[SchemaPlace(element)] = name
        }
      }
      self.names = names
      return names[SchemaPlace(schema)]
    }
  }

  /// The largest depth of nested types. A deeper type becomes `any`. Only types without names are
  /// nested in others.
  private static let deepest = 32
  private static let mostWords = 100
  // A document may expand endlessly. Types beyond these limits are `any`.
  private static let mostSteps = 1_000_000
  private static let mostClasses = 100_000
  private static let longest = 10_000

  private var definitions: Definitions
  private(set) var names: TypeNames
  /// The class names of records, by the schemas that describe the record.
  private var places: [[SchemaPlace]: String] = [:]
  private var steps = 0
  private(set) var drafts: [Draft] = []
  /// The name of the type for null; nil if this type has not been needed yet.
  private(set) var nullName: String?

  init(_ file: SchemaFile?, api: String) {
    definitions = Definitions(file)
    names = TypeNames(api: api)
  }

  var references: SchemaReferences? { definitions.references }

  /// Exchanges the definitions with the definitions of another file. All pending classes must be
  /// written before.
  mutating func exchange(_ other: inout Definitions) { swap(&definitions, &other) }

  mutating func newName(_ text: String) -> String { names.name(text) }

  /// Removes the next class to write from the queue and returns it. Returns nil if the queue is
  /// empty.
  mutating func next() -> Draft? { drafts.isEmpty ? nil : drafts.removeFirst() }

  // MARK: Types

  /// Returns the type of a definition.
  mutating func type(ofDefinition name: String, depth: Int = 0) throws(SchemaProblem) -> String {
    if let known = definitions.types[name] { return known }
    guard let references, let schema = try references.file.definition(name) else { return "any" }
    // A list that contains itself, without a record in between, would be endless.
    guard !definitions.open.contains(name) else { return "any" }
    let view = try SchemaView([schema], references)
    if TypeReader.isRecord(view), view.types.map({ $0 == ["object"] }) ?? true {
      let own = record(view, hint: name)
      definitions.types[name] = own
      return own
    }
    definitions.open.insert(name)
    defer { definitions.open.remove(name) }
    let written = try type(of: [schema], hint: name, depth: depth)
    definitions.types[name] = written
    return written
  }

  /// Returns the type of a value to which all of these schemas apply.
  ///
  /// - Parameter hint: The preferred name if the type is a class.
  mutating func type(of schemas: [JSONElement], hint: String, depth: Int = 0) throws(SchemaProblem)
    -> String
  {
    steps += 1
    guard let references, depth < TypeReader.deepest, steps < TypeReader.mostSteps else {
      return "any"
    }
    let written = try type(of: schemas, hint, depth, references)
    return written.utf8.count <= TypeReader.longest ? written : "any"
  }

  /// Returns the type of a value to which one of several alternatives applies. Each alternative is
  /// a list of schemas that apply together.
  mutating func type(ofOneOf alternatives: [[JSONElement]], hint: String, depth: Int = 0)
    throws(SchemaProblem) -> String
  {
    var types: [String] = []
    for schemas in alternatives where !schemas.contains(where: { $0.bool == false }) {
      for type in TypeReader.choices(try type(of: schemas, hint: hint, depth: depth))
      where !types.contains(type) {
        types.append(type)
      }
    }
    return types.isEmpty || types.contains("any") ? "any" : types.joined(separator: "|")
  }

  private mutating func type(
    of schemas: [JSONElement], _ hint: String, _ depth: Int, _ references: SchemaReferences
  ) throws(SchemaProblem) -> String {
    // If the schema is only a reference to a definition, use the definition's name.
    if schemas.count == 1, let reference = schemas[0]["$ref"]?.string,
      schemas[0].pairs.allSatisfy({ !TypeReader.restricts($0.key) })
    {
      if let name = try definition(reference, of: schemas[0], references) {
        return try type(ofDefinition: name, depth: depth + 1)
      }
    }
    let view = try SchemaView(schemas, references)
    if view.isNever { return "nil" }
    if let words = view.words, let type = literals(words) { return type }
    var types: [String] = []
    func add(_ type: String) { if !types.contains(type) { types.append(type) } }
    if TypeReader.isRecord(view) {
      add(record(view, hint: hint))
      for type in view.types ?? [] where type != "object" {
        add(try plain(type, view, hint, depth))
      }
      return types.joined(separator: "|")
    }
    for branch in view.choices.first ?? [] {
      for type in TypeReader.choices(try type(of: [branch], hint: hint, depth: depth + 1)) {
        add(type)
      }
    }
    // If the branches specify no types, use the types that the schema itself specifies.
    if types.contains("any"), view.types != nil { types = [] }
    if types.isEmpty {
      for type in view.types ?? TypeReader.guessed(view) {
        add(try plain(type, view, hint, depth))
      }
    }
    return types.isEmpty || types.contains("any") ? "any" : types.joined(separator: "|")
  }

  /// Returns the class name of a record. If the class is new, it is queued for writing.
  private mutating func record(_ view: SchemaView, hint: String) -> String {
    let place = view.parts.map { SchemaPlace($0) }
    if let known = places[place] { return known }
    guard places.count < TypeReader.mostClasses else { return "table" }
    let name = names.name(hint)
    places[place] = name
    drafts.append(Draft(name: name, view: view))
    return name
  }

  private mutating func plain(_ type: String, _ view: SchemaView, _ hint: String, _ depth: Int)
    throws(SchemaProblem) -> String
  {
    switch type {
    case "string", "number", "integer", "boolean": return type
    case "null": return null()
    case "array":
      let element = try self.type(
        ofOneOf: view.elements, hint: RecordNames.singular(hint), depth: depth + 1)
      return view.elements.isEmpty ? "any[]" : TypeReader.list(of: element)
    case "object":
      guard !view.others.isEmpty else { return "table" }
      let value = try self.type(
        ofOneOf: view.others, hint: RecordNames.singular(hint), depth: depth + 1)
      return "table<string, \(value)>"
    default: return "any"
    }
  }

  private mutating func null() -> String {
    if let nullName { return nullName }
    let name = names.name("Null")
    nullName = name
    return name
  }

  private mutating func literals(_ words: [JSONElement]) -> String? {
    var types: [String] = []
    for word in words.prefix(TypeReader.mostWords + 1) {
      let type: String
      switch word.kind {
      case .string:
        guard let text = word.string, let quoted = AnnotationText.quoted(text) else { return nil }
        type = quoted
      case .int: type = word.int.map { String($0) } ?? "integer"
      case .bool: type = word.bool == true ? "true" : "false"
      case .null: type = null()
      default: return nil
      }
      if !types.contains(type) { types.append(type) }
    }
    return types.isEmpty || types.count > TypeReader.mostWords ? nil : types.joined(separator: "|")
  }

  // MARK: Reading schemas

  /// Returns whether a combined schema describes an object with declared fields.
  private static func isRecord(_ view: SchemaView) -> Bool {
    guard view.words == nil, !view.propertyNames.isEmpty else { return false }
    return view.types?.contains("object") ?? true
  }

  private static func guessed(_ view: SchemaView) -> [String] {
    if !view.elements.isEmpty { return ["array"] }
    return view.others.isEmpty ? ["any"] : ["object"]
  }

  /// Returns the name of the definition to which a reference leads, directly or indirectly; nil if
  /// the reference doesn't lead to a definition.
  private mutating func definition(
    _ reference: String, of schema: JSONElement, _ references: SchemaReferences
  ) throws(SchemaProblem) -> String? {
    guard case .success(let target) = try references.target(of: reference, from: schema) else {
      return nil
    }
    return try definitions.name(of: target)
  }

  private static func restricts(_ key: String) -> Bool {
    ![
      "$ref", "$comment", "description", "title", "deprecated", "readOnly", "writeOnly", "default",
      "example", "examples",
    ].contains(key)
  }

  /// Splits a type at the `|` characters that are outside of brackets.
  static func choices(_ type: String) -> [String] {
    var parts: [String] = [""]
    var depth = 0
    var quote: Character?
    for character in type {
      if let open = quote {
        if character == open { quote = nil }
      } else {
        switch character {
        case "\"", "'": quote = character
        case "<", "(": depth += 1
        case ">", ")": depth -= 1
        case "|" where depth == 0:
          parts.append("")
          continue
        default: break
        }
      }
      parts[parts.count - 1].append(character)
    }
    return parts
  }

  static func list(of type: String) -> String {
    choices(type).count > 1 ? "(\(type))[]" : "\(type)[]"
  }
}

/// A schema combined with the schemas to which it refers by references and `allOf`.
///
/// All combined schemas apply to the same value. Each `anyOf` or `oneOf` is a choice: one of its
/// branches applies.
struct SchemaView {
  /// The schemas that apply together. Schemas without keywords are left out.
  private(set) var parts: [JSONElement] = []
  /// The branches of each `anyOf` and `oneOf` in `parts`.
  private(set) var choices: [[JSONElement]] = []
  /// Whether no value can be valid.
  private(set) var isNever = false
  /// The first reference that could not be resolved; nil if there is none.
  private(set) var lost: SchemaResources.Lost?

  /// The largest number of schemas that are combined.
  private static let mostParts = 200

  init(_ schemas: [JSONElement], _ references: SchemaReferences) throws(SchemaProblem) {
    var seen: Set<SchemaPlace> = []
    var rest = Array(schemas.reversed())
    while let schema = rest.popLast() {
      if schema.bool == false { isNever = true }
      guard schema.kind == .object, parts.count < SchemaView.mostParts,
        seen.insert(SchemaPlace(schema)).inserted
      else { continue }
      parts.append(schema)
      try references.enter(schema)
      for reference in [schema["$ref"], schema["$dynamicRef"]].compactMap({ $0?.string }) {
        switch try references.target(of: reference, from: schema) {
        case .success(let target): rest.append(target)
        case .failure(let reason): lost = lost ?? reason
        }
      }
      rest += (schema["allOf"].map { Array($0.elements) } ?? []).reversed()
      for name in ["anyOf", "oneOf"] {
        guard let branches = schema[name], branches.kind == .array, branches.count > 0 else {
          continue
        }
        choices.append(Array(branches.elements))
      }
    }
  }

  // MARK: Keywords

  /// The JSON Schema types that all schemas in `parts` allow; nil if any type is allowed.
  var types: [String]? {
    var types: [String]?
    for part in parts {
      guard let type = part["type"] else { continue }
      let own = type.string.map { [$0] } ?? type.elements.compactMap(\.string)
      guard let known = types else {
        types = own
        continue
      }
      // If one part allows numbers and the other integers, integers remain.
      types =
        known.filter { type in own.contains { SchemaView.covers($0, type) } }
        + own.filter { type in
          !known.contains(type) && known.contains { SchemaView.covers($0, type) }
        }
    }
    return types
  }

  /// Returns whether every value of the type `other` also has the type `type`.
  static func covers(_ type: String, _ other: String) -> Bool {
    type == other || type == "number" && other == "integer"
  }

  /// The values that `enum` or `const` allows; nil if any value is allowed.
  var words: [JSONElement]? {
    var words: [JSONElement]?
    for part in parts {
      let listed = part["enum"].flatMap { $0.kind == .array ? Array($0.elements) : nil }
      guard let own = part["const"].map({ [$0] }) ?? listed else { continue }
      words = words?.filter { word in own.contains { $0 == word } } ?? own
    }
    return words
  }

  /// The names of the declared properties, in order and without duplicates.
  var propertyNames: [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for part in parts {
      for (name, _) in part["properties"]?.pairs ?? [] where seen.insert(name).inserted {
        names.append(name)
      }
    }
    return names
  }

  /// Returns the schemas of a property; empty if the property is not declared.
  func property(_ name: String) -> [JSONElement] {
    parts.compactMap { $0["properties"]?[name] }
  }

  /// The names of the properties that are required in a response.
  var required: [String] {
    var names: [String] = []
    for part in parts {
      for name in part.requiredInAnswers where !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The patterns for the names of properties, each with the schema of these properties.
  var patterned: [(pattern: String, schema: JSONElement)] {
    parts.flatMap { part in (part["patternProperties"]?.pairs ?? []).map { ($0.key, $0.value) } }
  }

  /// The schemas for properties that are not declared and match no pattern.
  var rest: [JSONElement] {
    parts.flatMap { part in
      [part["additionalProperties"], part["unevaluatedProperties"]].compactMap(\.self)
        .filter { $0.bool != false }
    }
  }

  /// The schemas of properties that are not declared, as a list of alternatives; empty if there are
  /// none.
  var others: [[JSONElement]] {
    patterned.map { [$0.schema] } + (rest.isEmpty ? [] : [rest])
  }

  /// Returns the schemas of the array element at an index; empty if the schema does not specify
  /// them.
  func element(_ position: Int) -> [JSONElement] {
    parts.compactMap { part in
      if let first = part["prefixItems"]?[position] { return first }
      return part["items"]
    }
  }

  /// The schemas of the array elements, as a list of alternatives by index; empty if the schema
  /// does not specify them.
  var elements: [[JSONElement]] {
    let count = parts.map { $0["prefixItems"]?.count ?? 0 }.max() ?? 0
    return (0...count).map { element($0) }.filter { !$0.isEmpty }
  }

  var description: String? {
    for part in parts {
      if let text = (part["description"] ?? part["title"])?.string { return text }
    }
    return nil
  }
}
