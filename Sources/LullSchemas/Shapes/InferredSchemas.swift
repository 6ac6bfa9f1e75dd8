package import LullCore

/// Schemas as they are written into a file of schemas: an entry on each line.
package struct InferredSchemas: Sendable {
  package struct Entry: Sendable {
    package let name: String
    package let schema: JSONValue
  }

  package let calls: [Entry]
  package let definitions: [Entry]

  /// By this word at its beginning a file is known again as one that may be written anew.
  private static let mark = "seen by lull types; written anew by it"

  /// - Throws: What JSON cannot say, which schemas of samples never have.
  package func encoded() throws(JSONError) -> [UInt8] {
    var text = try InferredSchemas.head()
    text += try InferredSchemas.lines(calls)
    text += Array("},\"$defs\":{\n".utf8)
    text += try InferredSchemas.lines(definitions)
    return text + Array("}}\n".utf8)
  }

  /// Whether a file has been written by `encoded`.
  package static func isInferred(_ bytes: [UInt8]) -> Bool {
    guard let head = try? head() else { return false }
    return bytes.starts(with: head)
  }

  private static func head() throws(JSONError) -> [UInt8] {
    let start = try JSONValue.object([
      .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
      .init("$comment", .string(mark)),
    ]).encode()
    return start.dropLast() + Array(",\"calls\":{\n".utf8)
  }

  private static func lines(_ entries: [Entry]) throws(JSONError) -> [UInt8] {
    var text: [UInt8] = []
    for (position, entry) in entries.enumerated() {
      text += try JSONValue.string(entry.name).encode()
      text.append(UInt8(ascii: ":"))
      text += try entry.schema.encode()
      if position < entries.count - 1 { text.append(UInt8(ascii: ",")) }
      text.append(10)
    }
    return text
  }
}
