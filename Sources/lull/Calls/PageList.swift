import LullClients
import LullCore
import LullHost

/// The elements of all pages so far, as one JSON list.
struct PageList: ~Copyable {
  var pageCount = 0
  private var writer = JSONWriter()

  init() { writer.begin("[") }

  /// The elements of a list, or anything else as one.
  mutating func append(_ page: JSONText) {
    for element in page.lines { element.write(to: &writer) }
  }

  /// One element, whatever it is.
  mutating func append(element: JSONText) { element.write(to: &writer) }

  var bytes: [UInt8] { writer.output + "]".utf8 }

  /// Such a list to be read; a problem where it is too large for that.
  static func document(_ bytes: [UInt8]) throws(ContentFilter.Problem) -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes)
    } catch {
      throw ContentFilter.Problem(
        report: "lull: the pages cannot be read as one list: \(error.description)\n")
    }
  }
}
