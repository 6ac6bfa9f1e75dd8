/// Finds definitions that refer to themselves for the same value, so that validation would not end:
/// `{"allOf": [{"$ref": …}]}` with the definition itself.
struct SchemaLoops {
  /// The definition that is being written; nil: none.
  var current: String? {
    didSet { appliesToSame = true }
  }
  /// Whether the schema that is being written is about the value of the whole definition.
  private var appliesToSame = true
  private var references: [String: Set<String>] = [:]

  /// Keywords whose schemas are about the same value.
  private static let same: Set<String> = [
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
  ]

  /// - Returns: what `leave` takes.
  mutating func enter(_ keyword: String) -> Bool {
    let outer = appliesToSame
    appliesToSame = outer && SchemaLoops.same.contains(keyword)
    return outer
  }

  mutating func leave(to outer: Bool) { appliesToSame = outer }

  /// Notes that the current definition refers to another one.
  mutating func note(_ name: String) {
    guard let current, appliesToSame else { return }
    references[current, default: []].insert(name)
  }

  private static let mostNames = 5

  /// The definitions that refer to themselves, in words.
  var notes: [String] {
    let names = found.sorted()
    guard !names.isEmpty else { return [] }
    let shown = names.prefix(SchemaLoops.mostNames).map { "'\(ShortText.comment($0))'" }
    let others = names.count > shown.count ? " and \(names.count - shown.count) others" : ""
    return [
      "content cannot be validated where a schema refers to itself by 'allOf', 'anyOf' or 'oneOf': "
        + shown.joined(separator: ", ") + others
    ]
  }

  /// What is left when definitions that lead nowhere, and then those that nothing leads to, are
  /// taken away one after the other.
  private var found: Set<String> {
    var backwards: [String: Set<String>] = [:]
    for (name, targets) in references {
      for target in targets { backwards[target, default: []].insert(name) }
    }
    let leading = SchemaLoops.leading(references, backwards, of: Set(references.keys))
    return SchemaLoops.leading(backwards, references, of: leading)
  }

  /// Those of some definitions that lead to others of them without end.
  private static func leading(
    _ forwards: [String: Set<String>], _ backwards: [String: Set<String>], of names: Set<String>
  ) -> Set<String> {
    var left = names
    var counts: [String: Int] = [:]
    for name in names { counts[name] = forwards[name]?.count { names.contains($0) } ?? 0 }
    var ends = names.filter { counts[$0] == 0 }
    while let name = ends.popFirst() {
      left.remove(name)
      for source in backwards[name] ?? [] where left.contains(source) {
        let count = (counts[source] ?? 0) - 1
        counts[source] = count
        if count == 0 { ends.insert(source) }
      }
    }
    return left
  }
}
