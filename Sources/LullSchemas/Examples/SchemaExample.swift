package import LullCore

/// Generates content that is valid according to a schema. The result is the same in each run.
/// Values are taken from examples, defaults and constants in the schema. Where there are none, the
/// content satisfies the minimum requirements.
package struct SchemaExample {
  let resources: SchemaResources
  /// Whether optional members are generated too.
  private let isFull: Bool
  /// Whether values are taken from examples and defaults too, not only from constants.
  private let takesHints: Bool
  /// Whether the property named by a discriminator is set to the value that identifies the schema.
  let takesWords: Bool
  private var stepsLeft = 20_000
  /// The names of the definitions to which references have led, by the position of the definition.
  private(set) var names: [SchemaPlace: String] = [:]

  /// A schema, and the index of the resource against which its references are resolved.
  typealias Part = (element: JSONElement, resource: Int)

  /// Returns content for the schema at a JSON Pointer in a file; nil if no valid content is found.
  package static func value(_ pointer: String, in file: SchemaFile) throws(SchemaProblem)
    -> JSONValue?
  {
    let validator = try SchemaValidator(pointer, in: file)
    return try value(validator) { () throws(SchemaProblem) in
      let resources = SchemaResources(documents: [:])
      let resource = try resources.add(.file(file), uri: "")
      return (resources, (try resources.find(pointer, from: resource).element, resource))
    }
  }

  /// Returns content for a schema; nil if no valid content is found.
  package static func value(of schema: JSONElement) throws(SchemaProblem) -> JSONValue? {
    try value(try SchemaValidator(schema)) { () throws(SchemaProblem) in
      let resources = SchemaResources(documents: [:])
      return (resources, (schema, try resources.add(.element(schema), uri: "")))
    }
  }

  private static func value(
    _ validator: SchemaValidator,
    _ open: () throws(SchemaProblem) -> (SchemaResources, Part)
  ) throws(SchemaProblem) -> JSONValue? {
    // Try several settings: examples may be wrong, and optional parts may not fit together.
    let ways = [
      (true, true, true), (false, true, true), (false, false, true), (true, true, false),
      (false, false, false),
    ]
    for (isFull, takesHints, takesWords) in ways {
      let (resources, part) = try open()
      var maker = SchemaExample(
        resources, isFull: isFull, takesHints: takesHints, takesWords: takesWords)
      guard let value = try maker.value(of: part, depth: 0), let bytes = try? value.encode(),
        let document = try? JSONDocument(parsing: bytes), try validator.fits(document.root)
      else { continue }
      return value
    }
    return nil
  }

  private init(_ resources: SchemaResources, isFull: Bool, takesHints: Bool, takesWords: Bool) {
    self.resources = resources
    self.isFull = isFull
    self.takesHints = takesHints
    self.takesWords = takesWords
  }

  // MARK: Schemas

  mutating func value(of part: Part, depth: Int, seed: Int = 0) throws(SchemaProblem)
    -> JSONValue?
  {
    var parts: [Part] = []
    guard depth < 24, try gather(part, into: &parts) else { return nil }
    return try value(of: parts, resolved: [], depth, seed)
  }

  /// Collects all schemas that apply to the value regardless of the branches that are chosen.
  /// Returns false if no value can be valid, or if a limit is exceeded.
  private mutating func gather(_ part: Part, into parts: inout [Part]) throws(SchemaProblem)
    -> Bool
  {
    stepsLeft -= 1
    guard stepsLeft > 0, parts.count < 200, part.element.bool != false else { return false }
    guard part.element.kind == .object else { return true }
    let resource = resources.home(of: part.element) ?? part.resource
    parts.append((part.element, resource))
    for keyword in ["$ref", "$dynamicRef"] {
      guard let reference = part.element[keyword]?.string else { continue }
      let found = try resources.find(reference, from: resource).element
      if let name = reference.split(separator: "/").last {
        names[SchemaPlace(found)] = SchemaFragment.decoded(name)
      }
      guard try gather((found, resource), into: &parts) else { return false }
    }
    if takesWords, let choice = firstMapped(by: part.element, resource, beside: parts) {
      guard try gather((choice, resource), into: &parts) else { return false }
    }
    for element in part.element["allOf"]?.elements.map({ $0 }) ?? [] {
      guard try gather((element, resource), into: &parts) else { return false }
    }
    return true
  }

  private mutating func value(
    of parts: [Part], resolved: Set<String>, _ depth: Int, _ seed: Int
  ) throws(SchemaProblem) -> JSONValue? {
    if let said = said(by: parts, seed) { return said }
    for (place, part) in parts.enumerated() {
      for keyword in ["oneOf", "anyOf"] {
        guard let alternatives = part.element[keyword], !resolved.contains("\(keyword)\(place)")
        else { continue }
        for alternative in alternatives.elements {
          var more = parts
          guard try gather((alternative, part.resource), into: &more),
            let value = try value(
              of: more, resolved: resolved.union(["\(keyword)\(place)"]), depth, seed)
          else { continue }
          return value
        }
        return nil
      }
    }
    return try plainValue(of: parts, depth, seed)
  }

  /// Returns the value that one of the schemas gives as a constant, an example or a default.
  private func said(by parts: [Part], _ seed: Int) -> JSONValue? {
    for (element, _) in parts {
      if let value = element["const"] { return value.plainValue }
      if takesHints {
        // An example in a document may not fit, for instance if a number is in quotes.
        let hints = [
          element["examples"].flatMap { $0[seed] ?? $0[0] }, element["example"], element["default"],
        ].compactMap(\.self)
        if let value = hints.first(where: { SchemaExample.isOfType($0, parts) }) {
          return value.plainValue
        }
      }
      if let values = element["enum"], let value = values[seed] ?? values[0] {
        return value.plainValue
      }
    }
    return nil
  }

  // MARK: Types

  private mutating func plainValue(of parts: [Part], _ depth: Int, _ seed: Int)
    throws(SchemaProblem) -> JSONValue?
  {
    switch SchemaExample.type(of: parts) {
    case "object": return try object(parts, depth)
    case "array": return try array(parts, depth)
    case "string": return StringExample(parts.map(\.element)).text(seed).map { .string($0) }
    case "integer", "number": return NumberExample(parts.map(\.element)).value(seed)
    case "boolean": return .bool(true)
    case "null": return .null
    default: return nil
    }
  }

  /// Returns a type that all schemas allow. If there are several, the type with the most structure
  /// is preferred. If the schemas specify no type, the type is derived from their keywords.
  private static func type(of parts: [Part]) -> String? {
    let order = ["object", "array", "string", "integer", "number", "boolean", "null"]
    var allowed = Set(order)
    var isSaid = false
    for (element, _) in parts {
      guard let type = element["type"] else { continue }
      isSaid = true
      var names = Set(type.string.map { [$0] } ?? type.elements.compactMap(\.string))
      if names.contains("number") { names.insert("integer") }
      allowed.formIntersection(names)
    }
    if isSaid { return order.first(where: allowed.contains) }
    let keywords: [(type: String, names: [String])] = [
      ("object", ["properties", "required", "additionalProperties", "minProperties"]),
      ("array", ["items", "prefixItems", "minItems", "contains"]),
      ("string", ["pattern", "minLength", "maxLength", "format"]),
      ("number", ["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"]),
    ]
    return keywords.first { keyword in
      parts.contains { part in keyword.names.contains { part.element[$0] != nil } }
    }?.type ?? "object"
  }

  private mutating func object(_ parts: [Part], _ depth: Int) throws(SchemaProblem) -> JSONValue? {
    var needed: [String] = []
    var least = 0
    for (element, _) in parts {
      for name in element.requiredInAnswers where !needed.contains(name) { needed.append(name) }
      least = max(least, element["minProperties"].flatMap { SchemaNumber($0)?.count } ?? 0)
    }
    var names: [String] = []
    for (element, _) in parts {
      for (name, schema) in element["properties"]?.pairs ?? []
      where !names.contains(name) && schema["writeOnly"]?.bool != true {
        names.append(name)
      }
    }
    for name in discriminators(of: parts) where !needed.contains(name) { needed.append(name) }
    names += needed.filter { !names.contains($0) }
    var members: [JSONValue.Member] = []
    for name in names {
      let isNeeded = needed.contains(name)
      guard isNeeded || (isFull && depth < 4) || members.count < least else { continue }
      if let value = try member(name, parts, depth) {
        members.append(.init(name, value))
      } else if isNeeded {
        return nil
      }
    }
    return .object(members)
  }

  private mutating func member(_ name: String, _ parts: [Part], _ depth: Int)
    throws(SchemaProblem) -> JSONValue?
  {
    if let word = discriminatingWord(name, parts) { return .string(word) }
    var own: [Part] = []
    for (element, resource) in parts {
      guard let schema = element["properties"]?[name] ?? element["additionalProperties"] else {
        continue
      }
      guard try gather((schema, resource), into: &own) else { return nil }
    }
    guard depth < 23 else { return nil }
    return try value(of: own, resolved: [], depth + 1, 0)
  }

  private mutating func array(_ parts: [Part], _ depth: Int) throws(SchemaProblem) -> JSONValue? {
    var count = 0
    var most = Int.max
    var items: [Part] = []
    var prefix: [JSONElement] = []
    for (element, resource) in parts {
      count = max(count, element["minItems"].flatMap { SchemaNumber($0)?.count } ?? 0)
      most = min(most, element["maxItems"].flatMap { SchemaNumber($0)?.count } ?? Int.max)
      if let schema = element["items"] { items.append((schema, resource)) }
      prefix += element["prefixItems"]?.elements.map { $0 } ?? []
    }
    // One element is enough to show the type of the elements.
    if isFull { count = max(count, prefix.count, items.isEmpty || depth >= 4 ? 0 : 1) }
    count = min(count, most)
    guard count <= 1000 else { return nil }
    var elements: [JSONValue] = []
    for place in 0..<count {
      var own: [Part] = []
      let schemas = place < prefix.count ? [(prefix[place], parts[0].resource)] : items
      var isPossible = true
      for schema in schemas where isPossible { isPossible = try gather(schema, into: &own) }
      guard isPossible, depth < 23,
        let value = try value(of: own, resolved: [], depth + 1, place)
      else { break }
      elements.append(value)
    }
    for (element, resource) in parts {
      guard let schema = element["contains"] else { continue }
      let least = element["minContains"].flatMap { SchemaNumber($0)?.count } ?? 1
      for place in 0..<min(least, 1000) {
        var own: [Part] = []
        guard depth < 23, try gather((schema, resource), into: &own),
          let value = try value(of: own, resolved: [], depth + 1, place)
        else { return nil }
        elements.append(value)
      }
    }
    return .array(elements)
  }
}

