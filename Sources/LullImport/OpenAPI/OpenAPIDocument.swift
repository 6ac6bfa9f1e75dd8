import LullCore

/// An OpenAPI 3 document, which resolves its references.
final class OpenAPIDocument {
  let set: DocumentSet
  /// Whether keywords next to a `$ref` in a schema have an effect, as in OpenAPI 3.1 and later.
  let isNew: Bool
  /// The cached shapes of schemas.
  var shapes: [ImportNode.Identity: SchemaShape] = [:]
  /// The number of body properties that can still become parameters. The limit exists for documents
  /// in which many calls share a large body.
  var propertiesLeft = 200_000
  /// The reasons why references could not be resolved, in order and without duplicates.
  private(set) var brokenReferences: [String] = []
  private var knownBroken: Set<String> = []

  var root: ImportNode { ImportNode(set.root.root, set.root) }

  init(_ set: DocumentSet) throws(DocumentProblem) {
    self.set = set
    let root = set.root.root
    func refusal(_ text: String) -> DocumentProblem { DocumentProblem(text, file: set.root.name) }
    guard root.kind == .object else {
      throw refusal("not an OpenAPI document: expected an object at the top level")
    }
    if root["swagger"] != nil {
      throw refusal(
        "the document is Swagger 2.0: convert it to OpenAPI 3 first, with swagger2openapi or Swagger Editor"
      )
    }
    guard let version = root["openapi"]?.string else {
      throw refusal("not an OpenAPI document: expected 'openapi' with a version")
    }
    guard ["3.0", "3.1", "3.2"].contains(where: { version == $0 || version.hasPrefix($0 + ".") })
    else {
      throw refusal(
        "the document is OpenAPI \(ShortText.comment(String(version.prefix(40)))), but only 3.0, 3.1 "
          + "and 3.2 are supported")
    }
    isNew = !version.hasPrefix("3.0")
    guard root["paths"]?.kind == .object || isNew && root["paths"] == nil else {
      throw refusal("the document has no 'paths'")
    }
  }

  /// Follows a chain of `$ref`s to its end.
  func resolved(_ node: ImportNode) throws(DocumentProblem) -> ImportNode {
    var node = node
    var seen: Set<ImportNode.Identity> = []
    while let reference = node.string("$ref") {
      guard seen.insert(node.identity).inserted else {
        throw DocumentProblem("the $ref '\(ShortText.comment(reference))' leads to itself")
      }
      guard seen.count <= 100 else {
        throw DocumentProblem(
          "the $ref '\(ShortText.comment(reference))' leads through more than 100 other $refs")
      }
      node = try set.node(reference, from: node.document)
    }
    return node
  }

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
