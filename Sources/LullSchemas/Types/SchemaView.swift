import LullCore

/// A schema with what it refers to and all that `allOf` adds, as what is asked of it needs.
///
/// Several parts apply to one value; of `anyOf` and `oneOf` each is a choice, of which one applies.
struct SchemaView {
  /// Objects; one that says nothing is left out.
  private(set) var parts: [JSONElement] = []
  /// The branches of each `anyOf` and `oneOf`.
  private(set) var choices: [[JSONElement]] = []
  /// Whether no value fits.
  private(set) var isNever = false
  /// The first reference that leads to nothing; nil: all lead somewhere.
  private(set) var lost: SchemaResources.Lost?

  /// What a file of any size may make of one schema.
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

  // MARK: What it says

  /// The kinds of value there may be, in the words of JSON Schema; nil: any.
  var types: [String]? {
    var types: [String]?
    for part in parts {
      guard let type = part["type"] else { continue }
      let own = type.string.map { [$0] } ?? type.elements.compactMap(\.string)
      guard let known = types else {
        types = own
        continue
      }
      // Of a number and an integer the integer is left, in either order.
      types =
        known.filter { type in own.contains { SchemaView.covers($0, type) } }
        + own.filter { type in
          !known.contains(type) && known.contains { SchemaView.covers($0, type) }
        }
    }
    return types
  }

  /// Whether a value of the type `other` is one of `type` too.
  static func covers(_ type: String, _ other: String) -> Bool {
    type == other || type == "number" && other == "integer"
  }

  /// The words of its `enum` or `const`; nil: any.
  var words: [JSONElement]? {
    var words: [JSONElement]?
    for part in parts {
      let listed = part["enum"].flatMap { $0.kind == .array ? Array($0.elements) : nil }
      guard let own = part["const"].map({ [$0] }) ?? listed else { continue }
      words = words?.filter { word in own.contains { $0 == word } } ?? own
    }
    return words
  }

  /// The names of its properties, each once, in order.
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

  /// What applies to a property; empty: it is not declared.
  func property(_ name: String) -> [JSONElement] {
    parts.compactMap { $0["properties"]?[name] }
  }

  /// Of answers.
  var required: [String] {
    var names: [String] = []
    for part in parts {
      for name in part.requiredInAnswers where !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Patterns of names of properties, and what applies to those.
  var patterned: [(pattern: String, schema: JSONElement)] {
    parts.flatMap { part in (part["patternProperties"]?.pairs ?? []).map { ($0.key, $0.value) } }
  }

  /// What applies to properties that neither have a schema of their own nor fit a pattern.
  var rest: [JSONElement] {
    parts.flatMap { part in
      [part["additionalProperties"], part["unevaluatedProperties"]].compactMap(\.self)
        .filter { $0.bool != false }
    }
  }

  /// What may apply to properties that have no schema of their own, of which each fits some; empty: nothing is said
  /// of them.
  var others: [[JSONElement]] {
    patterned.map { [$0.schema] } + (rest.isEmpty ? [] : [rest])
  }

  /// What applies to the element of an array at a position; empty: nothing is said of it.
  func element(_ position: Int) -> [JSONElement] {
    parts.compactMap { part in
      if let first = part["prefixItems"]?[position] { return first }
      return part["items"]
    }
  }

  /// What applies to elements of an array, by where they are; empty: nothing is said of them.
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
