// The rule that fields with the same response key can be merged. Every selection set is compared
// with itself and with the fragments that it spreads. Pairs of fragments are compared once, so that
// the cost does not grow with the number of paths to a fragment. A budget bounds the rest (GQL-24).

extension DocumentValidator {
  mutating func checkMerging() {
    var merging = FieldMerging(
      schema: schema, fragments: fragments, limit: checker.limit, budget: budget)
    for definition in document.definitions {
      switch definition {
      case .operation(let node): merging.check(node.selections, of: schema.root(node.kind))
      case .fragment(let node):
        merging.check(node.selections, of: merging.type(node.condition.text))
      default: break
      }
    }
    budget = merging.budget
    for conflict in merging.conflicts {
      let line = document.source.line(of: conflict.second.start)
      report(
        "the fields '\(conflict.first.responseKey)' here and on line \(line) cannot be merged: "
          + "\(conflict.reason) (use an alias)", at: conflict.first.start)
    }
  }
}

private struct FieldMerging {
  struct Conflict {
    let first: FieldNode
    let second: FieldNode
    let reason: String
  }

  /// A field with the definitions that its parent gives it.
  private final class Candidate {
    let parent: GraphQLSchema.TypeDefinition?
    let node: FieldNode
    let type: GraphQLType?

    init(parent: GraphQLSchema.TypeDefinition?, node: FieldNode, type: GraphQLType?) {
      self.parent = parent
      self.node = node
      self.type = type
    }
  }

  /// The fields of a selection set without its fragments, and the names of these.
  private struct Collected {
    var keys: [String] = []
    var fields: [String: [Candidate]] = [:]
    var spreads: [String] = []
  }

  /// Two fields with the same response key that are to be compared.
  private struct Comparison {
    let first: Candidate
    let second: Candidate
    /// Whether they never occur together.
    let isExclusive: Bool
    /// The index of the fields that contain them.
    let container: Int?
  }

  private struct Pair: Hashable {
    let first: String
    let second: String
  }

  private struct SetAndFragment: Hashable {
    let set: Int
    let fragment: String
  }

  let schema: GraphQLSchema
  let fragments: [String: FragmentNode]
  /// The number of conflicts after which no more are needed.
  let limit: Int
  var budget: Int
  private(set) var conflicts: [Conflict] = []
  private var collected: [Int: Collected] = [:]
  /// Whether the compared pairs were compared only as fields that exclude each other.
  private var comparedPairs: [Pair: Bool] = [:]
  private var comparedSets: [SetAndFragment: Bool] = [:]

  init(schema: GraphQLSchema, fragments: [String: FragmentNode], limit: Int, budget: Int) {
    self.schema = schema
    self.fragments = fragments
    self.limit = limit
    self.budget = budget
  }

  func type(_ name: String) -> GraphQLSchema.TypeDefinition? {
    schema.type(name).flatMap { $0.isComposite ? $0 : nil }
  }

  /// Checks a selection set and those within it.
  mutating func check(_ set: SelectionSetNode, of parent: GraphQLSchema.TypeDefinition?) {
    // Inline fragments are a part of the set that contains them.
    var pending = [(set: set, parent: parent, isInline: false)]
    while let (set, parent, isInline) = pending.popLast() {
      guard conflicts.count < limit else { return }
      if !isInline { conflicts += conflictsWithin(set, of: parent) }
      for selection in set.selections {
        switch selection {
        case .field(let field):
          guard let inner = field.selections else { continue }
          let definition = parent.flatMap { schema.field(field.name.text, of: $0) }
          pending.append((inner, definition.flatMap { type($0.type.name) }, false))
        case .inline(let fragment):
          let inner = fragment.condition.map { type($0.text) } ?? parent
          pending.append((fragment.selections, inner, true))
        case .spread: break
        }
      }
    }
  }

  // MARK: Collecting

  private mutating func collect(
    _ set: SelectionSetNode, of parent: GraphQLSchema.TypeDefinition?
  ) -> Collected {
    if let known = collected[set.id] { return known }
    var result = Collected()
    var spreads: Set<String> = []
    collect(set, of: parent, into: &result, &spreads)
    collected[set.id] = result
    return result
  }

  private func collect(
    _ set: SelectionSetNode, of parent: GraphQLSchema.TypeDefinition?, into result: inout Collected,
    _ spreads: inout Set<String>
  ) {
    for selection in set.selections {
      switch selection {
      case .field(let field):
        let key = field.responseKey
        let definition = parent.flatMap { schema.field(field.name.text, of: $0) }
        if result.fields[key] == nil { result.keys.append(key) }
        result.fields[key, default: []].append(
          Candidate(parent: parent, node: field, type: definition?.type))
      case .inline(let fragment):
        let inner = fragment.condition.map { type($0.text) } ?? parent
        collect(fragment.selections, of: inner, into: &result, &spreads)
      case .spread(let spread):
        if spreads.insert(spread.name.text).inserted { result.spreads.append(spread.name.text) }
      }
    }
  }

