extension GraphQLOperation {
  /// A list of objects in the data, which can be shown as a table (GQL-68).
  package struct Rows: Equatable, Sendable {
    /// The response keys from the top level to the list.
    package let path: [String]
    /// The leaf fields that every row has, in the order of their selections, each as the response
    /// keys within the row.
    package let columns: [[String]]
  }

  /// The rows of the operation: those of its only connection outside of lists, otherwise the only
  /// field of the operation if it is a list. nil if there are none. Needs the schema.
  package var rows: Rows? {
    guard let schema else { return nil }
    let reader = RowReader(schema: schema, fragments: document.fragmentsByName)
    guard let root = schema.root(node.kind) else { return nil }
    let top = reader.fields(of: [node.selections], in: root)
    let connections = connections.filter { !$0.isInList }
    if connections.count == 1 {
      return reader.rows(ofConnection: connections[0].path, in: top)
    }
    guard connections.isEmpty, top.count == 1, let field = top.first, field.type.isList,
      !field.sets.isEmpty
    else { return nil }
    return Rows(path: [field.key], columns: reader.columns(of: field, before: []))
  }
}

/// Follows response keys through the selections of an operation. Fragments on other types are not
/// followed, because not every object has their fields.
private struct RowReader {
  struct Selected {
    let key: String
    let name: String
    let type: GraphQLType
    var sets: [SelectionSetNode]
  }

  /// The largest number of selections of an object.
  private static let most = 10_000

  let schema: GraphQLSchema
  let fragments: [String: FragmentNode]

  func fields(of sets: [SelectionSetNode], in type: GraphQLSchema.TypeDefinition) -> [Selected] {
    var result: [Selected] = []
    var places: [String: Int] = [:]
    var spreads: Set<String> = []
    var pending = Array(sets.reversed().flatMap { $0.selections.reversed() })
    while let selection = pending.popLast(), result.count < RowReader.most {
      switch selection {
      case .field(let field):
        guard let definition = schema.field(field.name.text, of: type) else { continue }
        let sets = field.selections.map { [$0] } ?? []
        if let place = places[field.responseKey] {
          result[place].sets += sets
        } else {
          places[field.responseKey] = result.count
          result.append(
            Selected(
              key: field.responseKey, name: field.name.text, type: definition.type, sets: sets))
        }
      case .inline(let fragment):
        guard fragment.condition == nil || fragment.condition?.text == type.name else { continue }
        pending += fragment.selections.selections.reversed()
      case .spread(let spread):
        guard let fragment = fragments[spread.name.text], fragment.condition.text == type.name,
          spreads.insert(spread.name.text).inserted
        else { continue }
        pending += fragment.selections.selections.reversed()
      }
    }
    return result
  }

  private func fields(of field: Selected) -> [Selected] {
    schema.type(field.type.name).map { fields(of: field.sets, in: $0) } ?? []
  }

  func rows(ofConnection path: [String], in top: [Selected]) -> GraphQLOperation.Rows? {
    var fields = top
    for key in path {
      guard let field = fields.first(where: { $0.key == key }) else { return nil }
      fields = self.fields(of: field)
    }
    let lists = ["nodes", "edges"].compactMap { name in fields.first { $0.name == name } }
    guard let list = lists.first(where: { $0.type.isList && !$0.sets.isEmpty }) else { return nil }
    let path = path + [list.key]
    guard list.name == "edges", let node = self.fields(of: list).first(where: { $0.name == "node" })
    else { return .init(path: path, columns: columns(of: list, before: [])) }
    return .init(path: path, columns: columns(of: node, before: [node.key]))
  }

  func columns(of field: Selected, before start: [String]) -> [[String]] {
    fields(of: field).filter { inner in
      inner.sets.isEmpty && !inner.type.isList && inner.name != "__typename"
    }.map { start + [$0.key] }
  }
}
