import LullCore
import LullHost

/// A text of JSON or YAML that is imported, or that one refers to.
final class ImportDocument {
  /// How messages name it: a path, or a URL.
  let name: String
  /// nil of a file.
  let url: ResourceURL?
  /// The path of a file with all links followed; nil of what came from a URL.
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

  /// JSON begins with a brace or a bracket, and what does and is no JSON may still be YAML.
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
    var problem = DocumentProblem("it is no JSON: \(error.message)")
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

  /// The same value has the same, by whatever way one has come to it.
  var identity: Identity { Identity(document: ObjectIdentifier(document), index: element.index) }

  struct Identity: Hashable {
    let document: ObjectIdentifier
    let index: Int
  }
}

/// Why a document is refused, or cannot be read: what is wrong, and where.
package struct DocumentProblem: Error, Equatable, CustomStringConvertible {
  /// The file or the URL; empty where that is known to whoever reads.
  package var file: String
  /// Counted from 1; nil where no place is known.
  package var line: Int?
  package var column: Int?
  /// Without full stop.
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