  private mutating func collect(_ fragment: FragmentNode) -> Collected {
    collect(fragment.selections, of: type(fragment.condition.text))
  }

  // MARK: Comparing sets

  private mutating func conflictsWithin(
    _ set: SelectionSetNode, of parent: GraphQLSchema.TypeDefinition?
  ) -> [Conflict] {
    let collected = collect(set, of: parent)
    var found: [Conflict] = []
    for key in collected.keys {
      let fields = collected.fields[key] ?? []
      for (index, field) in fields.enumerated() {
        for other in fields[(index + 1)...] {
          guard budget >= 0 else { return found }
          resolve([comparison(field, other)], &found)
        }
      }
    }
    for (index, name) in collected.spreads.enumerated() {
      var comparisons: [Comparison] = []
      compare(set.id, collected, with: name, in: nil, &comparisons)
      resolve(comparisons, &found)
      for other in collected.spreads[(index + 1)...] {
        guard budget >= 0 else { return found }
        comparisons = []
        compare(name, with: other, in: nil, &comparisons)
        resolve(comparisons, &found)
      }
    }
    return found
  }

  private mutating func resolve(_ comparisons: [Comparison], _ found: inout [Conflict]) {
    for comparison in comparisons {
      guard budget >= 0 else { return }
      if let conflict = conflict(comparison) { found.append(conflict) }
    }
  }

  /// Adds the comparisons of two fields' selections.
  private mutating func compareSelections(_ index: Int, _ comparisons: inout [Comparison]) {
    let (first, second) = (comparisons[index].first, comparisons[index].second)
    guard let set = first.node.selections, let other = second.node.selections else { return }
    let container = (index, comparisons[index].isExclusive)
    let fields = collect(set, of: first.type.flatMap { type($0.name) })
    let otherFields = collect(other, of: second.type.flatMap { type($0.name) })
    compare(fields, otherFields, in: container, &comparisons)
    for name in otherFields.spreads {
      compare(set.id, fields, with: name, in: container, &comparisons)
    }
    for name in fields.spreads {
      compare(other.id, otherFields, with: name, in: container, &comparisons)
    }
    for name in fields.spreads {
      for otherName in otherFields.spreads {
        guard budget >= 0 else { return }
        compare(name, with: otherName, in: container, &comparisons)
      }
    }
  }

  private mutating func compare(
    _ fields: Collected, _ others: Collected, in container: (index: Int, isExclusive: Bool)?,
    _ comparisons: inout [Comparison]
  ) {
    budget -= fields.keys.count
    for key in fields.keys {
      guard let second = others.fields[key], let first = fields.fields[key] else { continue }
      for field in first {
        for other in second {
          budget -= 1
          guard budget >= 0 else { return }
          comparisons.append(comparison(field, other, in: container))
        }
      }
    }
  }

  /// Compares fields with a fragment and those that it spreads.
  private mutating func compare(
    _ set: Int, _ fields: Collected, with fragment: String,
    in container: (index: Int, isExclusive: Bool)?, _ comparisons: inout [Comparison]
  ) {
    guard !fields.keys.isEmpty else { return }
    let isExclusive = container?.isExclusive ?? false
    var pending = [fragment]
    while let name = pending.popLast() {
      budget -= 1
      guard budget >= 0 else { return }
      let key = SetAndFragment(set: set, fragment: name)
      if let known = comparedSets[key], isExclusive || !known { continue }
      comparedSets[key] = isExclusive
      guard let fragment = fragments[name], fragment.selections.id != set else { continue }
      let others = collect(fragment)
      compare(fields, others, in: container, &comparisons)
      pending += others.spreads.reversed()
    }
  }

  /// Compares two fragments and those that they spread with each other.
  private mutating func compare(
    _ first: String, with second: String, in container: (index: Int, isExclusive: Bool)?,
    _ comparisons: inout [Comparison]
  ) {
    let isExclusive = container?.isExclusive ?? false
    var pending = [Pair(first: first, second: second)]
    while let pair = pending.popLast() {
      budget -= 1
      guard budget >= 0 else { return }
      guard pair.first != pair.second else { continue }
      let key =
        pair.first < pair.second ? pair : Pair(first: pair.second, second: pair.first)
      if let known = comparedPairs[key], isExclusive || !known { continue }
      comparedPairs[key] = isExclusive
      guard let fragment = fragments[pair.first], let other = fragments[pair.second] else {
        continue
      }
      let fields = collect(fragment)
      let otherFields = collect(other)
      compare(fields, otherFields, in: container, &comparisons)
      pending += fields.spreads.reversed().map { Pair(first: $0, second: pair.second) }
      pending += otherFields.spreads.reversed().map { Pair(first: pair.first, second: $0) }
    }
  }