/// Generates a number within the limits that schemas set.
struct NumberExample {
  private let schemas: [JSONElement]

  init(_ schemas: [JSONElement]) {
    self.schemas = schemas
  }

  /// Generates a number.
  ///
  /// - Parameter seed: A number that differs for each element of a list with unique elements.
  func value(_ seed: Int) -> JSONValue? {
    let isWhole = schemas.contains { $0["type"]?.string == "integer" }
    var least = -Double.infinity
    var most = Double.infinity
    for schema in schemas {
      if let bound = schema["minimum"]?.double { least = max(least, bound) }
      if let bound = schema["maximum"]?.double { most = min(most, bound) }
      if let bound = schema["exclusiveMinimum"]?.double {
        least = max(least, isWhole ? bound.rounded(.down) + 1 : bound.nextUp)
      }
      if let bound = schema["exclusiveMaximum"]?.double {
        most = min(most, isWhole ? bound.rounded(.up) - 1 : bound.nextDown)
      }
    }
    let step = schemas.compactMap { $0["multipleOf"]?.double }.max() ?? 1
    let wanted = least > 0 ? least : most < 0 ? most : 0
    let isAtTop = least <= 0 && most < 0
    let first = isAtTop ? (wanted / step).rounded(.down) : (wanted / step).rounded(.up)
    let value = (first + Double(isAtTop ? -seed : seed)) * step
    // If no multiple of the step is between the bounds, use the wanted number, unless it must be an
    // integer.
    let chosen = value > most || value < least ? (isWhole ? value : wanted) : value
    if let whole = Int(exactly: chosen) { return .int(whole) }
    return chosen.isFinite ? .double(chosen) : nil
  }
}

