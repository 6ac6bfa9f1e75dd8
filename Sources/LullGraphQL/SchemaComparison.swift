/// A difference between two schemas that matters for an operation (GQL-65 to GQL-67).
package struct GraphQLChange: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The operation is no longer valid.
    case invalid
    /// A selected field has another type.
    case type
    /// A variable, or a part of it, has another type or is needed now.
    case variable
    /// An enum has other values, or an interface or a union has further types.
    case values
    /// An argument that the operation leaves out has another default value.
    case `default`
    /// An element is newly deprecated.
    case deprecated
  }

  package enum Severity: Sendable {
    /// The operation, or a program that reads its data, fails.
    case breaking
    /// The operation works, and programs should be looked at.
    case changed
    /// The data may have parts that it did not have before.
    case added
  }

  package let kind: Kind
  package let severity: Severity
  package let message: String
  package let place: GraphQLPlace
}

extension GraphQLSchema {
  /// Compares this schema with an older one, as far as it matters for the operations and fragments
  /// of a document.
  ///
  /// - Parameter older: The schema that the operations were written for. nil: it is unknown. Then
  ///   only the errors and all deprecated elements are found.
  /// - Returns: The changes in the order of their places.
  package func changes(since older: GraphQLSchema?, in document: GraphQLDocument)
    -> [GraphQLChange]
  {
    let validation = validate(document)
    let isKnown = older.map { Set($0.validate(document).deprecations.map(\.key)) } ?? []
    var changes = validation.problems.map { problem in
      GraphQLChange(
        kind: .invalid, severity: .breaking, message: problem.message, place: problem.place)
    }
    for use in validation.deprecations where !isKnown.contains(use.key) {
      changes.append(
        GraphQLChange(
          kind: .deprecated, severity: .changed,
          message: "\(use.element) is deprecated: \(use.reason)", place: use.place))
    }
    if let older {
      var comparison = SchemaComparison(older: older, newer: self, document: document)
      comparison.compare()
      changes += comparison.changes
    }
    return changes.enumerated().sorted {
      ($0.element.place.offset, $0.offset) < ($1.element.place.offset, $1.offset)
    }.map(\.element)
  }
}

extension GraphQLValidation.Deprecation {
  fileprivate var key: String { "\(place.offset) \(element)" }
}

extension GraphQLOperation {
  /// Whether a place in the document belongs to the operation or to a fragment that it uses.
  package func contains(_ place: GraphQLPlace) -> Bool {
    node.range.contains(place.offset)
      || usedFragments.contains { $0.range.contains(place.offset) }
  }
}

/// Walks through the selections of a document in two schemas.
private struct SchemaComparison {
  private typealias TypeDefinition = GraphQLSchema.TypeDefinition

  let older: GraphQLSchema
  let newer: GraphQLSchema
  let document: GraphQLDocument
  private(set) var changes: [GraphQLChange] = []
  /// The types that were compared for themselves.
  private var compared: Set<String> = []
  private var comparedInputs: Set<String> = []
  /// The selection sets that remain to be compared, instead of recursion.
  private var pending: [(set: SelectionSetNode, old: TypeDefinition, new: TypeDefinition)] = []

  init(older: GraphQLSchema, newer: GraphQLSchema, document: GraphQLDocument) {
    self.older = older
    self.newer = newer
    self.document = document
  }

  private mutating func report(
    _ kind: GraphQLChange.Kind, _ severity: GraphQLChange.Severity, _ message: String,
    at start: Int
  ) {
    changes.append(
      GraphQLChange(
        kind: kind, severity: severity, message: message, place: document.source.place(of: start)))
  }

  mutating func compare() {
    for definition in document.definitions {
      switch definition {
      case .operation(let node):
        comparedInputs = []
        for variable in node.variables { compare(variable) }
        guard let old = older.root(node.kind), let new = newer.root(node.kind) else { continue }
        pending.append((node.selections, old, new))
      case .fragment(let node):
        guard let old = older.type(node.condition.text), let new = newer.type(node.condition.text)
        else { continue }
        pending.append((node.selections, old, new))
      default: break
      }
    }
    while let (set, old, new) = pending.popLast() {
      for selection in set.selections {
        switch selection {
        case .field(let field): compare(field, old, new)
        case .inline(let fragment):
          let oldType = fragment.condition.map { older.type($0.text) } ?? old
          let newType = fragment.condition.map { newer.type($0.text) } ?? new
          if let oldType, let newType { pending.append((fragment.selections, oldType, newType)) }
        case .spread: break
        }
      }
    }
  }

  // MARK: Fields

