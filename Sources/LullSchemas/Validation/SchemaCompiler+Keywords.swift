import LullCore

extension SchemaCompiler {
  /// Returns the compiled keywords of a schema, in the order of evaluation. The cheapest keywords
  /// come first. Keywords that depend on the members evaluated by other keywords come last.
  mutating func keywords(_ context: inout SchemaContext) throws(SchemaProblem) -> [SchemaKeyword] {
    let element = context.element
    if let isAllowed = element.bool { return isAllowed ? [] : [.never] }
    guard element.kind == .object else {
      throw SchemaProblem(
        "a schema is an object, true or false", pointer: context.pointer)
    }
    var keywords: [SchemaKeyword] = []
    try addAtoms(context, &keywords)
    try addCounts(context, &keywords)
    try addReferences(context, &keywords)
    try addMembers(context, &keywords)
    try addElements(context, &keywords)
    try addCombinations(context, &keywords)
    if let value = element["unevaluatedItems"] {
      keywords.append(.unevaluatedItems(try child(value, context, "unevaluatedItems")))
    }
    if let value = element["unevaluatedProperties"] {
      keywords.append(.unevaluatedProperties(try child(value, context, "unevaluatedProperties")))
    }
    return keywords
  }

  private mutating func child(
    _ element: JSONElement, _ context: SchemaContext, _ token: String
  ) throws(SchemaProblem) -> Int {
    try node(element, context.resource, "\(context.pointer)/\(token)")
  }

  private mutating func child(_ keyword: String, of context: SchemaContext) throws(SchemaProblem)
    -> Int?
  {
    guard let value = context.element[keyword] else { return nil }
    return try child(value, context, keyword)
  }

  private mutating func children(_ keyword: String, of context: SchemaContext)
    throws(SchemaProblem) -> [Int]?
  {
    guard let elements = try context.elements(keyword) else { return nil }
    guard !elements.isEmpty else { throw context.problem(keyword, "a non-empty array") }
    var nodes: [Int] = []
    for (place, element) in elements.enumerated() {
      nodes.append(try child(element, context, "\(keyword)/\(place)"))
    }
    return nodes
  }

  // MARK: Groups

  private mutating func addAtoms(_ context: SchemaContext, _ keywords: inout [SchemaKeyword])
    throws(SchemaProblem)
  {
    if let value = context.element["type"] {
      keywords.append(.type(try types(value, context)))
    }
    if let value = context.element["const"] { keywords.append(.constant(value)) }
    if let values = try context.elements("enum") { keywords.append(.enumeration(values)) }
    let bounds: [(String, SchemaKeyword.Bound)] = [
      ("minimum", .minimum), ("maximum", .maximum), ("exclusiveMinimum", .exclusiveMinimum),
      ("exclusiveMaximum", .exclusiveMaximum),
    ]
    for (name, bound) in bounds {
      guard let value = context.element[name] else { continue }
      guard let number = SchemaNumber(value) else { throw context.problem(name, "a number") }
      keywords.append(.bound(bound, number, ViolationText.value(value)))
    }
    if let value = context.element["multipleOf"] {
      guard let number = SchemaNumber(value), SchemaNumber.int(0) < number else {
        throw context.problem("multipleOf", "a number above 0")
      }
      keywords.append(.multipleOf(number, ViolationText.value(value)))
    }
    if let text = try context.text("pattern") {
      keywords.append(.pattern(try pattern(text, context)))
    }
  }

  private func types(_ value: JSONElement, _ context: SchemaContext) throws(SchemaProblem)
    -> SchemaKeyword.TypeSet
  {
    var names: [String] = []
    if let name = value.string { names = [name] } else { names = try context.names("type", value) }
    var set: SchemaKeyword.TypeSet = []
    for name in names {
      guard let type = SchemaKeyword.TypeSet.names.first(where: { $0.name == name }) else {
        throw SchemaProblem("there is no type '\(name)'", pointer: context.pointer)
      }
      set.insert(type.set)
    }
    return set
  }