/// Generates a text that is valid according to schemas.
struct StringExample {
  private let schemas: [JSONElement]

  init(_ schemas: [JSONElement]) {
    self.schemas = schemas
  }

  private static let formats: [String: String] = [
    "date-time": "2024-01-01T00:00:00Z", "date": "2024-01-01", "time": "00:00:00Z",
    "duration": "P1D", "email": "user@example.com", "idn-email": "user@example.com",
    "hostname": "example.com", "idn-hostname": "example.com", "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1", "uri": "https://example.com/", "uri-reference": "/",
    "iri": "https://example.com/", "iri-reference": "/", "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000", "json-pointer": "/a",
    "relative-json-pointer": "0", "regex": "a", "byte": "AA==", "uri-template": "/{id}",
  ]

  /// Generates a text; nil if none is found.
  ///
  /// - Parameter seed: A number that differs for each element of a list with unique elements.
  func text(_ seed: Int) -> String? {
    let least =
      schemas.compactMap { $0["minLength"].flatMap { SchemaNumber($0)?.count } }.max() ?? 0
    let most =
      schemas.compactMap { $0["maxLength"].flatMap { SchemaNumber($0)?.count } }.min() ?? Int.max
    guard least <= most, least <= 1 << 20 else { return nil }
    if let format = schemas.lazy.compactMap({ $0["format"]?.string }).first,
      let text = StringExample.formats[format]
    {
      return text
    }
    if let pattern = schemas.lazy.compactMap({ $0["pattern"]?.string }).first {
      return PatternExample.text(pattern, least: least, most: most)
    }
    let word = seed == 0 ? "string" : "string\(seed)"
    if word.count < least {
      return word + String(repeating: "x", count: least - word.count)
    }
    return word.count > most ? String(word.suffix(most)) : word
  }
}

