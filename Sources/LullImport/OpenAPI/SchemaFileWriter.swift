import LullCore

/// Writes the schemas of the imported calls as one file of JSON Schema 2020-12. Each entry is on
/// one line.
struct SchemaFileWriter {
  private let document: OpenAPIDocument
  private var calls: [(name: String, entry: [UInt8])] = []
  private let definitions: SchemaDefinitions
  private let streams: StreamReader

  private static let head = Array(
    #"{"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{"#.utf8)

  /// Returns whether a file looks like one that this writer created.
  static func isWritten(_ bytes: [UInt8]) -> Bool { bytes.starts(with: head + [10]) }

  init(_ document: OpenAPIDocument) {
    self.document = document
    definitions = SchemaDefinitions(document)
    streams = StreamReader(document: document)
  }

  mutating func add(_ call: ImportedCall, _ operation: ImportNode, in item: ImportNode) {
    var parts: [(key: String, json: [UInt8])] = []
    var responses: [(key: String, json: [UInt8])] = []
    let answers = (operation["responses"]?.pairs ?? []).filter { !$0.key.hasPrefix("x-") }
    let hasStandard = answers.contains { status, written in
      status == "default" && schema(of: document.target(of: written)) != nil
    }
    for (status, written) in answers {
      let response = document.target(of: written)
      if let schema = schema(of: response) {
        responses.append((status, definitions.text(of: schema, sharedBy: written)))
      } else if let rows = streams.rows(of: response) {
        var text = definitions.text(of: rows.schema)
        if rows.isOfItems {
          text = SchemaFileWriter.object([
            ("type", Array(#""array""#.utf8)), ("items", text),
          ])
        }
        responses.append((status, text))
      } else if hasStandard {
        // The response has no schema. Without this entry, the schema of the default response would
        // apply to it.
        responses.append((status, Array("true".utf8)))
      }
    }
    if !responses.isEmpty { parts.append(("responses", SchemaFileWriter.object(responses))) }
    let declared = DeclaredAnswers(operation, in: document).entries
    if !declared.isEmpty { parts.append(("answers", SchemaFileWriter.object(declared))) }
    // A form that the same operation accepts has no JSON schema.
    let hasJSON = call.body == nil || call.body == .json
    if hasJSON,
      let schema = schema(of: document.target(of: operation["requestBody"]))
    {
      parts.append(("body", definitions.text(of: schema, sharedBy: operation["requestBody"])))
    }
    // A form without fields may be an empty body.
    if call.requiresBody, call.body != .form {
      parts.append(("body_required", Array("true".utf8)))
    }
    var parameters: [(key: String, json: [UInt8])] = []
    let written = (item["parameters"]?.elements ?? []) + (operation["parameters"]?.elements ?? [])
    for holder in written {
      guard let node = document.target(of: holder), let name = node.string("name"),
        let schema = node["schema"],
        let key = call.parameters.first(where: {
          $0.place.rawValue == node.string("in") && ($0.name ?? $0.key) == name
        })?.key
      else { continue }
      parameters.removeAll { $0.key == key }
      parameters.append((key, definitions.text(of: schema, sharedBy: holder)))
    }
    if !parameters.isEmpty { parts.append(("parameters", SchemaFileWriter.object(parameters))) }
    if !parts.isEmpty { calls.append((call.name, SchemaFileWriter.object(parts))) }
  }

  /// Returns the JSON schema of a body or a response. `nil` if the node has no JSON schema.
  private func schema(of node: ImportNode?) -> ImportNode? {
    SchemaFileWriter.content(among: document.contents(of: node))?.value["schema"]
  }

  /// Returns the JSON content among the contents of a body or a response, with its content type.
  /// `nil` if there is no JSON content.
  static func content(
    among contents: [(key: String, value: ImportNode)]
  ) -> (key: String, value: ImportNode)? {
    contents.first { MediaType.isJSON($0.key) } ?? contents.first { $0.key == "*/*" }
  }

  private static func object(_ members: [(key: String, json: [UInt8])]) -> [UInt8] {
    var bytes = [UInt8(ascii: "{")]
    for (number, member) in members.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += key(member.key)
      bytes += member.json
    }
    return bytes + [UInt8(ascii: "}")]
  }

  private static func key(_ name: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(name)
    return writer.output + [UInt8(ascii: ":")]
  }

  /// Notes on the parts of the document's schemas that were not written. The list is complete after
  /// writing.
  var notes: [String] { definitions.notes }

  /// The schema file. `nil` if no call has a schema.
  var text: [UInt8]? {
    calls.isEmpty ? nil : SchemaFileWriter.text(calls: calls, definitions: definitions.all())
  }

  /// Writes a schema file. `nil` if no call has a schema.
  ///
  /// - Parameters:
  ///   - calls: The entries of the calls, as JSON.
  ///   - definitions: The definitions to which the entries refer, as JSON.
  static func text(
    calls: [(name: String, entry: [UInt8])], definitions: [(name: String, entry: [UInt8])]
  ) -> [UInt8]? {
    guard !calls.isEmpty else { return nil }
    var bytes = SchemaFileWriter.head
    func put(_ members: [(name: String, entry: [UInt8])]) {
      for (number, member) in members.enumerated() {
        bytes += number > 0 ? [UInt8(ascii: ","), 10] : [10]
        bytes += SchemaFileWriter.key(member.name)
        bytes += member.entry
      }
    }
    put(calls)
    bytes += "\n},\"$defs\":{".utf8
    put(definitions)
    bytes += "\n}}\n".utf8
    return bytes
  }
}
