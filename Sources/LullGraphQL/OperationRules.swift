// The rules for operations and their variables.

extension DocumentValidator {
  mutating func checkOperationNames() {
    let operations = document.operationNodes
    var first: [String: Int] = [:]
    for operation in operations {
      guard let name = operation.name else {
        if operations.count > 1 {
          report(
            "an operation without a name must be the only one of its document",
            at: operation.range.lowerBound)
        }
        continue
      }
      guard let start = first[name.text] else {
        first[name.text] = name.start
        continue
      }
      let line = document.source.line(of: name.start)
      report("two operations are called '\(name.text)', the other on line \(line)", at: start)
    }
  }

  // MARK: Subscriptions

  /// Reports a subscription that does not have exactly one root field, or has an introspection
  /// field there, or chooses it by `@skip` or `@include`.
  mutating func checkSubscription(_ node: OperationNode, _ root: GraphQLSchema.TypeDefinition) {
    var keys: [String] = []
    var groups: [String: FieldNode] = [:]
    var conditional: DirectiveNode?
    var seen: Set<String> = []
    // The selections that remain at each level of fragments, the innermost last.
    var levels = [node.selections.selections[...]]
    while let selection = levels.last?.first {
      levels[levels.count - 1].removeFirst()
      let directives: [DirectiveNode]
      var inner: (set: SelectionSetNode, condition: String?)?
      switch selection {
      case .field(let field):
        directives = field.directives
        if groups[field.responseKey] == nil {
          keys.append(field.responseKey)
          groups[field.responseKey] = field
        }
      case .inline(let fragment):
        directives = fragment.directives
        inner = (fragment.selections, fragment.condition?.text)
      case .spread(let spread):
        directives = spread.directives
        if seen.insert(spread.name.text).inserted, let fragment = fragments[spread.name.text] {
          inner = (fragment.selections, fragment.condition.text)
        }
      }
      conditional =
        conditional ?? directives.first { $0.name.text == "skip" || $0.name.text == "include" }
      if let inner, applies(inner.condition, to: root) {
        levels.append(inner.set.selections[...])
      }
      while levels.last?.isEmpty == true { levels.removeLast() }
    }
    if let conditional {
      return report(
        "a subscription cannot have '@\(conditional.name.text)' at its top level",
        at: conditional.range.lowerBound)
    }
    let fields = keys.compactMap { groups[$0] }
    if fields.isEmpty {
      report("a subscription needs a field", at: node.selections.range.lowerBound)
    } else if fields.count > 1 {
      report(
        "a subscription must have only one field, found '\(keys[0])' and '\(keys[1])'",
        at: fields[1].start)
    }
    for field in fields where field.name.text.utf8.starts(with: "__".utf8) {
      report("a subscription cannot have '\(field.name.text)' at its top level", at: field.start)
    }
  }

  private func applies(_ condition: String?, to root: GraphQLSchema.TypeDefinition) -> Bool {
    guard let condition else { return true }
    guard let type = schema.type(condition) else { return false }
    return schema.possibleTypes(type).contains(root.name)
  }

  // MARK: Variables

  mutating func check(_ variable: VariableDefinitionNode) {
    let type = knownType(variable.type.type.name, at: variable.type.nameStart)
    if let type, !type.isInput {
      report(
        "the variable '$\(variable.name.text)' cannot have the output type '\(variable.type.type)'",
        at: variable.type.range.lowerBound)
    }
    if let value = variable.defaultValue {
      checker.check(value, type: type.map { _ in variable.type.type })
    }
    checker.check(variable.directives, at: .variableDefinition)
  }

  mutating func checkVariableNames(_ node: OperationNode) {
    for group in Dictionary(grouping: node.variables, by: \.name.text).values
    where group.count > 1 {
      let line = document.source.line(of: group[1].name.start)
      report(
        "the variable '$\(group[0].name.text)' is defined twice, again on line \(line)",
        at: group[0].name.start)
    }
  }

  /// Checks the variables that operations define against those that they and their fragments use.
  mutating func checkUses(_ operations: [(node: OperationNode, uses: Uses)]) {
    var usedFragments: Set<String> = []
    for (node, uses) in operations {
      let place = node.name.map { " in operation '\($0.text)'" } ?? ""
      let definitions = Dictionary(
        node.variables.map { ($0.name.text, $0) }, uniquingKeysWith: { $1 })
      var unused = Set(definitions.keys)
      check(uses.variables, definitions, place, &unused)
      // Every fragment is visited once for each operation, without recursion.
      var seen: Set<String> = []
      var pending = uses.spreads.map(\.name.text)
      while let name = pending.popLast() {
        guard seen.insert(name).inserted, let uses = fragmentUses[name] else { continue }
        budget -= 1 + uses.spreads.count + uses.variables.count
        guard budget >= 0 else { return }
        check(uses.variables, definitions, place, &unused)
        pending += uses.spreads.map(\.name.text)
      }
      usedFragments.formUnion(seen)
      for variable in node.variables where unused.contains(variable.name.text) {
        report(
          "the variable '$\(variable.name.text)' is never used\(place)", at: variable.start)
      }
    }
    for fragment in document.fragmentNodes where !usedFragments.contains(fragment.name.text) {
      report("the fragment '\(fragment.name.text)' is never used", at: fragment.range.lowerBound)
    }
  }

  private mutating func check(
    _ uses: [VariableUse], _ definitions: [String: VariableDefinitionNode], _ place: String,
    _ unused: inout Set<String>
  ) {
    for use in uses {
      guard let definition = definitions[use.name] else {
        let hint = checker.hint(for: use.name, among: definitions.keys.sorted(), prefix: "$")
        report("the variable '$\(use.name)' is not defined\(place)\(hint)", at: use.start)
        continue
      }
      unused.remove(use.name)
      let type = definition.type.type
      guard let expected = use.type, schema.type(type.name) != nil else { continue }
      if !isAllowed(definition, at: expected, hasDefault: use.hasDefault) {
        let line = document.source.line(of: use.start)
        report(
          "the variable '$\(use.name)' of type '\(type)' is used on line \(line), where the type "
            + "is '\(expected)'", at: definition.start)
      }
      if let oneOf = use.oneOf, !type.isNonNull {
        report(
          "the variable '$\(use.name)' of type '\(type)' must be non-null: it is the value of "
            + "'\(oneOf)', which needs exactly one field", at: definition.start)
      }
    }
  }

  private func isAllowed(
    _ variable: VariableDefinitionNode, at expected: GraphQLType, hasDefault: Bool
  ) -> Bool {
    let type = variable.type.type
    if case .nonNull(let nullable) = expected, !type.isNonNull {
      let hasValue = variable.defaultValue.map { !$0.isNull } ?? false
      return (hasValue || hasDefault) && schema.isSubtype(type, of: nullable)
    }
    return schema.isSubtype(type, of: expected)
  }
}