  private func addCounts(_ context: SchemaContext, _ keywords: inout [SchemaKeyword])
    throws(SchemaProblem)
  {
    if let count = try context.count("minLength") { keywords.append(.minLength(count)) }
    if let count = try context.count("maxLength") { keywords.append(.maxLength(count)) }
    if let count = try context.count("minItems") { keywords.append(.minItems(count)) }
    if let count = try context.count("maxItems") { keywords.append(.maxItems(count)) }
    if let count = try context.count("minProperties") { keywords.append(.minProperties(count)) }
    if let count = try context.count("maxProperties") { keywords.append(.maxProperties(count)) }
    if let value = context.element["uniqueItems"] {
      guard let isUnique = value.bool else { throw context.problem("uniqueItems", "true or false") }
      if isUnique { keywords.append(.uniqueItems) }
    }
    if let value = context.element["required"] {
      var names = try context.names("required", value)
      if isOfAnswers {
        let kept = Set(context.element.requiredInAnswers)
        names.removeAll { !kept.contains($0) }
      }
      if !names.isEmpty { keywords.append(.required(names)) }
    }
    if let members = try context.members("dependentRequired") {
      var needed: [(name: String, needed: [String])] = []
      for (key, value) in members {
        needed.append((key, try context.names("dependentRequired", value)))
      }
      keywords.append(.dependentRequired(needed))
    }
  }

  private mutating func addReferences(_ context: SchemaContext, _ keywords: inout [SchemaKeyword])
    throws(SchemaProblem)
  {
    if let text = try context.text("$ref") {
      keywords.append(.reference(try reference(text, context).node))
    }
    if let text = try context.text("$dynamicRef") {
      let (node, anchor) = try reference(text, context)
      guard let anchor else { return keywords.append(.reference(node)) }
      note(dynamicName: anchor)
      keywords.append(.dynamicReference(name: anchor, node))
    }
    for name in ["$recursiveRef", "$recursiveAnchor"] where context.element[name] != nil {
      throw SchemaProblem(
        "'\(name)' is not in draft 2020-12: use $dynamicRef and $dynamicAnchor",
        pointer: context.pointer)
    }
  }

  private mutating func addMembers(_ context: SchemaContext, _ keywords: inout [SchemaKeyword])
    throws(SchemaProblem)
  {
    var rules = SchemaKeyword.PropertyRules()
    for (key, value) in try context.members("properties") ?? [] {
      rules.names.set(key, try child(value, context, "properties/\(key)"))
    }
    for (key, value) in try context.members("patternProperties") ?? [] {
      rules.patterns.append(
        (try pattern(key, context), try child(value, context, "patternProperties/\(key)")))
    }
    rules.additional = try child("additionalProperties", of: context)
    if rules.names.count > 0 || !rules.patterns.isEmpty || rules.additional != nil {
      keywords.append(.properties(rules))
    }
    if let node = try child("propertyNames", of: context) {
      keywords.append(.propertyNames(node))
    }
    // Earlier drafts had one keyword, `dependencies`, for schemas and required names.
    for keyword in ["dependentSchemas", "dependencies"] {
      guard let members = try context.members(keyword) else { continue }
      var schemas: [(name: String, node: Int)] = []
      for (key, value) in members {
        if keyword == "dependencies", value.kind == .array {
          let names = try context.names(keyword, value)
          keywords.append(.dependentRequired([(name: key, needed: names)]))
        } else {
          schemas.append((key, try child(value, context, "\(keyword)/\(key)")))
        }
      }
      if !schemas.isEmpty { keywords.append(.dependentSchemas(schemas)) }
    }
  }

  private mutating func addElements(_ context: SchemaContext, _ keywords: inout [SchemaKeyword])
    throws(SchemaProblem)
  {
    let prefix = try children("prefixItems", of: context)
    if let value = context.element["items"], value.kind == .array {
      throw SchemaProblem(
        "'items' cannot be an array in draft 2020-12: use 'prefixItems'",
        pointer: context.pointer)
    }
    let rest = try child("items", of: context)
    if prefix != nil || rest != nil { keywords.append(.items(prefix: prefix ?? [], rest: rest)) }
    let least = try context.count("minContains")
    let most = try context.count("maxContains")
    if let node = try child("contains", of: context) {
      keywords.append(.contains(node, least: least ?? 1, most: most))
    }
  }

  private mutating func addCombinations(
    _ context: SchemaContext, _ keywords: inout [SchemaKeyword]
  ) throws(SchemaProblem) {
    if let nodes = try children("allOf", of: context) { keywords.append(.allOf(nodes)) }
    if let nodes = try children("anyOf", of: context) { keywords.append(.anyOf(nodes)) }
    if let nodes = try children("oneOf", of: context) { keywords.append(.oneOf(nodes)) }
    if let node = try child("not", of: context) { keywords.append(.not(node)) }
    guard let condition = try child("if", of: context) else { return }
    keywords.append(
      .condition(
        condition, then: try child("then", of: context), otherwise: try child("else", of: context)))
  }
}
