/// Finds the connections of an operation: fields with `after: $variable` and
/// `pageInfo { hasNextPage endCursor }` (GQL-20).
struct ConnectionReader {
  private struct Found {
    let path: [String]
    let variable: String
    let isInList: Bool
    /// The response keys of `pageInfo` and of its fields, by the name of the field.
    var pages: [String: [String: String]] = [:]
    var nodes: String?
    var edges: String?
  }

  let fragments: [String: FragmentNode]
  let schema: GraphQLSchema?
  private var found: [Found] = []
  /// The index in `found` of each path.
  private var indices: [[String]: Int] = [:]
  /// The fragments that are being read.
  private var open: Set<String> = []
  private var depth = 0
  /// The remaining selections. Fragments may spread each other exponentially often.
  private var budget = 100_000

  init(fragments: [String: FragmentNode], schema: GraphQLSchema?) {
    self.fragments = fragments
    self.schema = schema
  }

  mutating func connections(of node: OperationNode) -> [GraphQLOperation.Connection] {
    read(node.selections, of: schema?.root(node.kind), path: [], isInList: false)
    return found.compactMap { found in
      for (key, fields) in found.pages.sorted(by: { $0.key < $1.key }) {
        guard let hasNextPage = fields["hasNextPage"], let endCursor = fields["endCursor"] else {
          continue
        }
        return GraphQLOperation.Connection(
          path: found.path, variable: found.variable, hasNextPage: [key, hasNextPage],
          endCursor: [key, endCursor], rows: found.nodes ?? found.edges, isInList: found.isInList)
      }
      return nil
    }
  }

  private mutating func read(
    _ set: SelectionSetNode, of parent: GraphQLSchema.TypeDefinition?, path: [String],
    isInList: Bool
  ) {
    guard depth < DocumentParser.depthLimit else { return }
    depth += 1
    defer { depth -= 1 }
    for selection in set.selections {
      budget -= 1
      guard budget > 0 else { return }
      switch selection {
      case .field(let field): read(field, of: parent, path: path, isInList: isInList)
      case .inline(let fragment):
        let type = fragment.condition.map { schema?.type($0.text) } ?? parent
        read(fragment.selections, of: type, path: path, isInList: isInList)
      case .spread(let spread):
        let name = spread.name.text
        guard let fragment = fragments[name], open.insert(name).inserted else { continue }
        let type = schema?.type(fragment.condition.text)
        read(fragment.selections, of: type, path: path, isInList: isInList)
        open.remove(name)
      }
    }
  }

  private mutating func read(
    _ field: FieldNode, of parent: GraphQLSchema.TypeDefinition?, path: [String], isInList: Bool
  ) {
    let key = field.responseKey
    switch field.name.text {
    case "hasNextPage" where path.count > 1, "endCursor" where path.count > 1:
      // The connection may have been selected more than once.
      guard let index = indices[path.dropLast()] else { return }
      let page = path[path.count - 1]
      if found[index].pages[page] != nil { found[index].pages[page]?[field.name.text] = key }
    case let name:
      if let index = indices[path] {
        switch name {
        case "pageInfo": found[index].pages[key, default: [:]]["pageInfo"] = key
        case "nodes": found[index].nodes = found[index].nodes ?? key
        case "edges": found[index].edges = found[index].edges ?? key
        default: break
        }
      }
      guard let selections = field.selections else { return }
      let path = path + [key]
      if let variable = ConnectionReader.pageVariable(field), indices[path] == nil {
        indices[path] = found.count
        found.append(Found(path: path, variable: variable, isInList: isInList))
      }
      let definition = parent.flatMap { schema?.field(name, of: $0) }
      read(
        selections, of: definition.flatMap { schema?.type($0.type.name) }, path: path,
        isInList: isInList || definition?.type.isList ?? false)
    }
  }

  private static func pageVariable(_ field: FieldNode) -> String? {
    for argument in field.arguments where argument.name.text == "after" {
      if case .variable(let name) = argument.value.kind { return name }
    }
    return nil
  }
}
