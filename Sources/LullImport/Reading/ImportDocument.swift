import LullCore
import LullHost
import LullSystem

/// A JSON or YAML document that is imported, or that an imported document refers to.
final class ImportDocument {
  /// The name of the document in messages: a path or a URL.
  let name: String
  /// The URL of the document. `nil` for a file.
  let url: ResourceURL?
  /// The path of the file with links resolved. `nil` for a document from a URL.
  let path: [UInt8]?
  let root: JSONElement
  /// The document that this one was converted from. References resolve in that document.
  let source: ImportDocument?
  /// The `$self` of the document, without a fragment.
  let own: String?
  /// The URI that the document gives itself by `$self`, if it is a URL.
  let ownURL: ResourceURL?
  /// The path that the document gives itself by `$self`, if the document is a file and `$self` is
  /// relative.
  let ownPath: [UInt8]?

  init(
    _ bytes: [UInt8], name: String, url: ResourceURL?, path: [UInt8]?
  ) throws(DocumentProblem) {
    self.name = name
    self.url = url
    self.path = path
    source = nil
    root = try ImportDocument.document(of: bytes, name: name).root
    let own = ImportDocument.own(of: root)
    self.own = own
    if let url {
      ownURL = own.flatMap { url.relative($0) }
      ownPath = nil
    } else {
      let isURL = own.map { $0.hasPrefix("https://") || $0.hasPrefix("http://") } ?? false
      ownURL = isURL ? own.flatMap { ResourceURL(absolute: $0) } : nil
      let isPath = own.map { !$0.contains(":") && !$0.hasPrefix("/") } ?? false
      ownPath = isPath ? path.flatMap { FilePath.relative(own ?? "", to: $0) } : nil
    }
  }

  /// Creates a document that was converted from another one, and takes its place.
  init(_ root: JSONElement, convertedFrom source: ImportDocument) {
    name = source.name
    url = source.url
    path = source.path
    self.root = root
    self.source = source
    own = source.own
    ownURL = source.ownURL
    ownPath = source.ownPath
  }

  /// Returns the `$self` of an OpenAPI document, without a fragment. Before version 3.2, OpenAPI
  /// does not define it.
  private static func own(of root: JSONElement) -> String? {
    guard let version = root["openapi"]?.string, !["3.0", "3.1"].contains(version.prefix(3)),
      let text = root["$self"]?.string
    else { return nil }
    let own = String(text.prefix { $0 != "#" })
    return own.isEmpty ? nil : own
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

/// Paths of files that documents refer to.
enum FilePath {
  /// Returns the path of a relative reference in a file, without `.` and `..`. `nil` if the
  /// reference is not valid as a file name.
  static func relative(_ reference: String, to file: [UInt8]) -> [UInt8]? {
    let bytes = Array(reference.prefix { $0 != "?" }.utf8)
    guard let name = try? PercentEncoding.decode(bytes[...]), !name.contains(0) else { return nil }
    let slash = UInt8(ascii: "/")
    var parts = Array(FileName.folder(of: file).split(separator: slash))
    for part in name.split(separator: slash) {
      switch Array(part) {
      case [UInt8(ascii: ".")]: continue
      case [UInt8(ascii: "."), UInt8(ascii: ".")]: _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return parts.reduce(into: []) { $0 += [slash] + $1 }
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