/// Handles discriminators of OpenAPI: the value of a property contains the name of the schema.
extension SchemaExample {
  /// Returns the first schema to which a discriminator maps. This schema is used instead of
  /// `schema`, which only lists alternatives. Returns nil if the value already has one of the
  /// mapped schemas.
  func firstMapped(
    by schema: JSONElement, _ resource: Int, beside parts: [Part]
  ) -> JSONElement? {
    guard schema["oneOf"] == nil, schema["anyOf"] == nil,
      let mapping = schema["discriminator"]?["mapping"]?.pairs
    else { return nil }
    let targets = mapping.compactMap { target(of: $0.value, resource) }
    let taken = Set(parts.map { SchemaPlace($0.element) })
    // If the discriminator maps to the schema itself, that schema is already included.
    guard !targets.contains(where: { taken.contains(SchemaPlace($0)) }) else { return nil }
    return targets.first
  }

  /// Returns the names of the properties whose values contain the name of the schema.
  func discriminators(of parts: [Part]) -> [String] {
    parts.compactMap { $0.element["discriminator"]?["propertyName"]?.string }
      .filter { discriminatingWord($0, parts) != nil }
  }

  /// Returns the value for the property `name`, if a discriminator requires the name of the schema
  /// there; nil for other properties.
  func discriminatingWord(_ name: String, _ parts: [Part]) -> String? {
    guard takesWords else { return nil }
    for (element, resource) in parts {
      guard let discriminator = element["discriminator"],
        discriminator["propertyName"]?.string == name
      else { continue }
      let mapping = (discriminator["mapping"]?.pairs ?? []).compactMap { value, pointer in
        target(of: pointer, resource).map { (value: value, place: SchemaPlace($0)) }
      }
      // The outermost schema is the most specific one, so it is tried first.
      let places = parts.map { SchemaPlace($0.element) }
      for place in places {
        if let mapped = mapping.first(where: { $0.place == place }) { return mapped.value }
      }
      // Without a mapping, the value is the name of the schema.
      guard mapping.isEmpty, let own = places.lazy.compactMap({ names[$0] }).first else { continue }
      return own
    }
    return nil
  }

  private func target(of pointer: JSONElement, _ resource: Int) -> JSONElement? {
    pointer.string.flatMap { try? resources.find($0, from: resource).element }
  }

  /// Returns whether the type of a value is allowed by all schemas.
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
