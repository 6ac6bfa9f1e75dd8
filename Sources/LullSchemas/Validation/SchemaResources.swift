import LullCore

/// The schemas to which references may lead during compilation. A schema is found by its URI,
/// anchor or JSON Pointer.
final class SchemaResources {
  enum Root {
    case element(JSONElement)
    case file(SchemaFile)
  }

  struct Resource {
    let uri: SchemaURI
    let root: Root
    var anchors: [String: JSONElement] = [:]
    var dynamicAnchors: [String: JSONElement] = [:]
  }

  /// The schema to which a reference leads. If the reference contains a dynamic anchor, the name of
  /// this anchor is included.
  typealias Target = (element: JSONElement, dynamicAnchor: String?)

  /// The reason why a reference can't be resolved.
  struct Lost: Error {
    let message: String
  }

  private(set) var resources: [Resource] = []
  private var places: [String: Int] = [:]
  private var homes: [SchemaPlace: Int] = [:]
  private let documents: [String: JSONElement]
  /// The number of resources whose definitions have been registered. These are the first resources
  /// in `resources`.
  private var enteredFiles = 0

  /// Creates a collection without resources.
  ///
  /// - Parameter documents: Additional documents by URI. Other documents are not fetched.
  init(documents: [String: JSONElement]) {
    self.documents = documents
  }

  /// Adds a document.
  ///
  /// - Returns: The index of the document's resource.
  func add(_ root: Root, uri: String) throws(SchemaProblem) -> Int {
    let resource = enter(root, SchemaURI(uri))
    guard case .element(let element) = root else { return resource }
    try walk(element, resource, "")
    return home(of: element) ?? resource
  }

  func home(of element: JSONElement) -> Int? { homes[SchemaPlace(element)] }

  /// Returns the index of the resource to which a schema belongs, and registers the schema if
  /// necessary. A schema with its own identifier is a resource itself. Any other schema belongs to
  /// `resource`.
  func enteredHome(of element: JSONElement, in resource: Int) throws(SchemaProblem) -> Int {
    if let home = home(of: element) { return home }
    try walk(element, resource, "")
    return home(of: element) ?? resource
  }

  /// Resolves a reference in a resource.
  ///
  /// - Throws: An error if the reference can't be resolved, or if a schema on the way to the target
  ///   is invalid.
  func find(_ reference: String, from resource: Int) throws(SchemaProblem) -> Target {
    switch try lookUp(reference, from: resource) {
    case .success(let target): return target
    case .failure(let lost): throw SchemaProblem(lost.message)
    }
  }

  /// Resolves a reference in a resource. If the reference can't be resolved, returns a failure with
  /// the reason.
  ///
  /// - Throws: An error if a schema on the way to the target is invalid.
  func lookUp(_ reference: String, from resource: Int) throws(SchemaProblem) -> Result<
    Target, Lost
  > {
    let target = SchemaURI(reference).resolved(against: resources[resource].uri)
    guard let place = try place(of: target.document, resource) else {
      return lost(
        reference, "refers to another document, '\(target.document)': schemas are not fetched")
    }
    let written = target.fragment ?? ""
    let fragment = SchemaFragment.decoded(written)
    if fragment.isEmpty {
      guard case .element(let element) = resources[place].root else {
        return lost(reference, "refers to a whole schema file, not to a schema in it")
      }
      return .success((element, nil))
    }
    if fragment.hasPrefix("/") {
      guard let element = try element(at: fragment, in: place) else {
        return lost(reference, "has no target")
      }
      return .success((element, nil))
    }
    if resources[place].anchors[fragment] == nil { try enterDefinitions() }
    guard let element = resources[place].anchors[fragment] else {
      return lost(reference, "has no target: there is no such anchor")
    }
    return .success((element, resources[place].dynamicAnchors[fragment] == nil ? nil : fragment))
  }

  // MARK: Parts

  private func enter(_ root: Root, _ uri: SchemaURI) -> Int {
    places[uri.document] = resources.count
    resources.append(Resource(uri: uri, root: root))
    return resources.count - 1
  }

  private func lost(_ reference: String, _ why: String) -> Result<Target, Lost> {
    .failure(Lost(message: "the reference '\(LogText.part(reference, limit: 200))' \(why)"))
  }

  /// Returns the index of the resource to which a URI refers; nil if the document is unknown.
  private func place(of document: String, _ resource: Int) throws(SchemaProblem) -> Int? {
    if document == resources[resource].uri.document { return resource }
    if let place = places[document] { return place }
    try enterDefinitions()
    if let place = places[document] { return place }
    guard let root = documents[document] else { return nil }
    _ = try add(.element(root), uri: document)
    return places[document] ?? resource
  }