  // MARK: Comparing fields

  /// A comparison in the fields that contain both. Fields of different objects never occur
  /// together, and may differ in all but their types.
  private func comparison(
    _ first: Candidate, _ second: Candidate, in container: (index: Int, isExclusive: Bool)? = nil
  ) -> Comparison {
    let isExclusive =
      first.parent?.kind == .object && second.parent?.kind == .object
      && first.parent?.name != second.parent?.name
    return Comparison(
      first: first, second: second, isExclusive: isExclusive || container?.isExclusive ?? false,
      container: container?.index)
  }

  /// Compares two fields, then their selections level by level, without recursion.
  private mutating func conflict(_ comparison: Comparison) -> Conflict? {
    var comparisons = [comparison]
    var reason: String?
    var index = 0
    while index < comparisons.count, budget >= 0 {
      if let difference = difference(comparisons[index]) {
        reason = reason ?? FieldMerging.path(to: index, comparisons) + difference
      } else {
        compareSelections(index, &comparisons)
      }
      index += 1
    }
    return reason.map {
      Conflict(first: comparison.first.node, second: comparison.second.node, reason: $0)
    }
  }

  /// The path to fields within the compared ones, as the beginning of a reason.
  private static func path(to index: Int, _ comparisons: [Comparison]) -> String {
    var keys: [Substring] = []
    var index = index
    while let container = comparisons[index].container {
      keys.append(comparisons[index].first.node.responseKey.prefix(longestName))
      index = container
    }
    if keys.isEmpty { return "" }
    return "in their fields '\(keys.reversed().suffix(10).joined(separator: "."))', "
  }

  private static let longestName = 60

  /// The difference of two fields without their selections.
  private mutating func difference(_ comparison: Comparison) -> String? {
    budget -= 1
    let (first, second) = (comparison.first, comparison.second)
    if !comparison.isExclusive {
      let (name, other) = (first.node.name.text, second.node.name.text)
      if name != other {
        let names = [name, other].map { $0.prefix(FieldMerging.longestName) }
        return "'\(names[0])' and '\(names[1])' are different fields"
      }
      for argument in first.node.arguments { budget -= 1 + argument.value.range.count / 32 }
      if !FieldMerging.isEqual(first.node.arguments, second.node.arguments) {
        return "their arguments differ"
      }
    }
    if let type = first.type, let other = second.type, differ(type, other) {
      return "their types '\(type)' and '\(other)' differ"
    }
    return nil
  }

  private func differ(_ type: GraphQLType, _ other: GraphQLType) -> Bool {
    switch (type, other) {
    case (.list(let item), .list(let other)): differ(item, other)
    case (.nonNull(let type), .nonNull(let other)): differ(type, other)
    case (.named(let name), .named(let other)):
      name != other
        && (schema.type(name)?.isLeaf ?? false || schema.type(other)?.isLeaf ?? false)
    default: true
    }
  }

  private static func isEqual(_ arguments: [ArgumentNode], _ others: [ArgumentNode]) -> Bool {
    guard arguments.count == others.count else { return false }
    let values = Dictionary(others.map { ($0.name.text, $0.value) }, uniquingKeysWith: { $1 })
    return arguments.allSatisfy { argument in
      values[argument.name.text].map { isEqual(argument.value, $0) } ?? false
    }
  }

  /// Whether two values are the same. The order of the fields of an object does not matter.
  private static func isEqual(_ value: ValueNode, _ other: ValueNode) -> Bool {
    switch (value.kind, other.kind) {
    case (.variable(let name), .variable(let other)): return name == other
    case (.int(let text), .int(let other)): return text == other
    case (.float(let text), .float(let other)): return text == other
    case (.string(let text), .string(let other)): return text == other
    case (.boolean(let value), .boolean(let other)): return value == other
    case (.null, .null): return true
    case (.enum(let name), .enum(let other)): return name == other
    case (.list(let items), .list(let others)):
      return items.count == others.count && zip(items, others).allSatisfy { isEqual($0, $1) }
    case (.object(let fields), .object(let others)):
      guard fields.count == others.count else { return false }
      let values = Dictionary(
        others.map { ($0.name.text, $0.value) }, uniquingKeysWith: { $1 })
      return fields.allSatisfy { field in
        values[field.name.text].map { isEqual(field.value, $0) } ?? false
      }
    default: return false
    }
  }
}
