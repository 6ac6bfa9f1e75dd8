import LullCore

/// The schemas that can be referred to, by URI, anchor and pointer, while a schema is compiled.
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

  /// Where a schema is: the same element is one schema, whoever leads there.
  struct Key: Hashable {
    let document: Int64
    let index: Int

    init(_ element: JSONElement) {
      document = element.document.serial
      index = element.index
    }
  }

  private(set) var resources: [Resource] = []
  private var places: [String: Int] = [:]
  private var homes: [Key: Int] = [:]
  private let documents: [String: JSONElement]

  /// - Parameter documents: what else may be referred to, by URI. Nothing is fetched.
  init(documents: [String: JSONElement]) {
    self.documents = documents
  }

  /// - Returns: The resource that the document is.
  func add(_ root: Root, uri: String) throws(SchemaProblem) -> Int {
    let resource = enter(root, SchemaURI(uri))
    guard case .element(let element) = root else { return resource }
    try walk(element, resource, "")
    return home(of: element) ?? resource
  }

  func home(of element: JSONElement) -> Int? { homes[Key(element)] }

  /// The schema that a reference leads to, and what it is called if it is a dynamic anchor.
  func find(_ reference: String, from resource: Int) throws(SchemaProblem) -> (
    element: JSONElement, dynamicAnchor: String?
  ) {
    let target = SchemaURI(reference).resolved(against: resources[resource].uri)
    let place = try place(of: target.document, reference, resource)
    let written = target.fragment ?? ""
    let fragment = SchemaFragment.decoded(written)
    if fragment.isEmpty {
      guard case .element(let element) = resources[place].root else {
        throw SchemaProblem("the reference '\(reference)' leads to a file as a whole")
      }
      return (element, nil)
    }
    if fragment.hasPrefix("/") {
      return (try element(at: fragment, in: place, reference), nil)
    }
    if case .file(let file) = resources[place].root, resources[place].anchors[fragment] == nil {
      for name in file.definitions { _ = try definition(name, of: file, place) }
    }
    guard let element = resources[place].anchors[fragment] else {
      throw SchemaProblem("the reference '\(reference)' leads nowhere: there is no such anchor")
    }
    return (element, resources[place].dynamicAnchors[fragment] == nil ? nil : fragment)
  }

  // MARK: Parts

  private func enter(_ root: Root, _ uri: SchemaURI) -> Int {
    places[uri.document] = resources.count
    resources.append(Resource(uri: uri, root: root))
    return resources.count - 1
  }

  private func place(of document: String, _ reference: String, _ resource: Int)
    throws(SchemaProblem) -> Int
  {
    if document == resources[resource].uri.document { return resource }
    if let place = places[document] { return place }
    guard let root = documents[document] else {
      throw SchemaProblem(
        "the reference '\(reference)' leads outside, to '\(document)'; nothing is fetched")
    }
    _ = try add(.element(root), uri: document)
    return places[document] ?? resource
  }

  private func definition(_ name: String, of file: SchemaFile, _ resource: Int)
    throws(SchemaProblem) -> JSONElement?
  {
    guard let element = try file.definition(name) else { return nil }
    if home(of: element) == nil { try walk(element, resource, "/$defs/\(name)") }
    return element
  }

  /// Step by step, since what a pointer passes may be a resource of its own.
  private func element(at pointer: String, in place: Int, _ reference: String)
    throws(SchemaProblem) -> JSONElement
  {
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
    guard let found = current else {
      throw SchemaProblem("the reference '\(reference)' leads nowhere")
    }
    if self.home(of: found) == nil { try walk(found, home, pointer) }
    return found
  }

  private func isRoot(_ element: JSONElement, of resource: Int) -> Bool {
    guard case .element(let root) = resources[resource].root else { return false }
    return Key(root) == Key(element)
  }

  /// What a schema may say that it is.
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

  /// Notes which resource each schema in it is of, and what anchors there are.
  private func walk(_ element: JSONElement, _ resource: Int, _ pointer: String)
    throws(SchemaProblem)
  {
    guard element.kind == .object else {
      homes[Key(element)] = resource
      return
    }
    if let dialect = element["$schema"]?.string,
      !SchemaResources.dialects.contains(
        dialect.hasSuffix("#") ? String(dialect.dropLast()) : dialect)
    {
      throw SchemaProblem(
        "its '$schema' is '\(dialect)', and here schemas are of draft 2020-12", pointer: pointer)
    }
    var resource = resource
    if let id = element["$id"]?.string {
      let uri = SchemaURI(id).resolved(against: resources[resource].uri)
      guard (uri.fragment ?? "").isEmpty else {
        throw SchemaProblem("an '$id' has no fragment, got '\(id)'", pointer: pointer)
      }
      if isRoot(element, of: resource) {
        // Known by both: where it is, and what it is called.
        places[uri.document] = resource
        resources[resource] = Resource(uri: uri, root: .element(element))
      } else {
        resource = enter(.element(element), uri)
      }
    }
    homes[Key(element)] = resource
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
