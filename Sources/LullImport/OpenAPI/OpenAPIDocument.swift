import LullCore

/// An OpenAPI document, which resolves its references. A Swagger 2.0 document is converted.
final class OpenAPIDocument {
  /// A version of OpenAPI, as far as its documents are read differently.
  enum Version: Int, Comparable {
    case swagger2, v30, v31, v32

    static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
  }

  let set: DocumentSet
  let root: ImportNode
  let version: Version
  /// The parts of a Swagger 2.0 document that the conversion has lost.
  let losses: SwaggerLosses
  /// The cached shapes of schemas.
  var shapes: [ImportNode.Identity: SchemaShape] = [:]
  /// The number of body properties that can still become parameters. The limit exists for documents
  /// in which many calls share a large body.
  var propertiesLeft = 200_000
  /// The reasons why references could not be resolved, in order and without duplicates.
  private(set) var brokenReferences: [String] = []
  private var knownBroken: Set<String> = []

  /// Whether keywords next to a `$ref` in a schema have an effect, as in OpenAPI 3.1 and later.
  var isNew: Bool { version >= .v31 }

  init(_ set: DocumentSet) throws(DocumentProblem) {
    self.set = set
    let root = ImportNode(set.root.root, set.root)
    func refusal(_ text: String) -> DocumentProblem { DocumentProblem(text, file: set.root.name) }
    version = try OpenAPIDocument.version(of: set.root)
    guard root["paths"]?.isObject == true || version >= .v31 && root["paths"] == nil else {
      throw refusal("the document has no 'paths'")
    }
    guard version == .swagger2 else {
      self.root = root
      losses = SwaggerLosses()
      return
    }
    let (converted, losses) = try SwaggerConversion.document(of: set)
    self.root = ImportNode(converted.root, converted)
    self.losses = losses
  }

  private static func version(of document: ImportDocument) throws(DocumentProblem) -> Version {
    let root = document.root
    func refusal(_ text: String) -> DocumentProblem { DocumentProblem(text, file: document.name) }
    guard root.kind == .object else {
      throw refusal("not an OpenAPI document: expected an object at the top level")
    }
    if let version = root["swagger"] ?? root["swaggerVersion"] {
      // In YAML, the version may be a number.
      guard version.string == "2.0" || version.double == 2 else {
        throw refusal(
          "the document is Swagger \(shown(version.string ?? version.text)), but only 2.0 is supported"
        )
      }
      return .swagger2
    }
    guard let version = root["openapi"]?.string else {
      throw refusal("not an OpenAPI document: expected 'openapi' with a version")
    }
    let known: [(number: String, version: Version)] = [
      ("3.0", .v30), ("3.1", .v31), ("3.2", .v32),
    ]
    let found = known.first { version == $0.number || version.hasPrefix($0.number + ".") }
    guard let found else {
      throw refusal(
        "the document is OpenAPI \(shown(version)), but only 3.0, 3.1 and 3.2 are supported")
    }
    return found.version
  }

  private static func shown(_ version: String) -> String {
    ShortText.comment(String(version.prefix(40)))
  }

  /// Follows a chain of `$ref`s to its end.
  func resolved(_ node: ImportNode) throws(DocumentProblem) -> ImportNode {
    try set.resolved(node)
  }

  /// Returns the content types of a body, a response or a parameter, each with its media type
  /// object. In OpenAPI 3.2, that object may be a `$ref`.
  func contents(of node: ImportNode?) -> [(key: String, value: ImportNode)] {
    let pairs = node?["content"]?.pairs ?? []
    guard version >= .v32 else { return pairs }
    return pairs.map { ($0.key, target(of: $0.value) ?? $0.value) }
  }

  /// Returns the tags of an operation. In OpenAPI 3.2, a tag may have a parent, which is included.
  func tags(of operation: ImportNode) -> [String] {
    var tags = (operation["tags"]?.elements ?? []).compactMap(\.element.string)
    var place = 0
    while place < tags.count, place < 100 {
      if let parent = parents[tags[place]], !tags.contains(parent) { tags.append(parent) }
      place += 1
    }
    return tags
  }

  /// The parents of tags, keyed by the names of the tags.
  private lazy var parents: [String: String] = {
    guard version >= .v32 else { return [:] }
    let pairs = (root["tags"]?.elements ?? []).compactMap { tag in
      tag.string("name").flatMap { name in tag.string("parent").map { (name, $0) } }
    }
    return Dictionary(pairs) { first, _ in first }
  }()

  /// Resolves a node like `resolved`. Returns `nil` if there is no node. If the node's target can't
  /// be found, records that and returns `nil`.
  func target(of node: ImportNode?) -> ImportNode? {
    guard let node else { return nil }
    do throws(DocumentProblem) {
      return try resolved(node)
    } catch {
      if knownBroken.insert(error.text).inserted { brokenReferences.append(error.text) }
      return nil
    }
  }

  private static let mostNotes = 10

  /// Notes on references that could not be resolved.
  var notes: [String] {
    let shown = brokenReferences.prefix(OpenAPIDocument.mostNotes)
    let others = brokenReferences.count - shown.count
    return shown.map { "\($0): any value is accepted in its place" }
      + (others > 0 ? ["\(others) other $refs cannot be resolved either"] : [])
  }
}