  private mutating func compare(
    _ field: FieldNode, _ oldParent: TypeDefinition, _ newParent: TypeDefinition
  ) {
    guard let old = older.field(field.name.text, of: oldParent),
      let new = newer.field(field.name.text, of: newParent)
    else { return }
    let name = "\(newParent.name).\(new.name)"
    if old.type != new.type {
      let isNarrower = newer.isSubtype(new.type, of: old.type)
      report(
        .type, isNarrower ? .changed : .breaking,
        "the field '\(name)' now has the type '\(new.type)', before '\(old.type)'", at: field.start)
    }
    compareDefaults(field, old, new, name)
    guard let oldType = older.type(old.type.name), let newType = newer.type(new.type.name) else {
      return
    }
    if oldType.name == newType.name { compareTypes(oldType, newType, at: field.start) }
    if let selections = field.selections { pending.append((selections, oldType, newType)) }
  }

  private mutating func compareDefaults(
    _ field: FieldNode, _ old: GraphQLSchema.Field, _ new: GraphQLSchema.Field, _ name: String
  ) {
    for argument in new.arguments {
      guard let before = old.argument(argument.name),
        before.defaultValue != argument.defaultValue,
        !field.arguments.contains(where: { $0.name.text == argument.name })
      else { continue }
      let now = argument.defaultValue.map { "'\($0)'" } ?? "missing"
      let then = before.defaultValue.map { "'\($0)'" } ?? "missing"
      report(
        .default, .changed,
        "the default of the argument '\(argument.name)' of '\(name)' is now \(now), before \(then)",
        at: field.start)
    }
  }

  /// Compares the types of a value, once in a document.
  private mutating func compareTypes(_ old: TypeDefinition, _ new: TypeDefinition, at start: Int) {
    guard compared.insert(new.name).inserted else { return }
    guard old.kind == new.kind else {
      report(
        .type, .breaking,
        "'\(new.name)' is now \(new.kind.noun), before \(old.kind.noun)", at: start)
      return
    }
    if new.kind == .enum {
      let added = new.values.map(\.name).filter { old.value($0) == nil }
      let removed = old.values.map(\.name).filter { new.value($0) == nil }
      if !added.isEmpty {
        report(
          .values, .changed, "the enum '\(new.name)' has new values: \(list(added))", at: start)
      }
      if !removed.isEmpty {
        report(
          .values, .changed, "the enum '\(new.name)' no longer has the values: \(list(removed))",
          at: start)
      }
    } else if new.isAbstract {
      let added = newer.possibleTypes(new).subtracting(older.possibleTypes(old)).sorted()
      guard !added.isEmpty else { return }
      report(.values, .added, "'\(new.name)' has new types: \(list(added))", at: start)
    }
  }

  private func list(_ names: [String]) -> String {
    names.prefix(10).joined(separator: ", ")
      + (names.count > 10 ? " and \(names.count - 10) more" : "")
  }

  // MARK: Variables

  /// Compares the parts of a variable's type, which an operation does not show.
  private mutating func compare(_ variable: VariableDefinitionNode) {
    let name = "the variable '$\(variable.name.text)'"
    var pending = [variable.type.type.name]
    while let typeName = pending.popLast() {
      guard comparedInputs.insert(typeName).inserted, let old = older.type(typeName),
        let new = newer.type(typeName)
      else { continue }
      guard old.kind == new.kind else {
        report(
          .variable, .breaking,
          "\(name): '\(typeName)' is now \(new.kind.noun), before \(old.kind.noun)",
          at: variable.start)
        continue
      }
      let removed = old.values.map(\.name).filter { new.value($0) == nil }
      if !removed.isEmpty {
        report(
          .variable, .breaking,
          "\(name): the enum '\(typeName)' no longer has the values: \(list(removed))",
          at: variable.start)
      }
      for field in old.inputFields where new.inputField(field.name) == nil {
        report(
          .variable, .breaking, "\(name): '\(typeName)' no longer has the field '\(field.name)'",
          at: variable.start)
      }
      for field in new.inputFields {
        compare(field, with: old.inputField(field.name), of: typeName, name, at: variable.start)
        pending.append(field.type.name)
      }
    }
  }

  private mutating func compare(
    _ field: GraphQLSchema.InputValue, with old: GraphQLSchema.InputValue?, of type: String,
    _ variable: String, at start: Int
  ) {
    guard let old else {
      guard field.isRequired else { return }
      report(
        .variable, .breaking, "\(variable): '\(type)' now needs the field '\(field.name)'",
        at: start)
      return
    }
    if old.type != field.type {
      // A wider type accepts all values that were valid.
      let isWider = newer.isSubtype(old.type, of: field.type)
      report(
        .variable, isWider ? .changed : .breaking,
        "\(variable): the field '\(type).\(field.name)' now has the type '\(field.type)', before "
          + "'\(old.type)'", at: start)
    } else if field.isRequired, !old.isRequired {
      report(
        .variable, .breaking, "\(variable): '\(type)' now needs the field '\(field.name)'",
        at: start)
    }
  }
}
