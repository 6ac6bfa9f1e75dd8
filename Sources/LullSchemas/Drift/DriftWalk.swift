import LullCore

/// Compares one response with its schema. Finds values that are not declared, and declared values
/// that are missing.
///
/// For `anyOf` and `oneOf`, the branch that is most similar to the value is used. If a value has
/// the wrong type, its content is not examined.
///
/// Behaviours: DRF-01 to DRF-14.
struct DriftWalk {
  struct Difference: Hashable {
    let tier: DriftFinding.Tier
    let change: DriftFinding.Change
    let pointer: String
    let declared: String
    let found: String
  }

  private static let deepest = 200

  private let references: SchemaReferences
  private var views: [SchemaPlace: SchemaView] = [:]
  /// The differences found in this response, without duplicates, in the order in which they were
  /// found.
  private(set) var differences: [Difference] = []
  private var seen: Set<Difference> = []
  /// The optional fields of the response's schema. For each field, contains the JSON Pointer and
  /// whether the response has the field.
  private(set) var optional: [(pointer: String, isThere: Bool)] = []
  private var optionalPlaces: [String: Int] = [:]
  private var patterns: [String: SchemaPattern] = [:]

  init(_ file: SchemaFile) { references = SchemaReferences(file) }

  mutating func look(at value: JSONElement, _ schema: JSONElement) throws(SchemaProblem) {
    differences = []
    seen = []
    optional = []
    optionalPlaces = [:]
    try look(at: value, [schema], "", 0)
  }

  private mutating func look(
    at value: JSONElement, _ schemas: [JSONElement], _ pointer: String, _ depth: Int
  ) throws(SchemaProblem) {
    guard depth < DriftWalk.deepest else { return }
    let view = try view(of: schemas, for: value)
    let kind = DriftWalk.kind(of: value)
    if view.isNever { return note(.breaking, .type, pointer, "nothing", kind) }
    if let types = view.types, !types.contains(where: { SchemaView.covers($0, kind) }) {
      let isWhole = kind == "number" && types.contains("integer")
      if isWhole, let number = value.double, number.rounded() == number { return }
      note(isWhole ? .changed : .breaking, .type, pointer, types.joined(separator: "|"), kind)
      return
    }
    if let words = view.words, !words.contains(where: { $0 == value }) {
      // The value itself may be confidential, so it is not reported.
      let declared = words.count == 1 ? "1 word" : "\(words.count) words"
      note(.changed, .word, pointer, declared, "another")
      return
    }
    switch value.kind {
    case .object: try look(atMembersOf: value, view, pointer, depth)
    case .array:
      for (position, element) in value.elements.enumerated() {
        let schemas = view.element(position)
        guard !schemas.isEmpty else { continue }
        try look(at: element, schemas, pointer + "/*", depth + 1)
      }
    default: break
    }
  }

  private mutating func look(
    atMembersOf value: JSONElement, _ view: SchemaView, _ pointer: String, _ depth: Int
  ) throws(SchemaProblem) {
    let rest = view.rest
    let names = view.propertyNames
    // If the schema declares no fields, any field is allowed.
    let isOpen = names.isEmpty && view.patterned.isEmpty && rest.isEmpty && view.required.isEmpty
    for (key, member) in value.pairs {
      let own = view.property(key)
      let schemas = own + (try fitting(key, in: view))
      if !own.isEmpty {
        try look(at: member, schemas, DriftWalk.place(key, in: pointer), depth + 1)
      } else if !schemas.isEmpty || !rest.isEmpty {
        try look(at: member, schemas.isEmpty ? rest : schemas, pointer + "/*", depth + 1)
      } else if !isOpen {
        let name = KeyKind.isData(key) ? pointer + "/*" : DriftWalk.place(key, in: pointer)
        note(.added, .added, name, "", DriftWalk.kind(of: member))
      }
    }
    let required = view.required
    for name in required where value[name] == nil {
      note(.breaking, .removed, DriftWalk.place(name, in: pointer), "required", "missing")
    }
    for name in names where !required.contains(name) {
      noteOptional(DriftWalk.place(name, in: pointer), value[name] != nil)
    }
  }

  private mutating func note(
    _ tier: DriftFinding.Tier, _ change: DriftFinding.Change, _ pointer: String, _ declared: String,
    _ found: String
  ) {
    let difference = Difference(
      tier: tier, change: change, pointer: pointer, declared: declared, found: found)
    if seen.insert(difference).inserted { differences.append(difference) }
  }