  /// Registers the definitions of all schema files, because any of them may have an identifier.
  /// Each file is parsed once.
  private func enterDefinitions() throws(SchemaProblem) {
    while enteredFiles < resources.count {
      let place = enteredFiles
      enteredFiles += 1
      guard case .file(let file) = resources[place].root else { continue }
      for name in file.definitions { _ = try definition(name, of: file, place) }
    }
  }

  private func definition(_ name: String, of file: SchemaFile, _ resource: Int)
    throws(SchemaProblem) -> JSONElement?
  {
    guard let element = try file.definition(name) else { return nil }
    if home(of: element) == nil { try walk(element, resource, "/$defs/\(name)") }
    return element
  }

  /// Finds the schema at a JSON Pointer. The pointer is followed token by token, because schemas on
  /// the way may be resources themselves.
  private func element(at pointer: String, in place: Int) throws(SchemaProblem) -> JSONElement? {
    let tokens = pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      String($0.replacing("~1", with: "/").replacing("~0", with: "~"))
    }
    var rest = tokens[...]
    var current: JSONElement?
    switch resources[place].root {
    case .element(let element): current = element
    case .file(let file):
      guard tokens.count > 1 else { break }
      rest = rest.dropFirst(2)
      current =
        tokens[0] == "$defs"
        ? try definition(tokens[1], of: file, place) : try file.entry(tokens[1], in: tokens[0])
    }
    var home = place
    for token in rest {
      guard let element = current else { break }
      if let own = self.home(of: element) { home = own }
      current = element.kind == .array ? Int(token).flatMap { element[$0] } : element[token]
    }
    guard let found = current else { return nil }
    if self.home(of: found) == nil { try walk(found, home, pointer) }
    return found
  }

  private func isRoot(_ element: JSONElement, of resource: Int) -> Bool {
    guard case .element(let root) = resources[resource].root else { return false }
    return SchemaPlace(root) == SchemaPlace(element)
  }

  /// The supported values of `$schema`.
  private static let dialects = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://spec.openapis.org/oas/3.1/dialect/base",
  ]
  private static let single: Set<String> = [
    "additionalProperties", "propertyNames", "items", "contains", "unevaluatedItems",
    "unevaluatedProperties", "not", "if", "then", "else", "contentSchema",
  ]
  private static let lists: Set<String> = ["prefixItems", "allOf", "anyOf", "oneOf"]
  private static let maps: Set<String> = [
    "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions",
  ]

  /// Registers the resources and anchors of all schemas in `element`.
  private func walk(_ element: JSONElement, _ resource: Int, _ pointer: String)
    throws(SchemaProblem)
  {
    guard element.kind == .object else {
      homes[SchemaPlace(element)] = resource
      return
    }
    if let dialect = element["$schema"]?.string,
      !SchemaResources.dialects.contains(
        dialect.hasSuffix("#") ? String(dialect.dropLast()) : dialect)
    {
      throw SchemaProblem(
        "'$schema' is '\(dialect)', but only draft 2020-12 is supported", pointer: pointer)
    }
    var resource = resource
    if let id = element["$id"]?.string {
      let uri = SchemaURI(id).resolved(against: resources[resource].uri)
      guard (uri.fragment ?? "").isEmpty else {
        throw SchemaProblem("'$id' must not have a fragment, got '\(id)'", pointer: pointer)
      }
      if isRoot(element, of: resource) {
        // The root is registered both by its location and by its identifier.
        places[uri.document] = resource
        resources[resource] = Resource(uri: uri, root: .element(element))
      } else {
        resource = enter(.element(element), uri)
      }
    }
    homes[SchemaPlace(element)] = resource
    if let anchor = element["$anchor"]?.string { resources[resource].anchors[anchor] = element }
    if let anchor = element["$dynamicAnchor"]?.string {
      resources[resource].anchors[anchor] = element
      resources[resource].dynamicAnchors[anchor] = element
    }
    for (key, value) in element.pairs {
      if SchemaResources.single.contains(key) {
        try walk(value, resource, "\(pointer)/\(key)")
      } else if SchemaResources.lists.contains(key) {
        for (place, item) in value.elements.enumerated() {
          try walk(item, resource, "\(pointer)/\(key)/\(place)")
        }
      } else if SchemaResources.maps.contains(key) {
        for (name, item) in value.pairs { try walk(item, resource, "\(pointer)/\(key)/\(name)") }
      }
    }
  }
}
