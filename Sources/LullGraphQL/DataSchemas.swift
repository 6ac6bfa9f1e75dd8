/// Writes JSON Schemas (draft 2020-12) of the `data` of operations. Objects and enums become
/// definitions, which all schemas share (GQL-62 to GQL-64).
///
///     var schemas = GraphQLDataSchemas(schema)
///     let text = schemas.schema(of: operation)    // {"type":"object", …}
///     for (name, text) in schemas.definitions { … }
package struct GraphQLDataSchemas {
  /// Identifies an object in the data: its type and the selections that are merged into it.
  private struct Key: Hashable {
    let type: String
    let sets: [Int]
  }

  /// A field of an object in the data, with all its selections.
  private struct Selected {
    var nodes: [FieldNode]
    /// Whether the field may be missing, because of `@skip` or `@include`.
    var isConditional: Bool
  }

  private struct Collected {
    var keys: [String] = []
    var fields: [String: Selected] = [:]
    /// The fragments that were read, each with whether it was conditional.
    var fragments: Set<String> = []
  }

  /// The largest depth of an object in the data. A deeper one is any value.
  private static let deepest = 200
  /// The largest number of types that a schema lists for `__typename`.
  private static let mostNames = 100

  private let schema: GraphQLSchema
  private let shorten: (String) -> String?
  private var texts: [String: String] = [:]
  private var names: Set<String> = []
  private var found: [(name: String, text: String)] = []

  // The operation that is being read.
  private var fragments: [String: FragmentNode] = [:]
  /// The alternatives of the objects that have been read.
  private var known: [Key: [String]] = [:]
  /// The remaining selections. Fragments may spread each other exponentially often.
  private var budget = 0

  /// - Parameter shorten: Returns the description that a field gets in the JSON Schema, for the
  ///   description in the GraphQL schema.
  package init(_ schema: GraphQLSchema, shorten: @escaping (String) -> String? = { $0 }) {
    self.schema = schema
    self.shorten = shorten
  }

  /// The definitions to which the schemas refer as `#/$defs/NAME`, sorted by name.
  package var definitions: [(name: String, text: String)] {
    found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Returns the JSON Schema of the data of an operation, as JSON text.
  package mutating func schema(of operation: GraphQLOperation) -> String {
    fragments = operation.document.fragmentsByName
    known = [:]
    budget = 500_000
    guard let root = schema.root(operation.node.kind) else { return "true" }
    return object(root, [operation.node.selections], depth: 0).text(typeNames: [root.name])
  }

  // MARK: Objects

  /// The schema of an object, before the names of its types are known: objects of several types
  /// may have the same fields.
  private struct Draft: Hashable {
    var typeKeys: [String] = []
    var properties: [String] = []
    var required: [String] = []

    func text(typeNames: [String]) -> String {
      let name =
        typeNames.count == 1
        ? "{\"const\":\(JSONText.quoted(typeNames[0]))}"
        : typeNames.count > GraphQLDataSchemas.mostNames
          ? "{\"type\":\"string\"}"
          : "{\"enum\":\(JSONText.list(typeNames.map(JSONText.quoted)))}"
      let all = typeKeys.map { "\(JSONText.quoted($0)):\(name)" } + properties
      var text = "{\"type\":\"object\",\"properties\":{\(all.joined(separator: ","))}"
      if !required.isEmpty {
        text += ",\"required\":\(JSONText.list(required.map(JSONText.quoted)))"
      }
      return text + "}"
    }
  }

  private mutating func object(
    _ type: GraphQLSchema.TypeDefinition, _ sets: [SelectionSetNode], depth: Int
  ) -> Draft {
    var collected = Collected()
    for set in sets { collect(set, of: type, isConditional: false, into: &collected) }
    var draft = Draft()
    for key in collected.keys {
      guard let field = collected.fields[key], let node = field.nodes.first else { continue }
      if !field.isConditional { draft.required.append(key) }
      if node.name.text == "__typename" {
        draft.typeKeys.append(key)
        continue
      }
      let definition = schema.field(node.name.text, of: type)
      let content = definition.map { value($0.type, field.nodes, depth: depth) } ?? "true"
      let described = GraphQLDataSchemas.described(
        content, definition?.description.flatMap(shorten), definition?.deprecationReason != nil)
      draft.properties.append("\(JSONText.quoted(key)):\(described)")
    }
    return draft
  }

  private mutating func collect(
    _ set: SelectionSetNode, of type: GraphQLSchema.TypeDefinition, isConditional: Bool,
    into collected: inout Collected
  ) {
    for selection in set.selections {
      budget -= 1
      guard budget > 0 else { return }
      switch selection {
      case .field(let field):
        let isConditional = isConditional || GraphQLDataSchemas.mayBeLeftOut(field.directives)
        let key = field.responseKey
        if var selected = collected.fields[key] {
          selected.nodes.append(field)
          selected.isConditional = selected.isConditional && isConditional
          collected.fields[key] = selected
        } else {
          collected.keys.append(key)
          collected.fields[key] = Selected(nodes: [field], isConditional: isConditional)
        }
      case .inline(let fragment):
        guard applies(fragment.condition, to: type) else { continue }
        collect(
          fragment.selections, of: type,
          isConditional: isConditional || GraphQLDataSchemas.mayBeLeftOut(fragment.directives),
          into: &collected)
      case .spread(let spread):
        let isConditional = isConditional || GraphQLDataSchemas.mayBeLeftOut(spread.directives)
        let name = spread.name.text
        guard let fragment = fragments[name], applies(fragment.condition, to: type),
          collected.fragments.insert("\(name) \(isConditional)").inserted
        else { continue }
        collect(fragment.selections, of: type, isConditional: isConditional, into: &collected)
      }
    }
  }

  private func applies(_ condition: NameNode?, to type: GraphQLSchema.TypeDefinition) -> Bool {
    guard let condition else { return true }
    return condition.text == type.name
      || schema.type(condition.text).map { schema.possibleTypes($0).contains(type.name) } ?? false
  }

  private static func mayBeLeftOut(_ directives: [DirectiveNode]) -> Bool {
    directives.contains { $0.name.text == "skip" || $0.name.text == "include" }
  }

  // MARK: Values

  /// The schema of a value, or of null unless the type is non-null.
  private mutating func value(_ type: GraphQLType, _ nodes: [FieldNode], depth: Int) -> String {
    let isNullable = !type.isNonNull
    func plain(_ type: String) -> String {
      isNullable ? "{\"type\":[\"\(type)\",\"null\"]}" : "{\"type\":\"\(type)\"}"
    }
    switch type.nullable {
    case .list(let item):
      let items = value(item, nodes, depth: depth)
      return "{\"type\":" + (isNullable ? "[\"array\",\"null\"]" : "\"array\"")
        + ",\"items\":\(items)}"
    case .nonNull(let type): return value(type, nodes, depth: depth)
    case .named("Int"): return plain("integer")
    case .named("Float"): return plain("number")
    case .named("Boolean"): return plain("boolean")
    case .named("String"), .named("ID"): return plain("string")
    case .named(let name):
      guard let definition = schema.type(name) else { return "true" }
      var choices: [String]
      switch definition.kind {
      case .enum:
        let values = definition.values.map { JSONText.quoted($0.name) }
        choices = [define("{\"enum\":\(JSONText.list(values))}", as: name)]
      case .object, .interface, .union:
        choices = objects(definition, nodes.compactMap(\.selections), depth: depth + 1)
      case .scalar, .inputObject: return "true"
      }
      if choices == ["true"] { return "true" }
      if isNullable { choices.append("{\"type\":\"null\"}") }
      return choices.count == 1 ? choices[0] : "{\"anyOf\":\(JSONText.list(choices))}"
    }
  }

  /// The alternatives of an object. Object types with the same fields are one alternative.
  private mutating func objects(
    _ type: GraphQLSchema.TypeDefinition, _ sets: [SelectionSetNode], depth: Int
  ) -> [String] {
    let key = Key(type: type.name, sets: sets.map(\.id))
    if let choices = known[key] { return choices }
    guard depth < GraphQLDataSchemas.deepest, budget > 0, !sets.isEmpty else { return ["true"] }
    // An invalid document may have cycles.
    known[key] = ["true"]
    var drafts: [(draft: Draft, types: [String])] = []
    var places: [Draft: Int] = [:]
    for name in schema.possibleTypes(type).sorted() {
      guard let possible = schema.type(name) else { continue }
      let draft = object(possible, sets, depth: depth)
      if let place = places[draft] {
        drafts[place].types.append(name)
      } else {
        places[draft] = drafts.count
        drafts.append((draft, [name]))
      }
    }
    let choices = drafts.map { draft, types in
      define(draft.text(typeNames: types), as: types.count == 1 ? types[0] : type.name)
    }
    known[key] = choices.isEmpty ? ["true"] : choices
    return choices.isEmpty ? ["true"] : choices
  }

  // MARK: Definitions

  /// Returns the reference to a definition. The same text is the same definition.
  private mutating func define(_ text: String, as name: String) -> String {
    if let known = texts[text] { return known }
    var free = name
    var number = 2
    while !names.insert(free).inserted {
      free = "\(name)\(number)"
      number += 1
    }
    let reference = "{\"$ref\":\"#/$defs/\(free)\"}"
    texts[text] = reference
    found.append((free, text))
    return reference
  }

  private static func described(_ value: String, _ description: String?, _ isDeprecated: Bool)
    -> String
  {
    var members: [String] = []
    if let description { members.append("\"description\":\(JSONText.quoted(description))") }
    if isDeprecated { members.append("\"deprecated\":true") }
    guard !members.isEmpty else { return value }
    let start = "{" + members.joined(separator: ",")
    return value == "true" ? start + "}" : start + "," + value.dropFirst()
  }
}
