import LullCore
import LullHost

/// A JSON or YAML document that is imported, or that an imported document refers to.
final class ImportDocument {
  /// The name of the document in messages: a path or a URL.
  let name: String
  /// The URL of the document. `nil` for a file.
  let url: ResourceURL?
  /// The path of the file with links resolved. `nil` for a document from a URL.
  let path: [UInt8]?
  let root: JSONElement

  init(
    _ bytes: [UInt8], name: String, url: ResourceURL?, path: [UInt8]?
  ) throws(DocumentProblem) {
    self.name = name
    self.url = url
    self.path = path
    root = try ImportDocument.document(of: bytes, name: name).root
  }

  /// Parses a document. If the text begins with a brace or a bracket, it is parsed as JSON. If that
  /// fails, it is parsed as YAML, unless the document's name ends with `.json`.
  private static func document(
    of bytes: [UInt8], name: String
  ) throws(DocumentProblem) -> JSONDocument {
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    var jsonError: JSONError?
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      do throws(JSONError) {
        return try JSONDocument(parsing: bytes)
      } catch {
        jsonError = error
      }
    }
    let isCalledJSON = name.hasSuffix(".json")
    do throws(DocumentProblem) {
      if let jsonError, isCalledJSON { throw problem(jsonError, in: bytes) }
      return try YAMLReader.document(of: bytes)
    } catch {
      var problem = jsonError.map { ImportDocument.problem($0, in: bytes) } ?? error
      problem.file = name
      throw problem
    }
  }

  private static func problem(_ error: JSONError, in bytes: [UInt8]) -> DocumentProblem {
    var problem = DocumentProblem("invalid JSON: \(error.message)")
    if let offset = error.offset {
      let before = bytes.prefix(offset)
      problem.line = before.count { $0 == 10 } + 1
      problem.column = offset - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0) + 1
    }
    return problem
  }
}

/// A value in one of the documents.
struct ImportNode {
  let element: JSONElement
  let document: ImportDocument

  init(_ element: JSONElement, _ document: ImportDocument) {
    self.element = element
    self.document = document
  }

  subscript(key: String) -> ImportNode? {
    element[key].map { ImportNode($0, document) }
  }

  var pairs: [(key: String, value: ImportNode)] {
    element.pairs.map { ($0.key, ImportNode($0.value, document)) }
  }

  var elements: [ImportNode] { element.elements.map { ImportNode($0, document) } }

  func string(_ key: String) -> String? { element[key]?.string }
  func bool(_ key: String) -> Bool? { element[key]?.bool }

  var isObject: Bool { element.kind == .object }

  /// Identifies the value. Nodes have equal identities if they were reached by different references
  /// but are the same value.
  var identity: Identity { Identity(document: ObjectIdentifier(document), index: element.index) }

  struct Identity: Hashable {
    let document: ObjectIdentifier
    let index: Int
  }
}

/// The reason why a document can't be read, as a message with the place of the error.
package struct DocumentProblem: Error, Equatable, CustomStringConvertible {
  /// The file or URL with the problem. Empty if the caller adds it.
  package var file: String
  /// The line of the problem, starting at 1. `nil` if it is unknown.
  package var line: Int?
  package var column: Int?
  /// The message, without a full stop.
  package var text: String

  package init(_ text: String, file: String = "", line: Int? = nil, column: Int? = nil) {
    self.text = text
    self.file = file
    self.line = line
    self.column = column
  }

  package var description: String {
    var place = file
    if let line { place += ":\(line)" }
    if let column { place += ":\(column)" }
    return place.isEmpty ? text : "\(place): \(text)"
  }
}
