import LullCore

/// Compiles a schema, and all schemas to which it refers, into nodes.
struct SchemaCompiler {
  private static let mostNodes = 1_000_000

  private struct Job {
    let node: Int
    let element: JSONElement
    let pointer: String
  }

  let resources: SchemaResources
  let isOfAnswers: Bool
  private(set) var nodes: [SchemaNode] = []
  /// The nodes of the dynamic anchors that references need, by resource and then by name.
  private(set) var dynamicAnchors: [Int: [String: Int]] = [:]
  private var known: [SchemaPlace: Int] = [:]
  private var jobs: [Job] = []
  private var dynamicNames: Set<String> = []
  private var patterns: [String: SchemaPattern] = [:]

  /// Creates a compiler.
  ///
  /// - Parameter isOfAnswers: Whether the validated contents are responses, in which write-only
  ///   properties may be missing.
  init(_ resources: SchemaResources, isOfAnswers: Bool = false) {
    self.resources = resources
    self.isOfAnswers = isOfAnswers
  }

  /// Compiles a schema and all schemas to which it refers.
  ///
  /// - Returns: The index of the schema's node.
  mutating func compile(_ element: JSONElement, _ resource: Int) throws(SchemaProblem) -> Int {
    let root = try node(element, resource, "")
    repeat {
      while let job = jobs.popLast() {
        var context = SchemaContext(
          element: job.element, resource: nodes[job.node].resource, pointer: job.pointer)
        nodes[job.node].keywords = try keywords(&context)
      }
      try enterDynamicAnchors()
    } while !jobs.isEmpty
    return root
  }

  /// Discards the pending work after an error. The nodes compiled so far must not be used any more.
  mutating func giveUp() { jobs = [] }

  /// Whether any reference depends on the dynamic scope.
  var isDynamic: Bool { !dynamicNames.isEmpty }

  mutating func node(_ element: JSONElement, _ resource: Int, _ pointer: String)
    throws(SchemaProblem) -> Int
  {
    let key = SchemaPlace(element)
    if let node = known[key] { return node }
    guard nodes.count < SchemaCompiler.mostNodes else {
      throw SchemaProblem("the schema is too large", pointer: pointer)
    }
    let node = nodes.count
    known[key] = node
    nodes.append(SchemaNode(resource: resources.home(of: element) ?? resource))
    jobs.append(Job(node: node, element: element, pointer: pointer))
    return node
  }

  mutating func reference(_ text: String, _ context: SchemaContext) throws(SchemaProblem) -> (
    node: Int, dynamicAnchor: String?
  ) {
    do throws(SchemaProblem) {
      let found = try resources.find(text, from: context.resource)
      return (try node(found.element, context.resource, text), found.dynamicAnchor)
    } catch {
      var problem = error
      if problem.pointer == nil, problem.file == nil { problem.pointer = context.pointer }
      throw problem
    }
  }

  mutating func note(dynamicName name: String) { dynamicNames.insert(name) }

  mutating func pattern(_ text: String, _ context: SchemaContext) throws(SchemaProblem)
    -> SchemaPattern
  {
    if let pattern = patterns[text] { return pattern }
    do throws(SchemaPattern.Unusable) {
      let pattern = try SchemaPattern(text)
      patterns[text] = pattern
      return pattern
    } catch {
      throw SchemaProblem(
        "the pattern '\(text)' cannot be used: \(error.message)", pointer: context.pointer)
    }
  }

  /// Compiles the dynamic anchors of all resources with nodes. Any of these anchors may be in the
  /// scope of a dynamic reference.
  private mutating func enterDynamicAnchors() throws(SchemaProblem) {
    guard !dynamicNames.isEmpty else { return }
    for resource in Set(nodes.map(\.resource)) {
      for (name, element) in resources.resources[resource].dynamicAnchors
      where dynamicNames.contains(name) && dynamicAnchors[resource]?[name] == nil {
        dynamicAnchors[resource, default: [:]][name] = try node(element, resource, "#\(name)")
      }
    }
  }
}

/// The schema that is being compiled. Reads the keywords of this schema and reports errors in them.
struct SchemaContext {
  let element: JSONElement
  let resource: Int
  let pointer: String

  func problem(_ keyword: String, _ expected: String) -> SchemaProblem {
    SchemaProblem("'\(keyword)' must be \(expected)", pointer: pointer)
  }

  /// Returns the value of a keyword whose value is a count. The count may be written as `2.0`.
  func count(_ keyword: String) throws(SchemaProblem) -> Int? {
    guard let value = element[keyword] else { return nil }
    guard let count = SchemaNumber(value)?.count else {
      throw problem(keyword, "a whole number of 0 or more")
    }
    return count
  }

  func text(_ keyword: String) throws(SchemaProblem) -> String? {
    guard let value = element[keyword] else { return nil }
    guard let text = value.string else { throw problem(keyword, "a string") }
    return text
  }

  func members(_ keyword: String) throws(SchemaProblem) -> [(key: String, value: JSONElement)]? {
    guard let value = element[keyword] else { return nil }
    guard value.kind == .object else { throw problem(keyword, "an object") }
    return value.pairs
  }

  func elements(_ keyword: String) throws(SchemaProblem) -> [JSONElement]? {
    guard let value = element[keyword] else { return nil }
    guard value.kind == .array || isEmptyTable(value) else { throw problem(keyword, "an array") }
    return Array(value.elements)
  }

  func names(_ keyword: String, _ value: JSONElement) throws(SchemaProblem) -> [String] {
    let names = value.elements.compactMap(\.string)
    guard value.kind == .array || isEmptyTable(value), names.count == value.count else {
      throw problem(keyword, "an array of strings")
    }
    return names
  }

  /// Returns whether a value is an empty object. An empty Lua table is encoded as an empty object,
  /// even if a list was intended.
  private func isEmptyTable(_ value: JSONElement) -> Bool {
    value.kind == .object && value.count == 0
  }
}
