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