  private mutating func noteOptional(_ pointer: String, _ isThere: Bool) {
    if let place = optionalPlaces[pointer] {
      if isThere { optional[place].isThere = true }
    } else {
      optionalPlaces[pointer] = optional.count
      optional.append((pointer, isThere))
    }
  }

  /// Returns the schemas of all patterns that match the name of a field.
  private mutating func fitting(_ key: String, in view: SchemaView) throws(SchemaProblem)
    -> [JSONElement]
  {
    var schemas: [JSONElement] = []
    for (text, schema) in view.patterned where try pattern(text).isFound(in: key) {
      schemas.append(schema)
    }
    return schemas
  }

  private mutating func pattern(_ text: String) throws(SchemaProblem) -> SchemaPattern {
    if let known = patterns[text] { return known }
    do throws(SchemaPattern.Unusable) {
      let made = try SchemaPattern(text)
      patterns[text] = made
      return made
    } catch {
      throw SchemaProblem(
        "the pattern '\(LogText.part(text, limit: 80))' cannot be used: \(error.message)",
        file: references.file.name)
    }
  }

  // MARK: Schemas

  /// Combines the schemas that apply to a value. For each choice between branches, the branch that
  /// is most similar to the value is included.
  private mutating func view(of schemas: [JSONElement], for value: JSONElement)
    throws(SchemaProblem) -> SchemaView
  {
    var schemas = schemas
    var view = try view(of: schemas)
    var taken = 0
    // The branch may contain further choices.
    while taken < view.choices.count, taken < 16 {
      if let branch = try likeliest(of: view.choices[taken], for: value) {
        schemas.append(branch)
        view = try made(of: schemas)
      }
      taken += 1
    }
    return view
  }

  private mutating func view(of schemas: [JSONElement]) throws(SchemaProblem) -> SchemaView {
    guard schemas.count == 1 else { return try made(of: schemas) }
    let place = SchemaPlace(schemas[0])
    if let known = views[place] { return known }
    let view = try made(of: schemas)
    views[place] = view
    return view
  }

  /// Combines schemas, ignoring choices between branches.
  ///
  /// - Throws: An error if a reference can't be resolved. If this error were ignored, all fields
  ///   would seem undeclared.
  private func made(of schemas: [JSONElement]) throws(SchemaProblem) -> SchemaView {
    let view = try SchemaView(schemas, references)
    guard let lost = view.lost else { return view }
    throw SchemaProblem(lost.message, file: references.file.name)
  }

  private mutating func likeliest(of branches: [JSONElement], for value: JSONElement)
    throws(SchemaProblem) -> JSONElement?
  {
    var best: (likeness: Int, branch: JSONElement)?
    for branch in branches {
      let likeness = try likeness(of: value, to: view(of: [branch]))
      if best.map({ likeness > $0.likeness }) ?? true { best = (likeness, branch) }
    }
    return best?.branch
  }

  /// Returns a score for the similarity of a value to a combined schema; a larger score means more
  /// similar. For an object, only the presence, the types and the constant values of members are
  /// compared.
  private mutating func likeness(of value: JSONElement, to view: SchemaView) throws(SchemaProblem)
    -> Int
  {
    let kind = DriftWalk.kind(of: value)
    if let types = view.types, !types.contains(where: { SchemaView.covers($0, kind) }) {
      return -1_000_000
    }
    if let words = view.words { return words.contains { $0 == value } ? 1000 : -1000 }
    guard value.kind == .object else { return 0 }
    var likeness = 0
    for name in view.required where value[name] == nil { likeness -= 3 }
    for (key, member) in value.pairs {
      let schemas = view.property(key) + (try fitting(key, in: view))
      guard !schemas.isEmpty else {
        if view.rest.isEmpty { likeness -= 1 }
        continue
      }
      likeness += 1
      let inner = try self.view(of: schemas)
      // Branches usually differ in the constant value of a member.
      if let words = inner.words { likeness += words.contains { $0 == member } ? 50 : -50 }
      let kind = DriftWalk.kind(of: member)
      if let types = inner.types, !types.contains(where: { SchemaView.covers($0, kind) }) {
        likeness -= 2
      }
    }
    return likeness
  }

  // MARK: Words

  private static func kind(of value: JSONElement) -> String {
    switch value.kind {
    case .null: "null"
    case .bool: "boolean"
    case .int: "integer"
    case .double: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  private static func place(_ key: String, in pointer: String) -> String {
    pointer + "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}
